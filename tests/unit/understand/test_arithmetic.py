"""Arithmetic against Python's own, in signs, in full width, in Chinese numerals; and what is none."""

import time
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import Route
from graphrag.understand.arithmetic import calculate
from tests.fakes.plans import choose_route

Sum = tuple[str, Fraction]  # as it is written, and its value
_FULL_WIDTH = str.maketrans({sign: chr(ord(sign) + 0xFEE0) for sign in "0123456789.+-*/()"})
_FIGURES = "零一二三四五六七八九"
_WORDS: tuple[tuple[str, Callable[[Fraction, Fraction], Fraction]], ...] = (
    ("加", lambda one, other: one + other),
    ("减去", lambda one, other: one - other),
    ("乘以", lambda one, other: one * other),
    ("除以", lambda one, other: one / other),
)
NUMBERS = st.one_of(
    st.integers(0, 10**25).map(lambda number: (str(number), Fraction(number))),
    st.decimals(0, 10**6, places=6).map(lambda number: (f"{number:f}", Fraction(number))),
)


def _joined(parts: tuple[Sum, str, Sum]) -> Sum:
    (one, value), sign, (other, right) = parts
    if sign == "/" and not right:
        sign = "-"
    of_signs = {"+": value + right, "-": value - right, "*": value * right, "/": value / (right or 1)}
    return f"({one}) {sign} ({other})", of_signs[sign]


SUMS = st.recursive(
    NUMBERS, lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(_joined), max_leaves=5
).filter(lambda found: " " in found[0] and len(found[0]) <= 200)


def _numeral(number: int) -> str:
    """Return a number below 10,000 as it is said."""
    text, is_gap = "", False
    for place, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        figure = number // place % 10
        if figure:
            text += f"{'零' if is_gap and text else ''}{_FIGURES[figure]}{unit}"
        is_gap = not figure
    return text or _FIGURES[0]


def _is_same(told: str | None, value: Fraction) -> bool:
    """Whether a value is told exactly, or to ten digits where its decimals do not end soon."""
    if told is None:
        return False
    is_written_out = 10**30 % value.denominator == 0
    return Fraction(told) == value if is_written_out else abs(Fraction(told) - value) <= abs(value) / 10**9


@given(SUMS)
def test_signs_have_the_value_that_they_have_elsewhere(found: Sum) -> None:
    text, value = found
    assert _is_same(calculate(text), value)
    assert _is_same(calculate(f"{text} = ?"), value)
    assert calculate(text.translate(_FULL_WIDTH)) == calculate(text)


@given(st.integers(0, 9999), st.sampled_from(_WORDS), st.integers(1, 9999))
def test_chinese_numerals_have_the_value_that_figures_have(
    one: int, word: tuple[str, Callable[[Fraction, Fraction], Fraction]], other: int
) -> None:
    said, operation = word
    value = operation(Fraction(one), Fraction(other))
    for text in (f"{_numeral(one)}{said}{_numeral(other)}等于几", f"{one} {said} {_numeral(other)}是多少？"):
        assert _is_same(calculate(text), value)


@given(st.integers(-30, 30), st.integers(-30, 30))
def test_powers_are_those_of_fractions(base: int, exponent: int) -> None:
    told = calculate(f"({base})^({exponent})")
    if not base and exponent < 0:
        assert told == "Nothing can be divided by zero."
    else:
        assert _is_same(told, Fraction(base) ** exponent)


@given(st.text(alphabet="0123456789.+-*/%^()（）＋％ 一二十百万加减乘除以的分之半打折元=？几", max_size=40))
def test_any_text_has_a_value_or_none(text: str) -> None:
    assert calculate(text, in_chinese=True) != ""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("１＋１＝？", "2"),
        ("３００ ＋ ５０", "350"),
        ("（１＋２）＊３", "9"),
        ("１２％ of ２００", "24"),
        ("三加五等于几", "8"),
        ("三百加五十等于多少", "350"),
        ("一百二十三乘以四", "492"),
        ("两千减一是多少？", "1999"),
        ("三点五乘以二", "7"),
        ("3 加五等于？", "8"),
        ("三分之一加一半", "0.8333333333"),
        ("三千的百分之十", "300"),
        ("二的十次方是多少", "1024"),
        ("3 的立方", "27"),
        ("10 mod 3", "1"),
        ("2^1000", str(2**1000)),
        ("(-1)^1000001", "-1"),
        ("50% + 50%", "100%"),
        ("5% - 7%", "-2%"),
        ("200 * 10%", "20"),
        ("30% of 50%", "0.15"),
        ("7 % 4", "3"),
        ("0.12345678901234567890 * 1", "0.1234567890123456789"),
        ("12345678901.5 + 0.25", "12345678901.75"),
        ("100元打八折是多少", "80 元。"),
        ("100 元打八五折", "85 元。"),
        ("三百块打7.5折多少钱", "225 块。"),
        ("100 打九折等于多少", "90"),
        ("9,360 元打八折", "7488 元。"),
    ],
)
def test_what_is_asked_in_other_signs_or_words_is_computed(text: str, value: str) -> None:
    assert calculate(text, in_chinese=True) == value
    assert choose_route(text, frozenset()) is Route.DIRECT


@pytest.mark.parametrize("count", ["5百萬", "1億7千5百萬", "1千億", "0万", "0百", "3百亿", "2萬億"])
def test_figures_with_any_unit_are_read_or_left(count: str) -> None:
    assert calculate(f"{count}美元是誰捐的") is None
    assert calculate(f"{count}+1", in_chinese=True) in (None, "1", "30000000001", "2000000000001")


@pytest.mark.parametrize(
    "text",
    [
        *("50%", "5%", "3 =?", "几", "多少", "三七", "三百", "一加", "八折", "1,5 + 2", "1e5+1"),
        *("一加手机多少钱", "万一加一层缓存", "五四运动是哪年", "三加一套餐", "一一加一", "三四加五"),
        *("100元打八折的规则", "会员打八折是多少", "渠道超时 5 秒 + 3 秒", "把渠道超时乘以二", "重试加五次"),
        *("十一加班安排", "三减法则", "两个模块加一起有几个接口", "一期加二期多少钱", "3 加 5 再乘 2"),
    ],
)
def test_what_has_words_of_the_notes_is_none(text: str) -> None:
    assert calculate(text, in_chinese=True) is None
    assert choose_route(text, frozenset()) is not Route.DIRECT


@pytest.mark.parametrize(
    "text", ["2^9999", "9^9^9^9", "2^(10^900)", "0.1^2000", "10^1000", "99^999 * 99^999", "(1/7)^9999"]
)
def test_what_is_too_large_is_called_so_at_once(text: str) -> None:
    start = time.perf_counter()
    assert calculate(text) == "The result is too large: numbers of more than 1000 digits are not computed."
    assert calculate(text, in_chinese=True) == "结果太大了：超过 1000 位的数不算。"
    assert time.perf_counter() - start < 1.0


def test_the_largest_value_is_told_in_full() -> None:
    assert calculate("10^999") == str(10**999)
    assert calculate("10^500 / 3") == "3.333333333e+499"
