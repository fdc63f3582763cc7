"""FastEmbed: ONNX models from its catalogue by name; the library and the weights load on the first text."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from graphrag.domain.ports import Vectors
from graphrag.domain.request_course import made_once
from graphrag.errors import ConfigError, ProviderUnavailable
from graphrag.providers.encoder import Encoder, TextTooLong, broken, prefixes_of, require
from graphrag.providers.remote import reason_of
from graphrag.settings import EmbeddingSettings

DEFAULT_MODEL = "BAAI/bge-small-zh-v1.5"
_NEAREST = 5


class FastEmbedder:
    """One model of the catalogue, on the processor."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._name = settings.model or DEFAULT_MODEL
        prefixes = prefixes_of(self._name, settings.query_prefix, settings.passage_prefix)
        source = f"the model '{self._name}'"
        self._encoder = Encoder(source, self._passages, prefixes, settings.batch_size, self._queries)
        self.model_id = f"fastembed:{self._name}{prefixes.tag}"

    @property
    def dimension(self) -> int:
        """Length of every vector; loads the model when no vector was made yet."""
        return self._encoder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension); a text over the window is embedded in parts, averaged.

        Raises:
            MissingExtra: FastEmbed is not installed.
            ConfigError: the catalogue has no model of this name.
            ProviderUnavailable: the weights are not there, or cannot be used.
            BadProviderReply: the vectors cannot be used.
        """
        return self._encoder.passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (dimension,); raises what `embed_passages` raises."""
        return self._encoder.query(text)

    def _passages(self, texts: list[str]) -> object:
        return self._encode(texts, self._model.passage_embed)

    def _queries(self, texts: list[str]) -> object:
        return self._encode(texts, self._model.query_embed)

    def _encode(self, texts: list[str], embed: Callable[..., Iterable[object]]) -> object:
        try:
            # The tokenizer cuts off what does not fit, and keeps it as overflow.
            if any(encoding.overflowing for encoding in self._model.model.tokenizer.encode_batch(texts)):
                raise TextTooLong(f"a text is longer than the window of '{self._name}'.")
            return list(embed(texts, batch_size=len(texts)))
        except TextTooLong:
            raise
        except Exception as error:
            raise ProviderUnavailable(
                f"the model '{self._name}' failed: {reason_of(error)}. Lower batch_size under [embedding]."
            ) from error

    @made_once
    def _model(self) -> Any:
        require("fastembed", "fastembed")
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise broken("fastembed", "fastembed", error) from error
        _check_name(self._name, [known["model"] for known in TextEmbedding.list_supported_models()])
        may_fetch = self._settings.allow_remote
        try:
            return TextEmbedding(self._name, local_files_only=not may_fetch)
        except Exception as error:
            advice = (
                "Check the network, then try again."
                if may_fetch
                else "Set allow_remote = true under [embedding] in graphrag.toml to have them fetched once."
            )
            raise ProviderUnavailable(
                f"the weights of '{self._name}' are not on this machine: {reason_of(error)}. {advice}"
            ) from error


def _check_name(name: str, catalogue: list[str]) -> None:
    by_folded = {known.lower(): known for known in catalogue}
    if name.lower() in by_folded:
        return
    short = {known.rpartition("/")[2]: known for known in by_folded}
    near = get_close_matches(name.lower(), by_folded, _NEAREST, 0.3)
    near = [short[match] for match in get_close_matches(name.lower().rpartition("/")[2], short, _NEAREST, 0.3)] or near
    names = ", ".join(by_folded[match] for match in near)
    raise ConfigError(f"FastEmbed has no model '{name}'. Nearest: {names or ', '.join(catalogue[:_NEAREST])}.")
