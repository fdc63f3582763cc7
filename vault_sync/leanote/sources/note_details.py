"""What an export says of a note beside its text: the keys of a header or of JSON, under the names that tools use.

Unknown keys and values of the wrong kind are passed over. Nothing is guessed from the text or the file's name here.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from vault_sync.leanote.sources.export_ids import object_id
from vault_sync.leanote.sources.export_text import clean_tags

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
