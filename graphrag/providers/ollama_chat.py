"""Ollama's chat API through its own client; the server is reached only on this machine unless a setting allows more."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.errors import BadProviderReply
from graphrag.providers.ollama_server import OllamaServer
from graphrag.settings import AnswerSettings

if TYPE_CHECKING:
    from ollama import Client

DEFAULT_MODEL = "qwen2.5:7b"
# Ollama's own default window may be smaller than our prompt, and it cuts off what does not fit without a word.
_WINDOW_RESERVE = 2048
# A Chinese character is about one token; the rest of the reply beyond this is not worth waiting for.
_TOKENS_PER_CHARACTER = 2


class OllamaChat:
    """One model on one server."""

    def __init__(self, settings: AnswerSettings) -> None:
        model = settings.model or DEFAULT_MODEL
        self._server = OllamaServer("answer", settings.host, model, settings.timeout_seconds, settings.allow_remote)
        self._settings = settings

    @property
    def model_id(self) -> str:
        """Return `ollama:` and the model's name."""
        return f"ollama:{self._server.model}"

    def check(self) -> None:
        """Make sure that the server answers and has the model."""
        self._server.check()

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the reply piece by piece.

        Raises:
            ProviderUnavailable: the server does not answer, or the model is not there.
            BadProviderReply: the reply breaks off or is not Ollama's.
        """
        self._server.knock()
        self._server.address.log_sent((system, user))
        is_done = False
        with self._server.client() as client:
            reply = self._pieces(client, system, user)
            while not is_done:
                # Only the client's own work stands in the `try`: what the reader of the pieces raises is not ours.
                try:
                    piece, is_done = next(reply, (None, False))
                except Exception as error:
                    raise self._server.translate(error) from error
                if piece is None:
                    raise BadProviderReply("Ollama's reply broke off before its end. Ask again.")
                if piece:
                    yield piece

    def _pieces(self, client: "Client", system: str, user: str) -> Iterator[tuple[str | None, bool]]:
        """Yield the text of each part of the reply, and whether it is the last one."""
        settings = self._settings
        parts = client.chat(
            model=self._server.model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            stream=True,
            options={
                "temperature": settings.temperature,
                "num_ctx": 2 * settings.token_budget + _WINDOW_RESERVE,
                "num_predict": _TOKENS_PER_CHARACTER * settings.max_characters,
            },
        )
        for part in parts:
            yield part.message.content or "", bool(part.done)
