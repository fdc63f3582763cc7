"""Front matter -> what it says about its note: title, aliases, tags, category, dates, links, privacy."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from graphrag.domain.note import Link, LinkKind, NoteType
from graphrag.ingest.front_matter import FrontMatter
from graphrag.ingest.inline import MARKDOWN_LINK, WIKILINK, link_target, parse_wikilink
from graphrag.ingest.structure import plain_inline
from graphrag.language.dates import parse_date

TYPE = "type"  # the property that says what class of thing a note is about
_TITLE = ("title",)
_ALIASES = ("aliases", "alias", "别名")
_TAGS = ("tags", "tag", "标签")
_CATEGORY = ("category", "categories", "notebook", "分类")
_CREATED = ("created", "date created", "created_at", "createdat", "created time", "date", "创建时间", "创建日期")
_UPDATED = (
    *("updated", "date modified", "modified", "updated_at", "updatedat", "updated time", "last_modified", "lastmod"),
    *("更新时间", "更新日期", "修改时间", "修改日期"),
)
_UNTYPED = frozenset((*_TITLE, *_ALIASES, *_TAGS, *_CATEGORY, *_CREATED, *_UPDATED, "private", "rag"))
_YES = frozenset({"true", "yes", "on", "y", "1", "是"})
_NO = frozenset({"false", "no", "off", "n", "0", "否"})
_COMMA = re.compile(r"[,，]")
_TAG_SEPARATOR = re.compile(r"[\s,，、;；]+")


@dataclass(frozen=True, slots=True)
class Head:
    """Front matter by key in lower case; keys that differ only in case share their values."""

    values: Mapping[str, tuple[str, ...]]
    lists: frozenset[str]  # the keys whose value is a list

    @classmethod
    def of(cls, front: FrontMatter) -> "Head":
        """Return the head of this front matter."""
        values: dict[str, tuple[str, ...]] = {}
        for key, found in front.properties.items():
            values[key.casefold()] = (*values.get(key.casefold(), ()), *found)
        return cls(values, frozenset(key.casefold() for key in front.lists))

    @property
    def title(self) -> str:
        """The title, empty without one."""
        return plain_inline(next(self._all(_TITLE), ""))

    @property
    def aliases(self) -> tuple[str, ...]:
        """The aliases; one text names several, separated by commas."""
        return distinct(plain_inline(alias) for alias in self._split(_ALIASES, _COMMA))

    @property
    def tags(self) -> Iterator[str]:
        """The tags without '#'; one text names several, separated by commas or spaces."""
        for value in self._split(_TAGS, _TAG_SEPARATOR):
            levels = (level.strip() for level in value.strip().lstrip("#").split("/"))
            yield "/".join(level for level in levels if level)

    @property
    def created(self) -> datetime | None:
        """The first date under a key for it."""
        return self._date(_CREATED)

    @property
    def updated(self) -> datetime | None:
        """The first date under a key for it."""
        return self._date(_UPDATED)

    @property
    def is_private(self) -> bool:
        """Whether the author keeps the note out of every store."""
        return any(value.lower() in _YES for value in self._all(("private",))) or any(
            value.lower() in _NO for value in self._all(("rag",))
        )

    def category(self, path: str) -> str:
        """Return the category, else the note's folder; a list names its levels from the root."""
        for key in _CATEGORY:
            levels = (plain_inline(value).strip("/ ") for value in self._all((key,)))
            if category := "/".join(level for level in levels if level):
                return category
        return folder(path)

    def _all(self, keys: Iterable[str]) -> Iterator[str]:
        for key in keys:
            yield from self.values.get(key, ())

    def _split(self, keys: Iterable[str], separator: re.Pattern[str]) -> Iterator[str]:
        for key in keys:
            for value in self.values.get(key, ()):
                yield from (value,) if key in self.lists else separator.split(value)

    def _date(self, keys: Iterable[str]) -> datetime | None:
        return next((moment for value in self._all(keys) if (moment := parse_date(value))), None)


def folder(path: str) -> str:
    """Return the folder that a note lies in, empty at the root."""
    parent = PurePosixPath(path).parent.as_posix()
    return "" if parent == "." else parent


def distinct(values: Iterable[str]) -> tuple[str, ...]:
    """Return the non-empty values, the first of those that differ only in case."""
    seen: dict[str, str] = {}
    for value in values:
        if value:
            seen.setdefault(value.casefold(), value)
    return tuple(seen.values())


def front_links(text: str, front: FrontMatter) -> Iterator[Link]:
    """Yield the links in front matter values, typed by their key unless the key has a meaning of its own."""
    source = text.split("\n", front.body_line)
    for key, (first, last) in front.lines.items():
        relation = "" if key.casefold() in _UNTYPED else key
        for number in range(first, last + 1):
            if not source[number - 1].lstrip().startswith("#"):
                yield from _property_links(source[number - 1], number, relation)


def front_types(text: str, front: FrontMatter) -> Iterator[NoteType]:
    """Yield the values of `type`, each with the line that holds it."""
    source = text.split("\n", front.body_line)
    for key, values in front.properties.items():
        first, last = front.lines.get(key, (1, 1))  # where a key is no plain text, as in JSON, its line is not known
        if key.casefold() == TYPE:
            for value in values:
                holders = (number for number in range(first, last + 1) if value in source[number - 1])
                yield NoteType(value, next(holders, first))


def _property_links(line: str, number: int, relation: str) -> Iterator[Link]:
    for found in WIKILINK.finditer(line):
        if link := parse_wikilink(found.group(2), number, LinkKind.PROPERTY, relation):
            yield link
    for found in MARKDOWN_LINK.finditer(line):
        if target := link_target(found.group(3)):
            yield Link(target[0], LinkKind.PROPERTY, number, found.group(2), target[1], relation)
