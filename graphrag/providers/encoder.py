"""What embedders share: texts made fit, batches by length, texts that are too long, and replies that are checked.

An embedder gives a function that turns a few texts into rows of numbers; everything around it happens here.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.models import Vectors
from graphrag.errors import BadProviderReply
from graphrag.providers.prefixes import Prefixes

_BLANK = "."  # in the place of a text without a character, which some servers refuse
_SHORTEST = 16  # characters; a text that is too long at this length is not what the server minds
_PROBE = "你好"
Encode = Callable[[list[str]], object]


class TextTooLong(BadProviderReply):
    """A text, or a batch of them, is longer than the model's window."""


def fit(text: str) -> str:
    """Return a text without what C strings and UTF-8 cannot carry: NUL ends a text there, lone surrogates fail."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _prefixed(prefix: str, text: str) -> str:
    return prefix + (text if text.strip() else _BLANK)


@dataclass
class Encoder:
    """Turns texts into unit vectors by `encode`, which gets a few texts at a time and returns a row for each.

    `encode` may raise TextTooLong; then fewer texts are tried, and in the end halves of one, their vectors averaged.
    `source` names the model in messages; `encode_query` is for a model that reads questions in another way.
    """

    source: str
    encode: Encode
    prefixes: Prefixes
    batch_size: int
    encode_query: Encode | None = None
    _dimension: int = field(default=0, init=False)

    @property
    def dimension(self) -> int:
        """Length of every vector; asks for one when none was made yet."""
        if not self._dimension:
            self.query(_PROBE)
        return self._dimension

    def passages(self, texts: Sequence[str], encode: Encode | None = None) -> Vectors:
        """Return unit vectors in the order of the texts, shape (len(texts), dimension); no texts ask for nothing.

        `encode` takes the place of the encoder's own, for who wants to see what is read.

        Raises:
            BadProviderReply: the rows are not as many, not of one length, or no numbers that a cosine can use.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        batches = [order[start : start + self.batch_size] for start in range(0, len(order), self.batch_size)]
        prefix = self.prefixes.passage
        read = encode or self.encode
        rows = [self._rows(read, prefix, [fit(texts[position]) for position in batch]) for batch in batches]
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        vectors[order] = np.concatenate(rows)
        return vectors

    def query(self, text: str, encode: Encode | None = None) -> Vectors:
        """Return the unit vector of a question, shape (dimension,); `encode` as for passages."""
        read = encode or self.encode_query or self.encode
        vector: Vectors = self._rows(read, self.prefixes.query, [fit(text)])[0]
        return vector

    def parts(self, prefix: str, text: str, read: Container[str]) -> Iterator[str]:
        """Yield what was read of a text, in its order: all of it, or the parts that it was cut into."""
        whole = _prefixed(prefix, fit(text))
        if whole in read:
            yield whole
        elif len(text) > 1:
            middle = len(text) // 2
            yield from self.parts(prefix, text[:middle], read)
            yield from self.parts(prefix, text[middle:], read)

    def _rows(self, encode: Encode, prefix: str, texts: list[str]) -> Vectors:
        try:
            return self._checked(encode([_prefixed(prefix, text) for text in texts]), len(texts))
        except TextTooLong:
            if len(texts) == 1 and len(texts[0]) <= _SHORTEST:
                raise
        if len(texts) == 1:
            middle = len(texts[0]) // 2
            halves = self._rows(encode, prefix, [texts[0][:middle], texts[0][middle:]])
            return self._unit(halves.mean(axis=0, keepdims=True, dtype=np.float64))
        middle = len(texts) // 2
        return np.concatenate([self._rows(encode, prefix, part) for part in (texts[:middle], texts[middle:])])

    def _checked(self, reply: object, count: int) -> Vectors:
        try:
            rows = np.asarray(reply, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._bad("its vectors are not lists of numbers of one length") from error
        if rows.ndim != 2 or not rows.shape[1]:
            raise self._bad("its vectors are not lists of numbers of one length")
        if len(rows) != count:
            raise self._bad(f"it gave {len(rows)} vectors for {count} texts")
        if self._dimension and rows.shape[1] != self._dimension:
            raise self._bad(f"it gave vectors of {rows.shape[1]} numbers after such of {self._dimension}")
        vectors = self._unit(rows)
        self._dimension = rows.shape[1]
        return vectors

    def _unit(self, rows: NDArray[np.float64]) -> Vectors:
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise self._bad("a vector holds what is no number (NaN or infinite)")
        if not lengths.all():
            raise self._bad("a vector holds only zeros")
        vectors: Vectors = (rows / lengths).astype(np.float32)
        return vectors

    def _bad(self, reason: str) -> BadProviderReply:
        return BadProviderReply(f"{self.source} cannot be used: {reason}. Choose another model under [embedding].")
