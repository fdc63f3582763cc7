import time
from datetime import UTC, datetime

import pytest

from graphrag.domain.query import Route
from graphrag.language.script import is_chinese
from graphrag.understand.arithmetic import calculate
from graphrag.understand.direct import direct_reply, is_courtesy, is_for_model, without_courtesies
from tests.cases import each_line
from tests.fakes.plans import choose_route


@each_line
def test_arithmetic_is_exact(text: str, value: str) -> None:
    assert calculate(text) == value


@each_line
def test_what_is_no_arithmetic_has_no_value(text: str) -> None:
    assert calculate(text) is None


@each_line
def test_a_division_by_zero_is_called_so(text: str) -> None:
    assert calculate(text) == "Nothing can be divided by zero."
    assert direct_reply("10 除以 0", is_chinese=True) == "除以零没有意义。"


@pytest.mark.parametrize(
    "text",
    [
        "9^99999999",
        "9^9^9^9",
        "((0.1^64)^64)^64^64",
        "(" * 90 + "1+1" + ")" * 90,
        "(" * 5000 + "1+1" + ")" * 5000,
        "-" * 9000 + "1+1",
        "1+" * 4000 + "1",
        "9" * 5000 + "+1",
        "*".join(["99999^64"] * 20),
        "^".join(["(1/7"] * 1 + ["64)"] + ["64"] * 20),
    ],
)
def test_huge_arithmetic_ends_at_once(text: str) -> None:
    start = time.perf_counter()
    calculate(text)
    assert time.perf_counter() - start < 1.0


@each_line
def test_a_greeting_is_answered_directly(text: str) -> None:
    assert direct_reply(text, is_chinese=True) == "你好！问我你笔记里写过的东西吧。"
    assert direct_reply(text, is_chinese=False) == "Hello! Ask me about anything you wrote down."


@pytest.mark.parametrize("text", ["谢谢你", "多谢啦。", "thanks", "Thank you very much!", "thanks a lot"])
def test_thanks_are_answered_directly(text: str) -> None:
    assert direct_reply(text, is_chinese=True) == "不客气。"


def test_a_farewell_is_answered_directly() -> None:
    assert direct_reply("再见！", is_chinese=True) == "再见。"
    assert direct_reply("Bye", is_chinese=False) == "Goodbye."


@each_line
def test_a_question_that_starts_like_one_is_not_direct(text: str) -> None:
    assert direct_reply(text, is_chinese=True) is None
    assert choose_route(text, frozenset()) is not Route.DIRECT


@each_line
def test_rules_choose_the_route(question: str, route: Route) -> None:
    assert choose_route(question, frozenset()) is route


def test_a_question_that_names_a_note_looks_it_up() -> None:
    assert choose_route("支付模块", frozenset({"架构/支付模块.md"})) is Route.LOOKUP


def test_what_is_nothing_but_a_courtesy_is_one() -> None:
    assert all(map(is_courtesy, ("谢谢", "好的，谢谢！", "hi there")))
    assert not any(map(is_courtesy, ("谢谢，那支付模块呢", "1+1", "")))


NOW = datetime(2024, 2, 29, 9, 5, tzinfo=UTC)


@each_line
def test_what_can_be_computed_is_computed(text: str, reply: str | None) -> None:
    assert direct_reply(text, is_chinese(text), NOW) == reply


@each_line
def test_courtesies_and_questions_about_us_have_a_reply(text: str) -> None:
    assert direct_reply(text, is_chinese(text))
    assert choose_route(text, frozenset()) is Route.DIRECT


@each_line
def test_work_on_a_given_text_is_for_the_model(text: str) -> None:
    assert is_for_model(text)
    assert choose_route(text, frozenset()) is Route.DIRECT


@each_line
def test_a_question_about_the_notes_is_never_direct(text: str) -> None:
    assert direct_reply(text, is_chinese(text), NOW) is None
    assert not is_for_model(text)
    assert choose_route(text, frozenset()) is not Route.DIRECT


@each_line
def test_a_question_is_read_without_the_courtesies_around_it(asked: str, question: str) -> None:
    assert without_courtesies(asked) == question


@each_line
def test_what_is_no_courtesy_or_nothing_else_stays_whole(text: str) -> None:
    assert without_courtesies(text) == text
