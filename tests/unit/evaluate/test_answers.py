import pytest

from graphrag.domain.query import Answer, AnswerStatus, Filters, Route, Trace
from graphrag.evaluate.cases import Case
from graphrag.evaluate.outcomes import Assessment, answers_shape, run_answers, summarize_answers
from tests.unit.evaluate.searches import SNAPSHOT, make_case, make_route_case

CASES = [
    make_case("1", "a.md"),
    make_case("2", "a.md"),
    make_case("3", kind="unanswerable"),
    make_case("4", kind="unanswerable"),
    make_route_case("5", Route.DIRECT),
    make_case("6", "a.md"),
]
STATUSES = {
    "1": AnswerStatus.ANSWERED,
    "2": AnswerStatus.LOW_RELEVANCE,
    "3": AnswerStatus.NOT_IN_NOTES,
    "4": AnswerStatus.ANSWERED,
    "5": AnswerStatus.DIRECT,
    "6": AnswerStatus.ANSWERED,
}


def ask(text: str, filters: Filters) -> Answer:
    status = STATUSES[text.removeprefix("问题 ")]
    trace = Trace({"generate": 2.0})
    return Answer(text, Route.HYBRID, status, "是 [1]", "scripted", (), SNAPSHOT, False, trace, (), "没有模型")


class ByCase:
    """Gives a verdict a case; the case it was not given one for fails."""

    name = "by case"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def assess(self, case: Case, answer: Answer) -> Assessment:
        self.asked.append(case.id)
        verdicts = {"1": Assessment(0.5, 1.0), "4": Assessment(1.0, None)}
        return verdicts.get(case.id, Assessment(None, None, "malformed"))


def test_refusals_go_by_status_and_only_answers_are_assessed() -> None:
    assessor = ByCase()
    report = summarize_answers(run_answers(CASES, ask, assessor, lambda *_: None), assessor.name)
    assert assessor.asked == ["1", "4", "6"]
    overall = report.overall
    assert overall.statuses == {
        AnswerStatus.ANSWERED: 3,
        AnswerStatus.DIRECT: 1,
        AnswerStatus.LOW_RELEVANCE: 1,
        AnswerStatus.NOT_IN_NOTES: 1,
    }
    assert (overall.figures["refusal_precision"].value, overall.figures["refusal_recall"].value) == (0.5, 0.5)
    assert (overall.figures["faithfulness"].value, overall.figures["faithfulness"].cases) == (0.75, 2)
    assert (overall.figures["relevance"].value, overall.figures["relevance"].cases) == (1.0, 1)
    assert report.failures == {"malformed": 1}
    assert report.models == {"scripted": 6}
    assert report.notices == {"没有模型": 6}


def test_a_case_that_only_names_a_route_says_nothing_of_refusals() -> None:
    (outcome,) = run_answers([CASES[4]], ask, ByCase(), lambda *_: None)
    assert outcome.scores == {}


def test_times_are_of_the_answer_by_stage_and_as_a_whole() -> None:
    steps: list[tuple[str, int, int]] = []
    outcomes = run_answers(CASES[:2], ask, ByCase(), lambda *step: steps.append(step))
    assert all(outcome.milliseconds["total"] > 0 for outcome in outcomes)
    report = summarize_answers(outcomes, "x")
    assert report.milliseconds["generate"].p50 == 2.0
    assert list(report.milliseconds) == ["generate", "total"]
    assert steps == [("answers", 0, 2), ("answers", 1, 2), ("answers", 2, 2)]


def test_the_report_says_who_judged_and_keeps_each_case() -> None:
    shape = answers_shape(summarize_answers(run_answers(CASES, ask, ByCase(), lambda *_: None), "by case"))
    assert shape["checked_by"] == "by case"
    assert shape["failed_verdicts"] == {"malformed": 1}
    overall, outcomes = shape["overall"], shape["outcomes"]
    assert isinstance(overall, dict)
    assert isinstance(outcomes, list)
    assert overall["assessed"] == 2
    assert overall["intervals"].keys() == {"refusal_precision", "refusal_recall", "faithfulness", "relevance"}
    assert outcomes[0] == {
        "id": "1",
        "kind": "term",
        "case": CASES[0].digest,
        "status": AnswerStatus.ANSWERED,
        "answer": "是 [1]",
        "faithfulness": 0.5,
        "relevance": 1.0,
    }


def test_what_the_answerer_raises_is_not_swallowed() -> None:
    def fail(text: str, filters: Filters) -> Answer:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        run_answers(CASES, fail, ByCase(), lambda *_: None)
