"""The head of a note -> its properties and the typed links in them.

Two forms are read: YAML between two `---` lines, and the header of Leanote's exporters, which lacks the opening one.
YAML that does not parse is read line by line instead, so that `private: true` still holds, and is reported.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

import yaml
from frontmatter.default_handlers import YAMLHandler

_FENCE = re.compile(r"---[ \t]*\Z")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_KEY = re.compile(r"([^\s:#\-\[\]{}\"'][^:\n]{0,80}?|\"[^\"\n]{1,80}\"|'[^'\n]{1,80}')[ \t]*:(?=[ \t]|\Z)[ \t]*(.*)\Z")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)\Z")
_HEADER_KEYS = frozenset({"title", "date", "created", "updated", "modified", "tags", "tag", "category", "categories"})
_HEADER_LINES = 40
_MAX_VALUES = 2000  # bounds what YAML's references can unfold to


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Properties by key as written, each with its values as text, and the lines on which each key's value stands."""

    properties: dict[str, tuple[str, ...]]
    lines: dict[str, tuple[int, int]]  # key -> first and last line, 1-based
    body_line: int  # 1-based line of the body's start
    problem: tuple[int, str] | None  # line and reason when the YAML did not parse


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a note's text; without one, an empty result with `body_line` 1."""
    lines = text.split("\n")
    span = _yaml_span(lines) or _header_span(lines)
    if span is None:
        return FrontMatter({}, {}, 1, None)
    first, last = span
    block = lines[first:last]
    problem = None
    try:
        loaded = YAMLHandler().load("\n".join(block).replace("\t", "  "))
        if loaded is not None and not isinstance(loaded, dict):
            return FrontMatter({}, {}, 1, None)
        properties = {str(key).strip(): _values(value) for key, value in (loaded or {}).items()}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = (first + 1 + (mark.line if mark else 0), getattr(error, "problem", None) or str(error))
        properties = _read_by_line(block)
    return FrontMatter(properties, _key_lines(block, first + 1), last + 2, problem)


def _yaml_span(lines: list[str]) -> tuple[int, int] | None:
    if not _FENCE.match(lines[0]):
        return None
    for number, line in enumerate(lines[1:], 1):
        if _CLOSE.match(line):
            return 1, number
    return None


def _header_span(lines: list[str]) -> tuple[int, int] | None:
    """Find an exporter's header: a known key on the first line, only keys and items, and a closing `---`."""
    first = _KEY.match(lines[0])
    if not first or first.group(1).strip().lower() not in _HEADER_KEYS:
        return None
    for number, line in enumerate(lines[:_HEADER_LINES]):
        if _FENCE.match(line):
            return 0, number
        if line.strip() and not (_KEY.match(line) or _ITEM.match(line)):
            return None
    return None


def _values(value: object) -> tuple[str, ...]:
    budget = [_MAX_VALUES]
    return tuple(_flatten(value, budget))


def _flatten(value: object, budget: list[int]) -> Iterator[str]:
    budget[0] -= 1
    if budget[0] < 0 or value is None:
        return
    if isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, datetime | date):
        yield value.isoformat()
    elif isinstance(value, dict):
        for key, item in value.items():
            for text in _flatten(item, budget):
                yield f"{key}: {text}"
    elif isinstance(value, list | tuple | set):
        for item in value:
            if isinstance(item, list) and len(item) == 1 and isinstance(item[0], str):
                yield f"[[{item[0]}]]"  # an unquoted [[Note]] is a list in a list to YAML
            else:
                yield from _flatten(item, budget)
    elif text := str(value).strip():
        yield text


def _read_by_line(block: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    key = ""
    for line in block:
        if matched := _KEY.match(line):
            key = _unquote(matched.group(1))
            found[key] = _split_inline(matched.group(2))
        elif key and (item := _ITEM.match(line)):
            found[key] += _split_inline(item.group(1))
    return {key: tuple(values) for key, values in found.items()}


def _split_inline(raw: str) -> list[str]:
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]") and not raw.startswith("[["):
        return [item for part in raw[1:-1].split(",") if (item := _unquote(part))]
    return [value] if (value := _unquote(raw)) else []


def _unquote(raw: str) -> str:
    return raw.strip().strip("\"'").strip()


def _key_lines(block: list[str], first: int) -> dict[str, tuple[int, int]]:
    lines: dict[str, tuple[int, int]] = {}
    key = ""
    for number, line in enumerate(block, first):
        if matched := _KEY.match(line):
            key = _unquote(matched.group(1))
            lines[key] = (number, number)
        elif key:
            lines[key] = (lines[key][0], number)
    return lines
