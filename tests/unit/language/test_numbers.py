from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.grounding.evidence import read_claim
from graphrag.language.numbers import (
    chinese_value,
    converted,
    holds,
    number_of,
    read_figures,
    stated_figures,
)
from graphrag.language.script import half_width
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from tests.cases import read_rows

ROWS = read_rows("dates_numbers_units.jsonl")


def stated(text: str) -> list[tuple[float, str]]:
    return [(float(figure.value), figure.unit) for figure in stated_figures(text)]


def rows(kind: str) -> list[Any]:
    return [pytest.param(row["phrase"], row["reading"], id=row["phrase"]) for row in ROWS if row["kind"] == kind]


@pytest.mark.parametrize(("phrase", "reading"), rows("number"))
def test_a_number_has_its_value(phrase: str, reading: str) -> None:
    value = number_of(half_width(phrase))
    assert value == (number_of(reading) if reading else None)
    assert bool(reading) or value is None


@pytest.mark.parametrize(("phrase", "reading"), rows("quantity"))
def test_a_quantity_is_in_its_base_unit(phrase: str, reading: str) -> None:
    assert [f"{figure.value:f} {figure.unit}" for figure in stated_figures(phrase)] == [reading]
    claim = read_claim(phrase, JiebaTokenizer([]), {})
    assert [f"{figure.value:f} {figure.unit}" for figure in claim.figures] == [reading]


def test_every_unit_of_the_table_is_one_for_a_conversion_too() -> None:
    for text, base in [("5 ms", "s"), ("5 GiB", "B"), ("5 公里", "m"), ("5 斤", "g"), ("5 毫升", "l"), ("5 ℃", "°C")]:
        value = converted(Decimal(5), text.split()[1], base)
        assert value is not None
        assert float(value) == pytest.approx(stated(text)[0][0])


@pytest.mark.parametrize(
    ("number", "unit", "into", "value"),
    [
        ("1", "MB", "Mb", "8"),
        ("1", "mb", "kb", "1024"),
        ("5", "GiB", "MB", "5368.70912"),
        ("1", "GB", "MB", "1024"),
        ("36", "km/h", "m/s", "10"),
        ("36", "公里/小时", "米/秒", "10"),
        ("100", "mph", "km/h", "160.9344"),
        ("37", "摄氏度", "华氏度", "98.6"),
        ("-40", "F", "C", "-40"),
        ("0", "K", "℃", "-273.15"),
    ],
)
def test_a_unit_is_converted_by_what_it_measures(number: str, unit: str, into: str, value: str) -> None:
    assert converted(Decimal(number), unit, into) == Fraction(value)
    assert converted(Decimal(number), unit, "公斤") is None


def test_half_of_what_has_no_unit_is_no_number() -> None:
    assert stated("一半的人，半个苹果") == []


def test_a_range_gives_its_unit_to_both_ends() -> None:
    assert stated("1 到 3 天") == [(86_400.0, "second"), (259_200.0, "second")]
    assert stated("1、5、30 秒") == [(1.0, "second"), (5.0, "second"), (30.0, "second")]
    assert stated("3-7 天")[0] == (259_200.0, "second")


@pytest.mark.parametrize(
    "text",
    [
        "C4002 和 ADR-0011，v1.2.3，RSA2",
        "张三一个人统一处理，千万别用，十分重要",
        "sg_pay_2024 的一些字段",
        "第一，第二天",
        "王五、李四",
        "one of them",
    ],
)
def test_what_only_looks_like_a_number_is_not_stated(text: str) -> None:
    assert stated(text) == []


def test_a_source_may_hold_what_stands_inside_an_identifier() -> None:
    assert holds(read_figures("返回 C4002"), stated_figures("错误 4002")[0])


def test_numbers_know_their_place() -> None:
    text = "最多重试三次，间隔 5 分钟。"
    assert [text[figure.start : figure.end].strip() for figure in stated_figures(text)] == ["三次", "5 分钟"]


def test_hostile_digits_take_no_time() -> None:
    for text in ("1," * 20_000, "1." * 20_000, "一" * 20_000, "9" * 5_000, "百分之" * 10_000, "one hundred " * 5_000):
        stated_figures(text)
        read_figures(text)


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
