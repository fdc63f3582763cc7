"""Dates as people and exporters write them -> datetime. A time without a zone is kept as written, in UTC."""

import re
from datetime import UTC, datetime, timedelta, timezone

_CLOCK = (
    r"(?:(?:[T,]|\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"\s*(?P<half>[AaPp][Mm])?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_MONTH = (
    r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|e|y|ust|tember|ember|ober)?\b\.?"
)
_FORMS = tuple(
    re.compile(form + _CLOCK, re.ASCII | re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})\s*[-/.年]\s*(?P<month>\d{1,2})\s*[-/.月]\s*(?P<day>\d{1,2})(?!\d)(?:\s*日)?",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?!\d)",
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(?P<year>\d{{4}})",
        r"(?P<year>\d{4})\s*[-/年]\s*(?P<month>\d{1,2})\s*(?:月\s*)?\Z",
    )
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIRST_YEAR = 1000  # exporters write the year 1 for "no date"


def parse_date(text: str) -> datetime | None:
    """Return the date that a property's text starts with; None when it has none, or an impossible one."""
    found = next((found for form in _FORMS if (found := form.match(text.lstrip(" [\"'")))), None)
    if not found:
        return None
    parts = found.groupdict()
    month = _MONTHS.index(parts["name"][:3].lower()) + 1 if parts.get("name") else int(parts["month"])
    try:
        day = datetime(int(parts["year"]), month, int(parts.get("day") or 1), tzinfo=UTC)
    except ValueError:
        return None
    if day.year < _FIRST_YEAR:
        return None
    return _at_clock(day, parts) if parts["hour"] else day


def _at_clock(day: datetime, parts: dict[str, str | None]) -> datetime:
    """Return the day at its time, or the day alone when the time is impossible."""
    hour, half = int(parts["hour"] or 0), (parts["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return day.replace(
            hour=hour, minute=int(parts["minute"] or 0), second=int(parts["second"] or 0), tzinfo=_zone(parts["zone"])
        )
    except ValueError:
        return day


def _zone(written: str | None) -> timezone:
    if not written or written in "Zz":
        return UTC
    digits = written[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if written[0] == "-" else offset)
