"""A text -> the dates that it names by the calendar, as far as it says them, its times of day and its weekdays.

`read_dates` serves claims and names of notes: 3月5日 has no year, and 2024-03 no day. `parse_date` reads what exporters
write into front matter. What depends on today, 上周, is read by `graphrag.language.periods`.
"""

import re
from calendar import monthrange
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

from graphrag.language.numbers import (
    CHINESE_NUMERAL,
    CLOCK,
    ENGLISH_NUMERAL,
    HALF_CLOCK,
    WEEKDAY,
    Figure,
    whole_number,
)
from graphrag.language.script import half_width

_MONTHS_TEXT = "january february march april may june july august september october november december"
MONTHS = _MONTHS_TEXT.split()
MONTH_OF = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
MONTH_NAME = rf"(?P<name>{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)\b\.?"
_WEEK = "一二三四五六日"
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
YEAR = r"(?P<year>(?:19|20)\d{2})"
_IN_YEAR = r"\s?年\s?(?:\d{1,2}\s?月|第?[一二三四1-4]\s?季|Q[1-4])"  # what makes a year of two digits
YEAR_ZH = rf"(?P<year>(?:19|20)\d{{2}}|[一二][九〇零][〇零一二三四五六七八九]{{2}}|\d{{2}}(?={_IN_YEAR}))"
DAY = r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})"
MONTH = r"(?P<month>(?!00?(?!\d))\d{1,2}|[一二三四五六七八九十]{1,2})"  # 0月 is none
TH = r"(?:st|nd|rd|th)?"
_ISO = r"(?P<sign>[-/.])(?P<month>\d{1,2})"
DATE_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)  # in ASCII, a word of English ends before Chinese
    for form in (
        r"(?<![\d.])(?P<year>\d{4})(?P<sign>[-/])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!\d|(?P=sign)\d)",
        rf"(?<![\d.]){YEAR}{_ISO}(?:(?P=sign)(?P<day>\d{{1,2}}))?(?!\d|(?P=sign)\d)",
        r"(?<![A-Za-z\d_.\-/])(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?![A-Za-z\d_])",
        rf"(?:(?<!\d){YEAR_ZH}\s?年\s?)?(?<!\d){MONTH}\s?月(?:份|\s?{DAY}(?:\s?[日号]|(?=\s*(?:\Z|[到至~～—]))))?",
        rf"(?<!\d){YEAR_ZH}\s?年(?!代)",
        rf"\b{MONTH_NAME}\s(?P<day>\d{{1,2}}){TH}\b(?:,?\s{YEAR})?(?!\s?%)",
        rf"(?:\bthe\s)?(?<![\d.])(?P<day>\d{{1,2}}){TH}\s(?:of\s)?{MONTH_NAME}(?:,?\s{YEAR})?",
        rf"\b{MONTH_NAME},?\s(?:of\s)?{YEAR}\b",
    )
)
_LED_MONTH = re.compile(
    rf"\b(?:in|of|since|until|till|from|by|to|and|last|early|late|mid)[\s-]{MONTH_NAME}(?!\s\d)",
    re.IGNORECASE | re.ASCII,
)


class NoSuchDay(ValueError):
    """No calendar has the day that is named: the text is that day, 2023-02-30, and `span` where it was read."""

    def __init__(self, day: str, span: tuple[int, int] = (0, 0)) -> None:
        super().__init__(day)
        self.span = span


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

    def is_day(self) -> bool:
        """Whether the calendar has it."""
        try:
            return bool(self.days())
        except NoSuchDay:
            return False

    def days(self) -> tuple[date, date]:
        """Return the first and the last day of one that has a year.

        Raises:
            NoSuchDay: the calendar does not have it.
        """
        try:
            first = date(self.year, self.month or 1, self.day or 1)
            last_month = self.month or 12
            return first, date(self.year, last_month, self.day or monthrange(self.year, last_month)[1])
        except ValueError as error:
            raise NoSuchDay(f"{max(self.year, 0):04}-{self.month:02}-{self.day or 1:02}") from error


def read_dates(text: str) -> list[Dated]:
    """Return the dates of a text in order; each stretch of it is read once, in the most telling way."""
    text = half_width(text)
    found: list[Dated] = []
    for form in (*DATE_FORMS, _LED_MONTH):
        for match in form.finditer(text):
            dated = dated_of(match)
            is_new = not any(dated.start < other.end and other.start < dated.end for other in found)
            if is_new and dated.month <= 12 and dated.day <= 31 and (dated.year or dated.month):
                found.append(dated)
    return sorted(found, key=lambda dated: dated.start)


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


def dated_of(match: re.Match[str]) -> Dated:
    """Return the date of a match of one of the forms, which the calendar may not have."""
    groups = match.groupdict()
    year, month, day = (number_in_date(groups.get(part)) for part in ("year", "month", "day"))
    start, end = match.span()
    if name := groups.get("name"):
        month = MONTH_OF[name[:3].lower()]
        start = match.start("day" if day and match.start("day") < match.start("name") else "name")
    if len(groups.get("year") or "") == 2:
        year += 2000 if year < 70 else 1900
    # 0000-01-01 says a year, which there is not; 2025-00 a month.
    year, month, day = (
        -1 if groups.get(part) and not number else number
        for part, number in (("year", year), ("month", month), ("day", day))
    )
    return Dated(year, month, day, match.string[start:end].strip(" ."), start, end)


def number_in_date(text: str | None) -> int:
    """Return a year, month or day in digits or in Chinese, 0 for none."""
    if text and len(text) == 4 and not text.isdecimal():  # 二〇二四, 二零二四
        return int("".join(str("〇一二三四五六七八九".index("〇" if sign == "零" else sign)) for sign in text))
    return (whole_number(text) or 0) if text else 0


# Times of day and weekdays.
_AM = "凌晨|清晨|早上|早晨|上午|今早|早"
_PM = "下午|傍晚|晚上|今晚|昨晚|夜里|夜间|晚"
_CLOCK = re.compile(
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s?(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)
_HOUR_ZH = re.compile(
    rf"(?:(?P<part>{_AM}|{_PM}|中午)\s?)?(?P<hour>\d{{1,2}}|{CHINESE_NUMERAL})\s?点"
    rf"(?:(?P<quarter>半|[一三]刻)|(?P<minute>\d{{1,2}}|{CHINESE_NUMERAL})分|钟|整)?(?!\d)"
)
_HOUR_EN = re.compile(
    rf"\b(?:(?P<shift>half|quarter|{ENGLISH_NUMERAL}|\d{{1,2}})\s(?P<side>past|to)\s)?"
    rf"(?P<hour>\d{{1,2}}|{ENGLISH_NUMERAL})(?:\s?(?P<half>[ap])\.?m\b|\s?(?P<sharp>o'clock)|(?(shift)\b|\A\Z))",
    re.IGNORECASE,
)
_NOON = re.compile(r"\b(?P<noon>noon|midnight)\b|正午|午夜", re.IGNORECASE)
_WEEKDAY = re.compile(
    r"(?<![一二两三四五六七八九十几\d])(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])(?!次)"
    r"|\b(?P<en>mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)


def read_times(text: str) -> list[Figure]:
    """Return the times of day that a text gives to the minute or the half of the day, and the weekdays."""
    weekdays = (_figure(match, weekday_of(match["zh"] or match["en"]), WEEKDAY) for match in _WEEKDAY.finditer(text))
    return [*(figure for figure, is_sure in _clocks(text) if is_sure), *weekdays]


def read_hours(text: str) -> Iterator[Figure]:
    """Yield what the hours of a text may mean in digits: 8 点 is 8:00 or 20:00, and 22:00 is 22 or 10."""
    yield from (figure for figure, is_sure in _clocks(text) if not is_sure)
    for match in _CLOCK.finditer(text):
        hour = int(match["hour"])
        yield from (_figure(match, value, "") for value in {hour, hour % 12 or 12} if match["minute"] == "00")


def _clocks(text: str) -> Iterator[tuple[Figure, bool]]:
    """Yield each time of day, and whether it surely is one: 三点 may be three points."""
    for match in _CLOCK.finditer(text):
        yield _time(match, int(match["hour"]), int(match["minute"]), (match["half"] or "24").lower()), True
    for match in _HOUR_ZH.finditer(text):
        hour, minute = whole_number(match["hour"]), whole_number(match["minute"] or "0")
        quarter = {"半": 30, "一刻": 15, "三刻": 45}.get(match["quarter"] or "", 0)
        part = match["part"] or ""
        if hour is not None and minute is not None and hour <= 24 and minute < 60:
            half = "" if not part else "a" if re.fullmatch(_AM, part) else "n" if part == "中午" else "p"
            yield _time(match, hour, minute + quarter, half), bool(half or match["quarter"] or match["minute"])
    for match in _HOUR_EN.finditer(text):
        hour, shift = whole_number(match["hour"]), match["shift"] or "0"
        minutes = {"half": 30, "quarter": 15}.get(shift.lower(), whole_number(shift))
        if hour is not None and minutes is not None and hour <= 24:
            minutes = -minutes if (match["side"] or "").lower() == "to" else minutes
            is_sure = bool(match["half"] or match["shift"] in ("half", "quarter"))
            yield _time(match, hour, minutes, (match["half"] or "").lower()), is_sure
    for match in _NOON.finditer(text):
        yield _figure(match, 0 if match[0].lower() in ("midnight", "午夜") else 720, CLOCK), True


def _time(match: re.Match[str], hour: int, minute: int, half: str) -> Figure:
    """Return a time; `half` is `a` or `p` for a half of the day, `n` for noon, `24` for the whole day."""
    if half == "n":
        half = "p" if hour < 11 else "24"
    if half in ("a", "p"):
        hour = hour % 12 + (12 if half == "p" and hour <= 12 else 0) if hour <= 12 else hour
    is_exact = half or hour > 12
    minutes = 60 * hour + minute
    return _figure(match, minutes, CLOCK) if is_exact else _figure(match, minutes % 720, HALF_CLOCK)


def weekday_of(name: str) -> int:
    """Return the number of a weekday, 1 for Monday."""
    if name in _WEEK or name == "天":
        return _WEEK.find(name) + 1 or 7
    return next(place for place, day in enumerate(WEEKDAYS, 1) if day.lower().startswith(name[:3].lower()))


def _figure(match: re.Match[str], value: int, unit: str) -> Figure:
    return Figure(Decimal(value), unit, match.group().strip(), *match.span())


# What exporters write.
_WRITTEN_CLOCK = re.compile(
    r"(?:[T,]|\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"\s*(?P<half>[AP]M)?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?",
    re.ASCII | re.IGNORECASE,
)
WEEKDAY_BEFORE = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+", re.IGNORECASE)
_FIRST_YEAR = 1000  # exporters write the year 1 for "no date"


def parse_date(text: str) -> datetime | None:
    """Return the date that a property's text starts with, in UTC unless it names a zone; None for an impossible one.

    A month needs the text to itself, 2024-01; a year alone is none.
    """
    text = text.lstrip(" [\"'")
    text = text[found.end() :] if (found := WEEKDAY_BEFORE.match(text)) else text
    matches = filter(None, (form.match(text) for form in DATE_FORMS))
    dated = max(map(dated_of, matches), key=lambda dated: (bool(dated.day), dated.end), default=None)
    is_whole = dated is not None and bool(dated.day or (dated.end == len(text) and "." not in dated.text))
    if dated is None or dated.year < _FIRST_YEAR or not dated.month or not is_whole:
        return None
    try:
        day = datetime.combine(dated.days()[0], datetime.min.time(), UTC)
    except NoSuchDay:
        return None
    clock = _WRITTEN_CLOCK.match(text, dated.end)
    return _at_clock(day, clock.groupdict()) if clock else day


def written_clock(text: str, day: date) -> datetime | None:
    """Return the last second of the minute of a day that a text gives, in local time: 10:30, 10:30:05+08:00."""
    clock = _WRITTEN_CLOCK.search(text)
    if not clock:
        return None
    parts = clock.groupdict() | {"second": clock["second"] or "59"}
    moment = _at_clock(datetime(day.year, day.month, day.day), parts)
    return moment.astimezone().replace(tzinfo=None) if parts["zone"] else moment.replace(tzinfo=None)


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
