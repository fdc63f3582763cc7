"""The first lines of an exported note -> its details, and the text without them.

Read line by line and not as YAML: exporters write values unquoted, so that a title may start with `[`, `#` or `@` or
hold `: `, and YAML refuses these, or takes them for something else.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vault_sync.leanote.sources.export_text import clean_tags, object_id

NAMES = {
    "id": ("noteid", "leanoteid", "id"),
    "title": ("title",),
    "tags": ("tags", "tag"),
    "created": ("created", "createdtime", "createdat", "createtime", "date"),
    "updated": ("updated", "updatedtime", "updatedat", "updatetime", "modified", "lastmod"),
    "notebook": ("categories", "category", "notebook", "notebooktitle"),
    "is_markdown": ("ismarkdown",),
    "is_blog": ("isblog", "blog"),
    "is_trash": ("istrash", "trash"),
    "is_deleted": ("isdeleted", "deleted"),
    "usn": ("usn", "leanoteusn"),
    "url": ("url",),
}
KNOWN_KEYS = frozenset(name for names in NAMES.values() for name in names)
_SEPARATOR = re.compile(r"[_\-\s]")
_COMMA = re.compile(r"[,，]")


@dataclass(frozen=True, slots=True)
class NoteDetails:
    """The details that were given; None, empty or false where they were not."""

    id: str = ""
    title: str | None = None
    tags: tuple[str, ...] = ()
    created: str | float | None = None
    updated: str | float | None = None
    notebook: tuple[str, ...] = ()  # titles from the root
    is_markdown: bool | None = None
    is_blog: bool = False
    is_trash: bool = False
    is_deleted: bool = False
    usn: int = 0
    url: str = ""


def plain_key(key: str) -> str:
    """Return a key without case and separators, so that `CreatedTime` and `created_time` are one."""
    return _SEPARATOR.sub("", key).lower()


def details_of(values: Mapping[str, object]) -> NoteDetails:
    """Return the details that stand under known keys."""
    plain = {plain_key(key): value for key, value in values.items()}

    def first(field: str) -> object:
        return next((plain[name] for name in NAMES[field] if plain.get(name) is not None), None)

    title, is_markdown, usn, url = first("title"), first("is_markdown"), first("usn"), first("url")
    return NoteDetails(
        id=object_id(first("id")),
        title=None if title is None or isinstance(title, (dict, list)) else str(title).strip(),
        tags=clean_tags(_list(first("tags"))),
        created=_moment(first("created")),
        updated=_moment(first("updated")),
        notebook=clean_tags(_levels(first("notebook"))),
        is_markdown=None if is_markdown is None else _is_true(is_markdown),
        is_blog=_is_true(first("is_blog")),
        is_trash=_is_true(first("is_trash")),
        is_deleted=_is_true(first("is_deleted")),
        usn=int(str(usn)) if str(usn).isdecimal() and len(str(usn)) < 16 else 0,
        url=url if isinstance(url, str) and url.startswith(("https://", "http://")) else "",
    )


def listed_values(text: str) -> list[str]:
    """Return the values of `[a, b]` or `a, b`."""
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    return [unquoted(value) for value in _COMMA.split(inner)]


def unquoted(text: str) -> str:
    """Return a value without the quotes of YAML; one that only starts or ends with a quote is left as it is."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"' and not re.search(r'(?<!\\)"', text[1:-1]):
        return re.sub(r'\\(["\\])', r"\1", text[1:-1])
    if len(text) >= 2 and text[0] == text[-1] == "'" and "'" not in text[1:-1].replace("''", ""):
        return text[1:-1].replace("''", "'")
    return text


def _list(value: object) -> list[object]:
    if isinstance(value, str):
        return list(listed_values(value))
    return [item for item in value if isinstance(item, (str, int, float))] if isinstance(value, list) else []


def _levels(value: object) -> list[object]:
    return [unquoted(value)] if isinstance(value, str) and not value.startswith("[") else _list(value)


def _moment(value: object) -> str | float | None:
    if isinstance(value, str):
        return unquoted(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return value if is_number else None  # type: ignore[return-value]


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


_RULE = "---"
_MAX_LINES = 200
_MAX_TITLE_LINES = 5
_KEY = re.compile(r"([A-Za-z_][\w\- ]{0,30}?)[ \t]*:([ \t]*)(.*)")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*))?")
_INDENTED = re.compile(r"[ \t]+\S|#")
_QUOTE_MARKS = "\"'＂＇“‘_-"  # what exporters make of a quote at the start of a file's name

Values = dict[str, object]


def split_header(text: str, stem: str = "") -> tuple[NoteDetails, str]:
    """Return the details that a note starts with and the text after them; the text as it is where there are none.

    Three forms count: lines between two `---`; lines that only end with one, as Leanote4MD writes them; and
    `Title:` with another known key, ended by an empty line. Each needs a known key, as a text may start with a rule.
    `stem` is the file's name, which tells whether quotes around a title belong to it.
    """
    lines = text.split("\n", _MAX_LINES)[:_MAX_LINES]
    found = _between_rules(lines) or _above_blank(lines) or _above_rule(lines)
    if not found:
        return NoteDetails(), text
    values, count = found
    title = values.get("title")
    if isinstance(title, str) and not stem.startswith(tuple(_QUOTE_MARKS)):
        values["title"] = unquoted(title)
    return details_of(values), "\n".join(text.split("\n", count)[count:])


def _between_rules(lines: Sequence[str]) -> tuple[Values, int] | None:
    if lines[0].rstrip() != _RULE:
        return None
    found = _above_rule(lines[1:], needs_title=False)
    return (found[0], found[1] + 1) if found else None


def _above_rule(lines: Sequence[str], needs_title: bool = True) -> tuple[Values, int] | None:
    stripped = [line.rstrip() for line in lines]
    if _RULE not in stripped:
        return None
    end = stripped.index(_RULE)
    values = _values(stripped[:end])
    if not values or not values.keys() & KNOWN_KEYS:
        return None
    if needs_title and not (_is_key(stripped[0], "title") or len(values.keys() & KNOWN_KEYS) > 1):
        return None  # a line of text above a rule is a heading
    return values, end + 1


def _above_blank(lines: Sequence[str]) -> tuple[Values, int] | None:
    end = next((number for number, line in enumerate(lines) if not line.strip()), len(lines))
    values = _values(lines[:end])
    if not values or "title" not in values or len(values) < 2 or not values.keys() <= KNOWN_KEYS:
        return None
    return values, min(end + 1, len(lines))


def _values(lines: Sequence[str]) -> Values | None:
    """Return the values by plain key; None when a line is neither a key, an item of a list, nor goes on."""
    values: Values = {}
    key = ""
    for line in lines:
        if item := _ITEM.fullmatch(line):
            if not key:
                return None
            listed = values[key]
            values[key] = [*(listed if isinstance(listed, list) else []), unquoted(item[1] or "")]
        elif found := _key_line(line):
            key = plain_key(found[1])
            values[key] = found[3].strip()
        elif key == "title" and _goes_on(values[key]):
            values[key] = f"{values[key]}\n{line}"  # exporters write a title of two lines as it is
        elif line.strip() and not _INDENTED.match(line):
            return None
    has_only_title = len(values.keys() & KNOWN_KEYS) < 2
    return None if has_only_title and "\n" in str(values.get("title", "")) else values


def _goes_on(title: object) -> bool:
    return isinstance(title, str) and bool(title) and title.count("\n") + 1 < _MAX_TITLE_LINES


def _key_line(line: str) -> re.Match[str] | None:
    """Return a key and its value; only a known key may do without the space, as `https://` is none."""
    found = _KEY.fullmatch(line)
    return found if found and (found[2] or not found[3] or plain_key(found[1]) in KNOWN_KEYS) else None


def _is_key(line: str, key: str) -> bool:
    found = _key_line(line)
    return found is not None and plain_key(found[1]) == key
