"""Vectors by embedder and text hash in one SQLite file, so that a text is embedded once, wherever it moves.

Never holds text. Vectors are unit vectors on an 8-bit grid (see `quantize`); beside them lie the token weights of an
embedder that gives any.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from graphrag.domain.ports import TokenWeights, Vectors
from graphrag.errors import StoreError
from graphrag.stores.lance_schema import from_steps, to_steps

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (model TEXT, text BLOB, steps BLOB, PRIMARY KEY (model, text)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS weight (model TEXT, text BLOB, tokens BLOB, weights BLOB, PRIMARY KEY (model, text))
    WITHOUT ROWID;
"""
_TOKENS, _WEIGHTS = np.dtype("<i4"), np.dtype("<f2")
_IDS_PER_QUERY = 500
_LOCK_SECONDS = 30.0


class SqliteEmbeddingCache:
    """The cache of one index folder; creates its file.

    Raises:
        StoreError: the file is damaged or cannot be written; it may be deleted at any time.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with self._translated():
            file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(file, timeout=_LOCK_SECONDS, check_same_thread=False)
            self._connection.executescript(_SCHEMA)

    def get(self, model_id: str, texts: Sequence[str]) -> list[Vectors | None]:
        """Return the vector of each text, or None."""
        keys = [_key(text) for text in texts]
        rows = self._rows("SELECT text, steps FROM vector", model_id, keys)
        found = {key: from_steps(np.frombuffer(steps, dtype=np.int8)) for key, steps in rows}
        return [found.get(key) for key in keys]

    def weights(self, model_id: str, texts: Sequence[str]) -> list[TokenWeights | None]:
        """Return the token weights of each text, None where none were kept with its vector."""
        keys = [_key(text) for text in texts]
        rows = self._rows("SELECT text, tokens, weights FROM weight", model_id, keys)
        found = {
            key: TokenWeights(np.frombuffer(tokens, _TOKENS), np.frombuffer(weights, _WEIGHTS))
            for key, tokens, weights in rows
        }
        return [found.get(key) for key in keys]

    def put(
        self, model_id: str, texts: Sequence[str], vectors: Vectors, weights: Sequence[TokenWeights] | None = None
    ) -> None:
        """Keep the vectors of these texts, and their token weights; committed together on return."""
        keys = [_key(text) for text in texts]
        steps = [row.tobytes() for row in to_steps(np.asarray(vectors))]
        kept = [
            (item.tokens.astype(_TOKENS).tobytes(), item.weights.astype(_WEIGHTS).tobytes()) for item in weights or ()
        ]
        with self._translated(), self._connection:
            rows = [(model_id, key, row) for key, row in zip(keys, steps, strict=True)]
            self._connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
            beside = [(model_id, key, *pair) for key, pair in zip(keys, kept, strict=bool(kept))]
            self._connection.executemany("INSERT OR REPLACE INTO weight VALUES (?, ?, ?, ?)", beside)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def _rows(self, select: str, model_id: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
        with self._translated():
            for start in range(0, len(keys), _IDS_PER_QUERY):
                some = keys[start : start + _IDS_PER_QUERY]
                marks = ", ".join("?" * len(some))
                yield from self._connection.execute(
                    f"{select} WHERE model = ? AND text IN ({marks})", (model_id, *some)
                )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            raise StoreError(
                f"{self._file}: the embedding cache cannot be used: {error}. "
                "It is only a cache: delete the file and run `graphrag index` again."
            ) from error


def _key(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
