"""Outcomes -> a report: means over all cases and per kind with their intervals, refusals, and milliseconds a stage."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphrag.domain.query import Answer, AnswerStatus, Filters, SnapshotRef
from graphrag.domain.report import Progress
from graphrag.evaluate.cases import Case
from graphrag.evaluate.metrics import (
    REFUSALS,
    RESAMPLES,
    SEED,
    Figures,
    Latency,
    Scores,
    figures_of,
    figures_shape,
    latencies_of,
    refusal_scores,
    rounded,
)
from graphrag.evaluate.routes import RouteReport, route_shape
from graphrag.evaluate.search_run import TOTAL, Outcome

STAGE = "answers"  # the step that a progress report names
FAITHFULNESS, RELEVANCE = "faithfulness", "relevance"
ANSWER_METRICS = (*REFUSALS, FAITHFULNESS, RELEVANCE)
_REFUSED = (AnswerStatus.NO_HIT, AnswerStatus.LOW_RELEVANCE, AnswerStatus.NOT_IN_NOTES)

Ask = Callable[[str, Filters], Answer]


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an answer is worth, each 0 to 1, None where it cannot be told; `failure` says why there is no verdict."""

    faithfulness: float | None
    relevance: float | None
    failure: str = ""


class Assessor(Protocol):
    """Judges answers that came about, never refusals."""

    @property
    def name(self) -> str:
        """How it judges, as the report says it."""

    def assess(self, case: Case, answer: Answer) -> Assessment:
        """Return what the answer is worth; a verdict that does not come is a failure, not a guess."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What answering made of one case."""

    case: Case
    status: AnswerStatus
    text: str
    model: str
    notice: str
    scores: Scores
    failure: str  # why there is no verdict; empty when there is one, or none was asked for
    milliseconds: Mapping[str, float]  # by stage, the whole answer under `total`


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The figures of some cases; refusals go by the answers' statuses, over the cases that say what is relevant."""

    cases: int
    statuses: Mapping[AnswerStatus, int]
    figures: Figures


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """How good the answers are."""

    checked_by: str
    overall: AnswerGroup
    kinds: Mapping[str, AnswerGroup]
    models: Mapping[str, int]  # which wrote the answers, or "extractive", "graph", "rules"
    notices: Mapping[str, int]
    failures: Mapping[str, int]  # verdicts that did not come, by reason
    milliseconds: Mapping[str, Latency]  # by stage
    outcomes: tuple[AnswerOutcome, ...]


def run_answers(cases: Sequence[Case], ask: Ask, assessor: Assessor, progress: Progress) -> tuple[AnswerOutcome, ...]:
    """Return the outcomes in the order of the cases; what the assessor takes is no part of the times."""
    outcomes: list[AnswerOutcome] = []
    for done, case in enumerate(cases):
        progress(STAGE, done, len(cases))
        started = time.perf_counter()
        answer = ask(case.question, case.filters)
        total = (time.perf_counter() - started) * 1000
        outcomes.append(_outcome(case, answer, assessor, total))
    progress(STAGE, len(cases), len(cases))
    return tuple(outcomes)


def summarize_answers(outcomes: Sequence[AnswerOutcome], checked_by: str) -> AnswersReport:
    """Return the report; kinds stand in the order of their first case."""
    kinds = dict.fromkeys(outcome.case.kind for outcome in outcomes)
    return AnswersReport(
        checked_by=checked_by,
        overall=_answer_group(outcomes),
        kinds={kind: _answer_group([item for item in outcomes if item.case.kind == kind]) for kind in kinds},
        models=_counts(outcome.model for outcome in outcomes),
        notices=_counts(outcome.notice for outcome in outcomes if outcome.notice),
        failures=_counts(outcome.failure for outcome in outcomes if outcome.failure),
        milliseconds=latencies_of(outcome.milliseconds for outcome in outcomes),
        outcomes=tuple(outcomes),
    )


def answers_shape(report: AnswersReport) -> dict[str, object]:
    """Return what the JSON report says of answers."""
    return {
        "checked_by": report.checked_by,
        "models": report.models,
        "notices": report.notices,
        "failed_verdicts": report.failures,
        "overall": _answer_group_shape(report.overall),
        "kinds": {kind: _answer_group_shape(group) for kind, group in report.kinds.items()},
        "milliseconds": report.milliseconds,
        "outcomes": [
            {
                "id": outcome.case.id,
                "kind": outcome.case.kind,
                "case": outcome.case.digest,
                "status": outcome.status,
                "answer": outcome.text,
                **rounded(outcome.scores),
            }
            for outcome in report.outcomes
        ],
    }


def _outcome(case: Case, answer: Answer, assessor: Assessor, total: float) -> AnswerOutcome:
    scores = refusal_scores(case.is_answerable, answer.status in _REFUSED) if case.is_ranked else {}
    failure = ""
    if answer.status is AnswerStatus.ANSWERED:
        found = assessor.assess(case, answer)
        told = {FAITHFULNESS: found.faithfulness, RELEVANCE: found.relevance}
        scores |= {name: value for name, value in told.items() if value is not None}
        failure = found.failure
    milliseconds = {**answer.trace.milliseconds, TOTAL: total}
    return AnswerOutcome(case, answer.status, answer.answer, answer.model, answer.notice, scores, failure, milliseconds)


def _answer_group(outcomes: Sequence[AnswerOutcome]) -> AnswerGroup:
    statuses = Counter(outcome.status for outcome in outcomes)
    return AnswerGroup(
        cases=len(outcomes),
        statuses={status: statuses[status] for status in AnswerStatus if statuses[status]},
        figures=figures_of((outcome.scores for outcome in outcomes), ANSWER_METRICS),
    )


def _answer_group_shape(group: AnswerGroup) -> dict[str, object]:
    assessed = group.figures[FAITHFULNESS].cases if FAITHFULNESS in group.figures else 0
    shape = figures_shape(group.figures, ANSWER_METRICS)
    return {"cases": group.cases, "statuses": group.statuses, "assessed": assessed, **shape}


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


METRICS = (
    *("recall@5", "recall@10", "recall@20", "hit@1", "hit@5"),
    *("mrr", "ndcg@10", "evidence_recall@5"),
)


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some cases: rankings are of those that have an answer, refusals as in `refusal_scores`."""

    cases: int
    refused: int
    unanswerable: int
    figures: Figures


@dataclass(frozen=True, slots=True)
class ModeReport:
    """The figures of one mode."""

    overall: Group
    kinds: Mapping[str, Group]
    milliseconds: Mapping[str, Latency]  # by stage
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run over a file of cases."""

    snapshot: SnapshotRef
    embedder: str  # that made the snapshot's vectors
    max_per_note: int  # chunks of one note among the results
    top_k: int  # chunks asked for
    unknown_notes: tuple[str, ...]  # relevant ones that the index does not hold
    modes: Mapping[str, ModeReport]  # empty when no case says what to find
    route: RouteReport | None  # None when no case names a route
    answers: AnswersReport | None  # None when none were asked for


def summarize(outcomes: Sequence[Outcome]) -> ModeReport:
    """Return the figures of one mode; kinds stand in the order of their first case."""
    kinds = dict.fromkeys(outcome.case.kind for outcome in outcomes)
    return ModeReport(
        overall=_group(outcomes),
        kinds={kind: _group([item for item in outcomes if item.case.kind == kind]) for kind in kinds},
        milliseconds=latencies_of(outcome.milliseconds for outcome in outcomes),
        outcomes=tuple(outcomes),
    )


def report_shape(cases: str, evaluation: Evaluation) -> dict[str, object]:
    """Return the shape of the JSON report; `cases` names the file that was run."""
    shape: dict[str, object] = {
        "cases": cases,
        "snapshot": evaluation.snapshot,
        "embedder": evaluation.embedder,
        "max_per_note": evaluation.max_per_note,
        "top_k": evaluation.top_k,
        "unknown_notes": evaluation.unknown_notes,
        "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "percent": 95},
        "modes": {name: _mode_shape(mode) for name, mode in evaluation.modes.items()},
        "milliseconds": {name: mode.milliseconds for name, mode in evaluation.modes.items()},
    }
    if evaluation.route:
        shape["route"] = route_shape(evaluation.route)
    if evaluation.answers:
        shape["answers"] = answers_shape(evaluation.answers)
    return shape


def _group(outcomes: Sequence[Outcome]) -> Group:
    return Group(
        cases=len(outcomes),
        refused=sum(outcome.is_refused for outcome in outcomes),
        unanswerable=sum(outcome.case.is_unanswerable for outcome in outcomes),
        figures=figures_of((outcome.scores for outcome in outcomes), (*METRICS, *REFUSALS)),
    )


def _mode_shape(mode: ModeReport) -> dict[str, object]:
    return {
        "overall": _group_shape(mode.overall),
        "kinds": {kind: _group_shape(group) for kind, group in mode.kinds.items()},
        # Case by case, since a later run is compared with this one in pairs.
        "outcomes": [
            {
                "id": outcome.case.id,
                "kind": outcome.case.kind,
                "case": outcome.case.digest,
                **rounded(outcome.scores),
                "refused": outcome.is_refused,
            }
            for outcome in mode.outcomes
        ],
    }


def _group_shape(group: Group) -> dict[str, object]:
    figures = figures_shape(group.figures, (*METRICS, *REFUSALS))
    return {"cases": group.cases, "refused": group.refused, "unanswerable": group.unanswerable, **figures}
