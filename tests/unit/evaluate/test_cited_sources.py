from dataclasses import replace

import pytest

from graphrag.answers.from_passages import AnswerPolicy, PassageAnswerer
from graphrag.domain.query import Answer, AnswerStatus, Citation, Question, Route, Trace
from graphrag.evaluate.cases import Target
from graphrag.evaluate.evaluation import CitationCheck, cited_passages
from graphrag.evaluate.outcomes import Assessment
from tests.fakes.plans import answer_by, plan_for
from tests.fakes.readers import open_readers, search_policy
from tests.unit.evaluate.searches import make_case

NOTES = {
    "队列.md": ["消息重试三次，之后进入死信队列。", "积压时先扩消费者。"],
    "支付.md": ["退款走原路返回，需要 7 天。"],
}
READERS = open_readers(NOTES)
CHECK = CitationCheck(READERS)
CASE = make_case("1", "队列.md")


def citation(key: int, note: str, place: int = 0, quote: str = "") -> Citation:
    chunk = READERS.chunks.chunks_of([note], Question("", "", CASE.filters).filters)[note][place]
    lines = (chunk.span.first_line, chunk.span.last_line)
    return Citation(key, note, chunk.title, chunk.heading, lines, "", "", "", quote, "")


def answer(text: str, *citations: Citation, model: str = "ollama:x") -> Answer:
    return Answer("", Route.HYBRID, AnswerStatus.ANSWERED, text, model, citations, None, False, Trace({}))


def test_each_citation_gets_the_passage_of_its_lines_and_its_quote_first() -> None:
    passages = cited_passages(READERS, [citation(2, "队列.md", 1), citation(1, "支付.md", quote="退款")])
    assert [(key, chunk.text.strip()) for key, chunk in passages] == [
        (2, "积压时先扩消费者。"),
        (1, "退款\n退款走原路返回，需要 7 天。"),
    ]


def test_lines_outside_every_passage_are_their_quote() -> None:
    header = replace(citation(1, "支付.md"), lines=(900, 900), quote='负责人: "[[张三]]"')
    ((_, passage),) = cited_passages(READERS, [header])
    assert passage.text == '负责人: "[[张三]]"'
    ((_, passage),) = cited_passages(READERS, [replace(header, note="没有.md")])
    assert passage.text == '负责人: "[[张三]]"'


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("消息重试三次，之后进入死信队列[1]。", 1.0),
        ("消息重试三次，之后进入死信队列[1]。退款走原路返回，需要 7 天[2]。", 1.0),
        ("消息重试三次，之后进入死信队列[1]。火星上种了很多土豆和玉米[2]。", 0.5),
        ("消息重试三次，之后进入死信队列[1]。火星上种了很多土豆和玉米[未证实]。", 0.5),
        ("退款走原路返回，需要 9 天[2]。", 0.0),
        ("好的。", None),
    ],
)
def test_faithfulness_is_the_share_of_supported_statements(text: str, share: float | None) -> None:
    given = answer(text, citation(1, "队列.md"), citation(2, "支付.md"))
    assert CHECK.assess(CASE, given).faithfulness == share


def test_an_index_in_code_is_no_mark() -> None:
    given = answer("消息重试三次，之后进入死信队列[1]，见 `a[1]`。", citation(1, "队列.md", quote="见 a[1]"))
    assert CHECK.assess(CASE, given).faithfulness == 1.0


def test_relevance_is_whether_a_relevant_note_is_cited() -> None:
    right, wrong = (answer("退款走原路返回[1]。", citation(1, note)) for note in ("支付.md", "队列.md"))
    paid = make_case("1", "支付.md")
    assert (CHECK.assess(paid, right).relevance, CHECK.assess(paid, wrong).relevance) == (1.0, 0.0)
    assert CHECK.assess(make_case("1"), right).relevance is None  # nothing can be relevant where no note answers


def test_a_section_is_relevant_only_where_the_citation_lies_in_it() -> None:
    cited = citation(1, "队列.md", 1)
    inside = replace(CASE, relevant=(Target("队列.md", cited.heading[-1].upper()),))
    outside = replace(CASE, relevant=(Target("队列.md", "别的"),))
    given = answer("积压时先扩消费者[1]。", cited)
    assert (CHECK.assess(inside, given).relevance, CHECK.assess(outside, given).relevance) == (1.0, 0.0)


def test_what_is_read_from_the_graph_is_not_checked_for_support() -> None:
    given = answer("共 2 项：\n- 支付 [1]", citation(1, "队列.md"), model="graph")
    assert CHECK.assess(CASE, given) == Assessment(None, 1.0)


def test_an_extractive_answer_supports_itself() -> None:
    policy = AnswerPolicy(2000, 500, 0.3, 0.86, 0)
    answerer = PassageAnswerer(READERS, search_policy(), policy, None, "vault")
    given = answer_by(answerer, plan_for(READERS, "消息重试几次", CASE.filters))
    assert given.status is AnswerStatus.ANSWERED
    assert CHECK.assess(CASE, given) == Assessment(1.0, 1.0)
