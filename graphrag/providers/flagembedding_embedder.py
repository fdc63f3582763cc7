"""BGE-M3 and its kin through FlagEmbedding: dense vectors, and the weights of tokens where the model has them.

The library and the weights load on the first text. Both kinds come from one reading of a text.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from graphrag.domain.models import TokenWeights, Vectors
from graphrag.domain.once import made_once
from graphrag.errors import ProviderUnavailable
from graphrag.providers.encoder import Encoder, TextTooLong
from graphrag.providers.extras import require
from graphrag.providers.failures import reason_of
from graphrag.providers.flag_model import best_device, import_library, token_window
from graphrag.providers.prefixes import prefixes_of
from graphrag.providers.weights import cannot_load, weights_folder
from graphrag.settings import EmbeddingSettings

DEFAULT_MODEL = "BAAI/bge-m3"
_HEAD = "sparse_linear.pt"  # what turns the model's states into weights; without it the library makes random ones
_KIND = "weights"  # tells its vectors from those that were made and kept without weights

_Read = dict[str, Mapping[str, float]]  # token weights by what was read


class _Loaded(NamedTuple):
    model: Any
    window: int  # tokens
    has_head: bool


class FlagEmbedder:
    """One model on one device."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._name = settings.model or DEFAULT_MODEL
        self._prefixes = prefixes_of(self._name, settings.query_prefix, settings.passage_prefix)
        self._encoder = Encoder(f"the model '{self._name}'", self._encode, self._prefixes, settings.batch_size)
        self._using = Lock()  # the library's tokenizers fail when two threads use one
        self._last: tuple[str, Vectors, TokenWeights | None] | None = None  # a question is asked for both, one by one
        self.model_id = f"flagembedding:{self._name}:{settings.precision}:{_KIND}{self._prefixes.tag}"

    @property
    def dimension(self) -> int:
        """Length of every vector; loads the model when no vector was made yet."""
        return self._encoder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension); a text over the window is embedded in parts, averaged.

        Raises:
            MissingExtra: FlagEmbedding is not installed.
            ProviderUnavailable: the weights are not there, or the device fails.
            BadProviderReply: the vectors cannot be used.
        """
        return self._encoder.passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (dimension,); raises what `embed_passages` raises."""
        return self._read_query(text)[0]

    def embed_and_weigh(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[TokenWeights] | None]:
        """Return the vectors and the token weights, None without them; raises what `embed_passages` raises.

        A token counts for as much as in that part of a text, or that place, where it counts most.
        """
        read: _Read = {}
        vectors = self._encoder.passages(texts, lambda batch: self._encode(batch, read))
        if not self._loaded.has_head:
            return vectors, None
        return vectors, [self._weights(self._prefixes.passage, text, read) for text in texts]

    def weigh_query(self, text: str) -> TokenWeights | None:
        """Return the question's token weights, None without them; raises what `embed_passages` raises."""
        return self._read_query(text)[1]

    def _read_query(self, text: str) -> tuple[Vectors, TokenWeights | None]:
        last = self._last
        if last is None or last[0] != text:
            read: _Read = {}
            vector = self._encoder.query(text, lambda batch: self._encode(batch, read))
            weights = self._weights(self._prefixes.query, text, read) if self._loaded.has_head else None
            self._last = last = (text, vector, weights)
        return last[1], last[2]

    def _weights(self, prefix: str, text: str, read: _Read) -> TokenWeights:
        return _merged(read[part] for part in self._encoder.parts(prefix, text, read))

    def _encode(self, texts: list[str], read: _Read | None = None) -> object:
        with self._using:
            return self._encode_alone(texts, read)

    def _encode_alone(self, texts: list[str], read: _Read | None) -> object:
        model, window, has_head = self._loaded
        # A token stands for no more than a few characters' worth of input, so short texts need no count.
        if any(len(text) * 4 > window and len(model.tokenizer(text).input_ids) > window for text in texts):
            raise TextTooLong(f"a text is longer than the window of '{self._name}', {window} tokens.")
        try:
            # One more than there are texts: the library shows a progress bar for whole batches.
            made = model.encode(texts, batch_size=len(texts) + 1, max_length=window, return_sparse=has_head)
        except Exception as error:
            raise ProviderUnavailable(
                f"the model '{self._name}' failed: {reason_of(error)}. "
                "Lower batch_size or change device under [embedding] in graphrag.toml."
            ) from error
        if read is not None and has_head:
            read.update(zip(texts, made["lexical_weights"], strict=True))
        return made["dense_vecs"]

    @made_once
    def _loaded(self) -> _Loaded:
        """The model, its window, and whether it knows the weights of tokens."""
        require("FlagEmbedding", "flagembedding")
        library = import_library()
        settings = self._settings
        folder = weights_folder(self._name, "embedding", settings.allow_remote)
        try:
            model = library.BGEM3FlagModel(
                folder,
                use_fp16=settings.precision == "fp16",
                use_bf16=settings.precision == "bf16",
                devices=settings.device or best_device(),
            )
        except Exception as error:
            raise cannot_load(self._name, "embedding", error) from error
        window = token_window(model.tokenizer, model.model.model.config)
        return _Loaded(model, window, (Path(folder) / _HEAD).is_file())


def _merged(parts: Iterable[Mapping[str, float]]) -> TokenWeights:
    """Return the weights of all parts of a text, as exact as they are kept; what is nothing then is left out."""
    most: dict[int, float] = {}
    for part in parts:
        for token, weight in part.items():
            most[int(token)] = max(most.get(int(token), 0.0), float(weight))
    tokens = np.array(sorted(most), dtype=np.int32)
    weights = np.array([most[token] for token in tokens.tolist()], dtype=np.float16)
    return TokenWeights(tokens[weights > 0], weights[weights > 0])
