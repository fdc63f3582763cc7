"""A text -> its numbers with their units, in one form for all ways to write them: 三百五 is 350, 5 ms is 0.005 seconds.

A number with another unit is another number; one without a unit, as in a table's cell, fits any. `read_figures` takes
all that may be a number, `stated_figures` what surely is one, and `number_of` the value of a text that is nothing else.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

COUNT = "count"  # things one by one: 个, 次, 台
PERCENT = "%"
CLOCK = "clock"  # minutes since midnight
HALF_CLOCK = "half clock"  # minutes since midnight or noon, where a text leaves open which of them: 九点半
WEEKDAY = "weekday"  # 1 is Monday
MONEY = {"¥": "yuan", "￥": "yuan", "$": "dollar", "€": "euro"}
MONEY_UNITS = frozenset(MONEY.values())
DESIGNATING = (
    "层層级級列组組章節节頁页段句步行条條位处處门門轮輪批"  # things that go by their number: 三层 is one of them
)

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")}
_DIGITS |= {digit: value for value, digit in enumerate("壹贰叁肆伍陆柒捌玖", 1)} | {"〇": 0, "两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_DECIMALS = "点[零〇一二三四五六七八九]+"
CHINESE_NUMERAL = f"[{''.join((*_DIGITS, *_TENS, *_MYRIADS))}廿卅]+(?:{_DECIMALS})?"
_SHORT_FOR = str.maketrans({"廿": "二十", "卅": "三十"})

_ONES_TEXT = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_DECADES_TEXT = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES, _DECADES = _ONES_TEXT.split(), _DECADES_TEXT.split()
_ENGLISH = {word: value for value, word in enumerate(_ONES)}
_ENGLISH |= {word: 10 * value for value, word in enumerate(_DECADES, 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SIMPLE = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_ANY_WORD = rf"{_SIMPLE}|{'|'.join(_SCALES)}"
_HYPHEN = r"[ \-\u2010\u2011]"  # models like to write a hyphen that does not break
_ENGLISH_WHOLE = rf"\b(?:{_SIMPLE}|an? (?:{'|'.join(_SCALES)}))(?:{_HYPHEN}(?:and )?(?:{_ANY_WORD}))*\b"
ENGLISH_NUMERAL = (
    rf"(?:{_ENGLISH_WHOLE}(?: point(?: (?:{'|'.join(_ONES[:10])})\b)+| and a half\b)?|\ba (?:dozen|couple of)\b)"
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = {**{f"{word}th": value for word, value in _ENGLISH.items()}, "twelfth": 12}
_ORDINAL |= {f"{word[:-1]}ieth": value for word, value in _ENGLISH.items() if word.endswith("ty")}
_ORDINAL |= {word: value for value, word in enumerate(ORDINALS, 1)}

_MULTIPLIERS = {"百": 100, "千": 1000, **_MYRIADS, "百万": 10**6, "千万": 10**7, "k": 1000, **_SCALES}
_SCALE = r"(?:\s?(?P<scale>[百千]万|[万萬亿億]|[百千](?!分)|k(?![A-Za-z])|(?:hundred|thousand|million|billion)\b))?"
_IN_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)"
NUMERAL = rf"(?:{_IN_DIGITS}|{CHINESE_NUMERAL}|{ENGLISH_NUMERAL})"  # of a single number, without a scale
_LONGEST = 30  # signs of a numeral, digits of a number; a longer one is a key

_CLASSIFIERS = (
    "个個次台臺张張条條笔筆人名位行份篇项項种種类類家层層道步件組组处處遍级級列核套间間户戶辆輛门門章节節页頁句段轮輪批"
)
# Unit, factor (behind @ what is added to a number first), the ways to write it; behind the bar those that only a
# question for a unit means by it, not a text.
_TABLE = rf"""
second    1/1000000000 纳秒 ns | nanoseconds?
second    1/1000000 微秒 µs μs us | microseconds?
second    1/1000 毫秒 ms msecs? milliseconds?
second    60 分钟 分鐘 mins? minutes? | 分
second    3600 个?小时 個?小時 个?钟头 hrs? hours? h
second    1 秒钟 秒鐘 秒 secs? seconds? s
second    604800 周 週 个?星期 个?礼拜 weeks?
second    86400 天 days? | 日
working_day 1 个?工作日 (?:working|business)\s*days? workdays?
month     1 个月 個月 months?
year      1 年 years? yrs?
byte      1024 KiB KB kB kb
byte      1048576 MiB MB 兆
byte      1073741824 GiB GB
byte      1099511627776 TiB TB
byte      1125899906842624 PiB PB
byte      1 个?字节 bytes? B
byte      1/8 | bits? 比特
byte      125 | kbits? kilobits?
byte      125000 | Mb Mbits? megabits? 兆比特
byte      125000000 | Gb Gbits? gigabits?
yuan      1 元 块钱 块 人民币 yuan RMB CNY
dollar    1 美元 美金 dollars? USD
euro      1 欧元 euros? EUR
%         1 % percent per\s?cent
percentage_point 1 个?百分点 percentage\s*points?
metre     1000 公里 千米 km kilomet(?:er|re)s?
metre     1/100 厘米 公分 cm centimet(?:er|re)s?
metre     1/1000 毫米 mm millimet(?:er|re)s?
metre     1609344/1000 英里 miles?
metre     3048/10000 英尺 feet | foot ft
metre     254/10000 英寸 inch(?:es)?
metre     1852 海里
metre     9144/10000 | 码 yards?
metre     500 | 华里 里
metre     10/3 | 丈
metre     1/3 | 尺
metre     1/30 | 寸
metre     1 米(?!饭) met(?:er|re)s? | m
gram      1000 公斤 千克 kg kilograms?
gram      1/1000 毫克 mg
gram      1000000 吨 tonnes? tons?
gram      500 斤
gram      50 | 两
gram      45359237/100000 英?磅 pounds? lbs?
gram      45359237/1600000 盎司 ounces? oz
gram      1 克 grams? | g
litre     1/1000 毫升 ml
litre     1000 立方米
litre     1 升(?!级) lit(?:er|re)s? | l
speed     1 | m/s 米/秒 米每秒 每秒米 met(?:er|re)s\s+per\s+second
speed     5/18 | km/h kph kmh (?:公里|千米)/(?:小?时|h) (?:公里|千米)每小?时 kilomet(?:er|re)s\s+per\s+hour
speed     1397/3125 | mph 英里/小?时 英里每小?时 miles\s+per\s+hour
speed     463/900 | knots? 节
degree    1 摄氏度 ℃ °C 度 | (?:degrees?\s+)?(?:celsius|C)
degree    5/9@-32 | °F ℉ 华氏度 (?:degrees?\s+)?(?:fahrenheit|F)
degree    1@-273.15 | 开尔文 开氏度 kelvins? K
fold      1 倍
count     1 [{_CLASSIFIERS}]
"""
_SPECS: list[tuple[str, Fraction, list[str], list[str], Fraction]] = []
for _unit, _factors, *_ways in map(str.split, _TABLE.strip().splitlines()):
    _bar = _ways.index("|") if "|" in _ways else len(_ways)
    _factor, _, _added = _factors.partition("@")
    _SPECS.append((_unit.replace("_", " "), Fraction(_factor), _ways[:_bar], _ways[_bar + 1 :], Fraction(_added or 0)))
_UNITS = {unit for unit, *_ in _SPECS}
_CONVERTIBLE = {"second", "byte", "metre", "gram", "litre", "speed", "degree"}
_THOUSANDS = {Fraction(1024**power): Fraction(1000**power) for power in range(1, 6)}
_MANY_BITS = {Fraction(1000**power, 8) for power in range(1, 4)}
_WHOLE_ONLY = {COUNT, PERCENT, "percentage point", "working day", "fold", "degree"}  # of which there is no half


def _alternative(way: str) -> str:
    """Return the pattern of one way to write a unit: a word in Latin letters ends where its letters end."""
    return rf"{way}(?![A-Za-z])" if re.search(r"[A-Za-z]\)?\??\Z", way) else way


def _any_unit(units: Collection[str] = frozenset(_UNITS)) -> str:
    """Return a pattern for the units in running text, with a group for each row of the table."""
    rows = [(place, ways) for place, (unit, _, ways, *_) in enumerate(_SPECS) if ways and unit in units]
    return "|".join(f"(?P<u{place}>{'|'.join(map(_alternative, ways))})" for place, ways in rows)


_UNIT = _any_unit()
_NAMED = [
    ("|".join((*ways, *asked)), (unit, factor, added))
    for unit, factor, ways, asked, added in _SPECS
    if unit in _CONVERTIBLE
]
UNIT_NAME = rf"(?:{'|'.join(sorted((form for form, _ in _NAMED), key=len, reverse=True))})"
_EVERY = {"second": "秒 second", "minute": "分钟 minute", "hour": "小时 hour", "day": "天|日 day"}
_EVERY |= {"week": "周|星期|礼拜 week", "month": "月 month", "year": "年 year"}
_EVERY_OF = {word: f"per {unit}" for unit, words in _EVERY.items() for word in re.split(r"[| ]", words)}
_SPAN_ZH, _SPAN_EN = ("|".join(words.split()[place] for words in _EVERY.values()) for place in (0, 1))
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
# How often something happens is a small number: an open-ended numeral would be read again from each of its words.
_SMALL_ZH = rf"(?:\d{{1,6}}|{CHINESE_NUMERAL.replace(']+', ']{1,8}')})"
_SMALL_EN = rf"(?:\d{{1,6}}|\b(?:{'|'.join(_ONES[1:])}|{'|'.join(_DECADES)})(?:-(?:{'|'.join(_ONES[1:10])}))?)"
_TIMES_A = rf"(?P<times>{'|'.join(_TIMES)}|{_SMALL_EN} times)"

_NUMBER = re.compile(
    rf"(?<!百分之)(?<!\d)(?P<money>[{''.join(MONEY)}]\s?)?(?P<digits>{_IN_DIGITS}){_SCALE}"
    rf"(?P<ordinal>(?:st|nd|rd|th)\b)?(?:[ \t\u3000-]?(?:{_UNIT})(?P<half>半(?![夜年月天个]))?)?"
)
_SHARE = re.compile(
    rf"百分之(?P<share>{CHINESE_NUMERAL}|\d+(?:\.\d+)?)|(?P<tenths>[一二三四五六七八九\d])成(?![为功本立员])"
)
_CHINESE = re.compile(
    rf"(?<![\d\s][万亿])(?<!\d)(?<!百分之)(?<!第)(?![万萬亿億点])(?P<numeral>{CHINESE_NUMERAL})[多几来余]?"
    rf"(?:(?P<middle>个半)?(?:{_UNIT})(?P<half>半(?![夜年月天个]))?)?"
)
_ENGLISH_NUMBER = re.compile(rf"(?P<numeral>{ENGLISH_NUMERAL})(?:[ \t-]?(?:{_UNIT}))?", re.IGNORECASE)
_HALF = re.compile(
    rf"(?:(?<![一二三四五六七八九十两个百千万\d])半|(?<!and a )\bhalf (?:an? )?|\b(?P<one>an?) (?=\w+ and a half\b))"
    rf"(?:{_any_unit(_UNITS - _WHOLE_ONLY)})(?(one) and a half\b)",
    re.IGNORECASE,
)
_RATE = re.compile(
    rf"(?:每|一)个?(?P<every>{_SPAN_ZH})[各就]?(?P<times>{_SMALL_ZH})[次遍回]"
    rf"|(?P<times2>{_SMALL_ZH})\s?[次遍回]\s?[/每]\s?(?P<every2>{_SPAN_ZH})"
    rf"|\b{_TIMES_A.replace('times>', 'times3>')}[ -](?:an?|per|each|every)[ -](?P<every3>{_SPAN_EN})\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    rf"每个?(?P<zh>{_SPAN_ZH})(?!.{{0,8}}?[次遍回])|\b(?:every|each) (?P<en>{_SPAN_EN})\b(?!.{{0,20}}?\btimes\b)",
    re.IGNORECASE,
)
_OF_TIME = {CLOCK, HALF_CLOCK, WEEKDAY}
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
        if units == {CLOCK, HALF_CLOCK}:
            return self.value % 720 == other.value % 720
        if COUNT in units and any(unit.startswith("per ") for unit in units):
            return self.value == other.value  # of what time, another sentence may say
        is_open = "" in units and not units & _OF_TIME and not self.is_inside and not other.is_inside
        return self.value == other.value and (len(units) == 1 or is_open)


def read_figures(text: str) -> list[Figure]:
    """Return every number that a text may be said to hold, those inside identifiers and words included."""
    each = (
        Figure(Decimal(1), _per(found["zh"] or found["en"]), found[0], *found.span()) for found in _EACH.finditer(text)
    )
    others = [*_in_digits(text), *_shares(text), *_in_words(text), *_halves(text)]
    return [*_beside(rates := _rates(text), others), *rates, *each]


def stated_figures(text: str) -> list[Figure]:
    """Return the numbers that a text states: none inside identifiers, nor numerals that are part of other words.

    One in words (一个, one) is often no number at all, and is left out.
    """
    digits = (figure for figure in _in_digits(text) if _stands_alone(figure, text))
    words = (figure for figure in _in_words(text) if figure.value != 1 and (figure.unit or _CLEAR.match(figure.text)))
    rates = _rates(text)
    others = [*digits, *_shares(text), *words, *_halves(text)]
    return sorted([*_beside(rates, others), *rates], key=lambda figure: figure.start)


def holds(figures: Collection[Figure], wanted: Figure) -> bool:
    """Whether one of the figures may be the wanted one."""
    return any(figure.fits(wanted) for figure in figures)


def number_of(text: str) -> Decimal | None:
    """Return the value of a text that is one number, in digits or words, ordinals among them; None for another text."""
    bare = text.strip().lower().removeprefix("第").removesuffix("多")
    if bare in _ORDINAL:
        return Decimal(_ORDINAL[bare])
    if found := re.fullmatch(rf"({'|'.join(_DECADES)}){_HYPHEN}({'|'.join(ORDINALS[:9])})", bare):
        return Decimal(_ENGLISH[found[1]] + _ORDINAL[found[2]])
    if found := re.fullmatch(rf"({_IN_DIGITS}){_SCALE}(?:st|nd|rd|th)?", bare):
        return _scaled(found[1], found["scale"]) if len(found[1]) <= _LONGEST else None
    if re.fullmatch(ENGLISH_NUMERAL, bare):
        return english_value(bare)
    half = Decimal("0.5") if bare.endswith(("个半", "半")) else Decimal(0)
    bare = bare.removesuffix("半").removesuffix("个") if half else bare
    if half and not bare:
        return half
    value = chinese_value(bare) if re.fullmatch(CHINESE_NUMERAL, bare) else None
    return None if value is None else value + half


def whole_number(text: str) -> int | None:
    """Return the value of a text that is one whole number, None for another text."""
    value = number_of(text)
    return int(value) if value is not None and value == int(value) else None


def converted(number: Decimal, unit: str, into: str) -> Fraction | None:
    """Return a number of one unit in another, None where they measure different things.

    A megabyte has 1024 kilobytes as in texts, but 1000 beside a unit that says which it means: a mebibyte, a megabit.
    """
    one, other = _measure_of(unit), _measure_of(into)
    if one is None or other is None or one[0] != other[0]:
        return None
    factor, other_factor = one[1], other[1]
    if one[0] == "byte" and (_says_base(unit, factor) or _says_base(into, other_factor)):
        factor, other_factor = _in_thousands(unit, factor), _in_thousands(into, other_factor)
    return (Fraction(number) + one[2]) * factor / other_factor - other[2]


def _says_base(name: str, factor: Fraction) -> bool:
    return name.lower().endswith("ib") or factor in _MANY_BITS


def _in_thousands(name: str, factor: Fraction) -> Fraction:
    return factor if name.lower().endswith("ib") else _THOUSANDS.get(factor, factor)


def _measure_of(name: str) -> tuple[str, Fraction, Fraction] | None:
    """Return the base unit of a unit, its factor and what is added first; Mb is megabits, and mb megabytes."""
    return next(
        (measure for flags in (0, re.IGNORECASE) for form, measure in _NAMED if re.fullmatch(form, name, flags)), None
    )


def chinese_value(numeral: str) -> Decimal | None:
    """Return the value of a Chinese numeral, None for one that is not well formed or means about so much (三四百)."""
    if len(numeral) > _LONGEST:
        return None
    whole, _, decimals = numeral.translate(_SHORT_FOR).partition("点")
    value = _digits_in_a_row(whole) if len(whole) > 1 and set(whole) <= _DIGITS.keys() else _whole(whole)
    if value is None or not decimals:
        return None if value is None else Decimal(value)
    return Decimal(f"{value}.{''.join(str(_DIGITS[digit]) for digit in decimals)}")


def english_value(numeral: str) -> Decimal | None:
    """Return the value of an English numeral in words, None for one that is not well formed."""
    total, current = 0, 0
    if len(numeral) > _LONGEST * 10:
        return None
    whole, _, decimals = numeral.lower().partition(" point ")
    half = whole.endswith("and a half")
    for word in re.findall(r"[a-z]+", whole.removesuffix("and a half")):
        if word in _ENGLISH:
            current += _ENGLISH[word]
        elif word in ("dozen", "couple"):
            current = 12 if word == "dozen" else 2
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0
    digits = "5" if half else "".join(str(_ENGLISH[word]) for word in decimals.split())
    return Decimal(f"{total + current}.{digits}" if digits else total + current)


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


def _scaled(digits: str, scale: str | None) -> Decimal:
    return Decimal(digits.replace(",", "")) * (_MULTIPLIERS[scale] if scale else 1)


def _in_digits(text: str) -> Iterator[Figure]:
    """Yield the numbers in digits; where some are joined, 1、5、30 秒, all have the unit of the last."""
    following, unit, factor = None, "", Decimal(1)
    for match in reversed([match for match in _NUMBER.finditer(text) if len(match["digits"]) <= _LONGEST]):
        own = (MONEY[match["money"].strip()], Decimal(1)) if match["money"] else _measured(match)
        if own[0] or not following or not _TO.fullmatch(text, match.end(), following.start()):
            unit, factor = own
        following = match
        value = (_scaled(match["digits"], match["scale"]) + _half_more(match, unit)) * factor
        figure = Figure(value.normalize(), unit, match.group().strip(), match.start(), match.end())
        before = text[max(0, figure.start - 8) : figure.start]
        yield replace(figure, is_inside=not _stands_alone(figure, text) or bool(_OF_TYPE.search(before)))


def _measured(match: re.Match[str]) -> tuple[str, Decimal]:
    """Return the unit after a number; what else stands there in the plural is counted one by one: 8 times, 12 pods."""
    for name, found in match.groupdict().items():
        if found is not None and name[0] == "u" and name[1:].isdigit():
            unit, factor, *_ = _SPECS[int(name[1:])]
            return unit, Decimal(factor.numerator) / factor.denominator
    return COUNT if _PLURAL.match(match.string, match.end()) else "", Decimal(1)


def _half_more(match: re.Match[str], unit: str) -> Decimal:
    """Return the half that stands after a unit or before it: 两天半, 一个半小时."""
    named = match.groupdict()
    return Decimal("0.5") if (named["half"] and unit not in _WHOLE_ONLY) or named.get("middle") else Decimal(0)


def _shares(text: str) -> Iterator[Figure]:
    for match in _SHARE.finditer(text):
        value = number_of(match["tenths"] or match["share"])
        if value is not None:
            factor = 10 if match["tenths"] else 1
            yield Figure((value * factor).normalize(), PERCENT, match.group(), *match.span())


def _in_words(text: str) -> Iterator[Figure]:
    """Yield the numbers in words; a single sign without a unit is part of a name, 王五, rather than a number."""
    for pattern, value_of in ((_CHINESE, chinese_value), (_ENGLISH_NUMBER, english_value)):
        for match in pattern.finditer(text):
            value = value_of(match["numeral"])
            if value is not None and len(match.group()) > 1:
                unit, factor = _measured(match)
                more = _half_more(match, unit) if pattern is _CHINESE else 0
                yield Figure(((value + more) * factor).normalize(), unit, match.group().strip(), *match.span())


def _beside(rates: Collection[Figure], figures: Collection[Figure]) -> Iterator[Figure]:
    """Yield the figures that are no part of a rate."""
    for one in figures:
        if not any(one.start < rate.end and rate.start < one.end for rate in rates):
            yield one


def _halves(text: str) -> Iterator[Figure]:
    """Yield what is half of a unit, or half of one more: 半小时, half an hour, an hour and a half."""
    for match in _HALF.finditer(text):
        unit, factor = _measured(match)
        value = Decimal("1.5") if match["one"] else Decimal("0.5")
        yield Figure((value * factor).normalize(), unit, match.group(), *match.span())


def _rates(text: str) -> list[Figure]:
    """Return how often something happens: 每日一次, 3 次/天, twice a week."""
    found = []
    for match in _RATE.finditer(text):
        times = next(filter(None, (match["times"], match["times2"], match["times3"]))).lower()
        every = next(filter(None, (match["every"], match["every2"], match["every3"])))
        value = Decimal(_TIMES[times]) if times in _TIMES else number_of(times.removesuffix(" times"))
        if value is not None:
            found.append(Figure(value.normalize(), _per(every), match.group(), *match.span()))
    return found


def _per(every: str) -> str:
    return _EVERY_OF[every.lower()]


def _stands_alone(figure: Figure, text: str) -> bool:
    """Whether a number in digits is no part of an identifier or a version."""
    before, end = text[max(0, figure.start - 2) : figure.start], figure.end
    return not _INSIDE_WORD.search(before) and not _GLUED.match(text, end)
