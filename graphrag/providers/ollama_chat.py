"""Ollama's chat API through its own client; the server is reached only on this machine unless a setting allows more."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphrag.errors import BadProviderReply, ConfigError, ProviderError, ProviderUnavailable
from graphrag.settings import AnswerSettings

if TYPE_CHECKING:
    from ollama import Client

_PORT = 11434
_KNOCK_SECONDS = 2.0
_CHECK_SECONDS = 5.0
# Ollama's own default window may be smaller than our prompt, and it cuts off what does not fit without a word.
_WINDOW_RESERVE = 2048
# A Chinese character is about one token; the rest of the reply beyond this is not worth waiting for.
_TOKENS_PER_CHARACTER = 2


@dataclass(frozen=True, slots=True)
class _Address:
    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    @property
    def is_local(self) -> bool:
        """Whether it is this machine's loopback; a name that only looks like an address, 127.example.com, is not."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


class OllamaChat:
    """One model on one server."""

    def __init__(self, settings: AnswerSettings) -> None:
        self._address = _read_address(settings.host)
        if not self._address.is_local and not settings.allow_remote:
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
        try:
            with self._client(_CHECK_SECONDS) as client:
                models = {model.model for model in client.list().models}
        except Exception as error:
            if isinstance(known := self._translate(error, _CHECK_SECONDS), ProviderUnavailable):
                raise known from error
            reason = _first_line(str(error)) or type(error).__name__
            raise ProviderUnavailable(
                f"{self._settings.host} does not answer as Ollama does: {reason}. "
                "Check host under [answer] in graphrag.toml."
            ) from error
        if self._settings.model not in models and f"{self._settings.model}:latest" not in models:
            raise self._missing_model()

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the reply piece by piece.

        Raises:
            ProviderUnavailable: the server does not answer, or the model is not there.
            BadProviderReply: the reply breaks off or is not Ollama's.
        """
        self._knock()
        limit = self._settings.timeout_seconds
        is_done = False
        with self._client(limit) as client:
            reply = self._pieces(client, system, user)
            while not is_done:
                # Only the client's own work stands in the `try`: what the reader of the pieces raises is not ours.
                try:
                    piece, is_done = next(reply, (None, False))
                except Exception as error:
                    raise self._translate(error, limit) from error
                if piece is None:
                    raise BadProviderReply("Ollama's reply broke off before its end. Ask again.")
                if piece:
                    yield piece

    def _pieces(self, client: "Client", system: str, user: str) -> Iterator[tuple[str | None, bool]]:
        """Yield the text of each part of the reply, and whether it is the last one."""
        settings = self._settings
        parts = client.chat(
            model=settings.model,
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

    def _client(self, timeout: float) -> "Client":
        import ollama

        # Neither a proxy of the environment nor a redirect may carry the notes of a local set-up elsewhere.
        is_remote = not self._address.is_local
        return ollama.Client(host=self._address.url, timeout=timeout, follow_redirects=False, trust_env=is_remote)

    def _knock(self) -> None:
        """Raise when nothing listens, before the client's slow import."""
        try:
            socket.create_connection((self._address.host, self._address.port), timeout=_KNOCK_SECONDS).close()
        except (OSError, UnicodeError) as error:
            raise self._silent() from error

    def _translate(self, error: Exception, limit: float) -> ProviderError:
        """Return our exception for one of the client's; a server that is not Ollama makes it raise almost any."""
        import httpx
        import ollama

        if isinstance(error, httpx.TimeoutException):
            return ProviderUnavailable(
                f"Ollama at {self._settings.host} did not answer within {limit:g} s. "
                "Raise timeout_seconds under [answer] in graphrag.toml, or choose a smaller model."
            )
        if isinstance(error, httpx.ConnectError | ConnectionError):
            return self._silent()
        if isinstance(error, ollama.ResponseError):
            return self._explain(error.status_code, error.error)
        reason = _first_line(str(error)) or type(error).__name__
        return BadProviderReply(
            f"{self._settings.host} broke off or did not reply as Ollama does: {reason}. "
            "Ask again, or run: graphrag doctor"
        )

    def _explain(self, status: int, message: str) -> ProviderError:
        if status == 404 and "not found" in message and "model" in message:
            return self._missing_model()
        code = f" {status}" if status > 0 else ""
        return BadProviderReply(f"Ollama answered{code}: {_first_line(message)}. Look into the log of: ollama serve")

    def _silent(self) -> ProviderUnavailable:
        return ProviderUnavailable(f"Ollama does not answer at {self._settings.host}. Start it with: ollama serve")

    def _missing_model(self) -> ProviderUnavailable:
        model = self._settings.model
        return ProviderUnavailable(f"Ollama has no model '{model}'. Get it with: ollama pull {model}")


def _read_address(host: str) -> _Address:
    """Return the parts of an address as the settings give it; scheme, port and path may be missing.

    Raises:
        ConfigError: it is none.
    """
    text = host.strip()
    try:
        bare = f"[{text}]" if ip_address(text).version == 6 else text
    except ValueError:
        bare = text
    try:
        parts = urlsplit(bare if "://" in bare else f"http://{bare}")
        port = parts.port or (443 if parts.scheme == "https" else _PORT)
        if not parts.hostname or parts.scheme not in ("http", "https"):
            raise ValueError(host)
    except ValueError as error:
        raise ConfigError(f"answer.host '{host}' is no address. Write it as http://127.0.0.1:{_PORT}.") from error
    return _Address(parts.scheme, parts.hostname, port, parts.path.rstrip("/"))


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0][:200].rstrip(" .") if lines else ""
