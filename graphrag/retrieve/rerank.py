"""Ranked candidates -> the same in a new order: a reranker scores the best of them against the question.

The old and the new order are blended by reciprocal ranks, since fused scores, cross-encoder probabilities and a chat
model's grades have no common scale. With a share below 1, one mistake of the reranker cannot drop a passage that words,
meaning and links agree on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from graphrag.domain.note import Chunk
from graphrag.domain.ports import Reranker
from graphrag.domain.query import Candidate
from graphrag.retrieve.search import by_score


@dataclass(frozen=True, slots=True)
class RerankPolicy:
    """The numbers of the blend, as in the settings."""

    candidates: int  # the best, which are read
    share: float  # of the reranker's ranks, 0 to 1
    rrf_k: int


def rerank(
    reranker: Reranker,
    question: str,
    candidates: Sequence[Candidate],
    policy: RerankPolicy,
    why_gone: Callable[[Chunk], str],
) -> list[Candidate]:
    """Return all candidates, best first; those that were read carry the reranker's score.

    score = (1 - share) / (k + rank of the search) + share / (k + rank of the reranker). Passages that were not read
    have only the first part, so none from further down overtakes them. What the vault no longer holds is not read.

    Raises:
        ProviderError: the reranker cannot be used.
    """
    head = [item for item in candidates[: policy.candidates] if not why_gone(item.chunk)]
    scores = reranker.score(question, [item.chunk.embedded_text() for item in head])
    ranks = dict(zip((item.chunk.id for item in head), _ranks(scores), strict=True))
    found = dict(zip((item.chunk.id for item in head), scores, strict=True))
    blended = []
    for rank, item in enumerate(candidates, 1):
        score = (1 - policy.share) / (policy.rrf_k + rank)
        if item.chunk.id in ranks:
            score += policy.share / (policy.rrf_k + ranks[item.chunk.id])
        why = replace(item.why, rerank=found.get(item.chunk.id))
        blended.append(replace(item, score=score, why=why))
    return sorted(blended, key=by_score)


def _ranks(scores: Sequence[float]) -> list[int]:
    """Return the 1-based rank of each score, the highest first; equal scores share one, so that they decide nothing."""
    first: dict[float, int] = {}
    for rank, score in enumerate(sorted(scores, reverse=True), 1):
        first.setdefault(score, rank)
    return [first[score] for score in scores]
