"""Token weights of an embedder that gives them, as two columns of the vector table, and read as flat arrays.

A row of that table is written, deleted and versioned as a whole, so weights share whatever becomes of their vector.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from graphrag.domain.models import TokenWeights
from graphrag.errors import SchemaMismatch

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
