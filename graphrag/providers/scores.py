"""Whether a reranker's scores can be used."""

import math
from collections.abc import Sequence

from graphrag.errors import BadProviderReply


def checked_scores(scores: Sequence[float], count: int, source: str) -> tuple[float, ...]:
    """Return the scores, one for each passage.

    Raises:
        BadProviderReply: they are not as many, or one is no number.
    """
    if len(scores) != count:
        found = f"{len(scores)} scores for {count} passages"
        raise BadProviderReply(f"{source} gave {found}. Choose another under [rerank].")
    if not all(map(math.isfinite, scores)):
        raise BadProviderReply(f"{source} gave a score that is no number. Choose another under [rerank].")
    return tuple(map(float, scores))
