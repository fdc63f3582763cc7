import pytest

from graphrag.domain.query import Route
from graphrag.understand.overview import read_group, read_overview
from tests.fakes.plans import choose_route

OVERVIEWS = {
    "我的笔记主要讲什么": "",
    "我的笔记主要讲了些什么？": "",
    "我的笔记里都有哪些内容": "",
    "笔记库里大致有什么": "",
    "我的知识库涵盖了哪些主题": "",
    "我的笔记涉及哪些领域呢？": "",
    "我所有的笔记总体上写了什么": "",
    "这些笔记主要关注哪些方面": "",
    "请概括一下我的笔记": "",
    "帮我总结我的笔记的主要内容": "",
    "给我一个我的笔记的概览": "",
    "我的笔记的整体情况是怎样的": "",
    "我都记了些什么内容": "",
    "介绍一下我的知识库": "",
    "我的笔记里关于支付大致有哪些内容": "支付",
    "我的笔记中关于分布式事务主要写了什么": "分布式事务",
    "我的笔记里有哪些关于消息队列的内容": "消息队列",
    "关于支付，我的笔记都记了些什么": "支付",
    "关于 Kafka 我写过什么": "Kafka",
    "概述一下我关于健身的笔记": "健身",
    "关于读书的笔记主要讲了哪些方面": "读书",
    "总结一下我的笔记里关于高可用的内容": "高可用",
    "给我看看关于值班的笔记的概览": "值班",
    "我的笔记都在聊什么": "",
    "总的来说，我的笔记里有哪些大的主题": "",
    "用几句话概括我的知识库": "",
    "我的会议笔记主要记了哪些内容": "会议",
    "把我的笔记归纳一下": "",
    "缓存这一块，我的笔记大致写了什么": "缓存",
    "安全方面都涉及哪些主题": "安全",
    "我最近主要关注哪些领域": "",
    "总结一下我对管理的所有想法": "管理",
    "give me an overview of my notes": "",
    "give me an overview of my reading notes": "reading",
    "summarize everything in my vault": "",
    "sum up all that I have written on testing": "testing",
    "what's in my notes": "",
    "Please give me a short summary of all my notes.": "",
    "What are my notes mostly about?": "",
    "what is in my vault": "",
    "what do my notes say in general?": "",
    "What topics do my notes cover?": "",
    "which subjects are covered in my knowledge base": "",
    "what are the main themes of my notes": "",
    "summarize my notes": "",
    "can you give me a high-level overview of my vault?": "",
    "what have I written about so far": "",
    "what do my notes cover about payments": "payments",
    "what do my notes cover about the payment outage?": "the payment outage",
    "Overview of my notes on distributed transactions": "distributed transactions",
    "summarise my notes about on-call": "on-call",
    "what have I written about Kafka": "Kafka",
    "what are the main topics in my notes about retries": "retries",
    "what do my notes say overall about message queues": "message queues",
}
OTHERS = [
    "支付模块的重试次数是多少",
    "我的笔记里重试次数是多少",
    "我的笔记里有没有提到 Kafka",
    "我的笔记里谁负责支付模块",
    "会议笔记里张三说了什么",
    "昨天的笔记讲了什么",
    "这篇笔记讲了什么",
    "支付模块主要讲什么",
    "总结一下支付模块",
    "总结一下昨天的会议笔记",
    "哪些笔记链接到支付模块",
    "笔记怎么导出",
    "关于支付，我的笔记里结论是什么",
    "我的笔记里关于 Saga 为什么选它",
    "关于谁负责支付我写过什么",
    "我的笔记有多少篇",
    "我的笔记里支付方面的负责人是谁",
    "支付这一块谁负责",
    "支付方面有什么风险",
    "这个库怎么用",
    "我对张三的看法是什么",
    "把支付笔记发给张三",
    "所有笔记里最长的是哪篇",
    "我最近写的笔记在哪里",
    "我的笔记存在哪里",
    "为什么要写笔记",
    "怎么整理我的笔记",
    "什么是卡片笔记写作法",
    "我什么时候写了第一篇笔记",
    "我的笔记里支付网关依赖什么",
    "写了什么",
    "what is the retry count of the payment module",
    "what do my notes say about the retry count",
    "do my notes mention Kafka",
    "which notes link to the payment module",
    "how many notes do I have",
    "where are my notes stored",
    "who wrote the release notes",
    "what is in the release notes of 2.0",
    "what is the main topic of the payment note",
    "summarize the payment module",
    "give me an overview of the payment module",
    "what does this note say",
    "how do I take notes on books",
    "what did Alice note about the outage in August",
    "which of my notes is the longest",
    "what have I written about who owns billing",
    "what does my note on Kafka say about partitions",
    "an overview",
    "why are my notes not indexed",
]


@pytest.mark.parametrize(("question", "topic"), OVERVIEWS.items())
def test_a_question_about_the_whole_is_an_overview(question: str, topic: str) -> None:
    assert read_overview(question) == topic
    assert choose_route(question, frozenset()) is Route.OVERVIEW


@pytest.mark.parametrize("question", OTHERS)
def test_a_question_that_asks_for_something_in_particular_is_none(question: str) -> None:
    assert read_overview(question) is None
    assert choose_route(question, frozenset()) is not Route.OVERVIEW


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


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("概括一下支付系统", "支付系统"),
        ("请总结一下“支付系统”的内容", "支付系统"),
        ("帮我把支付系统做个总结", "支付系统"),
        ("支付系统概述", "支付系统"),
        ("来一份支付系统的全貌", "支付系统"),
        ("summarize the payment system", "payment system"),
        ("give me an overview of payments", "payments"),
        ("总结一下支付模块", "支付模块"),
    ],
)
def test_what_is_summed_up_by_its_name_is_left_for_the_vault_to_judge(question: str, topic: str) -> None:
    assert read_group(question) == topic
    assert read_overview(question) is None


@pytest.mark.parametrize(
    "question",
    ["支付系统是什么", "介绍一下支付系统", "总结", "概括一下谁负责支付", "支付系统的负责人", "an overview", "我" * 200],
)
def test_what_is_not_summed_up_names_no_group(question: str) -> None:
    assert read_group(question) == ""


@pytest.mark.parametrize(
    "question", ["总结一下" + "的" * 110, "请" * 115, "给我" * 55, "summarize " + "the " * 27, "把" * 118]
)
@pytest.mark.timeout(10)
def test_no_group_makes_a_pattern_go_back_and_forth(question: str) -> None:
    read_group(question)
