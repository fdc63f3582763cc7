"""Outcomes -> a report: means over all cases and per kind with their intervals, refusals, and milliseconds a stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag.domain.query import SnapshotRef
from graphrag.evaluate.answers import AnswersReport, answers_shape
from graphrag.evaluate.figures import (
    REFUSALS,
    Figures,
    Latency,
    figures_of,
    figures_shape,
    latencies_of,
    rounded,
)
from graphrag.evaluate.metrics import RESAMPLES, SEED
from graphrag.evaluate.routes import RouteReport, route_shape
from graphrag.evaluate.run import Outcome

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
