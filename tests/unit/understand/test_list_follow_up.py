"""After a list: fewer of its notes, another order, more of them, or one of them; all else is no follow-up to it."""

from collections.abc import Sequence
from datetime import date

import pytest

from graphrag.answers.conversation import rewrite_follow_up
from graphrag.domain.ontology import NameSpan, Ontology, TermKind
from graphrag.reasoning.name_finder import NameFinder
from graphrag.understand.follow_up import Before
from graphrag.understand.listing import Listing, read_listing
from tests.cases import each_line
from tests.fakes.chat import ScriptedChat

LIST = "标签是支付的笔记有哪些"
BEFORE = Before(LIST, ("支付模块", "", "退款流程"), (1, 0, 2))
ENGLISH = Before("list notes tagged saga", ("Payment", "Refund"), (1, 2))
_NOTHING = Ontology({}, (), (), {kind: {} for kind in TermKind}, {}, {}, ())
_FINDER = NameFinder(
    _NOTHING, [("支付", "#支付"), ("会议", "#会议"), ("oncall", "#oncall"), ("支付模块", "支付模块.md")]
)


def names(text: str) -> Sequence[NameSpan]:
    return _FINDER.find(text)


def rewritten(asked: str, before: Before = BEFORE) -> str:
    found = rewrite_follow_up(asked, [before], names)
    return found.question if found else ""


def listed(asked: str, before: Before = BEFORE) -> Listing | None:
    return read_listing(rewritten(asked, before), date.today())


@each_line
def test_a_list_is_narrowed_ordered_or_gone_on_with(asked: str, listing: Listing) -> None:
    assert listed(asked) == listing


@each_line
def test_an_english_list_likewise(asked: str, listing: Listing) -> None:
    assert listed(asked, ENGLISH) == listing


def test_follow_ups_add_up() -> None:
    second = Before(rewritten("其中哪些是 2024 年的"))
    third = Before(rewritten("那 2023 年的呢", second))
    assert listed("按时间排序", third) == Listing(
        tags=("支付",), since=date(2023, 1, 1), until=date(2023, 12, 31), is_ordered=True
    )
    assert listed("那 7 月的呢", Before("2024 年 6 月的笔记有哪些")) == Listing(
        since=date(2024, 7, 1), until=date(2024, 7, 31)
    )
    assert listed("还有呢", Before(rewritten("还有呢"))) == Listing(tags=("支付",), first=41, last=60)
    assert listed("还有呢", Before("最近的 5 篇笔记")) == Listing(is_ordered=True, limit=5, first=6, last=25)


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("第一篇讲什么", "支付模块讲什么"),
        ("第3篇是谁写的？", "退款流程是谁写的？"),
        ("最后一篇讲了什么", "退款流程讲了什么"),
        ("打开第一篇", "打开支付模块"),
    ],
)
def test_a_note_of_the_list_is_meant_by_its_place(asked: str, question: str) -> None:
    found = rewrite_follow_up(asked, [BEFORE], names)
    assert found is not None
    assert (found.question, found.is_own_words) == (question, False)


def test_a_place_that_the_list_does_not_show_means_nothing() -> None:
    assert rewritten("what does the second one say?", ENGLISH) == "what does Refund say?"
    assert rewritten("第二篇讲什么") == "", "a note without a citation"
    assert rewritten("第九篇讲什么") == ""


@each_line
def test_a_question_of_its_own_stays_as_it_is(asked: str) -> None:
    assert rewritten(asked) == rewritten(asked, ENGLISH) == ""


def test_no_model_is_asked_and_nothing_else_is_a_list() -> None:
    chat = ScriptedChat("什么？")
    assert rewrite_follow_up("其中哪些是 2024 年的", [BEFORE], names, chat)
    assert chat.prompts == []
    assert rewritten("有几篇", Before("支付模块依赖什么")) == ""
