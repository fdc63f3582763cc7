"""A text -> the dates, months and years, times of day and weekdays that it names: 2024年3月5日 is 2024-03-05."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal

from graphrag.language.figures import Figure
from graphrag.language.numerals import CHINESE_NUMERAL, chinese_value
from graphrag.language.units import CLOCK, WEEKDAY

_MONTHS_TEXT = "january february march april may june july august september october november december"
_MONTHS = _MONTHS_TEXT.split()
_MONTH_OF = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_NAME = rf"(?P<name>{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _MONTHS)}|sept)\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_DAY = r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})"
_MONTH = r"(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2})"
_TH = r"(?:st|nd|rd|th)?"
_FORMS = (
    rf"(?<![\d.]){_YEAR}(?P<sign>[-/.])(?P<month>\d{{1,2}})(?:(?P=sign){_DAY})?(?!\d|(?P=sign)\d)",
    rf"(?:(?<!\d){_YEAR}\s?年\s?)?(?<!\d){_MONTH}\s?月(?:份|\s?{_DAY}\s?[日号])?",
    rf"(?<!\d){_YEAR}\s?年(?!代)",
    rf"\b{_NAME}\s(?P<day>\d{{1,2}}){_TH}\b(?:,?\s{_YEAR})?(?!\s?%)",
    rf"(?<![\d.])(?P<day>\d{{1,2}}){_TH}\s(?:of\s)?{_NAME}(?:,?\s{_YEAR})?",
    rf"\b{_NAME}\s{_YEAR}\b",
    rf"\b(?:in|of|since|until|till|from|by|to|and|last|early|late|mid)[\s-]{_NAME}(?!\s\d)",
)
_DATES = [re.compile(form, re.IGNORECASE) for form in _FORMS]
_CLOCK = re.compile(r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])")
_HOUR = re.compile(
    rf"(?P<numeral>\d{{1,2}}|{CHINESE_NUMERAL})\s?点(?P<half>半)?(?!\d)|(?P<hour>\d{{1,2}})\s?(?:[ap]\.?m\b|o'clock)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"(?<![一二两三四五六七八九十几\d])(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])(?!次)"
    r"|\b(?P<en>mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_WEEK = "一二三四五六日"
_WEEK_EN = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Dated:
    """A date, or the part of one that is said: 0 stands for what is not."""

    year: int
    month: int
    day: int
    text: str
    start: int
    end: int

    def fits(self, other: "Dated") -> bool:
        """Whether both may be the same day, as far as both say it."""
        parts = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(one == two for one, two in parts if one and two)


def read_dates(text: str) -> list[Dated]:
    """Return the dates of a text in order; each stretch of it is read once, in the most telling way."""
    found: list[Dated] = []
    for form in _DATES:
        for match in form.finditer(text):
            dated = _dated(match)
            if dated and not any(dated.start < other.end and other.start < dated.end for other in found):
                found.append(dated)
    return sorted(found, key=lambda dated: dated.start)


def read_times(text: str) -> list[Figure]:
    """Return the times of day in digits, and the weekdays."""
    clocks = (_figure(match, 60 * int(match["hour"]) + int(match["minute"]), CLOCK) for match in _CLOCK.finditer(text))
    return [*clocks, *(_figure(match, _weekday(match), WEEKDAY) for match in _WEEKDAY.finditer(text))]


def read_hours(text: str) -> Iterator[Figure]:
    """Yield what the hours of a text may mean in digits: 8 点 is 8:00 or 20:00, and 22:00 is 22 or 10."""
    for match in _HOUR.finditer(text):
        numeral = match["numeral"] or match["hour"]
        value = Decimal(numeral) if numeral.isdigit() else chinese_value(numeral)
        if value is not None and 0 <= value <= 24:
            minutes = 60 * int(value) + (30 if match["half"] else 0)
            yield from (_figure(match, minutes + later, CLOCK) for later in (0, 12 * 60))
    for match in _CLOCK.finditer(text):
        hour = int(match["hour"])
        yield from (_figure(match, value, "") for value in {hour, hour % 12 or 12} if match["minute"] == "00")


def names_date(wanted: Dated, dates: Collection[Dated], figures: Collection[Figure]) -> bool:
    """Whether a date stands among others: as one of them, its year elsewhere, or in pieces (12 and 26 May)."""
    numbers = {int(figure.value) for figure in figures if not figure.unit and figure.value == int(figure.value)}
    years = {dated.year for dated in dates} | numbers
    for dated in dates:
        says_year = not wanted.year or bool(dated.year) or wanted.year in years
        says_day = not wanted.day or bool(dated.day) or wanted.day in numbers
        if dated.fits(wanted) and says_year and says_day and (not wanted.month or dated.month):
            return True
    if wanted.day and any(dated.month == wanted.month for dated in dates):
        return wanted.day in numbers and (not wanted.year or wanted.year in years)
    return not wanted.month and wanted.year in years


def _dated(match: re.Match[str]) -> Dated | None:
    groups = match.groupdict()
    year, month, day = (_number(groups.get(part)) for part in ("year", "month", "day"))
    start, end = match.span()
    if name := groups.get("name"):
        month = _MONTH_OF[name[:3].lower()]
        start = match.start("day" if day and match.start("day") < match.start("name") else "name")
    text = match.string[start:end].strip(" .")
    return Dated(year, month, day, text, start, end) if month <= 12 and day <= 31 and (year or month) else None


def _number(text: str | None) -> int:
    value = Decimal(text) if text and text.isdigit() else chinese_value(text) if text else None
    return int(value) if value is not None else 0


def _weekday(match: re.Match[str]) -> int:
    if match["zh"]:
        return _WEEK.find(match["zh"]) + 1 or 7  # 周天
    return _WEEK_EN.index(match["en"][:3].lower()) + 1


def _figure(match: re.Match[str], value: int, unit: str) -> Figure:
    return Figure(Decimal(value), unit, match.group().strip(), *match.span())
