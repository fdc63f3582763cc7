"""Compares the links of an index with a second, plain reading of Obsidian's rules over the same files.

python benchmarks/links.py ~/notes

The second reading shares no code with the program: wikilinks by a pattern, outside code and comments; file names as
Obsidian looks them up: the path, else the only file of that name, else one in the own folder, else the shortest path.
It knows no aliases, no canvas files and no indented code, so what only one side has is listed, to be judged by eye.
"""

import argparse
import re
import tempfile
import unicodedata
from collections import defaultdict
from pathlib import Path, PurePosixPath

from figures import Figure, print_figures
from vaults import copy_vault

from graphrag.app import App
from graphrag.domain.graph import EntityKind

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_HIDDEN = re.compile(r"%%.*?(?:%%|\Z)|<!--.*?(?:-->|\Z)|(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_WIKILINK = re.compile(r"\[\[([^\[\]\n|#^]*)[^\[\]\n]*\]\]")
_LISTED = 10

Pair = tuple[str, str]


class Files:
    """The files of a vault by name."""

    def __init__(self, vault: Path) -> None:
        visible = (file for file in vault.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(vault)))
        self.paths = [unicodedata.normalize("NFC", file.relative_to(vault).as_posix()) for file in visible]
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            self._by_name[PurePosixPath(path.lower()).name].append(path)

    def find(self, link: str, source: str) -> str | None:
        """Return the file that a link in `source` leads to."""
        return self._find(f"{link}.md".lower(), source) or self._find(link.lower(), source)

    def _find(self, wanted: str, source: str) -> str | None:
        of_name = self._by_name.get(PurePosixPath(wanted).name, [])
        wanted = wanted.removeprefix("/")
        fitting = [path for path in of_name if f"/{path.lower()}".endswith(f"/{wanted}")]
        folder = f"{PurePosixPath(source).parent}/" if "/" in source else ""
        fitting.sort(key=lambda path: (path.lower() != wanted, not path.startswith(folder), len(path)))
        return fitting[0] if fitting else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        vault = copy_vault(arguments.vault, Path(name))
        indexed, read = pairs_of_index(vault), pairs_of_files(vault)
    figures = [
        Figure("pairs of linked notes in both", len(indexed & read), ""),
        Figure("only in the index", len(indexed - read), ""),
        Figure("only in the second reading", len(read - indexed), ""),
    ]
    print_figures(f"links: {arguments.vault}", figures, arguments.json)
    if not arguments.json:
        for title, rest in (("only in the index", indexed - read), ("only in the second reading", read - indexed)):
            print(f"\n{title}:", *sorted(f"\n  {source} -> {target}" for source, target in rest)[:_LISTED])


def pairs_of_index(vault: Path) -> set[Pair]:
    """Return which note links to which, by the program."""
    app = App.open(vault, vault, {"index": {"embedder": "none"}})
    app.index(False, lambda step, done, total: None)
    graph = app.graph()
    app.close()
    notes = {entity.id for entity in graph.entities if entity.kind is EntityKind.NOTE and entity.id.endswith(".md")}
    written = (edge.relation for edge in graph.edges if edge.relation.kind in ("wiki", "embed", "property"))
    return {(item.source, item.target) for item in written if item.source in notes and item.target in notes}


def pairs_of_files(vault: Path) -> set[Pair]:
    """Return which note links to which, by the second reading; a note does not link to itself."""
    files, pairs = Files(vault), set()
    for path in files.paths:
        if path.endswith(".md"):
            text = _HIDDEN.sub("", _FENCED.sub("", (vault / path).read_text(encoding="utf-8", errors="replace")))
            names = (unicodedata.normalize("NFC", match.group(1)).strip("\\ ") for match in _WIKILINK.finditer(text))
            pairs |= {(path, files.find(name, path) or "") for name in names if name}
    return {(source, target) for source, target in pairs if target.endswith(".md") and source != target}


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


if __name__ == "__main__":
    main()
