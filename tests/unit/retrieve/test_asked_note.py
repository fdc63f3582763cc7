import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import Route
from graphrag.retrieve.asked_note import asks_for_a_note, names_asked_for
from graphrag.retrieve.relation_words import speaks_of_links, speaks_of_relations
from graphrag.retrieve.route import choose_route


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
    assert speaks_of_links(question)
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
    assert speaks_of_relations(question)
    assert choose_route(question, frozenset()) is Route.RELATION


@given(st.text(max_size=300))
def test_any_text_has_a_route(text: str) -> None:
    assert choose_route(text, frozenset()) in Route
    assert all(names_asked_for(text)) or not names_asked_for(text)
