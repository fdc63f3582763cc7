"""A note's path -> the day that its name gives: `日记/2024-01-05.md`, `20240117 评审.md`, `2024/01/05.md`.

Daily notes in a format of the vault's own (`05.01.2024`, `Jan 5th, 2024`) are read by the settings that Obsidian keeps
in the vault: its core plugin for daily notes, or the plugin Periodic Notes. Formats are those of moment.js.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

_DAY = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<joint>[-_./年]?)(?P<month>\d\d?)(?:(?P=joint)|月)(?P<day>\d\d?)(?!\d)"
)
_DAILY_NOTES = ".obsidian/daily-notes.json"
_PERIODIC_NOTES = ".obsidian/plugins/periodic-notes/data.json"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CHINESE_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_MONTH_NAME = rf"(?P<name>(?:{'|'.join(_MONTHS)})[a-z]*|(?:十[一二]?|[一二三四五六七八九])月)"
_TOKEN = re.compile(r"\[(?P<literal>[^\]]*)\]|YYYY|YY|MMMM|MMM|MM|Mo|M|DDDD|DDD|DD|Do|D|dddd|ddd|dd|do|d|.", re.DOTALL)
_PATTERNS = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<short>\d\d)",
    "MMMM": _MONTH_NAME,
    "MMM": _MONTH_NAME,
    "MM": r"(?P<month>\d\d)",
    "M": r"(?P<month>\d\d?)",
    "DD": r"(?P<day>\d\d)",
    "D": r"(?P<day>\d\d?)",
    "Do": r"(?P<day>\d\d?)(?:st|nd|rd|th|日)?",
    **dict.fromkeys(("dddd", "ddd", "dd"), r"[^\W\d]+"),
}


def daily_formats(vault: Path) -> tuple[str, ...]:
    """Return the formats in which a vault names its daily notes, as its settings for Obsidian give them."""
    core, periodic = _settings(vault / _DAILY_NOTES), _settings(vault / _PERIODIC_NOTES)
    daily = periodic.get("daily")
    found = (core.get("format"), daily.get("format") if isinstance(daily, dict) else None)
    return tuple(dict.fromkeys(text for text in found if isinstance(text, str) and text.strip()))


def day_of_name(path: str, formats: Sequence[str] = ()) -> date | None:
    """Return the last day in a path, None where it names none; `formats` are tried first."""
    name = PurePosixPath(path).with_suffix("").as_posix()
    for pattern in filter(None, map(_pattern, formats)):
        if (found := pattern.search(name)) and (day := _day(found.groupdict())):
            return day
    days = (_day(found.groupdict()) for found in reversed(list(_DAY.finditer(name))))
    return next(filter(None, days), None)


def _settings(file: Path) -> dict[str, Any]:
    try:
        settings = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


@lru_cache(maxsize=16)
def _pattern(form: str) -> re.Pattern[str] | None:
    """Return what matches the end of a path in this format, None for one that names no single day, or a part twice."""
    parts = list(_parts(form))
    try:
        pattern = re.compile(rf"(?:\A|/|(?<=\D)){''.join(parts)}\Z", re.IGNORECASE)
    except re.error:
        return None
    names = pattern.groupindex.keys()
    return pattern if "day" in names and names & {"month", "name"} and names & {"year", "short"} else None


def _parts(form: str) -> Iterable[str]:
    named = set[str]()
    for token in _TOKEN.finditer(form.strip().removesuffix(".md")):
        literal = token["literal"]
        part = re.escape(literal) if literal is not None else _PATTERNS.get(token.group()) or re.escape(token.group())
        for name in re.findall(r"\?P<(\w+)>", part):
            # `YYYY/MM/YYYY-MM-DD` gives a part twice: the second must be as the first.
            if name in named:
                part = f"(?P={name})"
            named.add(name)
        yield part


def _day(parts: dict[str, str | None]) -> date | None:
    year = parts.get("year") or f"20{parts.get('short')}"
    try:
        return date(int(year), _month(parts), int(parts["day"] or ""))
    except ValueError:
        return None


def _month(parts: dict[str, str | None]) -> int:
    name = (parts.get("name") or "").lower()
    if not name:
        return int(parts["month"] or "")
    if name.endswith("月"):
        return _CHINESE_MONTHS.index(name[:-1]) + 1
    return _MONTHS.index(name[:3]) + 1
