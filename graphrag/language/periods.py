"""A text -> the days that it means: 上周, 最近三天, 2024年第二季度, last Friday, since May 2024, from 1 to 5 March.

A period is a point (a day, week, month, quarter or year), a part of one (去年底), what lies before or after it, or what
lies between two. Rules read the points; all that may stand around a point is the same for each of them.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

from graphrag.language.dates import (
    DATE_FORMS,
    DAY,
    MONTH,
    MONTH_NAME,
    MONTH_OF,
    TH,
    WEEKDAYS,
    YEAR,
    YEAR_ZH,
    Dated,
    NoSuchDay,
    dated_of,
    number_in_date,
    weekday_of,
)
from graphrag.language.numbers import CHINESE_NUMERAL, ENGLISH_NUMERAL, ORDINALS, whole_number
from graphrag.language.script import half_width


class Toward(StrEnum):
    """Which of several days is meant where a text leaves the year or the week out."""

    PAST = "past"  # the last one that began, as of notes
    YEAR = "year"  # the one of this year or week
    FUTURE = "future"  # the next one that has not ended, as of a term


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both in it; None where it is open. `span` is its place in the text."""

    first: date | None
    last: date | None
    span: tuple[int, int]


_Days = tuple[date, date]


@dataclass(frozen=True, slots=True)
class _Point:
    """A stretch of text that names days; `dated` is what it says by the calendar, `problem` a day that there is not."""

    start: int
    end: int
    days: _Days
    dated: Dated | None = None
    problem: str = ""
    rule: "_Rule | None" = None


# Words for a day or a year -> the steps to it from today's; an underscore stands for a space.
_DAYS_TEXT = """大前天 -3 前天 -2 昨天 -1 昨日 -1 昨晚 -1 昨夜 -1 今天 0 今日 0 今早 0 今晚 0 现在 0 明天 1 明日 1
明早 1 明晚 1 后天 2 大后天 3 the_day_before_yesterday -2 yesterday -1 last_night -1 today 0 now 0 tonight 0
this_morning 0 tomorrow 1 the_day_after_tomorrow 2"""
_YEARS_TEXT = "大前年 -3 前年 -2 去年 -1 上一年 -1 今年 0 本年 0 这一年 0 明年 1 后年 2"
_SHIFTS, _YEARS = (
    {word.replace("_", " "): int(step) for word, step in zip(*[iter(text.split())] * 2, strict=True)}
    for text in (_DAYS_TEXT, _YEARS_TEXT)
)
_SHIFT = "|".join(sorted(_SHIFTS, key=len, reverse=True)).replace(" ", r"\s+")
_UNIT_OF = {"天": "d", "日": "d", "周": "w", "星": "w", "礼": "w", "月": "m", "季": "q", "年": "y"}
_HOURS_OF = {"h": 1, "小": 1, "钟": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "q": 91 * 24, "y": 365 * 24}
_MONTHS_OF = {"m": 1, "q": 3, "h": 6, "y": 12}

_COUNT = rf"(?P<count>\d{{1,5}}|{CHINESE_NUMERAL}|[半几数]|few|several|couple\s+of|{ENGLISH_NUMERAL}|an?)"
_UNIT = (
    r"(?:个?\s*(?P<unit>天|日|周(?![一二三四五六日末])|星期|礼拜|(?<!\d{4})年|(?<=个)月"
    r"|(?:day|week|month|quarter|year)s?(?![A-Za-z])))"
)
_REL = r"(?P<rel>上+|下+|本|这|当|last|this|next|previous|current)(?:一|\s)*个?\s*"
_YEAR_OF = rf"(?:{YEAR_ZH}\s?年?|(?P<year_word>{'|'.join(_YEARS)}))\s?的?\s?"
_IN_YEAR = r"(?:,?\s*(?:of\s+)?(?P<year_en>(?:19|20)\d{2}|(?:last|this|next)\s+year))?(?![A-Za-z\d])"
_LENGTH = re.compile(rf"{_COUNT}(?:\s*(?:{_UNIT}|个?(?P<unit2>小时|钟头|hours?))|(?P<unit3>[hdwy]))", re.IGNORECASE)
_DAY_PART = r"(?:\s?(?:早上|上午|中午|下午|晚上|凌晨|傍晚|夜里|\b(?:morning|afternoon|evening|night)\b))?"
_TO = r"\s?(?:到|至|[-~～–—]{1,2}|\b(?:to|through|until|till)\b)\s?"
_JOINED = re.compile(rf"{_TO}|\s?(?P<and>[和与]|\band\b)\s?", re.IGNORECASE)
_DAY2 = r"(?P<day2>\d{1,2}|[一二三四五六七八九十]{1,3})"
_LEAD = re.compile(
    r"(?:(?<![A-Za-z])(?:(?P<later>after)|(?P<since>since|from|starting(?:\s+from)?|as\s+of)|(?P<before>before|earlier\s+than)"
    r"|(?P<until>until|till|by|up\s+to)|between|in|on|during|of|within)(?![A-Za-z])|(?P<until2>截至|截止到?|直到)|从|自|在)\s*(?:the\b\s*)?",
    re.IGNORECASE,
)
_NO_WORD = r"(?![端台提言来天年期者缀])"
_TRAIL = re.compile(
    rf"\s*(?:(?P<later>之后|以后|后{_NO_WORD})|(?P<since>以来|至今|起|开始|\bonwards?\b)|(?P<before>之前|以前|前{_NO_WORD})"
    r"|(?P<until>为止))"
)
_PART_LEAD = re.compile(
    r"(?:the\s+)?(?P<part>early|mid(?:dle)?|late|beginning|start|end|week)(?:\s+of)?(?:\s+the\b)?(?:\s+|-)",
    re.IGNORECASE,
)
_PART_TRAIL = re.compile(r"(?:年|月)?(?P<part>初|底|末|上旬|中旬|下旬|中(?![文国心间]))(?!级)")
_PART_OF = {"上旬": "early", "中旬": "mid", "下旬": "late", "初": "start", "底": "end", "末": "end", "中": "middle"}


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
    period = next(_Reader(text, today, toward, is_whole=True).periods(), None) if len(text) <= _LONGEST else None
    return period if period and period.span == (0, len(text)) else None


def find_days(text: str, today: date) -> list[tuple[tuple[int, int], date | NoSuchDay]]:
    """Return the single days that a text names, those of this year where it says none, each with its place."""
    reader, place = _Reader(text, today, Toward.YEAR), 0
    found = list[tuple[tuple[int, int], date | NoSuchDay]]()
    while place < len(text):
        point = reader.point(place)
        if point is None or point.rule is _offset:
            place += 1
            continue
        is_day = point.days[0] == point.days[1] and (point.dated is None or bool(point.dated.day))
        if is_day:
            found.append(((place, point.end), NoSuchDay(point.problem) if point.problem else point.days[0]))
        place = point.end
    return found


def read_length(text: str) -> timedelta | None:
    """Return how long a text says, 30d, 两周 or half a year, None for another text; a year has 365 days."""
    found = _LENGTH.fullmatch(half_width(text).strip())
    said = _said(found) if found else {"count": ""}
    number = Decimal("0.5") if said["count"] == "半" else counted(said["count"])
    return None if number is None else timedelta(hours=int(number * _HOURS_OF[_kind(said["unit"])]))


def moved(day: date, count: int, unit: str) -> date:
    """Return the day some days, weeks, months or years later; a month that lacks the day gives its last one.

    Raises:
        ValueError, OverflowError: the calendar ends before it.
    """
    kind = _kind(unit)
    if kind in "dw":
        return day + timedelta(count * (7 if kind == "w" else 1))
    year, month = divmod(day.year * 12 + day.month - 1 + count * _MONTHS_OF[kind], 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def counted(words: str) -> int | None:
    """Return a number of days or the like: `a` is one, a couple are two."""
    words = words.lower()
    return 1 if words in ("a", "an") else 2 if words.startswith("couple") else whole_number(words)


_LONGEST = 120  # characters of a text that is a period


class _Reader:
    """Reads the points of a text; one that is a period and nothing else needs less to be one."""

    def __init__(self, text: str, today: date, toward: Toward, is_whole: bool = False) -> None:
        self.text, self.today, self._toward, self._is_whole = half_width(text), today, toward, is_whole

    def periods(self) -> Iterator[Period]:
        """Yield the periods that start at each place, the longest reading first."""
        for place in range(len(self.text)):
            lead = _LEAD.match(self.text, place) if self._may_start(place) else None
            try:
                period = self._period(place, lead.end(), _said(lead)) if lead else None
                period = period or self._period(place, place, {})
            except OverflowError:  # the calendar ends: 9999-12-31 之后
                continue
            if period:
                yield period

    def point(self, place: int) -> _Point | None:
        """Return the longest point that starts at a place."""
        if not self._may_start(place):
            return None
        points = [point for form, days in _RULES if (point := self._by(form, days, place))]
        points += [
            self._resolved(dated_of(match), place, match.end())
            for form in DATE_FORMS
            if (match := form.match(self.text, place))
        ]
        points += [point for form, days in _WHOLE_RULES if self._is_whole and (point := self._by(form, days, place))]
        point = max(points, key=lambda point: (point.end, bool(point.dated)), default=None)
        part = _PART_TRAIL.match(self.text, point.end) if point and (point.days[1] - point.days[0]).days > 7 else None
        return (
            replace(point, end=part.end(), days=_part(point.days, _PART_OF[part["part"]])) if point and part else point
        )

    def nearest(self, days: _Days, step: Callable[[int], _Days]) -> _Days:
        """Return days, or those one step from them in the direction that is meant."""
        if self._toward is Toward.PAST and days[0] > self.today:
            return step(-1)
        return step(1) if self._toward is Toward.FUTURE and days[1] < self.today else days

    def days_of(self, dated: Dated) -> _Days:
        """Return the days of a date, in the year that is meant where it says none.

        Raises:
            NoSuchDay: the calendar does not have it.
        """
        if dated.year:
            return dated.days()
        this = replace(dated, year=self.today.year)
        return self.nearest(this.days(), lambda step: replace(this, year=this.year + step).days())

    def _may_start(self, place: int) -> bool:
        before = self.text[place - 1 : place] if place else ""
        return not (before.isascii() and before.isalpha() and self.text[place : place + 1].isascii())

    def _by(self, form: re.Pattern[str], days: "_Rule", place: int) -> _Point | None:
        match = form.match(self.text, place)
        try:
            found = days(_said(match), self) if match else None
        except NoSuchDay as error:
            return _Point(place, match.end(), (self.today, self.today), problem=str(error)) if match else None
        except (ValueError, OverflowError):
            return None
        if not match or not found:
            return None
        month, day = (number_in_date(match.groupdict().get(part)) for part in ("month", "day"))
        dated = Dated(found[0].year, month, day, match[0], *match.span()) if month and days is _in_year else None
        return _Point(place, match.end(), found, dated, rule=days)

    def _resolved(self, dated: Dated, start: int, end: int) -> _Point:
        try:
            return _Point(start, end, self.days_of(dated), dated)
        except NoSuchDay as error:
            return _Point(start, end, (self.today, self.today), dated, str(error))

    def _period(self, place: int, start: int, said: dict[str, str]) -> Period | None:
        """Return the period that starts at a place with words like since, and with its point at another place."""
        point = self._point_with_part(start) or self.point(start) or self._month_name(place, start)
        if point is None:
            return None
        if both := self._range(point, is_between=start > place):
            return Period(*both[0], (place, both[1]))
        if point.problem:
            raise NoSuchDay(point.problem)
        trail = (
            None
            if point.rule is _offset or said.keys() & {"later", "before", "until"}
            else _TRAIL.match(self.text, point.end)
        )
        said = said | (_said(trail) if trail else {})
        (first, last), span = point.days, (place, trail.end() if trail else point.end)
        if "later" in said:
            return Period(last + timedelta(1), None, span)
        if "before" in said:
            return Period(None, first - timedelta(1), span)
        if "until" in said:
            return Period(None, last, span)
        return Period(first, None if "since" in said and point.rule not in (_recent, _in_one_month) else last, span)

    def _point_with_part(self, start: int) -> _Point | None:
        """Return the part of a point that the words before it name: the end of last month, the week of 2 September."""
        part = _PART_LEAD.match(self.text, start)
        point = (self.point(part.end()) or self._month_name(start, part.end())) if part else None
        return replace(point, days=_part(point.days, part["part"].lower())) if part and point else None

    def _month_name(self, place: int, start: int) -> _Point | None:
        """Return the month of a name alone: behind a word that makes it one, or written in full with a capital."""
        match = _MONTH_ALONE.match(self.text, start) if self._may_start(start) else None
        if not match:
            return None
        is_clear = match[0].istitle() and match[0] not in ("May", "March", "Mar")
        is_one = self._is_whole or start > place or is_clear
        return self._resolved(dated_of(match), start, match.end()) if is_one else None

    def _range(self, one: _Point, is_between: bool) -> tuple[_Days, int] | None:
        """Return the days from one point to another, and where that ends; what one leaves out the other says."""
        joined = _JOINED.match(self.text, one.end)
        other = (self.point(joined.end()) or self._month_name(0, joined.end())) if joined else None
        if not joined or not other:
            return None
        if one.dated and other.dated and not (one.dated.year and other.dated.year):
            first, last = one.dated, other.dated
            over = int(first.month > last.month)  # years between them: from November to February
            year = last.year or (first.year + over if first.year else other.days[0].year)
            one = self._resolved(replace(first, year=first.year or year - over), one.start, one.end)
            other = self._resolved(replace(last, year=year), other.start, other.end)
        if problem := one.problem or other.problem:
            raise NoSuchDay(problem)
        is_apart = joined["and"] and not is_between and one.days[1] + timedelta(1) < other.days[0]
        return None if is_apart or one.days[0] > other.days[1] else ((one.days[0], other.days[1]), other.end)


_Said = dict[str, str]
_Rule = Callable[[_Said, _Reader], _Days | None]


def _said(match: re.Match[str]) -> _Said:
    """Return the groups of a match that say something; a digit at the end tells names of one kind apart."""
    return {
        name.rstrip("0123456789") if name != "day2" else name: text for name, text in match.groupdict().items() if text
    }


def _kind(unit: str) -> str:
    return _UNIT_OF.get(unit[0], unit[0].lower())


def _steps(rel: str) -> int:
    rel = rel.lower()
    return {"上": -len(rel), "下": len(rel), "l": -1, "p": -1, "n": 1}.get(rel[0], 0)


def _around(day: date, kind: str) -> _Days:
    """Return the week, month, quarter or year of a day."""
    if kind == "w":
        monday = day - timedelta(day.weekday())
        return monday, monday + timedelta(6)
    first = date(day.year, day.month - (day.month - 1) % _MONTHS_OF[kind], 1)
    return first, moved(first, 1, kind) - timedelta(1)


def _part(days: _Days, which: str) -> _Days:
    """Return a part of a month or of a longer time, or the week that it begins in."""
    first, last = days
    if which == "week":
        return _around(first, "w")
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    place = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1}.get(which, 2)
    if months == 1:
        starts = (first, first.replace(day=11), first.replace(day=21), last + timedelta(1))
        return starts[place], starts[place + 1] - timedelta(1)
    if which in ("early", "mid", "late"):
        third = months // 3
        return moved(first, third * place, "m"), moved(first, third * (place + 1), "m") - timedelta(1)
    start = moved(first, (0, months // 2 - 1, months - 1)[place], "m")
    return start, moved(start, 2 if place == 1 else 1, "m") - timedelta(1)


def _shift(said: _Said, reader: _Reader) -> _Days:
    day = reader.today + timedelta(_SHIFTS[" ".join(said["word"].lower().split())])
    return day, day


def _offset(said: _Said, reader: _Reader) -> _Days | None:
    """Return the day some time before or after today: 三天前, two weeks ago, 7d."""
    number, kind = _amount(said)
    day = moved(reader.today, number if "ahead" in said else -number, kind)
    return (day, day) if number and said["count"] not in "几数" else None


def _recent(said: _Said, reader: _Reader) -> _Days | None:
    """Return the days up to today: the last three days have today among them, the past week begins seven days ago."""
    number, kind = _amount(said)
    return (moved(reader.today, 1 - number if kind == "d" else -number, kind), reader.today) if number else None


def _amount(said: _Said) -> tuple[int, str]:
    """Return how many days, weeks, months or years are said, 0 where that is no number."""
    count, kind = said.get("count", "one").lower(), _kind(said["unit"])
    if count == "半":
        return {"y": (6, "m"), "m": (15, "d")}.get(kind, (0, kind))
    if count in ("几", "数", "few", "several"):
        return 7 if kind == "d" else 3, kind
    return counted(count) or 0, kind


def _relative(said: _Said, reader: _Reader) -> _Days:
    """Return the week, month, quarter or year that lies some steps from today's, or a day of that month."""
    kind = _kind(said["unit"])
    days = _around(moved(_around(reader.today, kind)[0], _steps(said["rel"]), kind), kind)
    if "day" in said:
        return Dated(days[0].year, days[0].month, number_in_date(said["day"]), "", 0, 0).days()
    return days


def _before_last(said: _Said, reader: _Reader) -> _Days:
    return _relative(said | {"rel": "上上"}, reader)


def _weekday(said: _Said, reader: _Reader) -> _Days:
    """Return a weekday or a weekend of the week that is said, else the nearest; last Friday is the one before today."""
    name, rel = said["name"].lower(), said.get("rel", "").lower()
    is_weekend = name in ("末", "weekend")
    number = 6 if is_weekend else weekday_of(name)

    def of_week(step: int) -> _Days:
        first = _around(reader.today, "w")[0] + timedelta(7 * step + number - 1)
        return first, first + timedelta(int(is_weekend))

    if rel in ("last", "previous"):
        return of_week(0) if of_week(0)[1] < reader.today else of_week(-1)
    return of_week(_steps(rel)) if rel else reader.nearest(of_week(0), of_week)


def _named_month(said: _Said, reader: _Reader) -> _Days:
    """Return the last or the next month of a name: last August."""
    month, steps, today = MONTH_OF[said["name"][:3].lower()], _steps(said["rel"]), reader.today
    year = today.year - (month >= today.month) if steps < 0 else today.year + (steps > 0 and month <= today.month)
    return Dated(year, month, 0, "", 0, 0).days()


def _in_year(said: _Said, reader: _Reader) -> _Days | None:
    """Return a quarter, a half, a month or a day of a year, or the whole of it."""
    year = reader.today.year + _YEARS[said["year_word"]] if "year_word" in said else number_in_date(said.get("year"))
    if said_year := said.get("year_en"):
        year = number_in_date(said_year) if said_year.isdecimal() else reader.today.year + _steps(said_year)
    year += 2000 if 0 < year < 100 else 0
    if "nth" not in said:
        month, day = number_in_date(said.get("month")), number_in_date(said.get("day"))
        return Dated(year, month, day, "", 0, 0).days()
    months = 6 if said["kind"].lower() in ("半", "h", "half") else 3
    nth = said["nth"].lower()
    number = {"上": 1, "下": 2, "last": 12 // months}.get(nth) or whole_number(nth) or 0
    if not 1 <= number <= 12 // months:
        return None

    def of_year(step: int) -> _Days:
        first = date((year or reader.today.year) + step, (number - 1) * months + 1, 1)
        return first, moved(first, months, "m") - timedelta(1)

    return of_year(0) if year else reader.nearest(of_year(0), of_year)


def _in_one_month(said: _Said, reader: _Reader) -> _Days | None:
    """Return the days from one day of a month to another: from 1 to 5 March."""
    month = MONTH_OF[said["name"][:3].lower()] if "name" in said else number_in_date(said["month"])
    year = number_in_date(said.get("year"))
    first, last = (reader.days_of(Dated(year, month, number_in_date(said[day]), "", 0, 0)) for day in ("day", "day2"))
    return (first[0], last[1]) if first < last else None


def _iso_week(said: _Said, _: _Reader) -> _Days:
    return _around(date.fromisocalendar(int(said["year"]), int(said["week"]), 1), "w")


def _this_year(_: _Said, reader: _Reader) -> _Days:
    return reader.today.replace(month=1, day=1), reader.today


def _day_of_month(said: _Said, reader: _Reader) -> _Days:
    """Return a day that is said by its number alone: 5号."""
    number = number_in_date(said["day"])
    days = Dated(reader.today.year, reader.today.month, number, "", 0, 0).days()
    return reader.nearest(
        days, lambda step: _relative(said | {"rel": "上" if step < 0 else "下", "unit": "月"}, reader)
    )


def _rules(*rules: tuple[str, _Rule]) -> tuple[tuple[re.Pattern[str], _Rule], ...]:
    return tuple((re.compile(form, re.IGNORECASE), days) for form, days in rules)


_MONTH_ALONE = re.compile(MONTH_NAME, re.IGNORECASE)
_NTH = rf"(?P<nth>[一二三四1-4]|{'|'.join(ORDINALS[:4])}|last)"
_RULES = _rules(
    (rf"(?P<word>{_SHIFT})(?![A-Za-z]){_DAY_PART}", _shift),
    (
        rf"{_COUNT}\s*{_UNIT}\s*(?:(?:之前|以前|前{_NO_WORD}|ago\b)|(?P<ahead>之后|以后|后{_NO_WORD}|from\s+now\b))",
        _offset,
    ),
    (rf"(?:最近|近|过去|这)的?\s*{_COUNT}\s*(?:{_UNIT}|(?P<unit2>月))(?:以来|以内|之内|[内里中间])?", _recent),
    (rf"(?:the\s+|these\s+)?(?:last|past)\s+{_COUNT}\s*{_UNIT}(?:[内里])?", _recent),
    (r"(?:(?:the|this)\s+)?past\s+(?P<unit>day|week|month|quarter|year)\b", _recent),
    (rf"(?P<count>\d{{1,4}}|{CHINESE_NUMERAL})\s*{_UNIT}(?:以内|之内|内)", _recent),
    (rf"{_REL}(?P<unit>周|星期|礼拜|季度?|week\b|month\b|quarter\b|year\b)(?![一二三四五六日天末])", _relative),
    (rf"{_REL}(?P<unit>月)份?(?:的?\s?{DAY}\s?[日号])?", _relative),
    (r"(?:the\s+)?(?P<unit>week|month|quarter|year)\s+before\s+last\b", _before_last),
    (rf"(?:{_REL})?(?:周|星期|礼拜)(?P<name>[一二三四五六日天末])(?!次){_DAY_PART}", _weekday),
    (rf"(?:(?P<rel>last|this|next|previous)\s+)?(?P<name>{'|'.join(WEEKDAYS)}|weekend)s?\b{_DAY_PART}", _weekday),
    (rf"(?P<rel>last|this|next)\s+{MONTH_NAME}(?!\s\d)", _named_month),
    (rf"(?:{_YEAR_OF})?第?{_NTH}\s?(?P<kind>季)度", _in_year),
    (rf"(?:{_YEAR_OF})?(?P<kind>[QH])(?P<nth>[1-4]){_IN_YEAR}", _in_year),
    (rf"(?:{_YEAR_OF})?(?P<nth>[上下])(?P<kind>半)年", _in_year),
    (rf"(?:the\s+)?{_NTH}\s+(?P<kind>quarter|half){_IN_YEAR}", _in_year),
    (rf"(?P<year_word>{'|'.join(_YEARS)})(?:\s?的?\s?{MONTH}\s?月(?:份|\s?{DAY}\s?[日号])?)?", _in_year),
    (rf"(?<![\d.]){YEAR}(?![\d.:%A-Za-z])", _in_year),
    (rf"{MONTH_NAME}\s(?P<day>\d{{1,2}}){TH}{_TO}(?P<day2>\d{{1,2}}){TH}\b(?:,?\s{YEAR})?", _in_one_month),
    (
        rf"(?<![\d.])(?P<day>\d{{1,2}}){TH}{_TO}(?P<day2>\d{{1,2}}){TH}\s(?:of\s)?{MONTH_NAME}(?:,?\s{YEAR})?",
        _in_one_month,
    ),
    (rf"(?:{YEAR_ZH}\s?年\s?)?{MONTH}\s?月\s?{DAY}\s?[日号]?{_TO}{_DAY2}\s?[日号]", _in_one_month),
    (r"(?P<year>(?:19|20)\d{2})-?W(?P<week>\d{1,2})(?!\d)", _iso_week),
    (r"year\s+to\s+date|今年(?:以来|至今)", _this_year),
)
_WHOLE_RULES = _rules(
    (rf"{DAY}\s?[日号]", _day_of_month),
    (r"(?P<count>\d{1,4})(?P<unit>[dwy])(?![A-Za-z\d])", _offset),
)
