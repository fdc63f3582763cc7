"""A place in a text -> the days named there: 上周五, 去年底, 2024年第二季度, the 31st of last month, three days ago.

A point is an outer stretch of the calendar, a year, a month or a week, and what is chosen inside it: 上个月 + 10号,
the last day of + February. One that has no outer stretch is chosen in the week, month or year that is meant: the last
that began, this one, or the next.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum

from graphrag.language.choices import (
    INNERS,
    Alone,
    Days,
    Inner,
    Said,
    form_of,
    month_in,
    part_of,
    season_in,
    span_of,
    step_from,
    weekday_in,
)
from graphrag.language.dates import (
    DATE_FORMS,
    DAY,
    MONTH,
    MONTH_NAME,
    TH,
    WEEKDAY_BEFORE,
    YEAR,
    YEAR_ZH,
    Dated,
    NoSuchDay,
    dated_of,
    number_in_date,
)
from graphrag.language.lengths import Length, kind_of, length_at, moved
from graphrag.language.script import half_width


class Toward(StrEnum):
    """Which of several days is meant where a text leaves the year or the week out."""

    PAST = "past"  # the last one that began, as of notes
    YEAR = "year"  # the one of this year or week
    FUTURE = "future"  # the next one that has not ended, as of a term


@dataclass(frozen=True, slots=True)
class Point:
    """A stretch of a text that names days.

    `grain` is what it is, `d`, `w`, `m`, `q`, `h`, `y` or `T` for ten years, and `within` what it is chosen in: `pick`
    takes the first and the last day of that. Nothing is left to choose where `within` is empty.
    """

    start: int
    end: int
    grain: str
    within: str
    pick: Callable[[Days], Days]
    is_span: bool = False  # days up to today, or from one day to another
    is_counted: bool = False  # from today: 三天前
    whole: Callable[[Days], Days] | None = None  # what `pick` is a part of, which decides the year: the end of March


# Words for a day or a year -> the steps to it from today's; an underscore stands for a space.
_DAYS_TEXT = """大前天 -3 前天 -2 昨天 -1 昨日 -1 昨晚 -1 昨夜 -1 今天 0 今日 0 今早 0 今晚 0 现在 0 明天 1 明日 1
明早 1 明晚 1 后天 2 大后天 3 the_day_before_yesterday -2 yesterday -1 last_night -1 today 0 now 0 tonight 0
this_morning 0 tomorrow 1 the_day_after_tomorrow 2"""
_YEARS_TEXT = "大前年 -3 前年 -2 去年 -1 上一年 -1 今年 0 本年 0 这一年 0 明年 1 后年 2"
_SHIFTS, _YEARS = (
    {word.replace("_", " "): int(step) for word, step in zip(*[iter(text.split())] * 2, strict=True)}
    for text in (_DAYS_TEXT, _YEARS_TEXT)
)


TO = r"\s?(?:到|至|[-~～–—]{1,2}|\b(?:to|through|until|till)\b)\s?"
NO_WORD = r"(?![端台提言来天年期者缀])"
_SHIFT = form_of(
    rf"(?P<word>{'|'.join(sorted(_SHIFTS, key=len, reverse=True))})(?:(?<![A-Za-z])|(?![A-Za-z]))".replace(" ", r"\s+")
)
_REL = form_of(r"(?:the\s+)?(?P<rel>上+|下+|本|这|当|last|this|next|previous|current)(?:一|\s)*个?\s*")
_OUTER_UNIT = form_of(
    r"(?P<unit>周|星期|礼拜|季度?|月份?|week\b|month\b|quarter\b|year\b)(?:'s\b)?(?![一二三四五六日天末])"
)
_THE_UNIT = form_of(r"(?:the\s+)?(?P<unit>week|month|quarter|year)\b")
_BEFORE_LAST = form_of(r"(?:the\s+)?(?P<unit>week|month|quarter|year)\s+before\s+last\b")
_YEAR_WORD = form_of(rf"(?P<word>{'|'.join(_YEARS)})")
_COUNTED_NOUN = r"(?:[万亿元块次篇秒分倍%]|个(?![人性])|字(?!典)|小时|(?:[kmc]?[mbgl]|[kmgt]i?b|ms|users?)\b(?!-))"
_YEAR = form_of(rf"(?<![\d.]){YEAR}(?![\d:%]|\.\d|(?!-?(?:[QH][1-4]|W\d))-?[A-Za-z]|\s?{_COUNTED_NOUN})(?:\s?年)?")
_DECADE = form_of(r"(?:the\s+)?(?:(?P<century>(?:19|20)?)(?P<decade>\d)0|(?P<zh>[二三四五六七八九])十)(?:年代|s\b)")
_MONTH_ALONE = form_of(MONTH_NAME)
_AGO = form_of(rf"\s*(?:(?:之前|以前|前{NO_WORD}|\bago\b)|(?P<ahead>之后|以后|后{NO_WORD}|\bfrom\s+now\b))")
_RECENT = form_of(
    r"(?:最近|近|过去|这)的?\s*|(?:the\s+|these\s+)?(?:last|past|previous)\s+|(?P<within>within|since)\s+(?:the\s+)?"
)
_WITHIN = form_of(r"\s*(?:以来|以内|之内|内(?![容部存网])|(?P<inside>[里中]间?))")
_PAST_UNIT = form_of(r"(?:(?:the|this)\s+)?past\s+(?P<unit>day|week|month|quarter|year)\b")
_TO_DATE = form_of(
    r"(?:this\s+)?(?P<unit>year|month|week|quarter)\s+(?:to\s+date|so\s+far)|(?P<unit_zh>今年)(?:以来|至今)"
)
_OF = form_of(r"-|(?:\s*,)?\s*(?:\bof\b(?:\s+the\b)?(?!\s+(?:week|month|quarter|year)\b)|\bof\b|\bin\b)?\s*")
_THEN = form_of(r"\s*的?\s?")
_CLOCK = r"(?:\s+at\b)?[T ]?\s?(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:\s?(?:Z\b|[+-]\d{2}:?\d{2}))?"
_DAY_TAIL = form_of(
    rf"(?:\s?(?:早上|上午|中午|下午|晚上|凌晨|傍晚|夜里|\b(?:morning|afternoon|evening|night)\b))?(?:{_CLOCK}(?!\d))?"
    r"(?:\s?[(（]\s?(?:周|星期)[一二三四五六日天]\s?[)）])?"
)

_IN_ONE_MONTH = tuple(
    form_of(text)
    for text in (
        rf"{MONTH_NAME}\s(?P<day>\d{{1,2}}){TH}{TO}(?P<day2>\d{{1,2}}){TH}\b(?:,?\s{YEAR})?",
        rf"(?<![\d.])(?P<day>\d{{1,2}}){TH}{TO}(?P<day2>\d{{1,2}}){TH}\s(?:of\s)?{MONTH_NAME}(?:,?\s{YEAR})?",
        rf"(?:{YEAR_ZH}\s?年\s?)?{MONTH}\s?月\s?{DAY}{TO}(?P<day2>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s?[日号]",
    )
)
_SAME_DAY = form_of(r"今天|今日|此时|这时候?|同期|同一天")
_SAME_DAY_EN = form_of(r"this\s+time\s+|(?:this\s+day|today)\s+(?=last|next)")
_LONGEST_CHAIN = 4  # 去年 + 三月 + 五号 + 下午


class Points:
    """Reads the points of a text; one that is a period and nothing else needs less to be one."""

    def __init__(self, text: str, today: date, toward: Toward, is_whole: bool = False) -> None:
        self.text, self.today, self._toward, self._is_whole = half_width(text), today, toward, is_whole

    def at(self, place: int, is_led: bool = False, is_second: bool = False, most: int = _LONGEST_CHAIN) -> Point | None:
        """Return the longest point that starts at a place, with so many things one inside the other at most.

        A word before it (since, of) makes a month of a name, and a day before it one of a number: 从1号到5号.
        """
        modes = {Alone.ALWAYS} | ({Alone.WHOLE} if self._is_whole or is_second else set())
        found = [*self._outers(place, is_led or self._is_whole, most < _LONGEST_CHAIN), *self._dates(place)]
        found += [*self._lengths(place), *self._inners_alone(place, modes, most)]
        whole = [longer for point in found for longer in self._chained(point, most)]
        point = max(filter(self._is_there, whole), key=lambda point: point.end, default=None)
        return replace(point, end=self._tail(point)) if point else None

    def days(self, point: Point) -> Days:
        """Return the days of a point, in the direction that is meant where that is left to choose.

        Raises:
            NoSuchDay: the calendar does not have it.
            ValueError, OverflowError: the calendar ends before.
        """
        if not point.within:
            return point.pick((self.today, self.today))
        this = span_of(self.today, point.within)
        days = (point.whole or point.pick)(this)
        if self._toward is Toward.PAST and days[0] > self.today:
            return point.pick(step_from(this, -1, point.within))
        if self._toward is Toward.FUTURE and days[1] < self.today:
            return point.pick(step_from(this, 1, point.within))
        return point.pick(this)

    def _is_there(self, point: Point) -> bool:
        try:
            self.days(point)
        except NoSuchDay:
            return True
        except (ValueError, OverflowError):
            return False
        return True

    def _tail(self, point: Point) -> int:
        tail = _DAY_TAIL.match(self.text, point.end) if point.grain == "d" else None
        return tail.end() if tail else point.end

    def _outers(self, place: int, is_led: bool, is_outer: bool) -> Iterator[Point]:
        """Yield the points that need nothing around them, and what a word like 上 makes of others."""
        text, today = self.text, self.today
        if match := _SHIFT.match(text, place):
            day = today + timedelta(_SHIFTS[" ".join(match["word"].lower().split())])
            yield self._fixed(match, "d", (day, day))
        if match := _YEAR_WORD.match(text, place):
            yield self._fixed(match, "y", step_from(span_of(today, "y"), _YEARS[match["word"]], "y"))
        if match := _YEAR.match(text, place):
            yield self._fixed(match, "y", span_of(date(int(match["year"]), 1, 1), "y"))
        if match := _DECADE.match(text, place):
            decade = number_in_date(match["decade"] or match["zh"])
            year = int(match["century"] or (19 if decade > 3 else 20)) * 100 + 10 * decade
            yield self._fixed(match, "T", (date(year, 1, 1), date(year + 9, 12, 31)))
        if match := _BEFORE_LAST.match(text, place):
            kind = kind_of(match["unit"])
            yield self._fixed(match, kind, step_from(span_of(today, kind), -2, kind))
        if is_outer and (match := _THE_UNIT.match(text, place)):
            yield Point(place, match.end(), kind_of(match["unit"]), kind_of(match["unit"]), lambda days: days)
        if match := _TO_DATE.match(text, place):
            first = span_of(today, kind_of(match["unit"] or "年"))[0]
            yield replace(self._fixed(match, "y", (first, today)), is_span=True)
        if match := _MONTH_ALONE.match(text, place):
            is_clear = match[0].istitle() and match[0].rstrip(".") not in ("May", "March", "Mar")
            if is_led or is_clear:
                said = _said(match)
                yield Point(place, match.end(), "m", "y", lambda days: month_in(said, days))
        yield from self._related(place)

    def _related(self, place: int) -> Iterator[Point]:
        """Yield what lies some steps from now: 上周, last month, 上周五, last August."""
        if same := _SAME_DAY_EN.match(self.text, place):
            outers = (point for point in self._stepping(same.end()) if point.grain in "wmy")
            yield from (self._same_day(replace(point, start=place), point.end) for point in outers)
        yield from self._stepping(place)

    def _stepping(self, place: int) -> Iterator[Point]:
        if not (rel := _REL.match(self.text, place)):
            return
        word = rel["rel"].lower()
        step = {"上": -len(word), "下": len(word), "l": -1, "p": -1, "n": 1}.get(word[0], 0)
        if unit := _OUTER_UNIT.match(self.text, rel.end()):
            kind = kind_of(unit["unit"])
            yield Point(place, unit.end(), kind, "", lambda _: step_from(span_of(self.today, kind), step, kind))
        for found in self._inners(rel.end(), "wmqy"):
            if found.inner.pick in (weekday_in, season_in, part_of) or "name" in found.said:
                yield self._stepped(place, found, step, word)

    def _stepped(self, place: int, found: "_Found", step: int, word: str) -> Point:
        """Return what a word like last chooses; last Friday is the one before today, next August the one after it."""
        kind, is_before = found.inner.outers[0], word in ("last", "previous")
        this = span_of(self.today, kind)

        def pick(_: Days) -> Days:
            days = found.pick(this)
            if is_before:
                return days if days[1] < self.today else found.pick(step_from(this, -1, kind))
            is_ahead = word == "next" and kind == "y" and days[0] > self.today
            return days if is_ahead else found.pick(step_from(this, step, kind))

        return Point(place, found.end, found.grain, "", pick)

    def _fixed(self, match: re.Match[str], grain: str, days: Days) -> Point:
        return Point(*match.span(), grain, "", lambda _: days)

    def _dates(self, place: int) -> Iterator[Point]:
        """Yield the dates of the calendar, with a weekday before them or without, and days to days of one month."""
        before = WEEKDAY_BEFORE.match(self.text, place)
        for form in DATE_FORMS:
            if match := form.match(self.text, before.end() if before else place):
                dated = dated_of(match)
                grain = "d" if dated.day else "m" if dated.month else "y"
                yield Point(place, match.end(), grain, "" if dated.year else "y", _in_year_of(dated))
        for form in _IN_ONE_MONTH:
            if match := form.match(self.text, place):
                first, last = dated_of(match), replace(dated_of(match), day=number_in_date(match["day2"]))
                if first.day < last.day:
                    within = "" if first.year else "y"
                    yield Point(place, match.end(), "span", within, _from_to(first, last), is_span=True)

    def _lengths(self, place: int) -> Iterator[Point]:
        """Yield the days that lie some time from today, and those of some time up to today."""
        text, today = self.text, self.today
        if found := length_at(text, place):
            length, end = found
            ago, within = _AGO.match(text, end), _WITHIN.match(text, end)
            if not length.is_vague and not length.is_bare and (ago or self._is_whole):
                sign = 1 if ago and ago["ahead"] else -1 if ago or self._toward is not Toward.FUTURE else 1
                yield self._counted(place, ago.end() if ago else end, length, sign)
            if within and not (length.is_bare or within["inside"]):
                yield self._recent(place, within.end(), length)
        if match := _PAST_UNIT.match(text, place):
            first = moved(today, -1, kind_of(match["unit"]))
            yield replace(self._fixed(match, "span", (first, today)), is_span=True)
        if (lead := _RECENT.match(text, place)) and (found := length_at(text, lead.end())):
            length, end = found
            within, ago = _WITHIN.match(text, end), _AGO.match(text, end)
            if not ago and not (length.is_bare and lead["within"]):
                yield self._recent(place, within.end() if within else end, length)

    def _counted(self, place: int, end: int, length: Length, sign: int) -> Point:
        """Return the day some time after today or before it; 两三天前 leaves open which of two."""

        def pick(_: Days) -> Days:
            days = length.later(self.today, sign), length.at_most().later(self.today, sign)
            return min(days), max(days)

        return Point(place, end, "d", "", pick, is_counted=True)

    def _recent(self, place: int, end: int, length: Length) -> Point:
        """Return the days up to today: the last three have today among them, the past week begins seven days ago."""
        length = length.at_most()

        def pick(_: Days) -> Days:
            return moved(length.later(self.today, -1), int(length.is_in_days), "d"), self.today

        return Point(place, end, "span", "", pick, is_span=True)

    def _inners(self, place: int, outers: str) -> Iterator["_Found"]:
        """Yield what is chosen at a place inside one of some outer stretches."""
        for inner in INNERS:
            match = inner.form.match(self.text, place) if set(inner.outers) & set(outers) else None
            if match:
                yield _Found(inner, place, match.end(), _said(match))

    def _inners_alone(self, place: int, modes: set[Alone], most: int) -> Iterator[Point]:
        """Yield what is chosen inside the outer stretch that is meant, or inside the one behind it: the end of 2023."""
        for found in self._inners(place, "dwmqhy"):
            within = found.inner.outers[0]
            if found.inner.alone in modes:
                yield Point(place, found.end, found.grain, within, found.pick)
            joint = _OF.match(self.text, found.end) if found.is_english and most else None
            outer = self.at(joint.end(), is_led=True, most=most - 1) if joint and joint[0] else None
            if outer and outer.grain in found.inner.outers:
                yield _inside(outer, found, outer.end)

    def _chained(self, point: Point, most: int) -> Iterator[Point]:
        """Yield a point, and what is chosen inside it by the words behind it: 去年 + 三月 + 五号."""
        yield point
        joint = _THEN.match(self.text, point.end)
        place = joint.end() if joint and most else None
        if place is None or point.is_span or point.is_counted:
            return
        if (same := _SAME_DAY.match(self.text, place)) and point.grain in "my" and not point.within:
            yield self._same_day(point, same.end())
        for found in self._inners(place, point.grain):
            yield from self._chained(replace(_inside(point, found, found.end), start=point.start), most - 1)

    def _same_day(self, point: Point, end: int) -> Point:
        """Return the day in a year, month or week that today is in its own."""

        def pick(days: Days) -> Days:
            first = point.pick(days)[0]
            if point.grain == "w":
                day = first + timedelta(self.today.weekday())
            else:
                months = (first.year - self.today.year) * 12 + (first.month - self.today.month) * (point.grain == "m")
                day = moved(self.today, months, "m")
            return day, day

        return replace(point, end=max(end, point.end), grain="d", pick=pick)


@dataclass(frozen=True, slots=True)
class _Found:
    """Something that is chosen, as a text says it."""

    inner: Inner
    start: int
    end: int
    said: Said

    @property
    def grain(self) -> str:
        return self.inner.grain or kind_of(self.said["unit"])

    @property
    def is_english(self) -> bool:
        return all(text.isascii() for text in self.said.values())

    def pick(self, days: Days) -> Days:
        return self.inner.pick(self.said, days)


def _inside(outer: Point, found: _Found, end: int) -> Point:
    whole = outer.pick if found.inner.pick is part_of else None
    return Point(found.start, end, found.grain, outer.within, lambda days: found.pick(outer.pick(days)), whole=whole)


def _in_year_of(dated: Dated) -> Callable[[Days], Days]:
    return lambda days: (dated if dated.year else replace(dated, year=days[0].year)).days()


def _from_to(first: Dated, last: Dated) -> Callable[[Days], Days]:
    return lambda days: (_in_year_of(first)(days)[0], _in_year_of(last)(days)[1])


def _said(match: re.Match[str]) -> Said:
    """Return the groups of a match that say something; a digit at the end tells names of one kind apart."""
    return {name.rstrip("0123456789"): text for name, text in match.groupdict().items() if text}
