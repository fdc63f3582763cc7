"""Words for a time in a question -> the days that they mean: 上周, 最近三天, 2024 年 3 月之后, since May 2024."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_DIGITS = {word: number for number, word in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUMBER = r"(?:\d{1,4}|[一二两三四五六七八九十百]{1,5})"
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november")
_MONTH_NAMES = {name: number for number, name in enumerate((*_MONTHS, "december"), 1)}
_MONTH_NAMES |= {name[:3]: number for name, number in _MONTH_NAMES.items()}
_ANY_MONTH = "|".join(sorted(_MONTH_NAMES, key=len, reverse=True))

_AFTER = r"(?P<after>之后|以后|以来|后|起|开始|至今)"
_BEFORE = r"(?P<before>之前|以前|前)"
_DAY = r"(?:(?P<day>\d{1,2})\s*[日号]?)"
_DATE_ZH = rf"(?:(?P<year>\d{{4}})\s*年\s*)?(?:(?P<month>\d{{1,2}})\s*月(?:份)?\s*{_DAY}?)"
_ISO = r"(?P<iso>\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?)"
_YEAR = r"(?P<only_year>(?:19|20)\d{2})\s*年"
_WORDS_ZH = r"(?P<word>今[天日年]|昨天|前天|[本这上]周|[这上]星期|上个?礼拜|本月|[这上]个?月|去年|前年)"
_UNIT_ZH = r"(?P<unit>天|日|周|个?星期|个?礼拜|个?月|年)(?:内|里|以来|中)?"
_LAST_ZH = rf"(?:最近|近|过去|这)(?:的)?\s*(?P<count>{_NUMBER}|几)\s*{_UNIT_ZH}"
_CHINESE = re.compile(
    rf"(?:在|从|自)?\s*(?:{_LAST_ZH}|(?:{_WORDS_ZH}|{_ISO}|{_DATE_ZH}|{_YEAR})\s*(?:{_AFTER}|{_BEFORE})?)"
)

_LEAD_EN = r"(?:(?P<after>since|after|from)|(?P<before>before|until|till)|in|on|during|of|from)?\s*"
_WORDS_EN = r"(?P<word>today|yesterday|(?:this|last)\s+(?:week|month|year))"
_LAST_EN = (
    r"(?:in\s+|within\s+)?(?:the\s+)?(?:last|past)\s+(?P<count>\d{1,4}|few)\s+(?P<unit>days?|weeks?|months?|years?)"
)
_DATE_EN = rf"(?P<name>{_ANY_MONTH})\s*(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?)?\s*(?P<year>\d{{4}})?"
_ENGLISH = re.compile(
    rf"\b(?:{_LAST_EN}|{_LEAD_EN}(?:{_WORDS_EN}|{_ISO}|{_DATE_EN}|(?P<only_year>(?:19|20)\d{{2}})))\b", re.IGNORECASE
)
_FEW = 7
_UNITS = {
    "天": 1,
    "日": 1,
    "周": 7,
    "星期": 7,
    "礼拜": 7,
    "月": 30,
    "年": 365,
    "day": 1,
    "week": 7,
    "month": 30,
    "year": 365,
}


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `since` to `until`, both of them in it; None where it is open. `span` is its place in the text."""

    since: date | None
    until: date | None
    span: tuple[int, int]


def find_period(text: str, today: date) -> Period | None:
    """Return the first time that a text names, None when it names none, or one that the calendar does not have."""
    matches = [match for form in (_CHINESE, _ENGLISH) for match in form.finditer(text) if not _is_word(match)]
    if not matches:
        return None
    match = min(matches, key=lambda match: (match.start(), -match.end()))
    try:
        since, until = _days(match, today)
    except (ValueError, OverflowError):
        return None
    return Period(since, until, match.span())


def read_number(word: str) -> int | None:
    """Return a number in digits or in Chinese up to 999, None when it is none."""
    if word.isdigit():
        return int(word)
    total, digit = 0, 0
    for character in word:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        elif character in _DIGITS:
            digit = _DIGITS[character]
        else:
            return None
    return total + digit if word else None


def _is_word(match: re.Match[str]) -> bool:
    """Whether a month's name stands there as a word of its own: may, march."""
    named = match.groupdict()
    name = named.get("name")
    return bool(name) and not named["year"] and not named["day"] and match.group().startswith(str(name))


def _days(match: re.Match[str], today: date) -> tuple[date | None, date | None]:
    named = match.groupdict()
    if named["count"]:
        return _last(named["count"].lower(), named["unit"].lower(), today), today
    first, last = _named_days(named, today)
    if named["after"] and named["after"].lower() != "from":
        is_later = named["after"].lower() in ("之后", "以后", "后", "after")
        return (last + timedelta(1) if is_later else first), None
    if named["before"]:
        return None, first - timedelta(1)
    return (first, None) if named["after"] else (first, last)


def _last(count: str, unit: str, today: date) -> date:
    number = _FEW if count in ("几", "few") else read_number(count)
    days = next(days for name, days in _UNITS.items() if unit.removeprefix("个").startswith(name))
    return today - timedelta((number or 1) * days - 1 if days == 1 else (number or 1) * days)


def _named_days(named: dict[str, str | None], today: date) -> tuple[date, date]:
    """Return the first and the last day of what is named."""
    if word := named.get("word"):
        return _of_word(re.sub(r"\s+", " ", word.lower()), today)
    if iso := named["iso"]:
        parts = [int(part) for part in re.split(r"[-/.]", iso)]
    elif named["only_year"]:
        parts = [int(named["only_year"])]
    else:
        month = named.get("month") or str(_MONTH_NAMES[(named.get("name") or "").lower()])
        parts = [int(named["year"] or _year_of(int(month), today)), int(month)]
        parts += [int(named["day"])] if named["day"] else []
    return _first_day(parts), _last_day(parts)


def _year_of(month: int, today: date) -> int:
    """Return the year of a month named without one: the last time there was one."""
    return today.year if month <= today.month else today.year - 1


def _first_day(parts: list[int]) -> date:
    return date(*[*parts, 1, 1][:3])


def _last_day(parts: list[int]) -> date:
    year, month, *day = [*parts, 12][:2] + parts[2:]
    return date(year, month, day[0] if day else monthrange(year, month)[1])


def _of_word(word: str, today: date) -> tuple[date, date]:
    if word in ("今天", "今日", "today"):
        return today, today
    if word in ("昨天", "yesterday"):
        return today - timedelta(1), today - timedelta(1)
    if word == "前天":
        return today - timedelta(2), today - timedelta(2)
    is_last = word.startswith(("上", "last", "去"))
    if "周" in word or "星期" in word or "礼拜" in word or "week" in word:
        monday = today - timedelta(today.weekday() + (7 if is_last else 0))
        return monday, monday + timedelta(6)
    if "月" in word or "month" in word:
        first = today.replace(day=1)
        first = (first - timedelta(1)).replace(day=1) if is_last else first
        return first, _last_day([first.year, first.month])
    year = today.year - (2 if word == "前年" else 1 if is_last else 0)
    return date(year, 1, 1), date(year, 12, 31)
