"""Rows of the text table and of the vector table: their columns, from and to the domain's types."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag.domain.note import Chunk, Note, Span, TextLines
from graphrag.domain.passage_graph import ChunkText
from graphrag.domain.ports import TokenWeights, Vectors
from graphrag.domain.query import FullTextHit, folded_with_parents
from graphrag.domain.snapshot import IndexedNote
from graphrag.errors import SchemaMismatch
from graphrag.stores.lance_conditions import to_day

TOKENS, WEIGHTS = "tokens", "weights"
WEIGHT_FIELDS = (pa.field(TOKENS, pa.list_(pa.int32())), pa.field(WEIGHTS, pa.list_(pa.float16())))


def weight_columns(weights: Sequence[TokenWeights]) -> list[pa.ListArray]:
    """Return both columns, a row for each text."""
    ends = np.cumsum([0, *(len(item.tokens) for item in weights)]).astype(np.int32)
    tokens = np.concatenate([np.empty(0, np.int32), *(item.tokens for item in weights)])
    values = np.concatenate([np.empty(0, np.float16), *(item.weights for item in weights)])
    return [pa.ListArray.from_arrays(pa.array(ends), pa.array(flat)) for flat in (tokens, values)]


def check_weights(schema: pa.Schema, has_weights: bool) -> None:
    """Make sure that vectors come with weights where the table holds them, and without where it holds none.

    Raises:
        SchemaMismatch: they do not.
    """
    held = TOKENS in schema.names
    if held is not has_weights:
        now, before = ("gives", "lacks") if has_weights else ("lacks", "holds")
        raise SchemaMismatch(
            f"the embedder {now} weights of tokens, which the index {before}: another model answers under the same "
            "name now. Delete embeddings.sqlite in the index folder and run: graphrag index --full"
        )


class WeightRows:
    """All weights of a table, flat; equal scores come in the order of the ids."""

    def __init__(self, table: pa.Table) -> None:
        table = table.sort_by("id")
        tokens, weights = (table.column(name).combine_chunks() for name in (TOKENS, WEIGHTS))
        self.ids = np.array(table.column("id").to_pylist())
        self._tokens = tokens.flatten().to_numpy()
        self._weights = weights.flatten().to_numpy()
        lengths = tokens.value_lengths().to_numpy()
        self._places = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def score(self, asked: TokenWeights) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return for each row the sum over the tokens that it shares with a question of both weights' product."""
        size = max(int(self._tokens.max(initial=0)), int(asked.tokens.max(initial=0))) + 1
        worth = np.zeros(size, dtype=np.float32)
        worth[asked.tokens] = asked.weights
        shared = np.flatnonzero(worth[self._tokens])
        products = worth[self._tokens[shared]] * self._weights[shared].astype(np.float32)
        return np.bincount(self._places[shared], products, len(self.ids)).astype(np.float64)


Steps: TypeAlias = NDArray[np.int8]

_MAX_STEP = 127


def to_steps(vectors: Vectors) -> Steps:
    """Return each row scaled so that its largest component is 127 steps; shape kept, zero rows stay zero."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    return np.rint(vectors * (_MAX_STEP / np.where(largest > 0, largest, 1.0))).astype(np.int8)


def from_steps(steps: Steps) -> Vectors:
    """Return the unit vectors; the length that scaling lost is known to be one."""
    return normalize(steps.astype(np.float32))


def normalize(vectors: Vectors) -> Vectors:
    """Return each row with length one; zero rows stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1.0)).astype(np.float32)


CHUNK_COLUMNS = [
    "id",
    "note",
    "title",
    "heading",
    "ordinal",
    "text",
    "start",
    "end",
    "first_line",
    "last_line",
    "source_type",
    "lines",
    "front",
]
HIT_COLUMNS = [*CHUNK_COLUMNS, "tokens", "_score"]
TEXT_COLUMNS = ["id", "note", "heading", "text", "first_line", "last_line", "ordinal"]
VECTOR_COLUMNS = ["note", "id", "vector"]
FILTER_COLUMNS = ["tags", "categories", "types", "changed"]

# Left to itself, the engine packs every value of a column of long strings by itself, which is a sixth larger.
_COMPRESSED = {
    "lance-encoding:structural-encoding": "miniblock",
    "lance-encoding:compression": "zstd",
    "lance-encoding:compression-level": "9",
}
_FILTER_FIELDS = [
    pa.field("tags", pa.list_(pa.string())),
    pa.field("categories", pa.list_(pa.string())),
    pa.field("types", pa.list_(pa.string())),
    pa.field("changed", pa.int32()),
]


def chunk_schema() -> pa.Schema:
    """Return the columns of the text table; `tokens` is what the full-text index reads."""
    return pa.schema(
        [
            pa.field("id", pa.string()),
            pa.field("note", pa.string()),
            pa.field("title", pa.string()),
            pa.field("heading", pa.list_(pa.string())),
            pa.field("ordinal", pa.int32()),
            pa.field("text", pa.string(), metadata=_COMPRESSED),
            pa.field("start", pa.int32()),
            pa.field("end", pa.int32()),
            pa.field("first_line", pa.int32()),
            pa.field("last_line", pa.int32()),
            pa.field("source_type", pa.string()),
            pa.field("lines", pa.list_(pa.int32())),
            pa.field("front", pa.int32()),
            pa.field("tokens", pa.string(), metadata=_COMPRESSED),
            *_FILTER_FIELDS,
        ]
    )


def vector_schema(dimension: int, has_weights: bool = False) -> pa.Schema:
    """Return the columns of the vector table; float16 halves it, and exact search ranks the same."""
    fields = [*_FILTER_FIELDS, pa.field("vector", pa.list_(pa.float16(), dimension))]
    weights = WEIGHT_FIELDS if has_weights else ()
    return pa.schema([pa.field("id", pa.string()), pa.field("note", pa.string()), *fields, *weights])


def check_vectors(schema: pa.Schema, vectors: Vectors, weights: Sequence[TokenWeights] | None) -> None:
    """Make sure that vectors, and weights with them, fit into a vector table; raises SchemaMismatch."""
    check_dimension(schema, vectors.shape[1])
    check_weights(schema, weights is not None)


def check_dimension(schema: pa.Schema, dimension: int) -> None:
    """Make sure that vectors fit into a vector table.

    Raises:
        SchemaMismatch: they are longer or shorter than those in it.
    """
    held = schema.field("vector").type.list_size
    if dimension != held:
        raise SchemaMismatch(
            f"the embedder's vectors have {dimension} numbers, those of the index {held}: another model answers under "
            "the same name now. Name the old one under [embedding], or delete embeddings.sqlite in the index folder "
            "and run: graphrag index --full"
        )


def chunk_rows(notes: Iterable[IndexedNote]) -> pa.Table:
    """Return one row per chunk; of two chunks with one id the first stays."""
    rows: dict[str, dict[str, object]] = {}
    for indexed in notes:
        shared = _filter_values(indexed.note)
        for chunk, tokens in zip(indexed.chunks, indexed.tokens, strict=True):
            rows.setdefault(chunk.id, {**_chunk_values(chunk), "tokens": _sort_terms(tokens), **shared})
    return pa.Table.from_pylist(list(rows.values()), schema=chunk_schema())


def vector_rows(rows: pa.Table, vectors: Vectors, weights: Sequence[TokenWeights] | None = None) -> pa.Table:
    """Return rows of the vector table from `id`, `note` and filter columns, and as many vectors and weights."""
    dimension = vectors.shape[1]
    values = pa.array(from_steps(to_steps(vectors)).astype(np.float16).ravel())
    column = pa.FixedSizeListArray.from_arrays(values, dimension)
    table = rows.select(["id", "note", *FILTER_COLUMNS]).append_column("vector", column)
    if weights is not None:
        for name, values in zip((TOKENS, WEIGHTS), weight_columns(weights), strict=True):
            table = table.append_column(name, values)
    return table.cast(vector_schema(dimension, weights is not None))


def read_chunks(table: pa.Table) -> Iterator[Chunk]:
    """Yield the chunk of each row of a table that has CHUNK_COLUMNS."""
    columns = [table.column(name).to_pylist() for name in CHUNK_COLUMNS]
    for id_, note, title, heading, ordinal, text, *span, source_type, lines, front in zip(*columns, strict=True):
        parts = tuple(TextLines(*part) for part in zip(*[iter(lines)] * 3, strict=True))
        yield Chunk(id_, note, title, tuple(heading), ordinal, text, Span(*span), source_type, parts, front)


def read_hits(table: pa.Table, terms: Iterable[str]) -> Iterator[FullTextHit]:
    """Yield the hit of each row of a table that has HIT_COLUMNS, with those of the terms that it holds."""
    distinct = list(dict.fromkeys(terms))
    scores, tokens = table.column("_score").to_pylist(), table.column("tokens").to_pylist()
    for chunk, score, held in zip(read_chunks(table), scores, tokens, strict=True):
        words = {*held.split(" ")}
        yield FullTextHit(chunk, score, tuple(term for term in distinct if term in words))


def read_texts(table: pa.Table) -> list[ChunkText]:
    """Return the texts of a table that has TEXT_COLUMNS, by note and place."""
    rows = sorted(table.to_pylist(), key=lambda row: (row["note"], row["ordinal"]))
    return [
        ChunkText(row["id"], row["note"], tuple(row["heading"]), row["text"], row["first_line"], row["last_line"])
        for row in rows
    ]


def read_vectors(table: pa.Table) -> dict[str, dict[str, Vectors]]:
    """Return the unit vectors of a table that has VECTOR_COLUMNS, by note and chunk id."""
    values = table.column("vector").combine_chunks()
    rows = values.flatten().to_numpy().astype(np.float32).reshape(-1, values.type.list_size)
    keys = zip(table.column("note").to_pylist(), table.column("id").to_pylist(), strict=True)
    found: dict[str, dict[str, Vectors]] = {}
    for (note, id_), row in zip(keys, normalize(rows), strict=True):
        found.setdefault(note, {})[id_] = row
    return found


def _chunk_values(chunk: Chunk) -> dict[str, object]:
    return {
        "id": chunk.id,
        "note": chunk.note,
        "title": chunk.title,
        "heading": chunk.heading,
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "start": chunk.span.start,
        "end": chunk.span.end,
        "first_line": chunk.span.first_line,
        "last_line": chunk.span.last_line,
        "source_type": chunk.source_type,
        "lines": [number for part in chunk.lines for number in part],
        "front": chunk.front,
    }


def _filter_values(note: Note) -> dict[str, object]:
    types = [value for key, values in note.properties.items() if key.casefold() == "type" for value in values]
    changed: datetime | None = note.updated or note.created
    return {
        "tags": folded_with_parents(note.tags),
        "categories": folded_with_parents((note.category,)),
        "types": [value.strip().casefold() for value in types],
        "changed": to_day(changed.date()) if changed else None,
    }


def _sort_terms(tokens: str) -> str:
    """Order the terms: the index keeps no positions, and sorted text compresses better."""
    return " ".join(sorted(tokens.split()))


def by_rank(hit: FullTextHit) -> tuple[float, str, int]:
    """Return what sorts hits best first, the same ones always in the same order."""
    return -hit.score, hit.chunk.note, hit.chunk.ordinal
