"""The head of a note -> its properties and the typed links in them.

Two forms are read: YAML between two `---` lines, and the header of Leanote's exporters, which lacks the opening one.
What does not parse is read line by line instead, so that `private: true` still holds, and is reported. Values stay text
as written: YAML would make 1.1 of `1.10` and 750 of `12:30`.
"""

import re
import tomllib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler

from graphrag.domain.note import FrontText, Link, LinkKind, NoteType
from graphrag.ingest.inline import MARKDOWN_LINK, PLACEHOLDER, WIKILINK, link_target, parse_wikilink
from graphrag.ingest.structure import plain_inline
from graphrag.language.dates import parse_date

# without implicit types and merge keys: the latter can unfold without bound
_BaseLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _Loader(_BaseLoader):  # type: ignore[misc]  # either of two classes, by what YAML was built with
    """Keeps all values of a key that is given twice, where YAML's loaders keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        """Return the mapping; the values of a repeated key become one list, and `<<` brings in other mappings."""
        found: dict[object, object] = {}
        merged: list[object] = []
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key is a list or a map", key_node.start_mark)
            value = self.construct_object(value_node, deep=True)
            if key == "<<":
                merged += _all_of(value)
                continue
            found[key] = _Repeated((*_all_of(found[key]), *_all_of(value))) if key in found else value
        brought = [pair for part in merged if isinstance(part, dict) for pair in part.items()]
        for key, value in brought:
            if key not in found:
                found[key] = value
            elif str(key).casefold() in _SWITCHES:  # of which every value counts
                found[key] = _Repeated((*_all_of(found[key]), *_all_of(value)))
        return found


_SWITCHES = ("private", "rag")


class _Repeated(tuple[object, ...]):
    """The values of a key that is given twice."""


def _all_of(value: object) -> Iterable[object]:
    return value if isinstance(value, list | _Repeated) else (value,)


_DASHES = "\u2010-\u2015\u2212\u2500\ufe58\uff0d"  # that editors make of `---`
_FENCE = re.compile(rf"[\ufeff\u200b]*(?:-{{3,}}|-{{0,3}}[{_DASHES}][-{_DASHES}]{{1,5}})[ \t]*\Z")
_CLOSE = re.compile(r"\.\.\.[ \t]*\Z")
_KEY = re.compile(
    r"([^\s:：#\-\[\]{}\"'][^:：\n]{0,80}?|\"[^\"\n]{1,80}\"|'[^'\n]{1,80}')[ \t]*(?::(?=[ \t]|\Z)|：)[ \t]*(.*)\Z"
)
_SWITCH = re.compile(r"[ \t]*(?:-[ \t]+)?[\"']?(private|rag)[\"']?[ \t]*[:：=][ \t]*(.*)\Z", re.IGNORECASE)
_ITEM = re.compile(rf"[ \t]*[-*{_DASHES}][ \t]+(.*)\Z")
_COMMENT = re.compile(r"(?:\A|[ \t]+)#(?:[ \t].*)?\Z")
_HEADER_KEYS = frozenset(
    {"title", "date", "created", "updated", "modified", "tags", "tag", "category", "categories"}
    | {"aliases", "alias", "private", "rag"}
)
_HEADER_LINES = 40
_BLOCK_VALUE = re.compile(r"[|>][-+\d]{0,3}")  # its lines follow
_TOML_FENCE = re.compile(r"[\ufeff\u200b]*\+\+\+[ \t]*\Z")  # of Hugo
_MAX_VALUES = 2000  # bounds what YAML's references can unfold to


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Properties by key as written, each with its values as text, and the lines on which each key's value stands."""

    properties: dict[str, tuple[str, ...]]
    lists: frozenset[str]  # the keys whose value is a list
    lines: tuple["KeyLines", ...]
    body_line: int  # 1-based line of the body's start
    problem: tuple[int, str] | None  # line and reason when the YAML did not parse
    repeated: tuple[tuple[int, str], ...] = ()  # line and name of each key that is given once more


class KeyLines(NamedTuple):
    """Where one `key: value` stands; a key that is given twice has two."""

    key: str
    first: int  # 1-based
    last: int  # 1-based, inclusive


@dataclass(frozen=True, slots=True)
class _Head:
    first: int  # 0-based line of the first property
    end: int  # 0-based line after the last one
    body: int  # 0-based line of the body's start
    problem: str = ""


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a note's text; without one, an empty result with `body_line` 1."""
    none = FrontMatter({}, frozenset(), (), 1, None)
    lines = text.split("\n")
    if toml := _read_toml(lines):
        return toml
    head = _find_head(lines)
    if head is None:
        return none
    block = lines[head.first : head.end]
    problem = (head.first + 1, head.problem) if head.problem else None
    loaded_twice: set[str] = set()
    try:
        loaded = YAMLHandler().load("\n".join(block).replace("\t", "  "), Loader=_Loader) or {}
        if not isinstance(loaded, dict):
            raise ValueError("it has no `key: value`")
        properties = {_mend(str(key)).strip(): _values(value) for key, value in loaded.items()}
        loaded_twice = {str(key).strip() for key, value in loaded.items() if isinstance(value, _Repeated)}
        lists = frozenset(str(key).strip() for key, value in loaded.items() if isinstance(value, list | _Repeated))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = (head.first + 1 + (mark.line if mark else 0), _reason(error))
        properties, lists = _read_by_line(block)
        if not properties and not isinstance(error, yaml.YAMLError):
            return none
    lines_of_keys = tuple(_key_lines(block, head.first + 1))
    repeated = tuple(_repeated(loaded_twice, lines_of_keys, head.first + 1))
    return FrontMatter(properties, lists, lines_of_keys, head.body + 1, problem, repeated)


def _read_toml(lines: list[str]) -> FrontMatter | None:
    """Return the front matter between two lines of `+++`, None for a note without."""
    if not _TOML_FENCE.match(lines[0]):
        return None
    end = next((number for number in range(1, len(lines)) if _TOML_FENCE.match(lines[number])), None)
    if end is None:
        return None
    try:
        loaded = tomllib.loads("\n".join(lines[1:end]))
    except tomllib.TOMLDecodeError as error:
        properties, lists = _read_by_line([line.replace("=", ":", 1) for line in lines[1:end]])
        return FrontMatter(properties, lists, (), end + 2, (2, str(error)))
    properties = {key: _values(_as_text(value)) for key, value in loaded.items()}
    lists = frozenset(key for key, value in loaded.items() if isinstance(value, list))
    return FrontMatter(properties, lists, (), end + 2, None)


def _as_text(value: object) -> object:
    """Return a value of TOML as YAML's base loader gives it: text, lists and mappings of text."""
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _find_head(lines: list[str]) -> _Head | None:
    """Find the head's lines; blank ones may stand before it."""
    first = next((number for number, line in enumerate(lines[:_HEADER_LINES]) if line.strip()), 0)
    if not _FENCE.match(lines[first]):
        return _find_header(lines, first, first)
    for number in range(first + 1, len(lines)):
        if _FENCE.match(lines[number]) or _CLOSE.match(lines[number]):
            is_plain = first == 0 and lines[0].lstrip("\ufeff\u200b").startswith("---")
            if is_plain or _opens_header(lines[first + 1]):
                return _Head(first + 1, number, number + 1)
            return None
    return _find_header(lines, first + 1, first)


def _find_header(lines: list[str], first: int, start: int) -> _Head | None:
    """Find an exporter's header: a known key on the first line, only keys and items, and a closing `---`.

    After an opening `---` that nothing closes, it ends before the first line of another kind: a note that was meant to
    stay private must not become public by one forgotten line.
    """
    end = first
    for line in lines[first : first + _HEADER_LINES]:
        if first == start and _FENCE.match(line):
            return _Head(first, end, end + 1) if _opens_header(lines[first]) else None
        if line.strip() and not (_KEY.match(line) or _ITEM.match(line) or _SWITCH.match(line)):
            break
        end += 1
    is_unclosed = first > start and any(_opens_header(line) for line in lines[first:end])
    return _Head(first, end, end, "no closing `---`") if is_unclosed else None


def _opens_header(line: str) -> bool:
    found = _KEY.match(line) or _SWITCH.match(line)
    return found is not None and _unquote(found.group(1)).lower() in _HEADER_KEYS


def _reason(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).split("\n")[0]


def _values(value: object) -> tuple[str, ...]:
    return tuple(_mend(text) for text in _flatten(value))


def _flatten(value: object) -> Iterator[str]:
    """Yield the texts in a value, those of a mapping behind their keys; no more than so many parts are looked at."""
    waiting = [("", value)]
    for _ in range(_MAX_VALUES):
        if not waiting:
            return
        prefix, part = waiting.pop()
        if isinstance(part, dict):
            waiting += [(f"{prefix}{key}: ", item) for key, item in reversed(part.items())]
        elif isinstance(part, list | _Repeated):
            waiting += [(prefix, _link_of(item)) for item in reversed(part)]
        elif (text := str(part).strip()) and text not in ("~", "null", "Null", "NULL"):
            yield prefix + text


def _link_of(item: object) -> object:
    """Return `[[Note]]` for what an unquoted one is to YAML: a list in a list."""
    if isinstance(item, list) and len(item) == 1 and isinstance(item[0], str):
        return f"[[{item[0]}]]"
    return item


def _mend(text: str) -> str:
    """Return the text with escaped surrogate pairs joined; a single one, which no store can hold, is replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _read_by_line(block: list[str]) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    found: dict[str, list[str]] = {}
    lists: set[str] = set()
    key = ""
    for line in block:
        if matched := _SWITCH.match(line) or _KEY.match(line):
            key = _unquote(matched.group(1))
            found.setdefault(key, []).extend(_split_inline(matched.group(2)))
            if matched.group(2).lstrip().startswith("["):
                lists.add(key)
        elif key and (item := _ITEM.match(line)):
            found[key] += _split_inline(item.group(1))
            lists.add(key)
        elif key and not found[key] and line[:1] in (" ", "\t") and line.strip():
            found[key] += _split_inline(line)  # a value below its key
    return {key: tuple(values) for key, values in found.items()}, frozenset(lists)


def _split_inline(raw: str) -> list[str]:
    raw = _COMMENT.sub("", raw.strip())
    if _BLOCK_VALUE.fullmatch(raw):
        return []
    if raw.startswith("[") and not raw.startswith("[[") and "]" not in raw[:-1]:  # the closing one may be missing
        return [item for part in raw[1:].removesuffix("]").split(",") if (item := _unquote(part))]
    return [value] if (value := _unquote(raw)) else []


def _unquote(raw: str) -> str:
    return raw.strip().strip("\"'").strip()


def _key_lines(block: list[str], first: int) -> Iterator[KeyLines]:
    current: KeyLines | None = None
    for number, line in enumerate(block, first):
        matched = _KEY.match(line)
        if matched and current:
            yield current
        if matched:
            current = KeyLines(_unquote(matched.group(1)), number, number)
        elif current:
            current = current._replace(last=number)
    if current:
        yield current


def _repeated(loaded_twice: set[str], lines: Iterable[KeyLines], first: int) -> Iterator[tuple[int, str]]:
    """Yield line and name of each key that is given once more, in whatever case; of a flow mapping, its first line."""
    seen: set[str] = set()
    told: set[str] = set()
    for key, line, _ in lines:
        if key.casefold() in seen:
            told.add(key.casefold())
            yield line, key
        seen.add(key.casefold())
    yield from ((first, key) for key in sorted(loaded_twice) if key.casefold() not in told)


TYPE = "type"  # the property that says what class of thing a note is about
_TITLE = ("title",)
_ALIASES = ("aliases", "alias", "别名")
_TAGS = ("tags", "tag", "标签")
_CATEGORY = ("category", "categories", "notebook", "分类")
_CREATED = ("created", "date created", "created_at", "createdat", "created time", "date", "创建时间", "创建日期")
_DAY = ("date", "day", "日期")
_UPDATED = (
    *("updated", "date modified", "modified", "updated_at", "updatedat", "updated time", "last_modified", "lastmod"),
    *("更新时间", "更新日期", "修改时间", "修改日期"),
)
_UNTYPED = frozenset((*_TITLE, *_ALIASES, *_TAGS, *_CATEGORY, *_CREATED, *_UPDATED, "private", "rag"))
_YES = frozenset({"true", "yes", "on", "y", "1", "是"})
_NO = frozenset({"false", "no", "off", "n", "0", "否"})
_MARKS = " ,;.，；。、"
_BARE = re.compile(r"[\d\s.,:+\-/TZ]*|true|false|yes|no|on|off", re.IGNORECASE)
_OF_PLUGIN = re.compile(r"\Aexcalidraw|-plugin\Z|\Acss-?class(?:es)?\Z", re.IGNORECASE)  # how a note is drawn
_COMMA = re.compile(r"[,，]")
_TAG_SEPARATOR = re.compile(r"[\s,，、;；]+")


@dataclass(frozen=True, slots=True)
class Head:
    """Front matter by key in lower case; keys that differ only in case share their values."""

    values: Mapping[str, tuple[str, ...]]
    lists: frozenset[str]  # the keys whose value is a list

    @classmethod
    def of(cls, front: FrontMatter) -> "Head":
        """Return the head of this front matter; what a template leaves to be filled in is no value."""
        values: dict[str, tuple[str, ...]] = {}
        for key, every in front.properties.items():
            found = tuple(value for value in every if not PLACEHOLDER.search(value))
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
    def day(self) -> date | None:
        """The day that the note is about, by a key of that name."""
        moment = self._date(_DAY)
        return moment.date() if moment else None

    @property
    def updated(self) -> datetime | None:
        """The first date under a key for it."""
        return self._date(_UPDATED)

    @property
    def is_private(self) -> bool:
        """Whether the author keeps the note out of every store."""
        return any(map(is_yes, self._all(("private",)))) or any(map(_is_no, self._all(("rag",))))

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


def is_yes(value: str) -> bool:
    """Whether a property says yes; a mark behind it, as of a list, makes no difference."""
    return value.strip(_MARKS).lower() in _YES


def _is_no(value: str) -> bool:
    return value.strip(_MARKS).lower() in _NO


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


def front_texts(front: FrontMatter) -> Iterator[FrontText]:
    """Yield what the properties say in words: no numbers, dates, switches, links, nor what a head holds."""
    for key, values in front.properties.items():
        words = " ".join(
            ", ".join(value for value in values if not _BARE.fullmatch(value) and "[[" not in value).split()
        )
        if not words or key.casefold() in (*_UNTYPED, TYPE) or _OF_PLUGIN.search(key):
            continue
        lines = [place for place in front.lines if place.key == key]
        first = min((place.first for place in lines), default=1)
        yield FrontText(key, words, first, max((place.last for place in lines), default=front.body_line - 1))


def front_links(text: str, front: FrontMatter) -> Iterator[Link]:
    """Yield the links in front matter values, typed by their key unless the key has a meaning of its own."""
    source = text.split("\n", front.body_line)
    for key, first, last in front.lines:
        relation = "" if key.casefold() in _UNTYPED else key
        for number in range(first, last + 1):
            if not source[number - 1].lstrip().startswith("#"):
                yield from _property_links(source[number - 1], number, relation)


def front_types(text: str, front: FrontMatter) -> Iterator[NoteType]:
    """Yield the values of `type`, each with the line that holds it."""
    source = text.split("\n", front.body_line)
    for key, values in front.properties.items():
        if key.casefold() == TYPE:
            # Where a key is no plain text, as in JSON, its line is not known.
            numbers = [number for name, first, last in front.lines if name == key for number in range(first, last + 1)]
            for value in values:
                holders = (number for number in numbers if value in source[number - 1])
                yield NoteType(value, next(holders, (numbers or [1])[0]))


def _property_links(line: str, number: int, relation: str) -> Iterator[Link]:
    for found in WIKILINK.finditer(line):
        if link := parse_wikilink(found.group(2), number, LinkKind.PROPERTY, relation):
            yield link
    for found in MARKDOWN_LINK.finditer(line):
        if target := link_target(found.group(3)):
            yield Link(target[0], LinkKind.PROPERTY, number, found.group(2), target[1], relation)
