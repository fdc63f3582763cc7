"""BGE-M3 and its kin through FlagEmbedding, dense vectors only; the library and the weights load on the first text."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from graphrag.domain.models import Vectors
from graphrag.errors import ProviderUnavailable
from graphrag.providers.encoder import Encoder, TextTooLong
from graphrag.providers.extras import require
from graphrag.providers.failures import reason_of
from graphrag.providers.flag_model import best_device, import_library, token_window
from graphrag.providers.prefixes import prefixes_of
from graphrag.providers.weights import cannot_load, weights_folder
from graphrag.settings import EmbeddingSettings

DEFAULT_MODEL = "BAAI/bge-m3"


class FlagEmbedder:
    """One model on one device."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._name = settings.model or DEFAULT_MODEL
        prefixes = prefixes_of(self._name, settings.query_prefix, settings.passage_prefix)
        self._encoder = Encoder(f"the model '{self._name}'", self._encode, prefixes, settings.batch_size)
        self.model_id = f"flagembedding:{self._name}:{settings.precision}{prefixes.tag}"

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
        return self._encoder.query(text)

    def _encode(self, texts: list[str]) -> object:
        model, window = self._loaded
        # A token stands for no more than a few characters' worth of input, so short texts need no count.
        if any(len(text) * 4 > window and len(model.tokenizer(text).input_ids) > window for text in texts):
            raise TextTooLong(f"a text is longer than the window of '{self._name}', {window} tokens.")
        try:
            # One more than there are texts: the library shows a progress bar for whole batches.
            return model.encode(texts, batch_size=len(texts) + 1, max_length=window)["dense_vecs"]
        except Exception as error:
            raise ProviderUnavailable(
                f"the model '{self._name}' failed: {reason_of(error)}. "
                "Lower batch_size or change device under [embedding] in graphrag.toml."
            ) from error

    @cached_property
    def _loaded(self) -> tuple[Any, int]:
        """The model and its window in tokens."""
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
        return model, token_window(model.tokenizer, model.model.model.config)
