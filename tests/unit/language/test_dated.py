import pytest

from graphrag.grounding.evidence import all_figures
from graphrag.language.dates import names_date, read_dates, read_hours, read_times
from graphrag.language.numbers import holds


def parts(text: str) -> list[tuple[int, int, int]]:
    return [(dated.year, dated.month, dated.day) for dated in read_dates(text)]


@pytest.mark.parametrize(
    "text",
    [
        "2024年3月5日",
        "2024 年 3 月 5 号",
        "2024-03-05",
        "2024/3/5",
        "2024.03.05",
        "2024-03-05T10:00:00",
        "March 5, 2024",
        "5 March 2024",
        "5th of March 2024",
        "Mar 5 2024",
    ],
)
def test_a_day_is_the_same_in_every_form(text: str) -> None:
    assert parts(text) == [(2024, 3, 5)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3月5日", [(0, 3, 5)]),
        ("十月十二号", [(0, 10, 12)]),
        ("八月", [(0, 8, 0)]),
        ("2024年", [(2024, 0, 0)]),
        ("in May", [(0, 5, 0)]),
        ("it may fail in 5 ways", []),
        ("3 个月", []),
        ("1.2.3 与 12.5", []),
        ("2024-13-01", []),
        ("from 1 to 12 October", [(0, 10, 12)]),
    ],
)
def test_parts_of_a_date_and_what_is_none(text: str, found: list[tuple[int, int, int]]) -> None:
    assert parts(text) == found


@pytest.mark.parametrize(
    ("claimed", "source", "is_named"),
    [
        ("2024年3月5日", "定于 2024-03-05", True),
        ("3 月 5 日", "2024-03-05 的会", True),
        ("2024-03-05", "3月5日，2024 年的计划", True),
        ("2024-03-05", "3月5日", False),  # which year, nothing says
        ("3 月 5 日", "3 月 6 日", False),
        ("2024-03-05", "2024-03-01 和 2024-08-05", False),
        ("2024 年 8 月", "2024-08-11", True),
        ("8 月 11 日", "2024 年 8 月", False),
        ("2024 年", "见 2024-08-11", True),
        ("2023 年", "见 2024-08-11", False),
        ("26 October", "12 and 26 October", True),
        ("12 October", "12 and 26 October", True),
        ("13 October", "12 and 26 October", False),
    ],
)
def test_a_date_stands_in_a_source_or_not(claimed: str, source: str, is_named: bool) -> None:
    (wanted,) = read_dates(claimed)
    assert names_date(wanted, read_dates(source), all_figures(source)) is is_named


@pytest.mark.parametrize(
    ("claimed", "source", "is_held"),
    [
        ("22:00", "晚上 10 点", True),
        ("8:30", "八点半", True),
        ("14:00", "下午两点", True),
        ("10:15", "10:45", False),
        ("周二", "on Tuesday", True),
        ("星期二", "on Friday", False),
        ("Mondays", "周一 10:00 交接", True),
    ],
)
def test_times_of_day_and_weekdays(claimed: str, source: str, is_held: bool) -> None:
    held = [*read_times(source), *read_hours(source)]
    (wanted,) = read_times(claimed)
    assert holds(held, wanted) is is_held


def test_once_a_week_is_no_weekday() -> None:
    assert read_times("一周一次，每周三次") == []
