from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.language.numerals import chinese_value, english_value


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("三百", 300),
        ("一千二百", 1200),
        ("三万五千", 35_000),
        ("三万五", 35_000),
        ("三百五", 350),
        ("两百零五", 205),
        ("一万零五", 10_005),
        ("十五", 15),
        ("二十", 20),
        ("百万", 1_000_000),
        ("一亿二千万", 120_000_000),
        ("十二亿三千四百万五千", 1_234_005_000),
        ("三点五", Decimal("3.5")),
        ("二〇二四", 2024),
        ("五萬", 50_000),
        ("兩百", 200),
        ("零", 0),
    ],
)
def test_a_chinese_numeral_has_its_value(numeral: str, value: int | Decimal) -> None:
    assert chinese_value(numeral) == value


@pytest.mark.parametrize("numeral", ["三四", "三四百", "零十"])
def test_what_means_about_so_many_or_nothing_has_none(numeral: str) -> None:
    assert chinese_value(numeral) is None


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("seven", 7),
        ("twenty-five", 25),
        ("two hundred", 200),
        ("one hundred and five", 105),
        ("three thousand two hundred", 3200),
        ("two million", 2_000_000),
        ("forty\u2011seven", 47),
        ("a hundred", 100),
        ("a thousand and one", 1001),
    ],
)
def test_an_english_numeral_has_its_value(numeral: str, value: int) -> None:
    assert english_value(numeral) == value


def in_chinese(number: int) -> str:
    """Write a number below 10,000 as it is said."""
    digits = "零一二三四五六七八九"
    text, is_gap = "", False
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            text += ("零" if is_gap and text else "") + digits[digit] + sign
        is_gap = not digit
    return text or digits[0]


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_every_number_that_is_written_out_is_read_back(high: int, low: int) -> None:
    assert chinese_value(in_chinese(low)) == low
    if high and low >= 1000:
        assert chinese_value(f"{in_chinese(high)}万{in_chinese(low)}") == high * 10_000 + low
