"""Chunks and vectors in dictionaries; every version is a copy, so that readers of old ones keep it."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

import numpy as np

from graphrag.domain.note import Chunk, Note
from graphrag.domain.passage_graph import ChunkText
from graphrag.domain.ports import TokenWeights, Vectors
from graphrag.domain.query import NO_FILTERS, Filters, FullTextHit, VectorHit, WeightHit
from graphrag.domain.snapshot import NoteBatch

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    chunk: Chunk
    note: Note
    terms: Counter[str]


@dataclass
class ChunkTables:
    """What a folder is to the real store: all versions of both tables."""

    chunks: dict[int, dict[str, Row]] = field(default_factory=lambda: {0: {}})
    vectors: dict[int, dict[str, Vectors]] = field(default_factory=lambda: {0: {}})
    weights: dict[str, TokenWeights] = field(default_factory=dict)  # by chunk id, which names its text


class MemoryChunkWriter:
    def __init__(self, tables: ChunkTables, chunks_version: int, vectors_version: int) -> None:
        self._tables = tables
        self._chunks = dict(tables.chunks[chunks_version])
        self._vectors = dict(tables.vectors[vectors_version])
        self._versions = [chunks_version, vectors_version]

    def replace(self, batch: NoteBatch) -> int:
        gone = {*batch.removed, *(indexed.note.path for indexed in batch.notes)}
        rewritten = gone | {indexed.note.path for indexed in batch.retokenized}
        stale = [id_ for id_, row in self._chunks.items() if row.note.path in gone]
        self._chunks = {id_: row for id_, row in self._chunks.items() if row.note.path not in rewritten}
        for indexed in (*batch.notes, *batch.retokenized):
            for chunk, tokens in zip(indexed.chunks, indexed.tokens, strict=True):
                self._chunks.setdefault(chunk.id, Row(chunk, indexed.note, Counter(tokens.split())))
        if any(self._vectors.pop(id_, None) is not None for id_ in stale):
            self._vectors = {id_: row for id_, row in self._vectors.items() if id_ not in stale}
            self._save_vectors()
        self._versions[0] = max(self._tables.chunks) + 1
        self._tables.chunks[self._versions[0]] = dict(self._chunks)
        return self._versions[0]

    def add_vectors(
        self, chunks: Sequence[tuple[str, str]], vectors: Vectors, weights: Sequence[TokenWeights] | None = None
    ) -> int:
        for row, ((id_, _), vector) in enumerate(zip(chunks, vectors, strict=True)):
            if id_ in self._chunks:
                self._vectors.setdefault(id_, vector)
                if weights is not None:
                    self._tables.weights[id_] = weights[row]
        self._save_vectors()
        return self._versions[1]

    def missing_vectors(self) -> list[Chunk]:
        missing = [row.chunk for id_, row in self._chunks.items() if id_ not in self._vectors]
        return sorted(missing, key=lambda chunk: (chunk.note, chunk.ordinal))

    def texts(self) -> list[ChunkText]:
        chunks = sorted((row.chunk for row in self._chunks.values()), key=lambda chunk: (chunk.note, chunk.ordinal))
        return [ChunkText(c.id, c.note, c.heading, c.text, c.span.first_line, c.span.last_line) for c in chunks]

    def counts(self) -> tuple[int, int]:
        return len(self._chunks), len(self._vectors)

    def versions(self) -> tuple[int, int]:
        return self._versions[0], self._versions[1]

    def optimize(self, keep: Sequence[tuple[int, int]], forget: bool = False) -> tuple[int, int]:
        self.drop_versions(keep)
        return self.versions()

    def drop_versions(self, keep: Sequence[tuple[int, int]]) -> None:
        _prune(self._tables.chunks, {0, self._versions[0], *(chunks for chunks, _ in keep)})
        _prune(self._tables.vectors, {0, self._versions[1], *(vectors for _, vectors in keep)})

    def close(self) -> None:
        pass

    def _save_vectors(self) -> None:
        self._versions[1] = max(self._tables.vectors) + 1
        self._tables.vectors[self._versions[1]] = dict(self._vectors)


class MemoryChunkReader:
    def __init__(self, tables: ChunkTables, chunks_version: int, vectors_version: int) -> None:
        self._chunks = tables.chunks[chunks_version]
        self._vectors = tables.vectors[vectors_version]

    def check(self) -> None:
        pass

    def search_text(self, terms: Sequence[str], limit: int, filters: Filters) -> list[FullTextHit]:
        frequencies = self.document_frequencies(terms)
        hits = []
        for row in self._passing(filters):
            held = tuple(term for term in dict.fromkeys(terms) if row.terms[term])
            if held:
                score = sum(self._bm25(row, term, frequencies[term]) for term in held)
                hits.append(FullTextHit(row.chunk, score, held))
        return sorted(hits, key=_rank)[:limit]

    def search_substring(self, text: str, limit: int, filters: Filters) -> list[FullTextHit]:
        counted = [(row.chunk, row.chunk.text.lower().count(text.lower())) for row in self._passing(filters)]
        hits = [FullTextHit(chunk, float(count), (text,)) for chunk, count in counted if text and count]
        return sorted(hits, key=_rank)[:limit]

    def search_vectors(self, vector: Vectors, limit: int, filters: Filters) -> list[VectorHit]:
        hits = [
            VectorHit(row.chunk.id, float(np.dot(stored, vector) / np.linalg.norm(vector)))
            for row in self._passing(filters)
            if (stored := self._vectors.get(row.chunk.id)) is not None
        ]
        return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk_id))[:limit]

    def scored(self, asked: TokenWeights, weights: dict[str, TokenWeights], filters: Filters) -> list[WeightHit]:
        held = [id_ for row in self._passing(filters) if (id_ := row.chunk.id) in self._vectors and id_ in weights]
        hits = [WeightHit(id_, _product(asked, weights[id_])) for id_ in held]
        return sorted((hit for hit in hits if hit.score > 0), key=lambda hit: (-hit.score, hit.chunk_id))

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return {term: sum(1 for row in self._chunks.values() if row.terms[term]) for term in terms}

    def get_chunks(self, ids: Sequence[str], filters: Filters = NO_FILTERS) -> dict[str, Chunk]:
        return {row.chunk.id: row.chunk for row in self._passing(filters) if row.chunk.id in ids}

    def chunks_of(self, notes: Sequence[str], filters: Filters) -> dict[str, list[Chunk]]:
        found: dict[str, list[Chunk]] = {}
        for row in sorted(self._passing(filters), key=lambda row: row.chunk.ordinal):
            if row.note.path in notes:
                found.setdefault(row.note.path, []).append(row.chunk)
        return found

    def vectors_of(self, notes: Sequence[str], filters: Filters) -> dict[str, dict[str, Vectors]]:
        found: dict[str, dict[str, Vectors]] = {}
        for note, chunks in self.chunks_of(notes, filters).items():
            if vectors := {chunk.id: self._vectors[chunk.id] for chunk in chunks if chunk.id in self._vectors}:
                found[note] = vectors
        return found

    def count(self, filters: Filters) -> int:
        return len(self._passing(filters))

    def _passing(self, filters: Filters) -> list[Row]:
        return [row for row in self._chunks.values() if _passes(row.note, filters)]

    def _bm25(self, row: Row, term: str, frequency: int) -> float:
        average = sum(sum(other.terms.values()) for other in self._chunks.values()) / len(self._chunks)
        weight = math.log(1 + (len(self._chunks) - frequency + 0.5) / (frequency + 0.5))
        count, length = row.terms[term], sum(row.terms.values())
        return weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / average))


def _prune(versions: dict[int, T], kept: set[int]) -> None:
    for version in versions.keys() - kept:
        del versions[version]


def _rank(hit: FullTextHit) -> tuple[float, str, int]:
    return -hit.score, hit.chunk.note, hit.chunk.ordinal


def _passes(note: Note, filters: Filters) -> bool:
    changed = note.updated or note.created
    types = [value.casefold() for value in note.properties.get("type", ())]
    return (
        (not filters.tags or any(_is_below(name, tag) for name in note.tags for tag in filters.tags))
        and (not filters.categories or any(_is_below(note.category, name) for name in filters.categories))
        and (not filters.types or any(value.casefold() in types for value in filters.types))
        and (not filters.paths or any(_is_in(note.path, path.strip("/")) for path in filters.paths))
        and _is_between(changed.date() if changed else None, filters.since, filters.until)
    )


def _is_below(name: str, parent: str) -> bool:
    return f"{name}/".casefold().startswith(f"{parent.strip('#/')}/".casefold())


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _is_between(day: date | None, since: date | None, until: date | None) -> bool:
    if day is None:
        return since is None and until is None
    return (since is None or day >= since) and (until is None or day <= until)


class MemoryWeightReader:
    def __init__(self, tables: ChunkTables, vectors_version: int) -> None:
        self._weights = dict(tables.weights)
        self._reader = MemoryChunkReader(tables, max(tables.chunks), vectors_version)
        self.has_weights = any(id_ in self._weights for id_ in tables.vectors[vectors_version])

    def search(self, weights: TokenWeights, limit: int, filters: Filters) -> list[WeightHit]:
        return self._reader.scored(weights, self._weights, filters)[:limit]


def _product(one: TokenWeights, other: TokenWeights) -> float:
    worth = dict(zip(one.tokens.tolist(), one.weights.tolist(), strict=True))
    pairs = zip(other.tokens.tolist(), other.weights.tolist(), strict=True)
    return float(sum(worth.get(token, 0.0) * weight for token, weight in pairs))
