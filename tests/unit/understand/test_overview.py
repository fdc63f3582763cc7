import pytest

from graphrag.domain.query import Route
from graphrag.understand.overview import read_group, read_overview
from tests.cases import each_line
from tests.fakes.plans import choose_route, plan_of


@each_line
def test_a_question_about_the_whole_is_an_overview(question: str, topic: str) -> None:
    assert read_overview(question) == topic
    assert choose_route(question, frozenset()) is Route.OVERVIEW


@each_line
def test_a_question_that_asks_for_something_in_particular_is_none(question: str) -> None:
    assert read_overview(question) is None
    plan = plan_of(question)
    assert plan.route is not Route.OVERVIEW or plan.sure is not None  # no rule takes it for one


def test_a_note_of_that_name_comes_first() -> None:
    assert choose_route("我的笔记主要讲什么", frozenset({"a.md"})) is Route.LOOKUP


@pytest.mark.parametrize(
    "question",
    [
        "我的笔记" + "关于" * 50,
        "what do my notes cover about " + "a b " * 22,
        "我" * 110 + "笔记",
        "note " * 24,
        "，" * 115 + "笔记",
        "记" * 9999,
    ],
)
@pytest.mark.timeout(10)
def test_no_question_makes_a_pattern_go_back_and_forth(question: str) -> None:
    assert read_overview(question + "。为什么要重试？") is None


@each_line
def test_what_is_summed_up_by_its_name_is_left_for_the_vault_to_judge(question: str, topic: str) -> None:
    assert read_group(question) == topic
    assert read_overview(question) is None


@each_line
def test_what_is_not_summed_up_names_no_group(question: str) -> None:
    assert read_group(question) == ""


@pytest.mark.parametrize(
    "question", ["总结一下" + "的" * 110, "请" * 115, "给我" * 55, "summarize " + "the " * 27, "把" * 118]
)
@pytest.mark.timeout(10)
def test_no_group_makes_a_pattern_go_back_and_forth(question: str) -> None:
    read_group(question)
