"""Questions read over the core ontology and a handful of names; what is true of them is another matter."""

import pytest

from graphrag.domain.ontology import Asked, AskedEnd, AskedFact, AskedTie, QueryScope, TermKind
from graphrag.reasoning.name_finder import NameFinder
from graphrag.reasoning.ontology_files import read_ontology
from graphrag.reasoning.vocabulary import CORE_FILE, core_ontology
from graphrag.understand.relation import read_questions, with_base_forms
from tests.cases import each_line

ONTOLOGY = with_base_forms(read_ontology({CORE_FILE: core_ontology()}))
FINDER = NameFinder(ONTOLOGY, [("订单中心", "X"), ("Billing", "X"), ("小林", "P"), ("Notes", "N"), ("系统", "S")])
CORE = "urn:vault-graphrag:core#"


def read(text: str) -> list[Asked]:
    return [*read_questions(text, FINDER.find(text))]


def end(text: str) -> tuple[bool, str]:
    """Return whether the entity is the subject, and the first property."""
    asked = read(text)[0]
    assert isinstance(asked, AskedEnd)
    assert asked.entity == ("X",)
    return asked.is_subject, asked.properties[0].removeprefix(CORE)


@each_line
def test_which_end_is_given(text: str, is_subject: bool, property_: str) -> None:
    assert end(text) == (is_subject, property_)


def test_class_words_and_notes_restrict_the_answer() -> None:
    module = ONTOLOGY.find(TermKind.CLASS, "模块")
    asked = read("订单中心依赖哪些模块")[0]
    assert isinstance(asked, AskedEnd)
    assert (asked.classes, asked.only_notes) == (module, False)
    asked = read("which notes depend on Billing")[0]
    assert isinstance(asked, AskedEnd)
    assert (asked.classes, asked.only_notes) == ((), True)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("which systems depend on Billing, directly or not", QueryScope.ANY_WAY),
        ("订单中心直接或间接依赖什么", QueryScope.ANY_WAY),
        ("what does Billing directly depend on", QueryScope.DIRECTLY),
        ("订单中心直接依赖什么", QueryScope.DIRECTLY),
        ("订单中心依赖什么", QueryScope.AS_ASKED),
    ],
)
def test_how_far_to_look(text: str, scope: QueryScope) -> None:
    assert {asked.scope for asked in read(text) if isinstance(asked, AskedEnd)} == {scope}


@pytest.mark.parametrize(
    ("text", "subject", "object_"),
    [
        ("小林负责订单中心吗", "P", "X"),
        ("订单中心是不是由小林负责", "P", "X"),
        ("订单中心的负责人是小林吗", "X", "P"),
        ("小林是订单中心的负责人吗", "X", "P"),
        ("does Billing depend on 小林", "X", "P"),
        ("is 小林 the owner of Billing", "X", "P"),
    ],
)
def test_two_ends_and_a_property_ask_whether_it_is_so(text: str, subject: str, object_: str) -> None:
    asked = read(text)[0]
    assert isinstance(asked, AskedFact)
    assert (asked.subject, asked.object) == ((subject,), (object_,))


@pytest.mark.parametrize(
    "text",
    ["小林和订单中心有什么关系", "小林与订单中心之间有关系吗", "小林 订单中心 关系", "how is 小林 related to Billing"],
)
def test_two_ends_alone_ask_how_they_are_related(text: str) -> None:
    assert read(text) == [AskedTie(("P",), ("X",))]


@each_line
def test_a_question_with_a_word_that_is_not_understood_is_not_read(text: str) -> None:
    assert read(text) == []


def test_a_name_that_means_several_things_is_read_in_each_way() -> None:
    asked = read("订单中心属于哪个系统")  # there is a note of that name, too
    assert [type(item) for item in asked] == [AskedEnd]
    assert read("订单中心属于哪个团队")[-1] == read("订单中心在哪个团队")[0]


def test_many_names_are_not_tried_in_every_combination() -> None:
    assert read("团队" * 9 + "订单中心有什么") == []
