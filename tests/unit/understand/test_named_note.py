import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import Route
from graphrag.understand.named_note import (
    asks_for_a_note,
    names_asked_for,
    names_left_alone,
)
from tests.cases import each_line
from tests.fakes.plans import choose_route


@each_line
def test_a_question_for_one_note_names_it(question: str, name: str) -> None:
    assert name in names_asked_for(question)
    assert choose_route(question, frozenset()) is Route.LOOKUP


@pytest.mark.parametrize(
    "question",
    [
        "错误码 PAY-1001 记在哪篇",
        "sg_pay_2024",
        "retry_count 出现在哪篇笔记里",
        "配置项 pool_size 查一下",
        "where did I write about RSA2",
    ],
)
def test_a_question_for_a_place_is_a_lookup(question: str) -> None:
    assert choose_route(question, frozenset()) is Route.LOOKUP


@pytest.mark.parametrize(
    "question", ["支付模块选择什么方案", "重试次数默认几次", "how is a refund approved", "为什么不用 TCC", ""]
)
def test_a_question_for_what_notes_say_is_none(question: str) -> None:
    assert not asks_for_a_note(question)
    assert names_asked_for(question) == ()


@pytest.mark.parametrize(
    "question", ["哪些笔记链接到 Saga", "支付模块的反向链接有哪些", "which notes link to Saga", "A 和 B 互相引用了吗"]
)
def test_links_are_spoken_of(question: str) -> None:
    assert choose_route(question, frozenset()) is Route.RELATION


@pytest.mark.parametrize(
    "question",
    [
        "支付模块依赖什么",
        "谁负责对账",
        "Saga 和 TCC 是什么关系",
        "who owns the ledger",
        "网关挂了影响到谁",
        "what depends on Kafka",
    ],
)
def test_relations_are_spoken_of(question: str) -> None:
    assert choose_route(question, frozenset()) is Route.RELATION


@each_line
def test_a_name_among_words_that_say_nothing_is_left_alone(question: str, name: str) -> None:
    assert name in names_left_alone(question)


@each_line
def test_a_name_among_other_words_is_not(question: str, name: str) -> None:
    assert name not in names_left_alone(question)


@pytest.mark.parametrize(
    "text", ["的" * 5000, "what is " * 25, " " * 199 + "x", "请问" * 90 + "呢" * 19, "是什么" * 66]
)
def test_no_question_keeps_the_reading_of_names_long(text: str) -> None:
    start = time.perf_counter()
    assert len([*names_left_alone(text)]) <= 64
    assert time.perf_counter() - start < 0.5


@given(st.text(max_size=300))
def test_any_text_has_a_route(text: str) -> None:
    assert choose_route(text, frozenset()) in Route
    assert all(names_asked_for(text)) or not names_asked_for(text)
    assert all(name in text for name in names_left_alone(text))
