"""Ollama's embedding API: any model that `ollama pull` brings, with the prefixes that it wants."""

from collections.abc import Sequence

from graphrag.domain.models import Vectors
from graphrag.providers.encoder import Encoder, TextTooLong
from graphrag.providers.length import is_about_length
from graphrag.providers.ollama_server import OllamaServer
from graphrag.providers.prefixes import prefixes_of
from graphrag.settings import EmbeddingSettings

DEFAULT_MODEL = "bge-m3"


class OllamaEmbedder:
    """One model on one server, on this machine unless a setting allows more.

    Raises:
        ConfigError: the host is no address, or another machine without permission.
    """

    def __init__(self, settings: EmbeddingSettings) -> None:
        model = settings.model or DEFAULT_MODEL
        prefixes = prefixes_of(model, settings.query_prefix, settings.passage_prefix)
        self._server = OllamaServer("embedding", settings.host, model, settings.timeout_seconds, settings.allow_remote)
        self._encoder = Encoder(f"Ollama's model '{model}'", self._encode, prefixes, settings.batch_size)
        self.model_id = f"ollama:{model}{prefixes.tag}"

    @property
    def dimension(self) -> int:
        """Length of every vector; the server is asked when none was made yet."""
        return self._encoder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension).

        Raises:
            ProviderUnavailable: the server does not answer, or the model is not there.
            BadProviderReply: its vectors cannot be used.
        """
        return self._encoder.passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (dimension,); raises what `embed_passages` raises."""
        return self._encoder.query(text)

    def _encode(self, texts: list[str]) -> object:
        server = self._server
        server.knock()
        server.address.log_sent(texts)
        try:
            # Without `truncate`, what does not fit would be cut off without a word.
            return server.kept_client.embed(model=server.model, input=texts, truncate=False).embeddings
        except Exception as error:
            known = server.translate(error)
            raise TextTooLong(str(known)) if is_about_length(str(known)) else known from error
