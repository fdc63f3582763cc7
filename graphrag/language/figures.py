"""A text -> its numbers with their units, in one form whatever way they are written: 三百 is 300, 3.5万 is 35,000.

A number with another unit is another number; one without a unit, as in a table's cell, fits any.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from graphrag.language.numerals import CHINESE_NUMERAL, ENGLISH_NUMERAL, MULTIPLIERS, chinese_value, english_value
from graphrag.language.units import CLOCK, COUNT, MONEY, PERCENT, UNIT, WEEKDAY, unit_of

_SCALE = r"(?:\s?(?P<scale>百万|[万萬亿億]|[百千](?!分)|k(?![A-Za-z])))?"
_DIGITS = r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)"
_NUMBER = re.compile(
    rf"(?<!百分之)(?<!\d)(?P<money>[{''.join(MONEY)}]\s?)?{_DIGITS}{_SCALE}(?P<ordinal>(?:st|nd|rd|th)\b)?"
    rf"(?:[ \t\u3000-]?(?:{UNIT}))?"
)
_SHARE = re.compile(
    rf"百分之(?P<share>{CHINESE_NUMERAL}|\d+(?:\.\d+)?)|(?P<tenths>[一二三四五六七八九\d])成(?![为功本立员])"
)
_CHINESE = re.compile(
    rf"(?<![\d\s][万亿])(?<!\d)(?<!百分之)(?<!第)(?![万萬亿億点])(?P<numeral>{CHINESE_NUMERAL})[多几来余]?(?:{UNIT})?"
)
_ENGLISH = re.compile(rf"(?P<numeral>{ENGLISH_NUMERAL})(?:[ \t-]?(?:{UNIT}))?", re.IGNORECASE)
_LONGEST = 30  # digits; a longer one is no number but a key
_OF_TIME = {CLOCK, WEEKDAY}
_TO = re.compile(r"\s*(?:[-–—~～至到、,，]|to|and|or|或|和)\s*")
_INSIDE_WORD = re.compile(r"[A-Za-z_]\Z|\d\.\Z|[A-Za-z_][.\-]\Z")
_OF_TYPE = re.compile(r"[A-Za-z_]\((?:\d+,\s?)?\Z")
_CLEAR = re.compile(
    r"[A-Za-z]|(?!千万|百万)..*[百千万亿]\Z|..."
)  # a numeral that is one without a unit: 三百, not 十一
_PLURAL = re.compile(
    r"[ \u00a0](?!(?:is|was|as|has|does|this|its|us|plus|minus|less|across|always|versus|vs)\b)"
    r"(?!times (?:as|more|(?!over|per)\w+er)\b)(?:[a-z]{2,}s|people)\b"
)
_GLUED = re.compile(r"[A-Za-z_]|\.\d")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in its base unit; `unit` is empty where none is said, `COUNT` for things counted one by one."""

    value: Decimal
    unit: str
    text: str
    start: int
    end: int
    is_inside: bool = False  # of an identifier or a type, as in `C4002` and `varchar(8)`: no amount of anything

    def fits(self, other: "Figure") -> bool:
        """Whether both may be the same number of the same thing."""
        units = {self.unit, other.unit}
        is_open = "" in units and not units & _OF_TIME and not self.is_inside and not other.is_inside
        return self.value == other.value and (len(units) == 1 or is_open)


def read_figures(text: str) -> list[Figure]:
    """Return every number that a text may be said to hold, those inside identifiers and words included."""
    return [*_in_digits(text), *_shares(text), *_in_words(text)]


def stated_figures(text: str) -> list[Figure]:
    """Return the numbers that a text states: none inside identifiers, nor numerals that are part of other words.

    One in words (一个, one) is often no number at all, and is left out.
    """
    digits = (figure for figure in _in_digits(text) if _stands_alone(figure, text))
    words = (figure for figure in _in_words(text) if figure.value != 1 and (figure.unit or _CLEAR.match(figure.text)))
    return sorted([*digits, *_shares(text), *words], key=lambda figure: figure.start)


def holds(figures: Collection[Figure], wanted: Figure) -> bool:
    """Whether one of the figures may be the wanted one."""
    return any(figure.fits(wanted) for figure in figures)


def _in_digits(text: str) -> Iterator[Figure]:
    """Yield the numbers in digits; where some are joined, 1、5、30 秒, all have the unit of the last."""
    following, unit, factor = None, "", Decimal(1)
    for match in reversed([match for match in _NUMBER.finditer(text) if len(match["digits"]) <= _LONGEST]):
        own = _unit(match)
        if own[0] or not following or not _TO.fullmatch(text, match.end(), following.start()):
            unit, factor = own
        following = match
        scale = MULTIPLIERS[match["scale"]] if match["scale"] else Decimal(1)
        value = Decimal(match["digits"].replace(",", "")) * scale * factor
        figure = Figure(value.normalize(), unit, match.group().strip(), match.start(), match.end())
        is_inside = not _stands_alone(figure, text) or bool(
            _OF_TYPE.search(text[max(0, figure.start - 8) : figure.start])
        )
        yield replace(figure, is_inside=is_inside)


def _unit(match: re.Match[str]) -> tuple[str, Decimal]:
    return (MONEY[match["money"].strip()], Decimal(1)) if match["money"] else _measured(match)


def _measured(match: re.Match[str]) -> tuple[str, Decimal]:
    """Return the unit after a number; what else stands there in the plural is counted one by one: 8 times, 12 pods."""
    unit, factor = unit_of(match)
    return (COUNT if not unit and _PLURAL.match(match.string, match.end()) else unit), factor


def _shares(text: str) -> Iterator[Figure]:
    for match in _SHARE.finditer(text):
        share, tenths = match["share"], match["tenths"]
        value = _value(tenths) if tenths else _value(share)
        if value is not None:
            yield Figure((value * (10 if tenths else 1)).normalize(), PERCENT, match.group(), *match.span())


def _in_words(text: str) -> Iterator[Figure]:
    """Yield the numbers in words; a single sign without a unit is part of a name, 王五, rather than a number."""
    for pattern, value_of in ((_CHINESE, chinese_value), (_ENGLISH, english_value)):
        for match in pattern.finditer(text):
            value = value_of(match["numeral"])
            if value is not None and len(match.group()) > 1:
                unit, factor = _measured(match)
                yield Figure((value * factor).normalize(), unit, match.group().strip(), *match.span())


def _value(numeral: str) -> Decimal | None:
    return Decimal(numeral) if numeral[0].isdigit() else chinese_value(numeral)


def _stands_alone(figure: Figure, text: str) -> bool:
    """Whether a number in digits is no part of an identifier or a version."""
    before, end = text[max(0, figure.start - 2) : figure.start], figure.end
    return not _INSIDE_WORD.search(before) and not _GLUED.match(text, end)
