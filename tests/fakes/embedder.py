"""An embedder without a model: texts that share character pairs come out similar."""

import hashlib
from collections.abc import Sequence

import numpy as np

from graphrag.domain.ports import TokenWeights, Vectors

_DIMENSION = 64


class HashingEmbedder:
    """Hashes character pairs into 64 components; `embedded` counts the passages it was given."""

    model_id = "hashing-64"
    dimension = _DIMENSION

    def __init__(self) -> None:
        self.embedded = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        rows = [_embed(text) for text in texts]
        return np.stack(rows) if rows else np.empty((0, _DIMENSION), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return _embed(text)


class WeighingEmbedder(HashingEmbedder):
    """Weighs characters as well: a token is a character's number, and counts for more the rarer it is in a text."""

    model_id = "weighing-64"

    def embed_and_weigh(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[TokenWeights] | None]:
        return self.embed_passages(texts), [weigh(text) for text in texts]

    def weigh_query(self, text: str) -> TokenWeights | None:
        return weigh(text)


def weigh(text: str) -> TokenWeights:
    """Return the weights of a text's characters, white space left out."""
    tokens = sorted({ord(character) for character in text.casefold() if not character.isspace()})
    weights = [1 / text.casefold().count(chr(token)) for token in tokens]
    return TokenWeights(np.array(tokens, dtype=np.int32), np.array(weights, dtype=np.float16))


def _embed(text: str) -> Vectors:
    vector = np.zeros(_DIMENSION, dtype=np.float32)
    folded = f" {text.casefold()} "
    for start in range(len(folded) - 1):
        digest = hashlib.blake2b(folded[start : start + 2].encode("utf-8", "replace"), digest_size=4).digest()
        vector[int.from_bytes(digest[:2], "big") % _DIMENSION] += 1.0 if digest[2] % 2 else -1.0
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        vector[0] = length = 1.0
    return vector / np.float32(length)
