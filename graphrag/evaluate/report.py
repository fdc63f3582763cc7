"""Outcomes -> a report: means over all cases and per kind, intervals, refusals, and milliseconds a stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag.domain.query import SnapshotRef
from graphrag.evaluate.metrics import interval, mean, percentile
from graphrag.evaluate.run import Outcome

METRICS = (
    *("recall@5", "recall@10", "recall@20", "hit@1", "hit@5"),
    *("mrr", "ndcg@10", "evidence_recall@5"),
)
_WITH_INTERVAL = ("recall@5", "mrr")


@dataclass(frozen=True, slots=True)
class Refusals:
    """How well silence is kept: a case counts as refused when the read path would not answer it."""

    refused: int
    unanswerable: int
    rightly: int  # refused and unanswerable

    @property
    def precision(self) -> float | None:
        """Share of the refused cases that have no answer, None when none was refused."""
        return self.rightly / self.refused if self.refused else None

    @property
    def recall(self) -> float | None:
        """Share of the cases without an answer that were refused, None when every case has one."""
        return self.rightly / self.unanswerable if self.unanswerable else None


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some cases; a metric is None when no case measures it."""

    cases: int
    metrics: Mapping[str, float | None]  # means over the cases that have an answer
    refusals: Refusals


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds that half, and 95 of 100, of the searches kept to."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class ModeReport:
    """The figures of one mode."""

    overall: Group
    intervals: Mapping[str, tuple[float, float]]  # 95 % bootstrap, overall
    kinds: Mapping[str, Group]
    milliseconds: Mapping[str, Latency]  # by stage
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run over a file of cases."""

    snapshot: SnapshotRef
    max_per_note: int  # chunks of one note among the results
    top_k: int  # chunks asked for
    unknown_notes: tuple[str, ...]  # relevant ones that the index does not hold
    modes: Mapping[str, ModeReport]


def summarize(outcomes: Sequence[Outcome]) -> ModeReport:
    """Return the figures of one mode; kinds stand in the order of their first case."""
    kinds = dict.fromkeys(outcome.case.kind for outcome in outcomes)
    intervals = {name: interval(_values(outcomes, name)) for name in _WITH_INTERVAL}
    return ModeReport(
        overall=_group(outcomes),
        intervals={name: ends for name, ends in intervals.items() if ends},
        kinds={kind: _group([item for item in outcomes if item.case.kind == kind]) for kind in kinds},
        milliseconds=_latencies(outcomes),
        outcomes=tuple(outcomes),
    )


def report_shape(cases: str, evaluation: Evaluation) -> dict[str, object]:
    """Return the shape of the JSON report; `cases` names the file that was run."""
    return {
        "cases": cases,
        "snapshot": evaluation.snapshot,
        "max_per_note": evaluation.max_per_note,
        "top_k": evaluation.top_k,
        "unknown_notes": evaluation.unknown_notes,
        "modes": {name: _mode_shape(mode) for name, mode in evaluation.modes.items()},
        "milliseconds": {name: mode.milliseconds for name, mode in evaluation.modes.items()},
    }


def _group(outcomes: Sequence[Outcome]) -> Group:
    refused = [outcome for outcome in outcomes if outcome.is_refused]
    refusals = Refusals(
        refused=len(refused),
        unanswerable=sum(not outcome.case.is_answerable for outcome in outcomes),
        rightly=sum(not outcome.case.is_answerable for outcome in refused),
    )
    return Group(len(outcomes), {name: mean(_values(outcomes, name)) for name in METRICS}, refusals)


def _values(outcomes: Sequence[Outcome], name: str) -> list[float]:
    return [outcome.metrics[name] for outcome in outcomes if name in outcome.metrics]


def _latencies(outcomes: Sequence[Outcome]) -> dict[str, Latency]:
    """Return the latency of each stage over the searches that ran it."""
    stages: dict[str, list[float]] = {}
    for outcome in outcomes:
        for stage, spent in outcome.milliseconds.items():
            stages.setdefault(stage, []).append(spent)
    return {
        stage: Latency(round(percentile(spent, 50), 2), round(percentile(spent, 95), 2))
        for stage, spent in stages.items()
    }


def _mode_shape(mode: ModeReport) -> dict[str, object]:
    return {
        "overall": {**_group_shape(mode.overall), "intervals": mode.intervals},
        "kinds": {kind: _group_shape(group) for kind, group in mode.kinds.items()},
        # Case by case, since a later run is compared with this one in pairs.
        "outcomes": [
            {
                "id": outcome.case.id,
                "kind": outcome.case.kind,
                **outcome.metrics,
                "refused": outcome.is_refused,
            }
            for outcome in mode.outcomes
        ],
    }


def _group_shape(group: Group) -> dict[str, object]:
    return {
        "cases": group.cases,
        **group.metrics,
        "refused": group.refusals.refused,
        "unanswerable": group.refusals.unanswerable,
        "refusal_precision": group.refusals.precision,
        "refusal_recall": group.refusals.recall,
    }
