from dataclasses import replace

from graphrag.domain.query import AnswerStatus, Filters, SearchResult
from graphrag.evaluate.cases import Target
from graphrag.evaluate.outcomes import summarize
from graphrag.evaluate.search_run import key_of, ranking_of, run_cases
from tests.unit.evaluate.searches import chunks_of, make_case, make_result


def refuse(result: SearchResult) -> AnswerStatus | None:
    return None if result.candidates else AnswerStatus.NO_HIT


def test_a_ranking_holds_each_note_once_at_its_first_chunk() -> None:
    assert ranking_of(chunks_of("b.md", "a.md", "b.md", "c.md"), ()) == ("b.md", "a.md", "c.md")


def test_a_section_counts_only_where_a_chunk_lies_in_it() -> None:
    chunks = chunks_of("a.md", "b.md", "a.md")  # the last lies under 第2节
    target = Target("a.md", "第2节")
    assert ranking_of(chunks, [target]) == ("a.md", "b.md", "a.md#第2节")
    assert key_of(target) == "a.md#第2节"


def test_outcomes_follow_the_cases_and_measure_what_each_can() -> None:
    found = {"问题 1": chunks_of("x.md", "a.md"), "问题 2": [], "问题 3": chunks_of("c.md")}
    cases = [make_case("1", "a.md", evidence=["a.md 的内容", "别处"]), make_case("2"), make_case("3", "c.md")]
    asked: list[str] = []

    def search(text: str, filters: Filters) -> SearchResult:
        asked.append(text)
        return make_result(text, found[text], {"fuse": 1.5})

    steps: list[tuple[str, int, int]] = []
    outcomes = run_cases("fused", cases, search, refuse, lambda *step: steps.append(step))
    assert [outcome.case.id for outcome in outcomes] == ["1", "2", "3"]
    assert outcomes[0].scores["mrr"] == 0.5
    assert outcomes[0].scores["evidence_recall@5"] == 0.5
    assert outcomes[1].scores == {"refusal_precision": 1.0, "refusal_recall": 1.0}
    assert "evidence_recall@5" not in outcomes[2].scores
    assert [outcome.is_refused for outcome in outcomes] == [False, True, False]
    assert outcomes[0].milliseconds["fuse"] == 1.5
    assert outcomes[0].milliseconds["total"] >= 0
    assert asked == ["问题 1", "问题 1", "问题 2", "问题 3"]  # the first search warms up
    assert steps == [("fused", 0, 3), ("fused", 1, 3), ("fused", 2, 3), ("fused", 3, 3)]


def test_evidence_is_looked_for_in_the_first_five_chunks_only() -> None:
    chunks = chunks_of(*(f"{number}.md" for number in range(6)))
    case = make_case("1", "0.md", evidence=["4.md 的内容", "5.md 的内容"])
    (outcome,) = run_cases("", [case], lambda text, _: make_result(text, chunks), refuse, lambda *_: None)
    assert outcome.scores["evidence_recall@5"] == 0.5


def test_a_case_of_evidence_alone_is_measured_by_nothing_else() -> None:
    case = replace(make_case("1", evidence=["a.md 的内容", "别处"]), relevant=None)
    search = {False: chunks_of("a.md"), True: []}
    for is_empty, recall in ((False, 0.5), (True, 0.0)):
        found = make_result(case.question, search[is_empty])
        (outcome,) = run_cases("", [case], lambda _, __, found=found: found, refuse, lambda *_: None)  # type: ignore[misc]
        assert outcome.scores == {"evidence_recall@5": recall}
    group = summarize([outcome]).overall
    assert (group.cases, group.refused, group.unanswerable) == (1, 1, 0)
