"""One Ollama server through its own client: reached, asked for its models, its failures as our errors."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from graphrag.domain.course import present_course
from graphrag.errors import BadProviderReply, ModelMissing, ProviderError, ProviderUnavailable
from graphrag.providers.address import Address, read_address
from graphrag.providers.failures import first_line, message_in, reason_of
from graphrag.providers.interrupt import interruptible

if TYPE_CHECKING:
    from ollama import Client

DEFAULT_HOST = "http://127.0.0.1:11434"
_CHECK_SECONDS = 5.0
_REFUSED = (401, 403)
_NOT_NOW = (429, 503)  # too many requests wait


class OllamaServer:
    """One model on one server; `section` names the part of the settings that a message sends the user to.

    Raises:
        ConfigError: the host is no address, or another machine, and the section does not allow that.
    """

    def __init__(self, section: str, host: str, model: str, limit: float, allow_remote: bool) -> None:
        self.address: Address = read_address(section, host, DEFAULT_HOST, allow_remote)
        self.model = model
        self._section = section
        self._limit = limit

    def check(self) -> None:
        """Make sure that the server answers and has the model.

        Raises:
            ProviderUnavailable: it does not; the message says what to do.
        """
        self.knock()
        try:
            with self.client(_CHECK_SECONDS) as client:
                models = {model.model for model in client.list().models}
        except Exception as error:
            if isinstance(known := self.translate(error, _CHECK_SECONDS), ProviderUnavailable):
                raise known from error
            raise ProviderUnavailable(
                f"{self.address.written} does not answer as Ollama does: {_reason_of(error)}. "
                f"Check host under [{self._section}] in graphrag.toml."
            ) from error
        if self.model not in models and f"{self.model}:latest" not in models:
            raise self._missing_model()

    def knock(self) -> None:
        """Raise when nothing listens, before the client's slow import."""
        if not self.address.knock():
            raise self._silent()

    def client(self, limit: float | None = None) -> "Client":
        """Return a client that gives up after a silence of so many seconds, else of the settings'.

        It is for the present request alone: it ends with it.
        """
        return self._client(limit, event_hooks=interruptible())

    def _client(self, limit: float | None = None, **options: Any) -> "Client":
        import ollama

        # Neither a proxy of the environment nor a redirect may carry the notes of a local set-up elsewhere.
        is_remote = not self.address.is_local
        return ollama.Client(
            host=self.address.url,
            timeout=limit or self._limit,
            follow_redirects=False,
            trust_env=is_remote,
            **options,
        )

    @cached_property
    def kept_client(self) -> "Client":
        """A client for many small requests: making one takes longer than a request."""
        return self._client()

    def translate(self, error: Exception, limit: float | None = None) -> ProviderError:
        """Return our exception for one of the client's; a server that is not Ollama makes it raise almost any.

        Raises:
            Stopped: the request was broken off on purpose.
        """
        present_course().check()
        import httpx

        if isinstance(error, httpx.TimeoutException):
            return ProviderUnavailable(
                f"Ollama at {self.address.written} did not answer within {limit or self._limit:g} s. "
                f"Raise timeout_seconds under [{self._section}] in graphrag.toml, or choose a smaller model."
            )
        if isinstance(error, httpx.ConnectError | ConnectionError):
            return self._silent()
        if failure := _failure_in(error):
            return self._explain(*failure)
        return BadProviderReply(
            f"{self.address.written} broke off or did not reply as Ollama does: {_reason_of(error)}. "
            "Ask again, or run: graphrag doctor"
        )

    def _explain(self, status: int, message: str) -> ProviderError:
        where, text = self.address.written, first_line(message) or "without a word"
        if status == 404 and "not found" in message and "model" in message:
            return self._missing_model()
        if status in _REFUSED:
            return ProviderUnavailable(
                f"{where} refuses the request ({status}): {text}. Ollama wants no key: "
                f"check host under [{self._section}] in graphrag.toml."
            )
        if status in _NOT_NOW:
            return ProviderUnavailable(f"{where} cannot answer now ({status}): {text}. Try again later.")
        code = f" {status}" if status > 0 else ""
        return BadProviderReply(f"Ollama answered{code}: {text}. Look into the log of: ollama serve")

    def _silent(self) -> ProviderUnavailable:
        return ProviderUnavailable(f"Ollama does not answer at {self.address.written}. Start it with: ollama serve")

    def _missing_model(self) -> ModelMissing:
        return ModelMissing(f"Ollama has no model '{self.model}'. Get it with: ollama pull {self.model}")


def _failure_in(error: Exception) -> tuple[int, str] | None:
    """Return the status and the words of a failure that the server told; without a status, -1."""
    import httpx
    import ollama

    # The client reads a body as text or {"error": text}; over other JSON it fails itself while it handles the refusal.
    refusal = error.__context__
    if isinstance(refusal, httpx.HTTPStatusError):
        return refusal.response.status_code, message_in(refusal.response.text)
    if isinstance(error, ollama.ResponseError):
        return error.status_code, str(error.error)
    return None


def _reason_of(error: Exception) -> str:
    """Return why a reply cannot be used; what the client trips over in one of another form tells a reader nothing."""
    import httpx

    if failure := _failure_in(error):
        status, message = failure
        return first_line(f"{status}: {message}" if status > 0 else message)
    return reason_of(error) if isinstance(error, httpx.HTTPError) else "the reply has another form"
