"""What one ranking is worth, and the mean of many: plain functions over ranked keys, with binary relevance.

A search returns chunks, people look for notes: a ranking holds every note once, at the place of its first chunk.
"""

import math
import re
import unicodedata
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WIKILINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_HTML = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKUP = re.compile(r"[\W_]+")
RESAMPLES = 2000
SEED = 20240616  # any number; the same one, so that two runs over the same figures agree


def recall_at(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the share of the relevant keys among the first k."""
    return len(set(ranking[:k]) & set(relevant)) / len(relevant)


def hit_at(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return 1 when a relevant key is among the first k, else 0."""
    return float(any(key in relevant for key in ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 / rank of the first relevant key, 0 when there is none."""
    return next((1 / rank for rank, key in enumerate(ranking, 1) if key in relevant), 0.0)


def ndcg_at(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Return the discounted gain of the first k over that of a perfect ranking."""
    gain = sum(1 / math.log2(rank + 1) for rank, key in enumerate(ranking[:k], 1) if key in relevant)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
    return gain / best


def evidence_recall(texts: Sequence[str], evidence: Sequence[str]) -> float:
    """Return the share of the sentences that one of the texts holds, spaces, signs and markup aside."""
    bare_texts = [bare_text(text) for text in texts]
    bare_sentences = [bare_text(sentence) for sentence in evidence]
    # What is nothing but signs would be in every text.
    found = [bool(bare) and any(bare in text for text in bare_texts) for bare in bare_sentences]
    return sum(found) / len(evidence)


def refusal_scores(is_answerable: bool, is_refused: bool) -> dict[str, float]:
    """Return what one case adds to precision, a mean over the refused, and recall, one over the unanswerable."""
    scores = {"refusal_precision": float(not is_answerable)} if is_refused else {}
    return scores if is_answerable else {**scores, "refusal_recall": float(is_refused)}


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return float(np.mean(values)) if values else None


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean; `values` must hold one at least."""
    chosen = _resamples(len(values))
    low, high = np.percentile(np.asarray(values)[chosen].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def paired_interval(before: Sequence[float | None], now: Sequence[float | None]) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of mean(now) - mean(before) over the same cases, drawn in pairs.

    A case that one side does not measure is None there and does not count in that side's mean. Each side must measure
    one case at least.
    """
    old, new = np.array(before, dtype=np.float64), np.array(now, dtype=np.float64)
    chosen = _resamples(len(old))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a resample that measures nothing has no mean
        differences = np.nanmean(new[chosen], axis=1) - np.nanmean(old[chosen], axis=1)
    low, high = np.nanpercentile(differences, (2.5, 97.5))
    return float(low), float(high)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile, linear between neighbours."""
    return float(np.percentile(values, percent))


def bare_text(text: str) -> str:
    """Return the letters and digits of a text, folded; a link is its text, as cleaning leaves it."""
    for pattern in (_WIKILINK, _LINK):
        text = pattern.sub(r"\1", text)
    folded = unicodedata.normalize("NFKC", _HTML.sub("", text)).casefold()
    return _MARKUP.sub("", folded)


def _resamples(count: int) -> NDArray[np.int64]:
    """Return the indices of all resamples, shape (RESAMPLES, count); the same ones for the same count."""
    return np.random.default_rng(SEED).integers(count, size=(RESAMPLES, count))


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
