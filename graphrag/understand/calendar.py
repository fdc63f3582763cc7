"""A question about days -> its answer: which date a day is, how far two lie apart, which day lies so far from another.

The question itself names its days, in figures or by words like 明天. A question that names an event is left to the
search.
"""

import re
from dataclasses import dataclass
from datetime import date

from graphrag.language.dates import WEEKDAYS, NoSuchDay
from graphrag.language.lengths import counted, moved
from graphrag.language.numbers import CHINESE_NUMERAL
from graphrag.language.periods import find_days

_LONGEST = 100  # characters
_WEEKDAYS_ZH = "一二三四五六日"
# Signs of private use stand for the days of a question, those of the second row for today in so many words.
_SIGN, _SIGN_OF_TODAY = 0xE000, 0xE100
_DAY, _TODAY = "[\ue000-\ue0ff\ue100-\ue1ff]", "[\ue100-\ue1ff]"
_WHICH = (
    r"(?:的|是|那天)*(?:(?:星期|周|礼拜)几|几月几[号日]|几[号日]|多少号|什么日子|什么日期"
    r"|(?:的)?日期(?:是多少|是什么)?|哪一?天)"
)
_SUM = rf"(?:(?:等于|=)?\s*(?:{_WHICH}|多少)?)"
_COUNT = rf"(?P<count>\d{{1,5}}|{CHINESE_NUMERAL}|an?|one)"
_UNIT = r"(?:个\s*)?(?P<unit>天|日|周|星期|礼拜|月|年|days?|weeks?|months?|years?)"
_AMOUNT = r"(?:多少|几)\s*(?:个\s*)?(?P<unit>天|日|周|星期|礼拜|月|年)(?:时间|了)?|天数(?:是多少)?"
_AMOUNT_EN = r"(?:how\s+many|(?:what\s+is\s+)?the\s+number\s+of)\s+(?P<unit>days|weeks|months|years)"
_WHAT_EN = r"(?:what|which)(?:'s|\s+is|\s+was|\s+will)?\s+(?:the\s+)?(?:date|day)(?:\s+of\s+the\s+week)?"
_IT_EN = r"(?:\s+(?:is|was|will)(?:\s+it)?(?:\s+be)?)?"


def _form(text: str, *names: str) -> re.Pattern[str]:
    """Return a pattern with a day in the place of each name in capitals."""
    for name in names:
        text = text.replace(name, f"(?P<{name.lower()}>{_DAY})", 1)
    return re.compile(rf"(?:请问|那么?)?\s*{text}", re.IGNORECASE)


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
    _form(rf"从\s*(?!{_TODAY})FROM\s*(?:到|至)\s*TO\s*还(?:有|剩下?|要|差)\s*(?:{_AMOUNT})", "FROM", "TO"),
    _form(
        rf"{_AMOUNT_EN}\s+(?:are\s+)?(?:there\s+)?(?:between|from)\s+FROM\s+(?:and|to|until|till)\s+TO", "FROM", "TO"
    ),
    _form(r"(?P<unit>days|weeks|months)\s+(?:between|from)\s+FROM\s+(?:and|to|until|till)\s+TO", "FROM", "TO"),
)
_TO_GO = (
    _form(
        rf"(?:(?:从?\s*{_TODAY}(?:起|开始)?)?(?:距离?|离|到)\s*)?"
        rf"DAY\s*(?:还|已经?|过去|过|有|剩下?|差|要|了)+\s*(?:{_AMOUNT})",
        "DAY",
    ),
    _form(rf"DAY\s*(?:距今|离{_TODAY})(?:已经?|过去|有|了)*\s*(?:{_AMOUNT})", "DAY"),
    _form(
        rf"{_AMOUNT_EN}\s+(?:(?:is|are)\s+)?(?:it\s+|there\s+|left\s+)*(?:until|till|to|before|since|has\s+it\s+been\s+since)"
        r"\s+DAY",
        "DAY",
    ),
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with a sign in the place of each day that it names."""

    text: str
    days: tuple[date | NoSuchDay, ...]
    today: date
    in_chinese: bool

    def first(self, forms: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
        """Return the match of the first form that the whole question has."""
        return next(filter(None, (form.fullmatch(self.text) for form in forms)), None)

    def day(self, sign: str | None) -> date:
        """Return the day of a sign; none is today."""
        day = self.days[ord(sign) % 0x100] if sign else self.today
        if isinstance(day, NoSuchDay):
            raise day
        return day


def count_days(text: str, in_chinese: bool, today: date) -> str | None:
    """Return the answer to a question about days, and that a day is none; None for every other question."""
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return None
    found = find_days(text, today)
    signed = text
    for place, ((start, end), day) in reversed([*enumerate(found)]):
        is_today = day == today and not any(map(str.isdigit, text[start:end]))
        signed = f"{signed[:start]}{chr((_SIGN_OF_TODAY if is_today else _SIGN) + place)}{signed[end:]}"
    asked = _Asked(signed, tuple(day for _, day in found), today, in_chinese)
    try:
        return next((told for answer in (_date, _shifted, _apart, _to_go) if (told := answer(asked)) is not None), None)
    except NoSuchDay as error:
        return f"没有 {error} 这一天。" if in_chinese else f"There is no such day as {error}."
    except (ValueError, OverflowError):
        return None


def _date(asked: _Asked) -> str | None:
    match = asked.first(_DATES)
    return _told(asked.day(match.groupdict().get("day")), asked.in_chinese) if match else None


def _shifted(asked: _Asked) -> str | None:
    if not (match := asked.first(_SHIFTED)):
        return None
    named = match.groupdict()
    if (count := counted(named["count"])) is None:
        return None
    start, count = asked.day(named.get("day")), -count if named.get("back") else count
    return _told(moved(start, count, named["unit"]), asked.in_chinese)


def _apart(asked: _Asked) -> str | None:
    if not (match := asked.first(_APART)):
        return None
    first, last = sorted((asked.day(match["from"]), asked.day(match["to"])))
    days = (last - first).days
    if asked.in_chinese:
        return f"相差 {_length(first, last, match['unit'], True)}（首尾都算是 {days + 1} 天）。"
    return f"{_length(first, last, match['unit'], False)} ({days + 1} with both the first and the last)."


def _to_go(asked: _Asked) -> str | None:
    if not (match := asked.first(_TO_GO)):
        return None
    day, today, in_chinese = asked.day(match["day"]), asked.today, asked.in_chinese
    if day == today:
        return "就是今天。" if in_chinese else "It is today."
    length = _length(min(day, today), max(day, today), match["unit"], in_chinese)
    if in_chinese:
        return f"还有 {length}。" if day > today else f"已经过去 {length}。"
    return f"{length} to go." if day > today else f"{length} ago."


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
        months -= moved(first, months, "month") > last
        rest = (last - moved(first, months, "month")).days
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
    return f"{WEEKDAYS[day.weekday()]}, {day:%Y-%m-%d}."
