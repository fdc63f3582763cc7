"""Cases and what answers them -> how often it is silent, and rightly; what its sources support; how long it takes."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphrag.domain.query import Answer, AnswerStatus, Filters
from graphrag.domain.report import Progress
from graphrag.evaluate.cases import Case
from graphrag.evaluate.figures import (
    REFUSALS,
    Figures,
    Latency,
    Scores,
    figures_of,
    figures_shape,
    latencies_of,
    rounded,
)
from graphrag.evaluate.metrics import refusal_scores
from graphrag.evaluate.run import TOTAL

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
        overall=_group(outcomes),
        kinds={kind: _group([item for item in outcomes if item.case.kind == kind]) for kind in kinds},
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
        "overall": _group_shape(report.overall),
        "kinds": {kind: _group_shape(group) for kind, group in report.kinds.items()},
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


def _group(outcomes: Sequence[AnswerOutcome]) -> AnswerGroup:
    statuses = Counter(outcome.status for outcome in outcomes)
    return AnswerGroup(
        cases=len(outcomes),
        statuses={status: statuses[status] for status in AnswerStatus if statuses[status]},
        figures=figures_of((outcome.scores for outcome in outcomes), ANSWER_METRICS),
    )


def _group_shape(group: AnswerGroup) -> dict[str, object]:
    assessed = group.figures[FAITHFULNESS].cases if FAITHFULNESS in group.figures else 0
    shape = figures_shape(group.figures, ANSWER_METRICS)
    return {"cases": group.cases, "statuses": group.statuses, "assessed": assessed, **shape}


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())
