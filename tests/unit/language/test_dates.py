from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.grounding.evidence import all_figures
from graphrag.language.dates import NoSuchDay, names_date, parse_date, read_dates, read_hours, read_times
from graphrag.language.numbers import HALF_CLOCK, Figure, holds, read_figures, stated_figures
from graphrag.language.periods import find_period, read_period
from graphrag.language.points import Toward
from tests.cases import read_rows

ROWS = read_rows("dates_numbers_units.jsonl")


def rows(*kinds: str) -> list[Any]:
    return [pytest.param(row["phrase"], row["reading"], id=row["phrase"]) for row in ROWS if row["kind"] in kinds]


def clock(figure: Figure) -> str:
    hour, minute = divmod(int(figure.value), 60)
    return f"{hour:02}:{minute:02}{'?' if figure.unit == HALF_CLOCK else ''}"


@pytest.mark.parametrize(("phrase", "reading"), rows("date"))
def test_a_date_is_read_as_far_as_it_is_said(phrase: str, reading: str) -> None:
    found = (f"{dated.year or '-'}/{dated.month or '-'}/{dated.day or '-'}" for dated in read_dates(phrase))
    assert " ".join(found) == reading


@pytest.mark.parametrize(("phrase", "reading"), rows("time"))
def test_a_time_of_day_is_read(phrase: str, reading: str) -> None:
    assert [clock(figure) for figure in read_times(phrase)] == [reading]


@pytest.mark.parametrize(("phrase", "reading"), rows("written"))
def test_what_exporters_write_is_a_moment(phrase: str, reading: str) -> None:
    found = parse_date(phrase)
    assert (found.isoformat() if found else "") == reading


@pytest.mark.parametrize(("phrase", "reading"), rows("in text"))
def test_a_period_is_found_in_a_text(phrase: str, reading: str) -> None:
    period = find_period(phrase, date(2024, 3, 14))
    assert (f"{period.first or ''}..{period.last or ''}" if period else "") == reading


@pytest.mark.parametrize(
    "row", read_rows("details_in_sources.jsonl"), ids=lambda row: f"{row['claim']}~{row['source']}"
)
def test_a_source_holds_what_is_claimed_in_any_form(row: dict[str, Any]) -> None:
    claim, source = row["claim"].replace("％", "%"), row["source"]
    if row["kind"] == "date":
        (wanted,) = read_dates(claim)
        assert names_date(wanted, read_dates(source), all_figures(source)) is row["is_held"]
    elif row["kind"] == "time":
        (time,) = read_times(claim)
        assert holds([*read_times(source), *read_hours(source)], time) is row["is_held"]
    else:
        wanted_figures, held = stated_figures(claim), read_figures(source)
        assert wanted_figures
        assert all(holds(held, figure) for figure in wanted_figures) is row["is_held"]
        assert row["is_held"] or not any(holds(held, figure) for figure in wanted_figures)


@pytest.mark.parametrize("text", ["9999-12-31 之后", "0001-01-01 之前", "9999年12月底"])
def test_a_period_beyond_the_calendar_is_none(text: str) -> None:
    assert read_period(text, date(2024, 3, 14)) is None


def test_once_a_week_is_no_weekday() -> None:
    assert read_times("一周一次，每周三次") == []


@pytest.mark.parametrize(
    ("phrase", "past", "this_year", "future"),
    [
        ("12月25日", "2023-12-25", "2024-12-25", "2024-12-25"),
        ("1月5日", "2024-01-05", "2024-01-05", "2025-01-05"),
        ("星期五", "2024-03-08", "2024-03-15", "2024-03-15"),
        ("5号", "2024-03-05", "2024-03-05", "2024-04-05"),
        ("下个月15号", "2024-04-15", "2024-04-15", "2024-04-15"),
    ],
)
def test_which_year_is_meant_depends_on_what_it_is_for(phrase: str, past: str, this_year: str, future: str) -> None:
    periods = [read_period(phrase, date(2024, 3, 14), toward) for toward in (Toward.PAST, Toward.YEAR, Toward.FUTURE)]
    assert [str(period.first) for period in periods if period] == [past, this_year, future]


@given(
    st.text(alphabet="今昨上周月年日天前后底初季半从到0123456789-/.QW last since to may ago 最近几两十", max_size=40),
    st.dates(),
)
def test_any_text_is_read(text: str, today: date) -> None:
    for read in (find_period, read_period):
        try:
            period = read(text, today)
        except NoSuchDay:
            continue
        assert period is None or text[slice(*period.span)].strip()
        assert period is None or period.first is None or period.last is None or period.first <= period.last


@pytest.mark.parametrize("text", ["0月", "00月", "0月新建的笔记"])
def test_a_month_of_zero_is_no_period(text: str) -> None:
    assert find_period(text, date(2026, 12, 1)) is None
