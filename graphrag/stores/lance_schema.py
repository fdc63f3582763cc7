"""Rows of the text table and of the vector table: their columns, from and to the domain's types."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import numpy as np
import pyarrow as pa

from graphrag.domain.models import TokenWeights, Vectors
from graphrag.domain.nesting import folded_with_parents
from graphrag.domain.note import Chunk, Note, Span
from graphrag.domain.query import FullTextHit
from graphrag.domain.snapshot import IndexedNote
from graphrag.domain.walk import ChunkText
from graphrag.errors import SchemaMismatch
from graphrag.stores.predicates import to_day
from graphrag.stores.quantize import from_steps, normalize, to_steps
from graphrag.stores.weight_columns import TOKENS, WEIGHT_FIELDS, WEIGHTS, check_weights, weight_columns

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
    for id_, note, title, heading, ordinal, text, start, end, first, last, source_type in zip(*columns, strict=True):
        span = Span(start, end, first, last)
        yield Chunk(id_, note, title, tuple(heading), ordinal, text, span, source_type)


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
