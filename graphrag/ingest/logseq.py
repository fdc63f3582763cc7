"""A page of Logseq's -> front matter: its first block holds `key:: value` lines, its file's name its levels.

`支付___退款.md` is the page `支付/退款`; older versions write `支付%2F退款.md`.
"""

import re
from pathlib import PurePosixPath
from urllib.parse import unquote

from graphrag.ingest.front_matter import FrontMatter, KeyLines

_PROPERTY = re.compile(r"(?:-[ \t]+)?([^\s:#\[\](){}-][^\s:]{0,60})::(?:[ \t]+(.*))?\Z")
_NAMES = ("title", "alias", "aliases", "tags", "tag")
_VALUE = re.compile(r"#?\[\[([^\[\]]+)\]\]|[^,，]+")
_PAGES = "pages/"


def read_page(path: str, text: str, front: FrontMatter) -> FrontMatter:
    """Return the front matter of a note with the properties of its page; the names that links use become aliases."""
    properties = {key: list(values) for key, values in front.properties.items()}
    found = []
    source = text.split("\n")
    for number, line in enumerate(source[front.body_line - 1 :], front.body_line):
        matched = _PROPERTY.match(line)
        if not matched:
            break
        key, value = matched.group(1), (matched.group(2) or "").strip()
        found.append(KeyLines(key, number, number))
        properties.setdefault(key, []).extend(_values(value) if key.casefold() in _NAMES else [value] if value else [])
    names = [value for key, values in properties.items() if key.casefold() == "title" for value in values]
    names = names or [page_name(path)]
    if names[0] != PurePosixPath(path).stem:
        properties.setdefault("title", names[:1])
        properties.setdefault("alias", []).append(names[0])
    return FrontMatter(
        {key: tuple(values) for key, values in properties.items()},
        front.lists | {key for key in properties if key.casefold() in _NAMES},
        (*front.lines, *found),
        front.body_line + len(found),
        front.problem,
        front.repeated,
    )


def page_name(path: str) -> str:
    """Return the name of a page by its file's."""
    stem = PurePosixPath(path).stem
    return unquote(stem.replace("___", "/")) if path.startswith(_PAGES) else stem


def _values(value: str) -> list[str]:
    return [text for part in _VALUE.finditer(value) if (text := (part.group(1) or part.group()).strip().lstrip("#"))]
