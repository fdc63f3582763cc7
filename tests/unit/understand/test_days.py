import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import Route
from graphrag.language.script import is_chinese
from graphrag.understand.calendar import count_days
from tests.fakes.plans import choose_route

TODAY = date(2024, 2, 29)
DAYS = st.dates(date(1900, 1, 1), date(2200, 12, 31))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("2024-01-01 到 2024-03-05 相差几天", "相差 64 天（首尾都算是 65 天）。"),
        ("2024年1月1日到2024年3月5日有多少天", "相差 64 天（首尾都算是 65 天）。"),
        ("从2024-03-05到2024-01-01一共多少天", "相差 64 天（首尾都算是 65 天）。"),
        ("2024.1.1 和 2024.3.5 之间差多少天", "相差 64 天（首尾都算是 65 天）。"),
        ("2024-01-01至2024-03-05相隔几周", "相差 64 天，即 9 周零 1 天（首尾都算是 65 天）。"),
        ("2023/5/31 到 2024/2/29 有几个月", "相差 274 天，即 9 个月零 0 天（首尾都算是 275 天）。"),
        ("1月1日到今天多少天了", "相差 59 天（首尾都算是 60 天）。"),
        ("how many days between 2024-01-01 and 2024-03-05", "64 days (65 with both the first and the last)."),
        (
            "How many weeks are there from 1 January 2024 to March 5, 2024",
            "64 days: 9 weeks, 1 day (65 with both the first and the last).",
        ),
        ("明天是几号", "2024 年 3 月 1 日，星期五。"),
        ("后天几号", "2024 年 3 月 2 日，星期六。"),
        ("昨天是几月几号", "2024 年 2 月 28 日，星期三。"),
        ("大后天星期几", "2024 年 3 月 3 日，星期日。"),
        ("what is tomorrow's date", "Friday, 2024-03-01."),
        ("what day was yesterday", "Wednesday, 2024-02-28."),
        ("what day of the week is 2024-01-01", "Monday, 2024-01-01."),
        ("what day is it", "Thursday, 2024-02-29."),
        ("3 天后是几号", "2024 年 3 月 3 日，星期日。"),
        ("一周前是星期几", "2024 年 2 月 22 日，星期四。"),
        ("再过两个月是哪天", "2024 年 4 月 29 日，星期一。"),
        ("2024-01-31 之后 1 个月是哪天", "2024 年 2 月 29 日，星期四。"),
        ("what date is 10 days from now", "Sunday, 2024-03-10."),
        ("what was the date 3 weeks ago", "Thursday, 2024-02-08."),
        ("距离 2024-03-08 还有多少天", "还有 8 天。"),
        ("2024-01-01 距今多少天", "已经过去 59 天。"),
        ("今天到今天还有几天", "就是今天。"),
        ("从今天到 2024-03-08 还有几天", "还有 8 天。"),
        ("从现在起到 2024-03-08 还有多少天", "还有 8 天。"),
        ("从 2024-03-01 到 2024-03-08 还有几天", "相差 7 天（首尾都算是 8 天）。"),
        ("2024-03-08 加 90 天", "2024 年 6 月 6 日，星期四。"),
        ("2024-03-08 + 90 天 =", "2024 年 6 月 6 日，星期四。"),
        ("2024-03-08 减三个月是哪天", "2023 年 12 月 8 日，星期五。"),
        ("今天加 3 天", "2024 年 3 月 3 日，星期日。"),
        ("2024-03-08 plus 90 days", "Thursday, 2024-06-06."),
        ("how many days until 2024-03-08", "8 days to go."),
        ("how many days since 2024-02-28", "1 day ago."),
    ],
)
def test_a_question_that_names_its_days_is_computed(text: str, answer: str) -> None:
    assert count_days(text, is_chinese(text), TODAY) == answer
    assert choose_route(text, frozenset()) is Route.DIRECT


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("2024年2月30日是星期几", "没有 2024-02-30 这一天。"),
        ("2月30日是几号", "没有 2024-02-30 这一天。"),
        ("明年2月29日是星期几", "没有 2025-02-29 这一天。"),
        ("2024-13-01 到 2024-03-05 相差几天", "没有 2024-13-01 这一天。"),
        ("2024-02-30 加 3 天", "没有 2024-02-30 这一天。"),
        ("距离 0000-01-01 还有多少天", "没有 0000-01-01 这一天。"),
        ("what day is February 30, 2024", "There is no such day as 2024-02-30."),
    ],
)
def test_a_day_that_no_calendar_has_is_called_so(text: str, answer: str) -> None:
    assert count_days(text, is_chinese(text), TODAY) == answer
    assert choose_route(text, frozenset()) is Route.DIRECT


@pytest.mark.parametrize(
    "text",
    [
        "今天",
        "明天的计划是什么",
        "上线是哪天",
        "发布后 3 天是哪天",
        "从评审到上线多少天",
        "10天前的会议是几号",
        "1 月 5 日的会议是星期几",
        "2024-01-01 到 2024-03-05 有几篇笔记",
        "2024-01-01 到 2024-03-05 做了什么",
        "明天加班 3 天",
        "2024-03-08 加班 3 天",
        "2024-03-08 加 90 元",
        "2024-02-30 发生了什么",
        "99999 年后是几号",
        "how many days did the outage last",
        "how many days until the release",
        "what day is the release",
    ],
)
def test_what_the_notes_have_to_say_is_left_to_them(text: str) -> None:
    assert count_days(text, is_chinese(text), TODAY) is None
    assert choose_route(text, frozenset()) is not Route.DIRECT


@given(DAYS, DAYS)
def test_days_between_are_the_calendars(one: date, other: date) -> None:
    days = abs((one - other).days)
    assert count_days(f"{one} 和 {other} 相差几天", True, TODAY) == f"相差 {days} 天（首尾都算是 {days + 1} 天）。"
    weeks = count_days(f"how many weeks between {one} and {other}", False, TODAY)
    assert weeks and f"{days // 7} week" in weeks and f"{days % 7} day" in weeks


@given(DAYS, st.integers(0, 9999))
def test_a_day_some_days_on_is_found_back(day: date, count: int) -> None:
    later = day + timedelta(count)
    told = count_days(f"{day} 之后 {count} 天是几号", True, TODAY)
    assert told and told.startswith(f"{later.year} 年 {later.month} 月 {later.day} 日")
    back = count_days(f"{later} 之前 {count} 天是几号", True, TODAY)
    assert back and back.startswith(f"{day.year} 年 {day.month} 月 {day.day} 日")


@pytest.mark.parametrize("text", ["3" + " " * 580 + "x", "2024-01-01" + " " * 580 + "到", "2024-01-01 到 " * 40])
def test_no_question_makes_a_pattern_go_back_and_forth(text: str) -> None:
    started = time.perf_counter()
    assert count_days(text, True, TODAY) is None
    assert time.perf_counter() - started < 1.0
