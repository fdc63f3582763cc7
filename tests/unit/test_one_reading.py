"""A phrase for a time means the same days in a question for a list, an option, a filter, over HTTP and over MCP."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from graphrag.cli.options import Narrowing
from graphrag.cli.session import UsageError
from graphrag.domain.query import NO_FILTERS
from graphrag.errors import QuestionError
from graphrag.language.dates import NoSuchDay
from graphrag.language.periods import read_period
from graphrag.mcp.arguments import FilterArguments
from graphrag.server.inputs import FilterQuery
from graphrag.shapes import FilterShape
from graphrag.understand.calendar import count_days
from graphrag.understand.filters import read_question
from graphrag.understand.listing import read_listing
from tests.cases import read_rows

ROWS = read_rows("dates_numbers_units.jsonl")
Read = Callable[[str], date | None]

SINCE: dict[str, Read] = {
    "option": lambda phrase: Narrowing(since=phrase).filters().since,
    "in a question": lambda phrase: read_question(f'问 since:"{phrase}"', NO_FILTERS).filters.since,
    "HTTP body": lambda phrase: FilterShape.model_validate({"since": phrase}).filters().since,
    "HTTP query": lambda phrase: FilterQuery.model_validate({"since": phrase}).filters().since,
    "MCP": lambda phrase: FilterArguments.model_validate({"since": phrase}).filters().since,
}
UNTIL: dict[str, Read] = {
    "option": lambda phrase: Narrowing(until=phrase).filters().until,
    "in a question": lambda phrase: read_question(f'问 until:"{phrase}"', NO_FILTERS).filters.until,
    "HTTP body": lambda phrase: FilterShape.model_validate({"until": phrase}).filters().until,
    "HTTP query": lambda phrase: FilterQuery.model_validate({"until": phrase}).filters().until,
    "MCP": lambda phrase: FilterArguments.model_validate({"until": phrase}).filters().until,
}
ONLY_WHOLE = {"5号", "7d", "2w", "90天", "三周", "2 weeks", "第10周"}  # in a question, these may be anything
NEAREST = {"星期五"}  # for a note the last one, for the calendar that of this week


def rows(kind: str) -> list[Any]:
    return [pytest.param(row, id=row["phrase"]) for row in ROWS if row["kind"] == kind]


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> date:
    monkeypatch.setattr("graphrag.understand.filters._today", lambda: date(2024, 3, 14))
    return date(2024, 3, 14)


@pytest.mark.parametrize("row", rows("period"))
def test_a_period_means_the_same_days_everywhere(row: dict[str, str], today: date) -> None:
    phrase = row["phrase"]
    first, last = (date.fromisoformat(day) if day else None for day in row["reading"].split(".."))
    period = read_period(phrase, today)
    assert period and (period.first, period.last) == (first, last)
    for readers, day in ((SINCE, first), (UNTIL, last)):
        for name, read in readers.items():
            if day:
                assert read(phrase) == day, name
            else:
                with pytest.raises((UsageError, QuestionError, ValidationError), match="is not a day"):
                    read(phrase)
    if phrase not in ONLY_WHOLE:
        listing = read_listing(f"list notes {phrase}" if row["language"] == "en" else f"列出{phrase}的笔记", today)
        assert listing and (listing.since, listing.until) == (first, last)
    is_day = first == last and phrase not in ONLY_WHOLE | NEAREST
    told = count_days(f"{phrase}是几号", True, today) if is_day else None
    assert not (is_day and first and told) or told.startswith(f"{first.year} 年 {first.month} 月 {first.day} 日")


@pytest.mark.parametrize("row", rows("impossible"))
def test_a_day_that_there_is_not_is_called_so_everywhere(row: dict[str, str], today: date) -> None:
    phrase, day = row["phrase"], row["reading"]
    with pytest.raises(NoSuchDay, match=day):
        read_period(phrase, today)
    for name, read in (*SINCE.items(), *UNTIL.items()):
        with pytest.raises((UsageError, QuestionError, ValidationError), match=f"the calendar has no {day}"):
            read(phrase)
            pytest.fail(name)
    with pytest.raises(QuestionError, match=f"no such day as {day}"):
        read_listing(f"list notes of {phrase}" if row["language"] == "en" else f"列出{phrase}的笔记", today)
    assert (count_days(f"{phrase}是几号", True, today) or day).count(day)
