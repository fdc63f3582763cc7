"""A text -> the days that it means: 上周, 最近三天, 2024年第二季度, last Friday, since May 2024, from 1 to 5 March.

A period is a point, what lies before or after one, or what lies between two. All that may stand around a point is the
same for each of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from graphrag.language.choices import Days, span_of, step_from
from graphrag.language.dates import NoSuchDay, written_clock
from graphrag.language.numbers import CHINESE_NUMERAL
from graphrag.language.points import NO_WORD, TO, Point, Points, Toward

_JOINED = re.compile(rf"{TO}|\s?(?P<and>[和与]|\band\b)\s?", re.IGNORECASE | re.ASCII)
_LEAD = re.compile(
    r"(?:(?<![A-Za-z])(?:(?P<since>(?:on\s+or|not?\s+earlier\s+than|not\s+before|since|starting(?:\s+from)?|as\s+of)"
    r"(?:\s+after)?)|(?P<until>on\s+or\s+before|not?\s+later\s+than|until|till|by|up\s+to)|(?P<later>after)"
    r"|(?P<before>before|earlier\s+than)|from|between|in|on|during|of|within|over|for|throughout)(?![A-Za-z])"
    r"|(?P<until2>截至|截止到?|直到|不晚于|不迟于)|(?P<since2>不早于)|从|自|在)\s*(?:the\b\s*)?",
    re.IGNORECASE | re.ASCII,
)
_TRAIL = re.compile(
    rf"\s*(?:(?P<later>之后|以后|后{NO_WORD})|(?P<since>以来|至今|起(?![来因草点])|开始|\bonwards?\b|\bon(?=\s*(?:\Z|[,.?!])))"
    rf"|(?P<before>之前|以前|前{NO_WORD})|(?P<until>为止))",
    re.IGNORECASE | re.ASCII,
)
_NUMERAL = re.compile(rf"\d|{CHINESE_NUMERAL}")
_INSIDE = re.compile(r"[A-Za-z0-9_#@$¥￥€/\\]\Z|[A-Za-z0-9_][.\-]\Z")  # before what is part of a name: sg_pay_2024
_GOES_ON = re.compile(r"[A-Za-z0-9_]|[./\-@][A-Za-z0-9]")
_OF_VERSION = re.compile(r"(?:版本?|\bv(?:er(?:sion)?)?|\brelease)\s*[号:：.]?\s*\Z", re.IGNORECASE | re.ASCII)
_LONGEST = 120  # characters of a text that is a period


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both in it; None where it is open. `span` is its place in the text."""

    first: date | None
    last: date | None
    span: tuple[int, int]


def find_period(text: str, today: date, toward: Toward = Toward.PAST) -> Period | None:
    """Return the first period that a text names, None when it names none.

    Raises:
        NoSuchDay: a day in it is none.
    """
    return next(_Reader(text, today, toward).periods(), None)


def read_period(text: str, today: date, toward: Toward = Toward.PAST) -> Period | None:
    """Return the period that a text is, None for a text that says anything else.

    Raises:
        NoSuchDay: a day in it is none.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    period = _Reader(text, today, toward, is_whole=True).period_at(0)
    return period if period and period.span[1] == len(text) else None


def last_moment(text: str, now: datetime) -> datetime | None:
    """Return the end of the time that a text is, in local time, None for a text that is none or has no end.

    Raises:
        NoSuchDay: a day in it is none.
    """
    period = read_period(text, now.date())
    if period is None or period.last is None:
        return None
    written = written_clock(text, period.last) if period.first == period.last else None
    return written or datetime.combine(period.last, time(23, 59, 59))


def find_days(text: str, today: date) -> list[tuple[tuple[int, int], date | NoSuchDay]]:
    """Return the single days that a text names, those of this year where it says none, each with its place."""
    reader, place = _Reader(text, today, Toward.YEAR), 0
    found = list[tuple[tuple[int, int], date | NoSuchDay]]()
    while place < len(text):
        point = reader.points.at(place) if reader.may_start(place) else None
        if point is None or point.is_counted:
            place += 1
            continue
        if point.grain == "d" and reader.may_end(point.end):
            try:
                day: date | NoSuchDay = reader.points.days(point)[0]
            except NoSuchDay as error:
                day = error
            found.append(((place, point.end), day))
        place = point.end
    return found


class _Reader:
    """Reads the periods of a text; one that is a period and nothing else needs less to be one."""

    def __init__(self, text: str, today: date, toward: Toward, is_whole: bool = False) -> None:
        self.points = Points(text, today, toward, is_whole)
        self._text = self.points.text

    def periods(self) -> Iterator[Period]:
        """Yield the periods that start at each place, the longest reading first."""
        return filter(None, map(self.period_at, range(len(self._text))))

    def period_at(self, place: int) -> Period | None:
        """Return the period at a place, with a word like since or without.

        Raises:
            NoSuchDay: a day in it is none.
        """
        if not self.may_start(place):
            return None
        lead = _LEAD.match(self._text, place)
        try:
            period = self._period(place, place, set())
            return period or (self._period(place, lead.end(), _said(lead)) if lead else None)
        except NoSuchDay:
            raise
        except (ValueError, OverflowError):  # the calendar ends: 9999-12-31 之后
            return None

    def may_start(self, place: int) -> bool:
        """Whether a place is not inside a word, a number or the name of something: sg_pay_2024, 版本 2024.1."""
        before, is_ascii = self._text[max(0, place - 12) : place], self._text[place].isascii()
        if is_ascii and _INSIDE.search(before):
            return False
        if not _NUMERAL.match(self._text, place):
            return True
        return not (before and _NUMERAL.match(before[-1])) and not _OF_VERSION.search(before)

    def may_end(self, end: int) -> bool:
        """Whether a name does not go on: 2024.md, 2024-roadmap."""
        return not (self._text[end - 1].isascii() and self._text[end - 1].isalnum() and _GOES_ON.match(self._text, end))

    def _period(self, place: int, start: int, said: set[str]) -> Period | None:
        """Return the period that starts at a place with words like since, and with its point at another place."""
        point = self.points.at(start, is_led=start > place)
        if point is None:
            return None
        if both := self._range(place, point, is_between=start > place):
            return both
        has_trail = not point.is_counted and not said & {"later", "before", "until"}
        trail = _TRAIL.match(self._text, point.end) if has_trail else None
        said, span = said | (_said(trail) if trail else set()), (place, trail.end() if trail else point.end)
        if not self.may_end(span[1]):
            return None
        first, last = self._days(point, span)
        if "later" in said:
            return Period(last + timedelta(1), None, span)
        if "before" in said:
            return Period(None, first - timedelta(1), span)
        if "until" in said:
            return Period(None, last, span)
        return Period(first, None if "since" in said and not point.is_span else last, span)

    def _days(self, point: Point, span: tuple[int, int]) -> Days:
        try:
            return self.points.days(point)
        except NoSuchDay as error:
            raise NoSuchDay(str(error), span) from error

    def _range(self, place: int, one: Point, is_between: bool) -> Period | None:
        """Return the days from one point to another."""
        joined = _JOINED.match(self._text, one.end)
        other = self.points.at(joined.end(), is_led=True, is_second=True) if joined else None
        if not joined or not other or not self.may_end(other.end):
            return None
        span = place, other.end
        first, last = self._both(one, other, span)
        is_apart = joined["and"] and not is_between and first[1] + timedelta(1) < last[0]
        return None if is_apart or first[0] > last[1] else Period(first[0], last[1], span)

    def _both(self, one: Point, other: Point, span: tuple[int, int]) -> tuple[Days, Days]:
        """Return the days of two points; the week, month or year that one leaves out is that of the other."""
        if other.within and (not one.within or (other.within in "wm" and one.within == "y")):
            first = self._days(one, span)
            there = span_of(first[0], other.within)
            last = other.pick(there)
            return first, last if last[1] >= first[0] else other.pick(step_from(there, 1, other.within))
        last = self._days(other, span)
        if not one.within:
            return self._days(one, span), last
        there = span_of(last[0], one.within)
        first = one.pick(there)
        return first if first[0] <= last[0] else one.pick(step_from(there, -1, one.within)), last


def _said(match: re.Match[str]) -> set[str]:
    """Return what the words around a point say of it."""
    return {name.rstrip("2") for name, text in match.groupdict().items() if text}
