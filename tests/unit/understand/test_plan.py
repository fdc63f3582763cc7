from datetime import date, datetime

import pytest

from graphrag.domain.query import AskedFor, Filters, Question, Route
from graphrag.understand.listing import Listed
from graphrag.understand.plan import (
    Direct,
    GroupOverview,
    ListOf,
    Lookup,
    MultiHop,
    Overview,
    Relation,
    Search,
    understand,
)
from tests.fakes.plans import NamedNotesOf, plan_of

NAMES = {"支付模块": "支付/支付模块.md", "1+1": "数学/1+1.md"}
NOW = datetime(2024, 6, 20, 10, 0)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("你好", [Direct]),
        ("1+1", [Lookup]),  # a note's own name goes before arithmetic
        ("2+1", [Direct]),
        ("我的笔记主要讲什么", [Overview, Relation, Search]),
        ("标签是 支付 的笔记有哪些", [ListOf, Relation, Search]),
        ("总结支付系统", [GroupOverview, Relation, Search]),
        ("哪些笔记链接到 支付模块", [Relation, Search]),
        ("打开 支付模块 那篇", [Relation, Lookup]),
        ("写迁移方案的那位后来去了哪个团队", [Relation, MultiHop]),
        ("谁负责对账", [Relation, Search]),
        ("重试次数默认几次", [Relation, Search]),
    ],
)
def test_the_readings_of_a_question_stand_in_one_order(text: str, kinds: list[type]) -> None:
    assert [type(reading) for reading in plan_of(text, NAMES).readings] == kinds


def test_a_filter_leaves_relations_to_the_search() -> None:
    question = Question("谁负责对账 tag:a", "谁负责对账", Filters(tags=("a",)))
    plan = understand(question, NamedNotesOf({}), NOW)
    assert plan.route is Route.RELATION and [type(reading) for reading in plan.readings] == [Search]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("上上个月31号开会说了什么", "2024-04-31"),
        ("2024年2月30日到3月2日的评审结论是什么", "2024-02-30"),
        ("what was decided on February 30, 2024", "2024-02-30"),
        ("昨天开会说了什么", ""),
    ],
)
def test_a_plan_tells_a_day_that_no_calendar_has(text: str, day: str) -> None:
    assert plan_of(text, NAMES, NOW).no_such_day == day


@pytest.mark.parametrize(
    "text", ["last quarter新建了哪些笔记", "列出last quarter新建的笔记", "notes created last quarter"]
)
def test_english_beside_chinese_is_read_to_its_end(text: str) -> None:
    plan = plan_of(text, NAMES, NOW)
    assert plan.route is Route.LIST and (plan.since, plan.until) == (date(2024, 1, 1), date(2024, 3, 31))


@pytest.mark.parametrize("text", ["1/0", "1 / 0 =", "100 km/h = m/s", "-5 °C = °F"])
def test_a_reply_without_words_is_in_the_language_of_the_setting(text: str) -> None:
    for language, is_expected in (("zh", True), ("en", False)):
        plan = understand(Question(text, text, Filters()), NamedNotesOf({}), NOW, language)
        (direct,) = plan.readings
        assert isinstance(direct, Direct) and direct.reply
        assert any(sign in "。没" for sign in direct.reply) is is_expected


def test_a_plan_names_the_notes_the_period_and_what_is_asked_for() -> None:
    plan = plan_of("支付模块是什么", NAMES, NOW)
    assert plan.notes.asked_about == {"支付/支付模块.md"} and plan.notes.called == frozenset()
    assert plan.asked_for is AskedFor.DEFINITION
    listed = plan_of("上周新建了几篇笔记", NAMES, NOW)
    assert isinstance(listed.readings[0], ListOf) and listed.readings[0].listing.listed is Listed.NOTES
    assert (listed.since, listed.until) == (date(2024, 6, 10), date(2024, 6, 16))
    view = listed.view()
    assert (view.route, view.readings) == (Route.LIST, (Route.LIST, Route.RELATION, Route.HYBRID))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("为什么不用 TCC", AskedFor.REASON),
        ("why was Saga chosen over TCC", AskedFor.REASON),
        ("谁负责对账", AskedFor.PERSON),
        ("who is on call", AskedFor.PERSON),
        ("什么时候上线", AskedFor.TIME),
        ("退款多久到账", AskedFor.TIME),
        ("渠道超时应该设多少秒", AskedFor.NUMBER),
        ("how many retries are allowed", AskedFor.NUMBER),
        ("日志放在哪里", AskedFor.PLACE),
        ("怎么把渠道摘掉", AskedFor.STEPS),
        ("how do I drain a channel", AskedFor.STEPS),
        ("Kafka 和 RocketMQ 有什么区别", AskedFor.COMPARISON),
        ("Saga vs TCC", AskedFor.COMPARISON),
        ("幂等是什么意思", AskedFor.DEFINITION),
        ("有哪些字段", AskedFor.LIST),
        ("读超时会重试吗", AskedFor.YES_NO),
        ("is the gateway idempotent", AskedFor.YES_NO),
        ("支付网关超时", AskedFor.FACT),
    ],
)
def test_what_is_asked_for(text: str, asked: AskedFor) -> None:
    assert plan_of(text).asked_for is asked
