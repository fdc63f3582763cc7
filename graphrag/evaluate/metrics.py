"""What one ranking is worth, and the mean of many: plain functions over ranked keys, with binary relevance.

A search returns chunks, people look for notes: a ranking holds every note once, at the place of its first chunk.
"""

import math
import re
import unicodedata
from collections.abc import Collection, Sequence

import numpy as np

_WIKILINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_HTML = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKUP = re.compile(r"[\W_]+")
_RESAMPLES = 2000
_SEED = 20240616  # any number; the same one, so that two runs over the same figures agree


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
    bare_texts = [_bare(text) for text in texts]
    bare_sentences = [_bare(sentence) for sentence in evidence]
    # What is nothing but signs would be in every text.
    found = [bool(bare) and any(bare in text for text in bare_texts) for bare in bare_sentences]
    return sum(found) / len(evidence)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return float(np.mean(values)) if values else None


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % percentile bootstrap interval of the mean over cases, None of nothing."""
    if not values:
        return None
    chosen = np.random.default_rng(_SEED).integers(len(values), size=(_RESAMPLES, len(values)))
    low, high = np.percentile(np.asarray(values)[chosen].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile, linear between neighbours."""
    return float(np.percentile(values, percent))


def _bare(text: str) -> str:
    """Return letters and digits only, folded; a link is its text, as cleaning leaves it."""
    for pattern in (_WIKILINK, _LINK):
        text = pattern.sub(r"\1", text)
    folded = unicodedata.normalize("NFKC", _HTML.sub("", text)).casefold()
    return _MARKUP.sub("", folded)
