"""All links as the notes write them, beside the graph file; edges hold only what a reader of the graph asks for.

One JSON line per note, the file compressed as a whole. In the graph they would cost several times as much: the
engine rewrites a column of strings, with room to grow, whenever one of them changes.
"""

import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from graphrag.domain.note import Link, LinkKind, ResolvedLink, TargetKind


class LinkFile:
    """The links of one graph file, by note.

    Raises:
        ValueError, zlib.error: the file is damaged.
    """

    def __init__(self, graph_file: Path) -> None:
        self._file = graph_file.with_suffix(".links")
        content = _unpack(self._file) if self._file.exists() else ""
        lines = content.split("\n") if content else []
        self._line_of = {str(json.loads(line.split("\t", 1)[0])): line.split("\t", 1)[1] for line in lines}

    def replace(self, sources: Iterable[str], links: Iterable[ResolvedLink]) -> None:
        """Set the links of the notes `sources`, which are all that `links` come from; their order is kept."""
        links_of: dict[str, list[ResolvedLink]] = {}
        for link in links:
            links_of.setdefault(link.source, []).append(link)
        for source in sources:
            self._line_of.pop(source, None)
            if source in links_of:
                self._line_of[source] = _dump(links_of[source])

    def links(self) -> list[ResolvedLink]:
        """Return all links, by note and in its order."""
        return [link for source in sorted(self._line_of) for link in _load(source, self._line_of[source])]

    def save(self) -> None:
        """Write the file."""
        lines = [f"{_json(source)}\t{self._line_of[source]}" for source in sorted(self._line_of)]
        self._file.write_bytes(zlib.compress("\n".join(lines).encode(errors="surrogatepass"), level=3))


def _dump(links: Iterable[ResolvedLink]) -> str:
    return _json(
        [
            (
                link.target,
                link.target_kind.value,
                link.link.target,
                link.link.kind.value,
                link.link.line,
                link.link.text,
                link.link.heading,
                link.link.relation,
            )
            for link in links
        ]
    )


def _load(source: str, dumped: str) -> list[ResolvedLink]:
    return [
        ResolvedLink(
            link=Link(written, LinkKind(kind), line, text, heading, relation),
            source=source,
            target=target,
            target_kind=TargetKind(target_kind),
        )
        for target, target_kind, written, kind, line, text, heading, relation in json.loads(dumped)
    ]


def _unpack(file: Path) -> str:
    return zlib.decompress(file.read_bytes()).decode(errors="surrogatepass")


def _json(value: object) -> str:
    """JSON escapes line breaks and tabs, so none of a name can end a line or a field."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
