"""A vault file -> Note. The result holds everything that later stages need; the file is not read again."""

import json
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from graphrag.domain.note import Diagnostic, Link, LinkKind, Note, Severity
from graphrag.ingest.canvas import read_canvas
from graphrag.ingest.dates import parse_date
from graphrag.ingest.decode import decode
from graphrag.ingest.front_matter import FrontMatter, read_front_matter
from graphrag.ingest.inline import (
    WIKILINK,
    InlineField,
    MARKDOWN_LINK,
    code_ranges,
    comments,
    find_fields,
    find_links,
    find_tags,
    link_target,
    mask,
    parse_wikilink,
)
from graphrag.ingest.structure import LineIndex, plain_inline, read_structure

PARSER_VERSION = "1"

_TITLE = ("title",)
_ALIASES = ("aliases", "alias", "别名")
_TAGS = ("tags", "tag", "标签")
_CATEGORY = ("category", "categories", "notebook", "分类")
_CREATED = ("created", "date", "created_at", "createdat", "创建时间", "创建日期")
_UPDATED = ("updated", "modified", "updated_at", "updatedat", "last_modified", "更新时间", "修改时间")
_UNTYPED = frozenset((*_TITLE, *_ALIASES, *_TAGS, *_CATEGORY, *_CREATED, *_UPDATED, "private", "rag"))


def parse_note(
    path: str, data: bytes, created: datetime | None = None, updated: datetime | None = None
) -> Note:
    """Return the note of a file's bytes; `created` and `updated` serve where its front matter has no date.

    Raises:
        UnicodeError: the bytes are not text.
    """
    path = unicodedata.normalize("NFC", path)
    text, encoding = decode(data)
    problems = [] if encoding == "utf-8" else [_warning(path, 0, f"read as {encoding}; save it as UTF-8")]
    if path.endswith(".canvas"):
        return _canvas_note(path, text, created, updated, problems)
    front = read_front_matter(text)
    if front.problem:
        line, reason = front.problem
        problems.append(_warning(path, line, f"front matter is not valid YAML ({reason}); read line by line"))
    return _markdown_note(path, text, front, created, updated, problems)


def _markdown_note(
    path: str,
    text: str,
    front: FrontMatter,
    created: datetime | None,
    updated: datetime | None,
    problems: list[Diagnostic],
) -> Note:
    lines = LineIndex(text)
    structure = read_structure(text, front.body_line, lines)
    code = code_ranges(structure.code_blocks, structure.code_spans)
    hidden = sorted((*code, *comments(text, code), (0, lines.start_of(front.body_line))))
    masked = mask(text, hidden)
    fields = find_fields(masked)
    properties = _properties(front.properties, fields)
    head = _folded(front.properties)
    return Note(
        path=path,
        text=text,
        title=plain_inline(_first(head, _TITLE)) or plain_inline(structure.first_h1) or _stem(path),
        aliases=_distinct(_split(head, _ALIASES)),
        tags=_distinct([*_front_tags(head), *find_tags(masked)]),
        category=_category(head, path),
        created=_date(head, _CREATED) or created,
        updated=_date(head, _UPDATED) or updated,
        properties=properties,
        body_line=front.body_line,
        sections=structure.sections,
        code_blocks=structure.code_blocks,
        code_spans=structure.code_spans,
        links=(*_front_links(text, front), *find_links(masked, fields, lines)),
        is_private=_is_private(head),
        diagnostics=tuple(problems),
    )


def _canvas_note(
    path: str, text: str, created: datetime | None, updated: datetime | None, problems: list[Diagnostic]
) -> Note:
    lines = LineIndex(text)
    try:
        canvas = read_canvas(text, lines)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UnicodeError(f"not a canvas: {error}") from error
    return Note(
        path=path,
        text=text,
        title=_stem(path),
        aliases=(),
        tags=_distinct(canvas.tags),
        category=_category({}, path),
        created=created,
        updated=updated,
        properties={},
        body_line=1,
        sections=canvas.sections,
        code_blocks=(),
        code_spans=(),
        links=canvas.links,
        is_private=False,
        diagnostics=tuple(problems),
    )


def _warning(path: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(path, line, Severity.WARNING, message)


def _stem(path: str) -> str:
    return PurePosixPath(path).stem


def _folded(properties: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {key.casefold(): values for key, values in properties.items()}


def _properties(front: Mapping[str, tuple[str, ...]], fields: Iterable[InlineField]) -> dict[str, tuple[str, ...]]:
    merged = dict(front)
    for field in fields:
        merged[field.key] = (*merged.get(field.key, ()), field.value)
    return merged


def _first(head: Mapping[str, tuple[str, ...]], keys: Iterable[str]) -> str:
    return next((value for key in keys for value in head.get(key, ()) if value), "")


def _split(head: Mapping[str, tuple[str, ...]], keys: Iterable[str]) -> list[str]:
    """Return a list property's values; a single text may hold several, separated by commas."""
    values: list[str] = []
    for key in keys:
        found = head.get(key, ())
        if len(found) == 1:
            found = tuple(found[0].replace("，", ",").replace("、", ",").split(","))
        values += [value.strip() for value in found]
    return values


def _front_tags(head: Mapping[str, tuple[str, ...]]) -> list[str]:
    values = _split(head, _TAGS)
    if len(values) == 1 and values[0].count("#") > 1:
        values = values[0].split()
    return [value.lstrip("#").strip("/ ") for value in values]


def _category(head: Mapping[str, tuple[str, ...]], path: str) -> str:
    """Return the category; a list names its levels from the root."""
    for key in _CATEGORY:
        if levels := [value.strip("/ ") for value in head.get(key, ()) if value.strip("/ ")]:
            return "/".join(levels)
    parent = PurePosixPath(path).parent.as_posix()
    return "" if parent == "." else parent


def _date(head: Mapping[str, tuple[str, ...]], keys: Iterable[str]) -> datetime | None:
    return next((moment for key in keys for value in head.get(key, ()) if (moment := parse_date(value))), None)


def _is_private(head: Mapping[str, tuple[str, ...]]) -> bool:
    private, rag = _first(head, ("private",)).lower(), _first(head, ("rag",)).lower()
    return private in ("true", "yes", "on", "1") or rag in ("false", "no", "off", "0")


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    """Return the non-empty values, the first of those that differ only in case."""
    seen: dict[str, str] = {}
    for value in values:
        if value:
            seen.setdefault(value.casefold(), value)
    return tuple(seen.values())


def _front_links(text: str, front: FrontMatter) -> tuple[Link, ...]:
    """Return the links in front matter values, typed by their key unless the key has a meaning of its own."""
    source = text.split("\n") if front.lines else []
    links: list[Link] = []
    for key, (first, last) in front.lines.items():
        relation = "" if key.casefold() in _UNTYPED else key
        for number in range(first, last + 1):
            for found in WIKILINK.finditer(source[number - 1]):
                if link := parse_wikilink(found.group(2), number, LinkKind.PROPERTY, relation):
                    links.append(link)
            for found in MARKDOWN_LINK.finditer(source[number - 1]):
                if target := link_target(found.group(3)):
                    links.append(Link(target[0], LinkKind.PROPERTY, number, found.group(2), target[1], relation))
    return tuple(links)
