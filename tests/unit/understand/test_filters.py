from datetime import date

import pytest

from graphrag.domain.query import NO_FILTERS, Filters
from graphrag.errors import QuestionError
from graphrag.understand.filters import MAX_QUESTION, first_day, has_words, last_day, read_question
from tests.cases import each_line

NONE = Filters()


def test_filters_inside_a_question_are_taken_out_of_its_text() -> None:
    question = read_question("支付 tag:saga 为什么 path:架构/ type:adr 失败 category:会议", NONE)
    assert question.text == "支付 为什么 失败"
    assert question.filters == Filters(tags=("saga",), paths=("架构/",), types=("adr",), categories=("会议",))
    assert question.asked == "支付 tag:saga 为什么 path:架构/ type:adr 失败 category:会议"


def test_a_quoted_value_may_hold_spaces() -> None:
    question = read_question('退款 category:"支付 系统" path:“会议 纪要”', NONE)
    assert question.text == "退款"
    assert question.filters == Filters(categories=("支付 系统",), paths=("会议 纪要",))


def test_a_filter_typed_on_a_chinese_keyboard_is_one() -> None:
    question = read_question("tag：支付，为什么失败？", NONE)
    assert (question.text, question.filters.tags) == ("，为什么失败？", ("支付",))


def test_values_of_one_kind_add_up_and_join_the_given_ones() -> None:
    question = read_question("q tag:b TAG:c", Filters(tags=("a",), types=("adr",)))
    assert question.filters == Filters(tags=("a", "b", "c"), types=("adr",))


def test_the_narrower_day_wins() -> None:
    with pytest.raises(QuestionError, match="since 2024-05-01 is later than until 2024-01-01"):
        read_question("q after:2024-05-01 before:2024-01-01", NO_FILTERS)
    with pytest.raises(QuestionError, match="no note can match"):
        read_question("q after:2024-05-01", Filters(until=date(2024, 1, 1)))
    given = Filters(since=date(2024, 1, 1), until=date(2024, 12, 31))
    question = read_question("q after:2024-03-01 since:2023-01-01 before:2024-06-30 until:2025-01-01", given)
    assert (question.filters.since, question.filters.until) == (date(2024, 3, 1), date(2024, 6, 30))


@each_line
def test_what_only_looks_like_a_filter_stays_in_the_question(text: str) -> None:
    question = read_question(text, NONE)
    assert question.filters == NONE and question.text == text


def test_an_empty_quoted_value_restricts_nothing() -> None:
    assert read_question('q tag:""', NONE).filters == NONE


@pytest.mark.parametrize("text", ["", " \n ", "tag:支付", 'tag:a category:"b c" after:2024-01-01', "\0"])
def test_a_question_without_words_is_refused(text: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        read_question(text, NONE)


@each_line
def test_signs_and_particles_are_nothing_to_search_for(text: str) -> None:
    assert not has_words(text)


@each_line
def test_any_word_or_figure_is_something_to_search_for(text: str) -> None:
    assert has_words(text)


@each_line
def test_what_is_no_day_is_refused_by_name(day: str) -> None:
    with pytest.raises(QuestionError, match=f"'{day}' is not a day"):
        read_question(f"q after:{day}", NONE)


@pytest.mark.parametrize("text", ["2024-03-01", "2024/3/1", " 2024-3-01 "])
def test_a_day_is_read_with_either_separator(text: str) -> None:
    assert first_day(text) == last_day(text) == date(2024, 3, 1)


def test_the_longest_question_is_taken_and_a_longer_one_is_not() -> None:
    assert len(read_question("长" * MAX_QUESTION, NONE).text) == MAX_QUESTION
    with pytest.raises(QuestionError, match=str(MAX_QUESTION)):
        read_question("长" * (MAX_QUESTION + 1), NONE)


def test_bytes_that_are_no_text_become_text() -> None:
    question = read_question("支付\udcff\0失败", NONE)
    assert question.text == "支付? 失败"
    question.asked.encode()


def test_corner_quotes_hold_a_value_together() -> None:
    assert read_question("q path:「会议 纪要」", NONE).filters == Filters(paths=("会议 纪要",))
