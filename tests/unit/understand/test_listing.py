import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import Route
from graphrag.understand.listing import Listing, read_listing
from tests.cases import each_line
from tests.fakes.plans import choose_route

TODAY = date(2024, 3, 14)


@each_line
def test_a_question_for_a_list_is_read_piece_by_piece(question: str, listing: Listing) -> None:
    assert read_listing(question, TODAY) == listing
    assert choose_route(question, frozenset()) is Route.LIST


@each_line
def test_one_word_more_and_it_is_left_to_the_search(question: str) -> None:
    assert read_listing(question, TODAY) is None


@given(
    st.text(
        alphabet="标签是的笔记有哪些几篇 #文件夹里最近修改按时间列出上周 notes tagged in folder 0123ab“”", max_size=60
    )
)
def test_any_text_is_read(text: str) -> None:
    listing = read_listing(text, TODAY)
    assert listing is None or all(name.strip() for name in (*listing.tags, *listing.folders))


@pytest.mark.parametrize(
    "text",
    [
        "标签是" + "和 " * 58,
        "带" + "但不是 " * 25 + "x",
        "notes tagged " + "a and " * 17,
        "有" * 118,
        "没有" * 58 + "x",
    ],
)
def test_no_question_makes_a_pattern_go_back_and_forth(text: str) -> None:
    started = time.perf_counter()
    read_listing(text, TODAY)
    assert time.perf_counter() - started < 2.0
