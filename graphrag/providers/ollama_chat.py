"""Ollama's chat API through its own client; the server is reached only on this machine unless a setting allows more."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from graphrag.errors import BadProviderReply, ConfigError, ProviderUnavailable
from graphrag.settings import AnswerSettings

_PORT = 11434
_KNOCK_SECONDS = 2.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class OllamaChat:
    """One model on one server."""

    def __init__(self, settings: AnswerSettings) -> None:
        address = urlsplit(settings.host if "//" in settings.host else f"//{settings.host}")
        host = address.hostname or ""
        self._address = (host, address.port or (443 if address.scheme == "https" else _PORT))
        if host not in _LOOPBACK and not host.startswith("127.") and not settings.allow_remote:
            raise ConfigError(
                f"answer.host {settings.host} is not this machine: your notes would leave it. "
                "Set allow_remote = true under [answer] in graphrag.toml to allow that."
            )
        self._settings = settings

    @property
    def model_id(self) -> str:
        """Return `ollama:` and the model's name."""
        return f"ollama:{self._settings.model}"

    def check(self) -> None:
        """Make sure that the server answers and has the model."""
        self._knock()
        import httpx
        import ollama

        try:
            models = {model.model for model in ollama.Client(host=self._settings.host, timeout=5).list().models}
        except (httpx.HTTPError, ollama.ResponseError, ValueError) as error:
            raise ProviderUnavailable(f"{self._settings.host} does not answer as Ollama does: {error}") from error
        if self._settings.model not in models and f"{self._settings.model}:latest" not in models:
            raise self._missing_model()

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the reply piece by piece.

        Raises:
            ProviderUnavailable: the server does not answer, or the model is not there.
            BadProviderReply: the reply breaks off or is not Ollama's.
        """
        self._knock()
        import httpx
        import ollama

        client = ollama.Client(host=self._settings.host, timeout=self._settings.timeout_seconds)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        options = {"temperature": self._settings.temperature}
        is_done = False
        try:
            for part in client.chat(model=self._settings.model, messages=messages, stream=True, options=options):
                if piece := part.message.content:
                    yield piece
                is_done = is_done or bool(part.done)
        except ollama.ResponseError as error:
            raise self._explain(error.status_code, error.error) from error
        except httpx.TimeoutException as error:
            limit = self._settings.timeout_seconds
            raise ProviderUnavailable(
                f"Ollama at {self._settings.host} did not answer within {limit:g} s. "
                "Raise timeout_seconds under [answer] in graphrag.toml."
            ) from error
        except (httpx.ConnectError, ConnectionError) as error:
            raise self._silent() from error
        except (httpx.HTTPError, ValueError) as error:
            raise BadProviderReply(f"Ollama's reply broke off: {error or type(error).__name__}. Ask again.") from error
        if not is_done:
            raise BadProviderReply("Ollama's reply broke off before its end. Ask again.")

    def _knock(self) -> None:
        """Raise when nothing listens, before the client's slow import."""
        try:
            socket.create_connection(self._address, timeout=_KNOCK_SECONDS).close()
        except OSError as error:
            raise self._silent() from error

    def _explain(self, status: int, message: str) -> ProviderUnavailable | BadProviderReply:
        if status == 404:
            return self._missing_model()
        return BadProviderReply(f"Ollama answered {status}: {message.strip().splitlines()[0] if message else ''}")

    def _silent(self) -> ProviderUnavailable:
        return ProviderUnavailable(f"Ollama does not answer at {self._settings.host}. Start it with: ollama serve")

    def _missing_model(self) -> ProviderUnavailable:
        model = self._settings.model
        return ProviderUnavailable(f"Ollama has no model '{model}'. Get it with: ollama pull {model}")
