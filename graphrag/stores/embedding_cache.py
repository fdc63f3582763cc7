"""Vectors by embedder and text hash in one SQLite file, so that a text is embedded once, wherever it moves.

Never holds text. Vectors are unit vectors on an 8-bit grid (see `quantize`).
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import numpy as np

from graphrag.domain.models import Vectors
from graphrag.errors import StoreError
from graphrag.stores.quantize import from_steps, to_steps

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vector (model TEXT, text BLOB, steps BLOB, PRIMARY KEY (model, text)) WITHOUT ROWID"
)
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
            self._connection.execute(_SCHEMA)

    def get(self, model_id: str, texts: Sequence[str]) -> list[Vectors | None]:
        """Return the vector of each text, or None."""
        keys = [_key(text) for text in texts]
        found: dict[bytes, Vectors] = {}
        with self._translated():
            for start in range(0, len(keys), _IDS_PER_QUERY):
                some = keys[start : start + _IDS_PER_QUERY]
                marks = ", ".join("?" * len(some))
                query = f"SELECT text, steps FROM vector WHERE model = ? AND text IN ({marks})"
                for key, steps in self._connection.execute(query, (model_id, *some)):
                    found[key] = from_steps(np.frombuffer(steps, dtype=np.int8))
        return [found.get(key) for key in keys]

    def put(self, model_id: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of these texts; committed on return."""
        rows = [
            (model_id, _key(text), steps.tobytes())
            for text, steps in zip(texts, to_steps(np.asarray(vectors)), strict=True)
        ]
        with self._translated(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

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
