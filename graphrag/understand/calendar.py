"""A question about days -> its answer: which date a day is, how far two lie apart, which day lies so far from another.

The question itself names its days, in figures or by words like 明天. A question that names an event is left to the
search.
"""

import re
from calendar import monthrange
from datetime import date, timedelta

from graphrag.language.date_words import read_number

_LONGEST = 100  # characters
_WEEKDAYS_ZH = "一二三四五六日"
_WEEKDAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SHIFTS = {"大前天": -3, "前天": -2, "昨天": -1, "今天": 0, "今日": 0, "现在": 0, "明天": 1, "后天": 2, "大后天": 3}
_SHIFTS |= {"today": 0, "now": 0, "tomorrow": 1, "yesterday": -1}
_SHIFTS |= {"the day after tomorrow": 2, "the day before yesterday": -2}
_YEARS = {"去年": -1, "今年": 0, "明年": 1}
_WORDS = "|".join(sorted(_SHIFTS, key=len, reverse=True))
_MONTH_EN = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY = (
    rf"(?:\d{{4}}\s*([-/.])\s*\d{{1,2}}\s*\1\s*\d{{1,2}}"
    rf"|(?:\d{{4}}\s*年\s*|{'|'.join(_YEARS)})?\d{{1,2}}\s*月\s*\d{{1,2}}\s*[日号]?|{_WORDS}"
    rf"|{_MONTH_EN}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH_EN}(?:,?\s+\d{{4}})?)"
)
_WHICH = (
    r"(?:的|是|那天)*(?:(?:星期|周|礼拜)几|几月几[号日]|几[号日]|多少号|什么日子|什么日期"
    r"|(?:的)?日期(?:是多少|是什么)?|哪一?天)"
)
_SUM = rf"(?:(?:等于|=)?\s*(?:{_WHICH}|多少)?)"
_COUNT = r"(?P<count>\d{1,5}|[一二两三四五六七八九十百]{1,5}|an?|one)"
_UNIT = r"(?:个\s*)?(?P<unit>天|日|周|星期|礼拜|月|年|days?|weeks?|months?|years?)"
_AMOUNT = r"(?:多少|几)\s*(?:个\s*)?(?P<unit>天|日|周|星期|礼拜|月|年)(?:时间|了)?|天数(?:是多少)?"
_AMOUNT_EN = r"(?:how\s+many|(?:what\s+is\s+)?the\s+number\s+of)\s+(?P<unit>days|weeks|months|years)"
_WHAT_EN = r"(?:what|which)(?:'s|\s+is|\s+was|\s+will)?\s+(?:the\s+)?(?:date|day)(?:\s+of\s+the\s+week)?"
_IT_EN = r"(?:\s+(?:is|was|will)(?:\s+it)?(?:\s+be)?)?"


def _form(text: str, *names: str) -> re.Pattern[str]:
    """Return a pattern with a day in the place of each name in capitals."""
    for place, name in enumerate(names):
        day = _DAY.replace(r"([-/.])", rf"(?P<sign{place}>[-/.])").replace(r"\1", rf"(?P=sign{place})")
        text = text.replace(name, f"(?P<{name.lower()}>{day})", 1)
    return re.compile(rf"(?:请问|那么?)?\s*{text}", re.IGNORECASE)


class _NoSuchDay(ValueError):
    """No calendar has the day that is named, 2023-02-30."""


_DATES = (
    _form(rf"DAY\s*{_WHICH}", "DAY"),
    _form(rf"{_WHAT_EN}(?:{_IT_EN}\s+(?:on\s+)?DAY)", "DAY"),
    _form(r"(?:what(?:'s|\s+is)\s+)?DAY(?:'s)?\s+date", "DAY"),
    _form(r"what(?:'s|\s+is)\s+the\s+(?:date|day(?:\s+of\s+the\s+week)?)|what\s+(?:date|day)\s+is\s+it"),
)
_SHIFTED = (
    _form(
        rf"(?:从\s*)?(?:DAY\s*(?:开始|起|的|算起)*)?\s*(?:再?过)?\s*{_COUNT}\s*{_UNIT}\s*(?:之|以)?后\s*{_WHICH}", "DAY"
    ),
    _form(rf"(?:从\s*)?(?:DAY\s*(?:开始|起|的|算起)*)?\s*再?过\s*{_COUNT}\s*{_UNIT}\s*{_WHICH}", "DAY"),
    _form(rf"(?:从\s*)?(?:DAY\s*的?)?\s*{_COUNT}\s*{_UNIT}\s*(?:之|以)?(?P<back>前)\s*{_WHICH}", "DAY"),
    _form(rf"DAY\s*(?:之后|以后|往后|后)(?:的?第)?\s*{_COUNT}\s*{_UNIT}\s*{_WHICH}", "DAY"),
    _form(rf"DAY\s*(?P<back>之前|以前|往前|前)(?:的?第)?\s*{_COUNT}\s*{_UNIT}\s*{_WHICH}", "DAY"),
    _form(rf"DAY\s*(?:再?加上?|\+|plus)\s*{_COUNT}\s*{_UNIT}\s*{_SUM}", "DAY"),
    _form(rf"DAY\s*(?P<back>减去?|-|minus)\s*{_COUNT}\s*{_UNIT}\s*{_SUM}", "DAY"),
    _form(rf"{_WHAT_EN}{_IT_EN}\s+in\s+{_COUNT}\s+{_UNIT}"),
    _form(rf"{_WHAT_EN}{_IT_EN}\s+{_COUNT}\s+{_UNIT}\s+(?:from|after|(?P<back>before))\s+DAY", "DAY"),
    _form(rf"{_WHAT_EN}{_IT_EN}\s+{_COUNT}\s+{_UNIT}\s+(?P<back>ago)"),
)
_APART = (
    _form(
        rf"(?:从|自|距离?|离)?\s*FROM\s*(?:起|开始|算起)?\s*(?:到|至|[~～—–]+|\s-\s|和|与|跟|及|距离?|离)\s*TO\s*(?:为止|止)?"
        rf"(?:之间|中间|这段时间)?[，,\s]*(?:一共|总共|共)?(?:相差|相隔|间隔|相距|差|隔|有|是|过了|经过|的)*了?\s*(?:{_AMOUNT})",
        "FROM",
        "TO",
    ),
    _form(rf"从\s*(?!今天|现在)FROM\s*(?:到|至)\s*TO\s*还(?:有|剩下?|要|差)\s*(?:{_AMOUNT})", "FROM", "TO"),
    _form(
        rf"{_AMOUNT_EN}\s+(?:are\s+)?(?:there\s+)?(?:between|from)\s+FROM\s+(?:and|to|until|till)\s+TO", "FROM", "TO"
    ),
    _form(r"(?P<unit>days|weeks|months)\s+(?:between|from)\s+FROM\s+(?:and|to|until|till)\s+TO", "FROM", "TO"),
)
_TO_GO = (
    _form(
        r"(?:(?:从?\s*(?:今天|现在)(?:起|开始)?)?(?:距离?|离|到)\s*)?"
        rf"DAY\s*(?:还|已经?|过去|过|有|剩下?|差|要|了)+\s*(?:{_AMOUNT})",
        "DAY",
    ),
    _form(rf"DAY\s*(?:距今|离今天|离现在)(?:已经?|过去|有|了)*\s*(?:{_AMOUNT})", "DAY"),
    _form(
        rf"{_AMOUNT_EN}\s+(?:(?:is|are)\s+)?(?:it\s+|there\s+|left\s+)*(?:until|till|to|before|since|has\s+it\s+been\s+since)"
        r"\s+DAY",
        "DAY",
    ),
)


def count_days(text: str, in_chinese: bool, today: date) -> str | None:
    """Return the answer to a question about days, and that a day is none; None for every other question."""
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return None
    try:
        for answer in (_date, _shifted, _apart, _to_go):
            if (found := answer(text, in_chinese, today)) is not None:
                return found
    except _NoSuchDay as error:
        return f"没有 {error} 这一天。" if in_chinese else f"There is no such day as {error}."
    except (ValueError, OverflowError):
        return None
    return None


def _date(text: str, in_chinese: bool, today: date) -> str | None:
    match = _first(_DATES, text)
    return _told(_day(match.groupdict().get("day"), today), in_chinese) if match else None


def _shifted(text: str, in_chinese: bool, today: date) -> str | None:
    if not (match := _first(_SHIFTED, text)):
        return None
    named = match.groupdict()
    count = 1 if named["count"].lower() in ("a", "an", "one") else read_number(named["count"])
    if count is None:
        return None
    start, count = _day(named.get("day"), today), -count if named.get("back") else count
    return _told(_moved(start, count, named["unit"].lower()), in_chinese)


def _apart(text: str, in_chinese: bool, today: date) -> str | None:
    if not (match := _first(_APART, text)):
        return None
    first, last = sorted((_day(match["from"], today), _day(match["to"], today)))
    days = (last - first).days
    if in_chinese:
        return f"相差 {_length(first, last, match['unit'], True)}（首尾都算是 {days + 1} 天）。"
    return f"{_length(first, last, match['unit'], False)} ({days + 1} with both the first and the last)."


def _to_go(text: str, in_chinese: bool, today: date) -> str | None:
    if not (match := _first(_TO_GO, text)):
        return None
    day = _day(match["day"], today)
    if day == today:
        return "就是今天。" if in_chinese else "It is today."
    earlier, later = sorted((day, today))
    length = _length(earlier, later, match["unit"], in_chinese)
    if in_chinese:
        return f"还有 {length}。" if day > today else f"已经过去 {length}。"
    return f"{length} to go." if day > today else f"{length} ago."


def _first(forms: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next(filter(None, (form.fullmatch(text) for form in forms)), None)


def _day(words: str | None, today: date) -> date:
    """Return the day that some words name; none name today."""
    words = re.sub(r"\s+", " ", (words or "today").lower())
    if words in _SHIFTS:
        return today + timedelta(_SHIFTS[words])
    numbers = [int(number) for number in re.findall(r"\d+", words)]
    year = today.year + next((shift for word, shift in _YEARS.items() if word in words), 0)
    if month := re.search(_MONTH_EN, words):
        day, year = [*numbers, year][:2]
        numbers = [_MONTHS.index(month.group()[:3]) + 1, day]
    elif len(numbers) == 3:
        year, *numbers = numbers
    try:
        return date(year, *numbers)
    except ValueError as error:
        raise _NoSuchDay(f"{year:04}-{numbers[0]:02}-{numbers[1]:02}") from error


def _moved(day: date, count: int, unit: str) -> date:
    if unit[0] in "天日d":
        return day + timedelta(count)
    if unit[0] in "周星礼w":
        return day + timedelta(7 * count)
    months = day.year * 12 + day.month - 1 + count * (12 if unit[0] in "年y" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _length(first: date, last: date, unit: str | None, in_chinese: bool) -> str:
    """Return the days from one day to a later one, and the weeks or the months that they make where those are meant."""
    days, unit = (last - first).days, (unit or "天").lower()
    told = f"{days} 天" if in_chinese else _count(days, "day")
    if unit[0] in "周星礼w":
        whole, rest = divmod(days, 7)
        return (
            f"{told}，即 {whole} 周零 {rest} 天"
            if in_chinese
            else f"{told}: {_count(whole, 'week')}, {_count(rest, 'day')}"
        )
    if unit[0] in "月年my":
        months = (last.year - first.year) * 12 + last.month - first.month
        months -= _moved(first, months, "month") > last
        rest = (last - _moved(first, months, "month")).days
        return (
            f"{told}，即 {months} 个月零 {rest} 天"
            if in_chinese
            else f"{told}: {_count(months, 'month')}, {_count(rest, 'day')}"
        )
    return told


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _told(day: date, in_chinese: bool) -> str:
    if in_chinese:
        return f"{day.year} 年 {day.month} 月 {day.day} 日，星期{_WEEKDAYS_ZH[day.weekday()]}。"
    return f"{_WEEKDAYS_EN[day.weekday()]}, {day:%Y-%m-%d}."
