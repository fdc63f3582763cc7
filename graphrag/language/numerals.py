"""Numbers in words -> their values: 三百, 两千零五, 三万五, twenty-five, two hundred; pure functions on text."""

import re
from decimal import Decimal

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
CHINESE_NUMERAL = "[零〇一二两兩三四五六七八九十百千万萬亿億]+(?:点[零〇一二三四五六七八九]+)?"
MULTIPLIERS = {"十": Decimal(10), "百": Decimal(100), "千": Decimal(1000), "k": Decimal(1000), "K": Decimal(1000)}
MULTIPLIERS |= {sign: Decimal(value) for sign, value in _MYRIADS.items()} | {"百万": Decimal(10**6)}

_LONGEST = 30  # signs of a numeral; a longer one is none

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ENGLISH = {word: value for value, word in enumerate(_ONES.split())}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH |= {word: 10 * value for value, word in enumerate(_DECADES.split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ANY_WORD = "|".join(sorted((*_ENGLISH, *_SCALES), key=len, reverse=True))
ENGLISH_NUMERAL = (
    rf"\b(?:{'|'.join(sorted(_ENGLISH, key=len, reverse=True))}|an? (?:{'|'.join(_SCALES)}))"
    rf"(?:[ \-\u2010\u2011](?:and )?(?:{_ANY_WORD}))*\b"  # models like to write a hyphen that does not break
)


def chinese_value(numeral: str) -> Decimal | None:
    """Return the value of a Chinese numeral, None for one that is not well formed or means about so much (三四百)."""
    if len(numeral) > _LONGEST:
        return None
    whole, _, decimals = numeral.partition("点")
    value = _digits_in_a_row(whole) if len(whole) > 1 and set(whole) <= _DIGITS.keys() else _whole(whole)
    if value is None or not decimals:
        return None if value is None else Decimal(value)
    return Decimal(f"{value}.{''.join(str(_DIGITS[digit]) for digit in decimals)}")


def english_value(numeral: str) -> Decimal | None:
    """Return the value of an English numeral in words, None for one that is not well formed."""
    total, current = 0, 0
    if len(numeral) > _LONGEST * 10:
        return None
    for word in re.findall(r"[a-z]+", numeral.lower()):
        if word in _ENGLISH:
            current += _ENGLISH[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
    return Decimal(total + current)


def _digits_in_a_row(numeral: str) -> int | None:
    """Return a number said digit by digit, as years are (二〇二四); two or three of them mean about so many."""
    return int("".join(str(_DIGITS[digit]) for digit in numeral)) if len(numeral) >= 4 else None


def _whole(numeral: str) -> int | None:
    """Return the value of a numeral of digits and units in falling order; 三万五 is 35,000, as it is said."""
    total, section, digit, last = 0, 0, None, 0
    for sign in numeral:
        if sign in _DIGITS:
            if digit:  # two in a row
                return None
            digit, last = _DIGITS[sign], last if _DIGITS[sign] else 0  # after 零 nothing is left out
        elif sign in _TENS:
            if digit == 0:
                return None
            section += (1 if digit is None else digit) * _TENS[sign]
            digit, last = None, _TENS[sign]
        else:
            unit, section = _MYRIADS[sign], section + (digit or 0)
            total = total + section * unit if total >= unit else (total + section or 1) * unit
            section, digit, last = 0, None, unit
    left_out = last // 10 if digit and last >= 100 else 1
    return total + section + (digit or 0) * left_out
