"""Vectors from any server with OpenAI's `/v1/embeddings`: llama.cpp, vLLM, LM Studio, or a paid one."""

from collections.abc import Sequence

from graphrag.domain.models import Vectors
from graphrag.errors import BadProviderReply
from graphrag.providers.encoder import Encoder, TextTooLong
from graphrag.providers.openai_server import OpenAIServer, PromptTooLong
from graphrag.providers.prefixes import prefixes_of
from graphrag.settings import EmbeddingSettings


class OpenAIEmbedder:
    """One model on one server, on this machine unless a setting allows more.

    Raises:
        ConfigError: the host, the model or the key in the settings cannot be used.
    """

    def __init__(self, settings: EmbeddingSettings) -> None:
        model = settings.model
        prefixes = prefixes_of(model, settings.query_prefix, settings.passage_prefix)
        self._server = OpenAIServer(
            "embedding",
            settings.host,
            model,
            settings.timeout_seconds,
            settings.allow_remote,
            settings.api_key_env,
        )
        self._encoder = Encoder(f"the model '{model}'", self._encode, prefixes, settings.batch_size)
        self.model_id = f"openai:{model}{prefixes.tag}"

    @property
    def dimension(self) -> int:
        """Length of every vector; the server is asked when none was made yet."""
        return self._encoder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension).

        Raises:
            ProviderUnavailable: the server does not answer, refuses the key or lacks the model.
            BadProviderReply: its vectors cannot be used.
        """
        return self._encoder.passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (dimension,); raises what `embed_passages` raises."""
        return self._encoder.query(text)

    def _encode(self, texts: list[str]) -> object:
        server = self._server
        body: dict[str, object] = {"model": server.model, "input": texts, "encoding_format": "float"}
        try:
            reply = server.post("/embeddings", body, texts)
        except PromptTooLong as error:
            raise TextTooLong(str(error)) from error
        try:
            entries = reply["data"]  # type: ignore[index]  # any other form raises
            return [entry["embedding"] for entry in sorted(entries, key=lambda entry: entry["index"])]
        except (LookupError, TypeError) as error:
            raise BadProviderReply(
                f"{server.address.written} did not reply with embeddings. "
                "Check host and model under [embedding]; llama.cpp needs --embeddings."
            ) from error
