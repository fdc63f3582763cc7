"""Gives the chunks of a snapshot their vectors: from the cache, else from the embedder, publishing as they come.

An embedder that weighs tokens gives both kinds at once, and they stay together wherever they are kept.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from graphrag.domain.note import Chunk
from graphrag.domain.ports import ChunkWriter, Embedder, EmbeddingCache, TokenWeigher, TokenWeights, Vectors
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import Manifest

_EMBED_BATCH = 32  # texts between two progress reports and cache writes
_CACHE_BATCH = 2000
_PUBLISH_SECONDS = 20.0  # between two snapshots while vectors come in


class _Embedded(NamedTuple):
    chunk: Chunk
    vector: Vectors
    weights: TokenWeights | None  # of all chunks or of none: an embedder gives them or does not


class VectorRun:
    """One run over the chunks that have no vector yet; `publish` gives the manifest after it is published."""

    def __init__(
        self,
        chunks: ChunkWriter,
        cache: EmbeddingCache,
        embedder: Embedder,
        publish: Callable[[Manifest], Manifest],
        progress: Progress,
    ) -> None:
        self._chunks = chunks
        self._cache = cache
        self._embedder = embedder
        self._publish = publish
        self._progress = progress

    def write(self, manifest: Manifest, seconds: float) -> tuple[Manifest, int]:
        """Embed for so many seconds; return the last manifest, and how many texts went to the embedder."""
        cached, missing = self._from_cache(self._chunks.missing_vectors())
        manifest = self._add(manifest, cached)
        done, made = manifest.embedded_count, 0
        pending: list[_Embedded] = []
        started = published = time.monotonic()
        for start in range(0, len(missing), _EMBED_BATCH):
            self._progress("vectors", done + made, manifest.chunk_count)
            if time.monotonic() - started > seconds:
                break
            batch = missing[start : start + _EMBED_BATCH]
            pending += self._embed(batch)
            made += len(batch)
            if time.monotonic() - published > _PUBLISH_SECONDS:
                manifest = self._add(manifest, pending)
                pending, published = [], time.monotonic()
        manifest = self._add(manifest, pending)
        self._progress("vectors", done + made, manifest.chunk_count)
        return manifest, made

    def _embed(self, chunks: Sequence[Chunk]) -> list[_Embedded]:
        texts = [chunk.embedded_text() for chunk in chunks]
        weights: Sequence[TokenWeights] | None = None
        if isinstance(self._embedder, TokenWeigher):
            vectors, weights = self._embedder.embed_and_weigh(texts)
        else:
            vectors = self._embedder.embed_passages(texts)
        self._cache.put(self._embedder.model_id, texts, vectors, weights)
        return [_Embedded(chunk, vectors[row], weights[row] if weights else None) for row, chunk in enumerate(chunks)]

    def _add(self, manifest: Manifest, embedded: list[_Embedded]) -> Manifest:
        if not embedded:
            return manifest
        keys = [(item.chunk.id, item.chunk.note) for item in embedded]
        weights = [item.weights for item in embedded if item.weights is not None]
        vectors = np.stack([item.vector for item in embedded])
        version = self._chunks.add_vectors(keys, vectors, weights or None)
        count = manifest.embedded_count + len(embedded)
        return self._publish(replace(manifest, vectors_version=version, embedded_count=count))

    def _from_cache(self, chunks: Sequence[Chunk]) -> tuple[list[_Embedded], list[Chunk]]:
        """Split the chunks into those whose text was embedded before, with their vectors, and the others."""
        found: list[_Embedded] = []
        missing: list[Chunk] = []
        for start in range(0, len(chunks), _CACHE_BATCH):
            batch = chunks[start : start + _CACHE_BATCH]
            texts = [chunk.embedded_text() for chunk in batch]
            vectors = self._cache.get(self._embedder.model_id, texts)
            weights = self._cache.weights(self._embedder.model_id, texts)
            for chunk, vector, its_weights in zip(batch, vectors, weights, strict=True):
                if vector is None:
                    missing.append(chunk)
                else:
                    found.append(_Embedded(chunk, vector, its_weights))
        return found, missing
