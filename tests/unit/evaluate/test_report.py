import pytest

from graphrag.evaluate.cases import Case
from graphrag.evaluate.report import Evaluation, Latency, Refusals, report_shape, summarize
from graphrag.evaluate.run import Outcome
from tests.unit.evaluate.searches import SNAPSHOT, make_case


def outcome(case: Case, value: float | None, is_refused: bool = False, spent: float = 1.0) -> Outcome:
    metrics = {} if value is None else {"recall@5": value, "mrr": value}
    return Outcome(case, metrics, is_refused, {"fuse": spent, "total": spent}, SNAPSHOT)


OUTCOMES = [
    outcome(make_case("1", "a.md", kind="term"), 1.0, spent=1.0),
    outcome(make_case("2", "a.md", kind="paraphrase"), 0.0, is_refused=True, spent=2.0),
    outcome(make_case("3", "a.md", kind="paraphrase"), 0.5, spent=3.0),
    outcome(make_case("4", kind="unanswerable"), None, is_refused=True, spent=4.0),
    outcome(make_case("5", kind="unanswerable"), None, spent=5.0),
]


def test_means_are_over_the_cases_that_have_an_answer() -> None:
    mode = summarize(OUTCOMES)
    assert (mode.overall.cases, mode.overall.metrics["recall@5"]) == (5, 0.5)
    assert list(mode.kinds) == ["term", "paraphrase", "unanswerable"]
    assert mode.kinds["paraphrase"].metrics["recall@5"] == 0.25
    assert mode.kinds["unanswerable"].metrics["recall@5"] is None
    assert mode.overall.metrics["evidence_recall@5"] is None


def test_refusals_have_precision_and_recall() -> None:
    mode = summarize(OUTCOMES)
    assert mode.overall.refusals == Refusals(refused=2, unanswerable=2, rightly=1)
    assert (mode.overall.refusals.precision, mode.overall.refusals.recall) == (0.5, 0.5)
    assert (mode.kinds["term"].refusals.precision, mode.kinds["term"].refusals.recall) == (None, None)


def test_intervals_hold_the_mean() -> None:
    low, high = summarize(OUTCOMES).intervals["recall@5"]
    assert 0.0 <= low <= 0.5 <= high <= 1.0
    assert summarize(OUTCOMES[3:]).intervals == {}


def test_latencies_are_per_stage() -> None:
    assert summarize(OUTCOMES).milliseconds == {"fuse": Latency(3.0, 4.8), "total": Latency(3.0, 4.8)}


def test_the_report_has_the_agreed_shape() -> None:
    evaluation = Evaluation(SNAPSHOT, 2, 40, ("b.md",), {"fused": summarize(OUTCOMES)})
    shape = report_shape("cases.jsonl", evaluation)
    assert list(shape) == [*("cases", "snapshot", "max_per_note", "top_k", "unknown_notes", "modes", "milliseconds")]
    modes = shape["modes"]
    assert isinstance(modes, dict)
    fused = modes["fused"]
    assert fused["overall"]["recall@5"] == 0.5
    assert fused["overall"]["refusal_recall"] == 0.5
    assert fused["overall"]["intervals"].keys() == {"recall@5", "mrr"}
    assert fused["kinds"]["term"]["mrr"] == pytest.approx(1.0)
    assert fused["outcomes"][1] == {
        "id": "2",
        "kind": "paraphrase",
        "recall@5": 0.0,
        "mrr": 0.0,
        "refused": True,
    }
