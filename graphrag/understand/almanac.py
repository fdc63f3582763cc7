"""Questions that the calendar, the clock or a table of units answers -> the answer; None for every other question."""

import re
from calendar import isleap, monthrange
from collections.abc import Callable
from datetime import datetime
from fractions import Fraction

from graphrag.language.language import half_width
from graphrag.understand.days import count_days

_NOW = re.compile(
    r"(?:请问|那)?(?:现在|当前|目前)?(?:是)?几点(?:钟|了|钟了)?|现在(?:的)?时间(?:是多少)?"
    r"|what(?:'s|\s+is)?\s+(?:the\s+)?time(?:\s+is\s+it)?(?:\s+now)?",
    re.I,
)
_DAYS = re.compile(r"(\d{4})\s*年\s*(?:的)?\s*(?:(\d{1,2})\s*月)?\s*(?:一共|总共|共)?有?(?:多少|几)\s*天")
_DAYS_EN = re.compile(
    r"how\s+many\s+days\s+(?:are\s+(?:there\s+)?)?(?:in|does)\s+(?:the\s+year\s+)?(\d{4})(?:\s+have)?", re.I
)

# In metres, kilograms, litres, bytes, seconds; temperature has no place here, being no multiple.
_MEASURES = {
    "length": """1 米 m meter meters metre metres; 1000 公里 千米 km kilometer kilometers kilometre kilometres
        1/100 厘米 公分 cm; 1/1000 毫米 mm; 1609344/1000 英里 mile miles; 3048/10000 英尺 foot feet ft
        254/10000 英寸 inch inches; 1852 海里; 500 里 华里; 10/3 丈; 1/3 尺; 1/30 寸; 9144/10000 码 yard yards""",
    "mass": """1 公斤 千克 kg kilogram kilograms; 1/1000 克 g gram grams; 1000 吨 ton tons tonne; 1/2 斤; 1/20 两
        45359237/100000000 磅 pound pounds lb lbs; 45359237/1600000000 盎司 ounce ounces oz""",
    "volume": "1 升 l liter liters litre litres; 1/1000 毫升 ml; 1000 立方米",
    "data": "1 字节 byte bytes b; 1024 kb; 1048576 mb; 1073741824 gb; 1099511627776 tb",
    "time": """1 秒 秒钟 second seconds; 60 分钟 分 minute minutes; 3600 小时 钟头 hour hours; 86400 天 日 day days
        604800 周 星期 week weeks""",
}
_UNITS = {
    name: (kind, Fraction(factor))
    for kind, measures in _MEASURES.items()
    for factor, *names in map(str.split, re.split(r"[;\n]", measures))
    for name in names
}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_CONVERSION = re.compile(
    rf"(?P<count>\d+(?:\.\d+)?)\s*(?P<unit>{_UNIT})\s*(?:是|等于|合|相当于|换算成|换成|有|=|to|in|is)\s*(?:多少|几|how\s+many)?\s*(?P<into>{_UNIT})",
    re.I,
)
_CONVERSION_EN = re.compile(
    rf"(?:convert\s+(?P<count>\d+(?:\.\d+)?)\s*(?P<unit>{_UNIT})\s+(?:in)?to\s+(?P<into>{_UNIT}))"
    rf"|(?:how\s+many\s+(?P<into2>{_UNIT})\s+(?:are\s+)?(?:in|is|make)\s+(?P<count2>\d+(?:\.\d+)?|an?|one)\s*(?P<unit2>{_UNIT}))",
    re.I,
)


def look_up(question: str, in_chinese: bool, now: datetime) -> str | None:
    """Return what the calendar, the clock or the table of units says."""
    text = half_width(question).strip(" \t\n?。.!")
    steps: tuple[Callable[[str, bool, datetime], str | None], ...] = (_clock, _calendar, _length_of, _converted)
    return next((answer for step in steps if (answer := step(text, in_chinese, now)) is not None), None)


def _clock(text: str, in_chinese: bool, now: datetime) -> str | None:
    if not _NOW.fullmatch(text):
        return None
    return f"现在是 {now:%H:%M}。" if in_chinese else f"It is {now:%H:%M}."


def _calendar(text: str, in_chinese: bool, now: datetime) -> str | None:
    return count_days(text, in_chinese, now.date())


def _length_of(text: str, in_chinese: bool, _: datetime) -> str | None:
    """Return how many days a year or a month has."""
    match = _DAYS.fullmatch(text) or _DAYS_EN.fullmatch(text)
    if not match:
        return None
    year, month = int(match[1]), int(match[2]) if match.re is _DAYS and match[2] else 0
    if year < 1 or month > 12:
        return None
    days = monthrange(year, month)[1] if month else 366 if isleap(year) else 365
    return f"{days} 天。" if in_chinese else f"{days} days."


def _converted(text: str, in_chinese: bool, _: datetime) -> str | None:
    match = _CONVERSION.fullmatch(text) or _CONVERSION_EN.fullmatch(text)
    if not match:
        return None
    named = match.groupdict()
    count, unit, into = (named.get(name) or named.get(f"{name}2") or "" for name in ("count", "unit", "into"))
    (kind, factor), (other, divisor) = _UNITS[unit.lower()], _UNITS[into.lower()]
    if kind != other:
        return None
    value = Fraction(count if count[0].isdigit() else "1") * factor / divisor
    number = str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"
    return f"{number} {into}。" if in_chinese else f"{number} {into}."
