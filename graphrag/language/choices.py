"""What a text chooses inside a stretch of the calendar: 第二季度 of a year, 10号 of a month, Friday of a week, 年底.

Each choice is a form, the stretches that it can be made in, and the days that it takes of one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum, auto

from graphrag.language.dates import DAY, MONTH, MONTH_NAME, MONTH_OF, WEEKDAYS, Dated, number_in_date, weekday_of
from graphrag.language.lengths import kind_of, moved
from graphrag.language.numbers import CHINESE_NUMERAL, ORDINALS, whole_number

Days = tuple[date, date]
Said = dict[str, str]  # what the groups of a form hold


class Alone(StrEnum):
    """Where something that is chosen inside an outer stretch is a point without it."""

    ALWAYS = auto()  # 第二季度, Friday
    WHOLE = auto()  # in a text that says nothing else, or behind 到: 5号, week 12
    NEVER = auto()  # 中旬, the last day


@dataclass(frozen=True, slots=True)
class Inner:
    """What can be chosen inside one of some outer stretches; its grain is that of its unit where it has none."""

    form: re.Pattern[str]
    outers: str
    pick: Callable[[Said, Days], Days]
    grain: str = ""
    alone: Alone = Alone.NEVER


def form_of(text: str) -> re.Pattern[str]:
    """Return a pattern that heeds no case, and in which a word of English ends before Chinese."""
    return re.compile(text, re.IGNORECASE | re.ASCII)


_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_PARTS = {"初": "start", "上旬": "early", "中": "middle", "中旬": "mid", "下旬": "late", "底": "end", "末": "end"}
_PLACE_OF = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1}
_N = rf"(?P<nth>\d{{1,3}}|{CHINESE_NUMERAL})"
_NTH = rf"(?P<nth>{'|'.join(ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
_COUNT = rf"(?P<count>\d{{1,3}}|{CHINESE_NUMERAL})"
_UNITS = r"(?P<unit>天|周|星期|礼拜|季度?|月)"
_UNITS_EN = r"(?P<unit>day|week|month|quarter|half)"


def span_of(day: date, kind: str) -> Days:
    """Return the week, month, quarter, half or whole year around a day, or the day."""
    if kind in ("d", "w"):
        first = day - timedelta(day.weekday() if kind == "w" else 0)
        return first, moved(first, 1, kind) - timedelta(1)
    months = {"m": 1, "q": 3, "h": 6, "y": 12}[kind]
    first = date(day.year, day.month - (day.month - 1) % months, 1)
    return first, moved(first, 1, kind) - timedelta(1)


def step_from(days: Days, step: int, kind: str) -> Days:
    """Return the week, month or year some steps from one."""
    return span_of(moved(days[0], step, kind), kind)


def _nth(said: Said, days: Days) -> Days:
    """Return one or some of the units inside a stretch, from its start or its end; a year has the weeks of ISO."""
    kind, word, count = kind_of(said["unit"]), said.get("nth", "1").lower(), whole_number(said.get("count", "1")) or 0
    number = {"上": 1, "下": 2}.get(word) or whole_number(word) or 0
    if kind == "w" and days == span_of(days[0], "y") and "nth" in said:
        return span_of(date.fromisocalendar(days[0].year, number, 1), "w")
    if said.get("side", "").lower() in ("后", "last", "最后"):
        found = moved(days[1] + timedelta(1), -count, kind), days[1]
    else:
        first = moved(days[0], number - 1, kind)
        found = first, moved(first, count, kind) - timedelta(1)
    if not (number and count and days[0] <= found[0] <= found[1] and found[0] <= days[1]):
        raise ValueError("it has none")
    return found[0], min(found[1], days[1])


def _day(said: Said, days: Days) -> Days:
    if not (number := number_in_date(said["day"])):
        raise ValueError("a month has no day of this number")
    return Dated(days[0].year, days[0].month, number, "", 0, 0).days()


def month_in(said: Said, days: Days) -> Days:
    """Return a month of a year."""
    month = MONTH_OF[said["name"][:3].lower()] if "name" in said else number_in_date(said["month"])
    return Dated(days[0].year, month, 0, "", 0, 0).days()


def weekday_in(said: Said, days: Days) -> Days:
    """Return a weekday or the weekend of a week."""
    is_weekend = said["name"].lower() in ("末", "weekend")
    first = days[0] + timedelta(5 if is_weekend else weekday_of(said["name"]) - 1)
    return first, first + timedelta(int(is_weekend))


def season_in(said: Said, days: Days) -> Days:
    """Return a season of a year, the winter that begins in it."""
    first = days[0].replace(month=_SEASONS[said["season"].lower()])
    return first, moved(first, 3, "m") - timedelta(1)


def part_of(said: Said, days: Days) -> Days:
    """Return a part of a month or of a longer time; 年底 is its last month, and late in a year its last third."""
    which = _PARTS.get(said["part"], said["part"].lower())
    first, last = days
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    place = _PLACE_OF.get(which, 2)
    if months == 1:
        starts = (first, first.replace(day=11), first.replace(day=21), last + timedelta(1))
        return starts[place], starts[place + 1] - timedelta(1)
    if which in ("early", "mid", "late"):
        third = months // 3
        return moved(first, third * place, "m"), moved(first, third * (place + 1), "m") - timedelta(1)
    start = moved(first, (0, months // 2 - 1, months - 1)[place], "m")
    return start, moved(start, 2 if place == 1 else 1, "m") - timedelta(1)


_NO_PART = r"(?![级文国心间学层蕴部线稿薪期])"
INNERS = (
    Inner(form_of(r"第?\s?(?P<nth>[一二三四1-4])\s?(?P<unit>季)度"), "y", _nth, alone=Alone.ALWAYS),
    Inner(form_of(r"(?P<nth>[上下])(?P<unit>半)年"), "y", _nth, alone=Alone.ALWAYS),
    Inner(form_of(r"(?P<unit>Q)(?P<nth>[1-4])(?![A-Za-z\d])"), "y", _nth, alone=Alone.ALWAYS),
    Inner(form_of(r"(?P<unit>H)(?P<nth>[12])(?![A-Za-z\d])"), "y", _nth, alone=Alone.ALWAYS),
    Inner(form_of(rf"(?:the\s+)?{_NTH}\s+(?P<unit>quarter|half)\b"), "y", _nth, alone=Alone.ALWAYS),
    Inner(
        form_of(rf"第\s?{_N}\s?(?P<unit>周)(?!岁)|-?(?P<unit2>W)(?:eek\s+)?(?P<nth2>\d{{1,2}})(?!\d)"),
        "y",
        _nth,
        alone=Alone.WHOLE,
    ),
    Inner(form_of(rf"第\s?{_N}\s?个?\s?{_UNITS}"), "mqhy", _nth),
    Inner(form_of(rf"(?:the\s+)?{_NTH}\s+{_UNITS_EN}\b"), "wmqhy", _nth),
    Inner(
        form_of(rf"(?P<side>前|头|最后|后)\s?(?:{_COUNT}\s?)?个?\s?{_UNITS}"),
        "wmqhy",
        _nth,
    ),
    Inner(
        form_of(rf"(?:the\s+)?(?P<side>first|last)\s+(?:(?P<count>\d{{1,3}}|[a-z]+)\s+)?{_UNITS_EN}s?\b"), "wmqhy", _nth
    ),
    Inner(form_of(rf"{DAY}\s?[日号](?![线楼机院])"), "m", _day, "d", Alone.WHOLE),
    Inner(form_of(r"(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)\b"), "m", _day, "d", Alone.WHOLE),
    Inner(form_of(rf"{MONTH}\s?月份?"), "y", month_in, "m"),
    Inner(form_of(MONTH_NAME), "y", month_in, "m"),
    Inner(form_of(r"(?:周|星期|礼拜)(?P<name>[一二三四五六日天末])(?!次)"), "w", weekday_in, "d", Alone.ALWAYS),
    Inner(form_of(rf"(?P<name>{'|'.join(WEEKDAYS)}|weekend)s?\b"), "w", weekday_in, "d", Alone.ALWAYS),
    Inner(
        form_of(
            rf"(?:the\s+)?(?P<season>{'|'.join(_SEASONS)})(?:(?<=[春夏秋冬])(?:天|季(?!奥))|(?<=[a-z])\b(?!\s+olympic))"
        ),
        "y",
        season_in,
        "q",
        Alone.WHOLE,
    ),
    Inner(form_of(rf"(?P<part>上旬|中旬|下旬|初|底|末|中){_NO_PART}"), "mqhy", part_of, "m"),
    Inner(form_of(r"(?:the\s+)?(?P<part>early|mid(?:dle)?|late|beginning|start|end)\b"), "mqhyT", part_of, "m"),
    Inner(form_of(r"(?:the\s+)?(?P<week>week)\b"), "dmqhy", lambda _, days: span_of(days[0], "w"), "w"),
    *(
        Inner(
            form_of(
                rf"(?<!每年)(?<![全少青成童中老幼百千万一二三四五六七八九十几\d]){unit}(?P<part>初|底|末|中){_NO_PART}"
            ),
            kind,
            part_of,
            "m",
            Alone.ALWAYS,
        )
        for unit, kind in (("年", "y"), ("月", "m"), ("季度?", "q"))
    ),
)
