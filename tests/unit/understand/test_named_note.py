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
from tests.fakes.plans import choose_route


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("打开《幂等设计》这篇", "幂等设计"),
        ("支付模块那篇", "支付模块"),
        ("找标题叫“值班制度”的笔记", "值班制度"),
        ("有没有一篇叫「掉单复盘」的", "掉单复盘"),
        ("retry-policy.md", "retry-policy"),
        ("架构/支付模块.md 写了什么", "支付模块"),
        ("open the note titled On-call Runbook", "On-call Runbook"),
        ("把 RocketMQ 那篇 note 调出来", "RocketMQ"),
    ],
)
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


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("老张是谁", "老张"),
        ("谁是老张？", "老张"),
        ("请问老张是谁呀？", "老张"),
        ("老张呢", "老张"),
        ("老张是做什么的", "老张"),
        ("防重是什么？", "防重"),
        ("什么是防重", "防重"),
        ("防重是什么意思", "防重"),
        ("防重怎么做", "防重"),
        ("防重该怎么用呢", "防重"),
        ("防重是怎么回事", "防重"),
        ("介绍一下防重", "防重"),
        ("讲讲防重", "防重"),
        ("我想了解一下防重", "防重"),
        ("关于防重的内容", "防重"),
        ("防重里写了什么", "防重"),
        ("你好，防重", "防重"),
        ("hello 支付模块", "支付模块"),
        ("怎么写周报是什么", "怎么写周报"),
        ("支付 MOC是什么？", "支付 MOC"),
        ("“支付模块”是什么", "支付模块"),
        ("What is Trading System?", "Trading System"),
        ("what's the Trading System", "Trading System"),
        ("Who is Alice?", "Alice"),
        ("what does TCC mean?", "TCC"),
        ("how does Saga work", "Saga"),
        ("tell me about the Trading System please", "Trading System"),
        ("what do my notes say about Saga?", "Saga"),
        ("hi, explain TCC", "TCC"),
        ("What is RAG", "What is RAG"),
    ],
)
def test_a_name_among_words_that_say_nothing_is_left_alone(question: str, name: str) -> None:
    assert name in names_left_alone(question)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("用 Redis 的向量集合 VADD 怎么用", "Redis"),
        ("Redis 的 VADD 怎么用", "Redis"),
        ("怎么给 Redis 扩容", "Redis"),
        ("老张的血型是什么", "老张"),
        ("老张什么时候退休", "老张"),
        ("老张住在哪里", "老张"),
        ("防重表保留几天", "防重"),
        ("谁负责防重", "防重"),
        ("what is the license of Redis", "Redis"),
        ("how much memory does Redis use", "Redis"),
        ("when was Saga introduced", "Saga"),
        ("Alice's birthday", "Alice"),
    ],
)
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
