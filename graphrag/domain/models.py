"""The models that may be asked, as ports: what embeds, judges and writes. Implementations live in `providers`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def model_id(self) -> str:
        """Stable identity; vectors of two ids never meet."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, shape (len(texts), dimension)."""

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, shape (dimension,)."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenWeights:
    """What each token of a text counts for, as a model has learned it: ids in ascending order, each once."""

    tokens: NDArray[np.int32]
    weights: NDArray[np.float16]  # above 0


@runtime_checkable
class TokenWeigher(Protocol):
    """An embedder that may give weights of tokens with the same reading of a text."""

    def embed_and_weigh(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[TokenWeights] | None]:
        """Return what `embed_passages` returns, and the weights for each text; None when the model has none."""

    def weigh_query(self, text: str) -> TokenWeights | None:
        """Return the weights of a question's tokens."""


class Reranker(Protocol):
    """Judges how well passages answer a question by reading both together."""

    @property
    def model_id(self) -> str:
        """Provider and model."""

    def check(self) -> None:
        """Make sure that it could score now.

        Raises:
            ProviderError: it cannot; the message says what to do.
        """

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a score for each passage, higher is better; scores of one call compare, those of two need not.

        Raises:
            ProviderError: it cannot be used.
        """


class ChatModel(Protocol):
    """Writes text from a system and a user message."""

    @property
    def model_id(self) -> str:
        """Provider and model, e.g. `ollama:qwen2.5:7b`."""

    def check(self) -> None:
        """Make sure that the server answers and has the model.

        Raises:
            ProviderUnavailable: it does not; the message says what to do.
        """

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the reply piece by piece.

        Raises:
            ProviderUnavailable: the server does not answer or lacks the model.
            BadProviderReply: the reply breaks off or has another form.
        """
