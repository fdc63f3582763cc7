"""Chunks and their vectors in two Lance tables, full-text search and exact vector search over them.

Vectors live in a table of their own and are only ever appended, so embedding never rewrites text. Every write
makes a version that nobody sees until a manifest names it. The engines are imported on use, because searching
needs only the lighter one.
"""

import os
import shutil
from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrag.domain.note import Chunk
from graphrag.domain.passage_graph import ChunkText
from graphrag.domain.ports import TokenWeights, Vectors
from graphrag.domain.query import NO_FILTERS, Filters, FullTextHit, VectorHit, WeightHit
from graphrag.domain.snapshot import NoteBatch
from graphrag.stores.failures import reading, writing
from graphrag.stores.lance_conditions import both, one_of, quote, to_predicate

if TYPE_CHECKING:
    from graphrag.stores.lance_schema import WeightRows


# Larger files are left alone: rewriting them would store them twice while an older snapshot still needs them.
_ROWS_PER_FILE = 2048
# A few rows are as fast to scan as to look up.
_UNINDEXED_ROWS = 256
# New rows make an index of their own, since merging writes all of it once more beside the older snapshot's; every
# further one makes a search a fifth of a millisecond slower.
_INDEX_PARTS = 8
_DELETED_SHARE = 0.1  # of a file's rows, from which on it is written anew without them
_TAG = "snapshot-"


def compact_table(table: Any, forget: bool) -> None:
    """Merge small files, and index new rows if they are many; to `forget`, leave no deleted row in any file."""
    dataset = table.to_lance()
    share = 0.0 if forget else _DELETED_SHARE
    dataset.optimize.compact_files(target_rows_per_fragment=_ROWS_PER_FILE, materialize_deletions_threshold=share)
    for index in table.list_indices():
        stats = table.index_stats(index.name)
        if stats.num_unindexed_rows >= _UNINDEXED_ROWS:
            merged = stats.num_indices if stats.num_indices >= _INDEX_PARTS else 0
            dataset.optimize.optimize_indices(index_names=[index.name], num_indices_to_merge=merged)
    table.checkout_latest()


def drop_versions(table: Any, keep: set[int]) -> None:
    """Drop all versions but the newest and `keep`, with the files that only they need."""
    dataset = table.to_lance()
    tagged = _tagged(dataset)
    for version in tagged - keep:
        dataset.tags.delete(f"{_TAG}{version}")
    for version in keep - tagged:
        dataset.tags.create(f"{_TAG}{version}", version)
    dataset.cleanup_old_versions(older_than=timedelta(0), error_if_tagged_old_versions=False)
    table.checkout_latest()


def _tagged(dataset: Any) -> set[int]:
    """Return the versions that have a tag; where a tag's file is damaged, all tags go, to be made anew."""
    try:
        tags = {int(name.removeprefix(_TAG)): tag["version"] for name, tag in dataset.tags.list().items()}
    except (OSError, ValueError, RuntimeError):
        tags = None
    if tags is None or any(named != version for named, version in tags.items()):
        shutil.rmtree(Path(dataset.uri) / "_refs" / "tags")
        return set()
    return {*tags}


def delete_rows(table: Any, condition: str) -> None:
    """Delete rows, without making a version when there are none."""
    if table is not None and table.count_rows(condition):
        table.delete(condition)


_CHUNKS = "chunks"
VECTORS = "vectors"

os.environ.setdefault("LANCE_LOG", "error")  # else the engines warn on stderr, where the command line shows progress
os.environ.setdefault("LANCEDB_LOG", "error")


class LanceChunkWriter:
    """Writes on top of the versions that a manifest names; version 0 starts a table afresh.

    What a crashed writer left beyond those versions is rolled back on opening.

    Raises:
        StoreError: a table or one of the versions is missing or damaged, or the folder cannot be written.
    """

    def __init__(self, directory: Path, chunks_version: int, vectors_version: int) -> None:
        self._directory = directory
        with writing(directory):
            import lancedb

            directory.mkdir(parents=True, exist_ok=True)
            self._db = lancedb.connect(str(directory))
            self._chunks = self._open(_CHUNKS, chunks_version) if chunks_version else self._create_chunks()
            self._vectors = self._open(VECTORS, vectors_version) if vectors_version else None

    def replace(self, batch: NoteBatch) -> int:
        """Delete the batch's old rows and add its chunks; return the new version of the text table.

        Notes that are only tokenised anew keep their vectors.
        """
        from graphrag.stores.lance_schema import chunk_rows

        gone = {*batch.removed, *(indexed.note.path for indexed in batch.notes)}
        rewritten = gone | {indexed.note.path for indexed in batch.retokenized}
        with writing(self._directory):
            for table, notes in ((self._chunks, rewritten), (self._vectors, gone)):
                if notes:
                    delete_rows(table, one_of("note", sorted(notes)))
            rows = chunk_rows((*batch.notes, *batch.retokenized))
            if rows.num_rows:
                self._chunks.add(rows)
            return self.versions()[0]

    def add_vectors(
        self, chunks: Sequence[tuple[str, str]], vectors: Vectors, weights: Sequence[TokenWeights] | None = None
    ) -> int:
        """Add the vectors of (chunk id, note path) pairs; return the vector table's new version.

        Chunks that are gone from the text table, or have a vector already, are passed over. The first vectors decide
        how long all are, and whether weights come with all; raises SchemaMismatch for others.
        """
        from graphrag.stores.lance_schema import FILTER_COLUMNS, check_vectors, vector_rows, vector_schema

        with writing(self._directory):
            if self._vectors is None:
                self._vectors = self._create(VECTORS, vector_schema(vectors.shape[1], weights is not None))
            check_vectors(self._vectors.schema, vectors, weights)
            done = self._embedded()
            position = {id_: row for row, (id_, _) in enumerate(chunks) if id_ not in done}
            if position:
                rows = self._chunks.to_lance().to_table(
                    columns=["id", "note", *FILTER_COLUMNS], filter=one_of("id", position)
                )
                order = [position[id_] for id_ in rows.column("id").to_pylist()]
                if order:
                    some = [weights[row] for row in order] if weights is not None else None
                    self._vectors.add(vector_rows(rows, np.asarray(vectors)[order], some))
            return self.versions()[1]

    def missing_vectors(self) -> list[Chunk]:
        """Return the chunks that have no vector yet, in the order of note path and ordinal."""
        from graphrag.stores.lance_schema import CHUNK_COLUMNS, read_chunks

        with reading(self._directory):
            done = self._embedded()
            dataset = self._chunks.to_lance()
            ids = dataset.to_table(columns=["id"]).column("id").to_pylist()
            rows = [row for row, id_ in enumerate(ids) if id_ not in done]
            missing = list(read_chunks(dataset.take(rows, columns=CHUNK_COLUMNS))) if rows else []
        return sorted(missing, key=lambda chunk: (chunk.note, chunk.ordinal))

    def texts(self) -> list[ChunkText]:
        """Return every chunk with its text, by note and place."""
        from graphrag.stores.lance_schema import TEXT_COLUMNS, read_texts

        with reading(self._directory):
            return read_texts(self._chunks.to_lance().to_table(columns=TEXT_COLUMNS))

    def counts(self) -> tuple[int, int]:
        """Return the number of chunks and of vectors."""
        with reading(self._directory):
            return self._chunks.count_rows(), self._vectors.count_rows() if self._vectors is not None else 0

    def versions(self) -> tuple[int, int]:
        """Return the versions of the text and the vector table after the last write; 0 without vectors."""
        return self._chunks.version, self._vectors.version if self._vectors is not None else 0

    def optimize(self, keep: Sequence[tuple[int, int]], forget: bool = False) -> tuple[int, int]:
        """Merge small files, index new rows if they are many, drop all versions but the newest and `keep`.

        To `forget`, files are written anew that hold any deleted row. `keep` holds (text, vector) versions of snapshots
        that must go on answering. Return the new versions.
        """
        with writing(self._directory):
            for table in (self._chunks, self._vectors):
                if table is not None:
                    compact_table(table, forget)
        self.drop_versions(keep)
        return self.versions()

    def drop_versions(self, keep: Sequence[tuple[int, int]]) -> None:
        """Drop all versions but the newest and `keep`, with the files that only they need."""
        with writing(self._directory):
            drop_versions(self._chunks, {chunks for chunks, _ in keep})
            if self._vectors is not None:
                drop_versions(self._vectors, {vectors for _, vectors in keep if vectors})

    def close(self) -> None:
        """Release the tables."""
        del self._chunks, self._vectors, self._db

    def _open(self, name: str, version: int) -> Any:
        table = self._db.open_table(name)
        if table.version != version:
            table.checkout(version)
            table.restore()
        return table

    def _create_chunks(self) -> Any:
        from lancedb.index import FTS

        from graphrag.stores.lance_schema import chunk_schema

        table = self._create(_CHUNKS, chunk_schema())
        # The index comes before the first row: without one, a search would split text by other rules.
        rules = FTS(
            base_tokenizer="whitespace",
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        table.create_index("tokens", config=rules)
        return table

    def _create(self, name: str, schema: Any) -> Any:
        """Put an empty version on top of an existing table, so that readers of older ones keep them."""
        try:
            return self._db.create_table(name, schema=schema, mode="overwrite")
        except (ValueError, RuntimeError):
            # A damaged table has nothing that a reader could still use.
            shutil.rmtree(self._directory / f"{name}.lance", ignore_errors=True)
            return self._db.create_table(name, schema=schema)

    def _embedded(self) -> set[str]:
        if self._vectors is None:
            return set()
        return set(self._vectors.to_lance().to_table(columns=["id"]).column("id").to_pylist())


class LanceChunkReader:
    """Reads both tables at the versions of one manifest, opened on use; safe to use from several threads.

    Raises:
        StoreError: a table or one of the versions is missing or damaged; from every method.
    """

    def __init__(self, directory: Path, chunks_version: int, vectors_version: int) -> None:
        self._directory = directory
        self._versions = chunks_version, vectors_version
        self._frequencies: dict[str, int] = {}

    @cached_property
    def _chunks(self) -> Any:
        with reading(self._directory):
            return open_dataset(self._directory, _CHUNKS, self._versions[0])

    @cached_property
    def _vectors(self) -> Any:
        with reading(self._directory):
            return open_dataset(self._directory, VECTORS, self._versions[1]) if self._versions[1] else None

    def search_text(self, terms: Sequence[str], limit: int, filters: Filters) -> list[FullTextHit]:
        """Return the chunks that hold any of the terms, best BM25 first; filters apply before the limit."""
        from graphrag.stores.lance_schema import HIT_COLUMNS, by_rank, read_hits

        if not terms or limit < 1:
            return []
        with reading(self._directory):
            table = self._chunks.to_table(
                columns=HIT_COLUMNS,
                full_text_query=_match(terms),
                filter=to_predicate(filters),
                prefilter=True,
                limit=limit,
            )
            return sorted(read_hits(table, terms), key=by_rank)

    def search_substring(self, text: str, limit: int, filters: Filters) -> list[FullTextHit]:
        """Return chunks whose text holds `text` in any case, most occurrences (the `score`) first."""
        from graphrag.stores.lance_schema import by_rank

        needle = text.lower()
        if not needle or limit < 1:
            return []
        found = self._read(both(to_predicate(filters), f"contains(lower(text), {quote(needle)})"))
        hits = [FullTextHit(chunk, float(chunk.text.lower().count(needle)), (text,)) for chunk in found]
        return sorted(hits, key=by_rank)[:limit]

    def search_vectors(self, vector: Vectors, limit: int, filters: Filters) -> list[VectorHit]:
        """Return the nearest chunks by cosine; filters apply before the limit.

        Raises:
            SchemaMismatch: the vector is not as long as those in the table.
        """
        from graphrag.stores.lance_schema import check_dimension

        if self._vectors is None or limit < 1:
            return []
        check_dimension(self._vectors.schema, len(vector))
        query = {"column": "vector", "q": vector, "k": limit, "metric": "cosine", "use_index": False}
        with reading(self._directory):
            table = self._vectors.to_table(
                columns=["id", "_distance"], nearest=query, filter=to_predicate(filters), prefilter=True
            )
            ids, distances = table.column("id").to_pylist(), table.column("_distance").to_pylist()
        hits = [VectorHit(id_, 1.0 - distance) for id_, distance in zip(ids, distances, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk_id))

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return for each term the number of chunks that hold it."""
        with reading(self._directory):
            for term in [term for term in dict.fromkeys(terms) if term not in self._frequencies]:
                self._frequencies[term] = self._chunks.scanner(full_text_query=_match([term])).count_rows()
        return {term: self._frequencies[term] for term in terms}

    def get_chunks(self, ids: Sequence[str], filters: Filters = NO_FILTERS) -> dict[str, Chunk]:
        """Return the chunks of these ids that pass the filters; unknown ids are absent."""
        return {chunk.id: chunk for chunk in self._read(both(to_predicate(filters), one_of("id", ids)))} if ids else {}

    def chunks_of(self, notes: Sequence[str], filters: Filters) -> dict[str, list[Chunk]]:
        """Return every chunk of each note that passes the filters, by ordinal; other notes are absent."""
        found: dict[str, list[Chunk]] = {}
        if notes:
            rows = self._read(both(to_predicate(filters), one_of("note", notes)))
            for chunk in sorted(rows, key=lambda chunk: chunk.ordinal):
                found.setdefault(chunk.note, []).append(chunk)
        return found

    def vectors_of(self, notes: Sequence[str], filters: Filters) -> dict[str, dict[str, Vectors]]:
        """Return each note's vectors by chunk id; what is not embedded yet or kept out by the filters is absent."""
        from graphrag.stores.lance_schema import VECTOR_COLUMNS, read_vectors

        if self._vectors is None or not notes:
            return {}
        condition = both(to_predicate(filters), one_of("note", notes))
        with reading(self._directory):
            return read_vectors(self._vectors.to_table(columns=VECTOR_COLUMNS, filter=condition))

    def count(self, filters: Filters) -> int:
        """Return how many chunks pass the filters."""
        with reading(self._directory):
            return int(self._chunks.count_rows(to_predicate(filters)))

    def check(self) -> None:
        """Open both tables; they are opened on use otherwise."""
        _ = self._chunks, self._vectors

    def _read(self, condition: str) -> list[Chunk]:
        from graphrag.stores.lance_schema import CHUNK_COLUMNS, read_chunks

        with reading(self._directory):
            return list(read_chunks(self._chunks.to_table(columns=CHUNK_COLUMNS, filter=condition)))


def open_dataset(directory: Path, name: str, version: int) -> Any:
    """Open a table at a version, for reading."""
    import lance

    return lance.dataset(str(directory / f"{name}.lance"), version=version)


def _match(terms: Sequence[str]) -> Any:
    """Build a structured query: terms are looked up as they are, nothing in them is an operator."""
    from lance.query import MatchQuery

    return MatchQuery(" ".join(dict.fromkeys(terms)), "tokens")


class LanceWeightReader:
    """Searches the weights at the version of one manifest; safe to use from several threads.

    Raises:
        StoreError: the table or the version is missing or damaged; from every method.
    """

    def __init__(self, directory: Path, vectors_version: int) -> None:
        self._directory = directory
        self._version = vectors_version
        self._lock = Lock()

    @property
    def has_weights(self) -> bool:
        """Whether the table holds any."""
        return self._table is not None

    def search(self, weights: TokenWeights, limit: int, filters: Filters) -> list[WeightHit]:
        """Return the chunks that share tokens with a question, best first; filters apply before the limit."""
        if self._table is None or limit < 1:
            return []
        with self._lock:
            rows = self._rows
        scores = rows.score(weights)
        if not filters.is_empty:
            with reading(self._directory):
                passing = self._table.to_table(columns=["id"], filter=to_predicate(filters)).column("id").to_pylist()
            scores[~np.isin(rows.ids, passing)] = 0.0
        best = np.argsort(-scores, kind="stable")[:limit]
        return [WeightHit(str(rows.ids[row]), float(scores[row])) for row in best if scores[row] > 0]

    @cached_property
    def _table(self) -> Any:
        """The vector table, None without weights in it."""
        if not self._version:
            return None
        from graphrag.stores.lance_schema import TOKENS

        with reading(self._directory):
            dataset = open_dataset(self._directory, VECTORS, self._version)
            return dataset if TOKENS in dataset.schema.names else None

    @cached_property
    def _rows(self) -> "WeightRows":
        from graphrag.stores.lance_schema import TOKENS, WEIGHTS, WeightRows

        with reading(self._directory):
            return WeightRows(self._table.to_table(columns=["id", TOKENS, WEIGHTS]))
