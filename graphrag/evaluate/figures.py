"""Scores of cases -> figures: a mean with its bootstrap interval, and milliseconds a stage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag.evaluate.metrics import interval, percentile

Scores = Mapping[str, float]  # of one case, by metric, 0 to 1; what it cannot measure is absent

REFUSALS = ("refusal_precision", "refusal_recall")


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over the cases that measure it, with the ends of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    cases: int


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds that half, and 95 of 100, of the cases kept to."""

    p50: float
    p95: float


Figures = Mapping[str, Figure]  # by metric; absent when no case measures it


def figure_of(values: Sequence[float]) -> Figure:
    """Return the mean of one value at least."""
    return Figure(sum(values) / len(values), *interval(values), len(values))


def figures_of(scores: Iterable[Scores], names: Iterable[str]) -> dict[str, Figure]:
    """Return the figure of each named metric that a case measures, in the order of the names."""
    rows = list(scores)
    measured = {name: [row[name] for row in rows if name in row] for name in names}
    return {name: figure_of(values) for name, values in measured.items() if values}


def figures_shape(figures: Figures, names: Iterable[str]) -> dict[str, object]:
    """Return what a report says of the named metrics: each mean, null where there is none, and all intervals."""
    means = {name: figures[name].value if name in figures else None for name in names}
    return {**means, "intervals": {name: [figure.low, figure.high] for name, figure in figures.items()}}


def latencies_of(runs: Iterable[Mapping[str, float]]) -> dict[str, Latency]:
    """Return the latency of each stage over the runs that had it, in the order of their first appearance."""
    stages: dict[str, list[float]] = {}
    for run in runs:
        for stage, spent in run.items():
            stages.setdefault(stage, []).append(spent)
    return {
        stage: Latency(round(percentile(spent, 50), 2), round(percentile(spent, 95), 2))
        for stage, spent in stages.items()
    }


def rounded(scores: Scores) -> dict[str, float]:
    """Return one case's scores as a report keeps them."""
    return {name: round(value, 6) for name, value in scores.items()}
