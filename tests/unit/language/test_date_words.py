from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.language.date_words import find_period, read_number

TODAY = date(2024, 3, 14)  # a Thursday


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("今天新建了几条", "2024-03-14", "2024-03-14"),
        ("昨天改了什么", "2024-03-13", "2024-03-13"),
        ("前天", "2024-03-12", "2024-03-12"),
        ("本周的笔记", "2024-03-11", "2024-03-17"),
        ("上周新增了哪些", "2024-03-04", "2024-03-10"),
        ("上个月写的", "2024-02-01", "2024-02-29"),
        ("这个月", "2024-03-01", "2024-03-31"),
        ("今年写了多少", "2024-01-01", "2024-12-31"),
        ("去年", "2023-01-01", "2023-12-31"),
        ("前年", "2022-01-01", "2022-12-31"),
        ("最近三天", "2024-03-12", "2024-03-14"),
        ("最近 10 天内", "2024-03-05", "2024-03-14"),
        ("过去两周", "2024-02-29", "2024-03-14"),
        ("近几天", "2024-03-08", "2024-03-14"),
        ("2022 年 8 月写了哪些", "2022-08-01", "2022-08-31"),
        ("2022年8月3日", "2022-08-03", "2022-08-03"),
        ("3 月之后的文章", "2024-04-01", None),
        ("12月的", "2023-12-01", "2023-12-31"),
        ("2023-03-01 以来", "2023-03-01", None),
        ("2023/03/01 之前", None, "2023-02-28"),
        ("2021 年的", "2021-01-01", "2021-12-31"),
        ("从 2021 年起", "2021-01-01", None),
        ("notes created after 2023-03-01", "2023-03-02", None),
        ("since May 2023", "2023-05-01", None),
        ("before 2020", None, "2019-12-31"),
        ("in August 2022", "2022-08-01", "2022-08-31"),
        ("from last week", "2024-03-04", None),
        ("last month", "2024-02-01", "2024-02-29"),
        ("in the last 3 days", "2024-03-12", "2024-03-14"),
        ("on March 3rd, 2024", "2024-03-03", "2024-03-03"),
    ],
)
def test_words_for_a_time_mean_days(text: str, since: str | None, until: str | None) -> None:
    period = find_period(text, TODAY)
    assert period is not None
    wanted = tuple(date.fromisoformat(day) if day else None for day in (since, until))
    assert (period.since, period.until) == wanted


@pytest.mark.parametrize("text", ["2024-13-01", "2023 年 2 月 30 日", "支付模块", "", "may I ask", "重试 3 次"])
def test_what_names_no_day_is_no_period(text: str) -> None:
    assert find_period(text, TODAY) is None


@pytest.mark.parametrize(
    ("word", "number"),
    [("三", 3), ("十", 10), ("十二", 12), ("二十", 20), ("两", 2), ("一百二十三", 123), ("7", 7), ("甲", None)],
)
def test_numbers_in_words(word: str, number: int | None) -> None:
    assert read_number(word) == number


@given(st.text(alphabet="今昨上周月年日天前后0123456789-/. last since may 最近几两十", max_size=40), st.dates())
def test_any_text_is_read(text: str, today: date) -> None:
    period = find_period(text, max(date(3, 1, 1), min(today, date(9990, 1, 1))))
    assert period is None or text[slice(*period.span)].strip()
