"""A text -> the length of time that it says: 90天, 两周, 一年半, half a year, a year and three months, 12h.

A length is a row of numbers with units; 两三天 leaves open which of two it is, and 几天 how much it is at all.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from graphrag.language.numbers import CHINESE_NUMERAL, ENGLISH_NUMERAL, chinese_value, number_of, whole_number
from graphrag.language.script import half_width

_KIND_OF = {"天": "d", "日": "d", "周": "w", "星": "w", "礼": "w", "月": "m", "季": "q", "半": "h", "年": "y"}
_KIND_OF |= {"小": "hour", "钟": "hour"}
_HOURS_OF = {"hour": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "q": 91 * 24, "y": 365 * 24}
_MONTHS_OF = {"m": 1, "q": 3, "h": 6, "y": 12}

_COUNT = (
    rf"(?P<count>half\s+an?|\d{{1,9}}(?:\.\d{{1,3}})?|{CHINESE_NUMERAL}|[半几数]|(?:a\s+)?few|several"
    rf"|(?:a\s+)?couple\s+of|{ENGLISH_NUMERAL}|an?)"
)
_MORE = r"(?:\s?(?:到|至|[-~～–、]|\bor\b|\bto\b)\s?(?P<most>\d{1,4}|[一二两三四五六七八九十]{1,3}))?"
_UNIT = (
    r"(?P<unit>天|日(?![志记报程历常])|周(?![一二三四五六日末])|星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天])"
    r"|(?<!\d{4})年(?![级代底初末中])|小时|钟头|季度|(?<=个)月|(?<=个\s)月|(?P<bare>月)(?![初底末中])"
    r"|(?:hour|day|week|fortnight|month|quarter|year)s?(?![A-Za-z]))"
)
_PART = re.compile(
    rf"(?:{_COUNT}{_MORE}\s*(?P<half>个半)?(?:个\s?)?{_UNIT}(?P<and_half>半(?![年月天个夜])|\s+and\s+a\s+half\b)?"
    r"|(?P<number>\d{1,9})\s?(?P<letter>[hdwy])(?![A-Za-z\d]))",
    re.IGNORECASE | re.ASCII,
)
_AND = re.compile(r"(?:\s?[零又,，]\s?|\s+and\s+|\s*)(?=\d|[一二两三四五六七八九十半]|an?\s|[a-z]+\s)", re.IGNORECASE)
_MOST_PARTS = 4
_VAGUE = ("几", "数", "few", "several")


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time: numbers, each with its unit (`hour`, `d`, `w`, `m`, `q`, `y`)."""

    parts: tuple[tuple[Decimal, str], ...]
    most: Decimal | None = None  # the first number is this one at most: 两三天
    is_vague: bool = False  # 几天, which is taken as a week, or three of what is longer
    is_bare: bool = False  # 3月, which rather is March

    @property
    def is_in_days(self) -> bool:
        """Whether days are counted, today among them: 最近三天."""
        return self.parts[0][1] == "d"

    def at_most(self) -> "Length":
        """Return the longest time that is meant."""
        return Length(((self.most, self.parts[0][1]), *self.parts[1:])) if self.most else self

    def duration(self) -> timedelta:
        """Return the length in hours; a year has 365 days, a month 30."""
        return timedelta(hours=float(sum(number * _HOURS_OF[kind] for number, kind in self.parts)))

    def later(self, day: date, sign: int = 1) -> date:
        """Return the day so much later, with sign -1 so much earlier; hours count as the days that they begin.

        Raises:
            ValueError, OverflowError: the calendar ends before it.
        """
        months = sum((number * _MONTHS_OF[kind] for number, kind in self.parts if kind in _MONTHS_OF), Decimal())
        hours = sum((number * _HOURS_OF[kind] for number, kind in self.parts if kind not in _MONTHS_OF), Decimal())
        days = int(months % 1 * 30) + int(-(-hours // 24) if hours % 24 and hours < 24 else hours // 24)
        return moved(moved(day, sign * int(months), "m"), sign * days, "d")


def length_at(text: str, place: int) -> tuple[Length, int] | None:
    """Return the length that starts at a place of a text, and where it ends."""
    parts, end, first = list[tuple[Decimal, str]](), place, Length(())
    for step in range(_MOST_PARTS):
        joint = _AND.match(text, end) if step else None
        match = _PART.match(text, joint.end() if joint else end) if joint or not step else None
        part = _read_part(match) if match else None
        if match is None or part is None or (step and (part.is_vague or part.is_bare or first.most)):
            break
        first = first if step else part
        parts += part.parts
        end = match.end()
    return (Length(tuple(parts), first.most, first.is_vague, first.is_bare), end) if parts else None


def read_length(text: str) -> timedelta | None:
    """Return how long a text says, 30d, 两周 or half a year, None for another text.

    Raises:
        OverflowError: no calendar is so long.
    """
    text = half_width(text).strip()
    found = length_at(text, 0)
    return found[0].duration() if found and found[1] == len(text) and not found[0].is_bare else None


def moved(day: date, count: int, unit: str) -> date:
    """Return the day some days, weeks, months or years later; a month that lacks the day gives its last one.

    Raises:
        ValueError, OverflowError: the calendar ends before it.
    """
    kind = kind_of(unit)
    if kind in "dw":
        return day + timedelta(count * (7 if kind == "w" else 1))
    year, month = divmod(day.year * 12 + day.month - 1 + count * _MONTHS_OF[kind], 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def kind_of(unit: str) -> str:
    """Return the letter of a unit of time, as in 30d; `h` is half a year, and an hour is called so."""
    first = unit[0].lower()
    return "hour" if unit.lower().startswith("hour") else _KIND_OF.get(first, first)


def counted(words: str) -> int | None:
    """Return a number of days or the like: `a` is one, a couple are two."""
    words = words.lower()
    return 1 if words in ("a", "an") else 2 if "couple" in words else whole_number(words)


def _read_part(match: re.Match[str]) -> Length | None:
    if match["letter"]:
        letter = match["letter"].lower()
        return Length(((Decimal(match["number"]), "hour" if letter == "h" else letter),))
    words, kind, most = match["count"].lower(), kind_of(match["unit"]), None
    if words.removeprefix("a ").strip() in _VAGUE:
        return Length(((Decimal(7 if kind == "d" else 3), kind),), is_vague=True)
    if words == "半" or words.startswith("half"):
        number = Decimal("0.5")
    elif (apart := _one_or_the_next(words)) is not None:
        number, most = apart
    else:
        whole = counted(words)
        found = Decimal(whole) if whole is not None else number_of(words)
        if found is None:
            return None
        number = found + (Decimal("0.5") if match["half"] or match["and_half"] else 0)
        most = number_of(match["most"]) if match["most"] else None
    if not number or (most is not None and most <= number):
        return None
    if match["unit"].lower().startswith("fortnight"):
        number, kind = 2 * number, "w"
    return Length(((number, kind),), most, is_bare=bool(match["bare"]) and not match["half"])


def _one_or_the_next(words: str) -> tuple[Decimal, Decimal] | None:
    """Return the two numbers that 两三 leaves open."""
    one, other = map(chinese_value, words) if re.fullmatch(r"[一二两三四五六七八九]{2}", words) else (None, None)
    return (one, other) if one and other and other == one + 1 and one < 9 else None
