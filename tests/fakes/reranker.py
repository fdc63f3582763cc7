"""A reranker without a model: a passage counts by the share of the question's character pairs that it holds."""

from collections.abc import Sequence

from graphrag.errors import ProviderError


class OverlapReranker:
    """Scores by shared character pairs, 0 to 1, or raises `error`; `asked` keeps what it was given."""

    model_id = "overlap"

    def __init__(self, error: ProviderError | None = None) -> None:
        self._error = error
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.asked.append((question, tuple(passages)))
        self.check()
        wanted = _pairs(question)
        return [len(wanted & _pairs(passage)) / len(wanted) for passage in passages]


def _pairs(text: str) -> frozenset[str]:
    folded = f" {text.casefold()} "
    return frozenset(folded[start : start + 2] for start in range(len(folded) - 1))
