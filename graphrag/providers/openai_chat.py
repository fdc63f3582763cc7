"""Answers from any server with OpenAI's `/v1/chat/completions`, streamed: llama.cpp, vLLM, LM Studio, or a paid one."""

from collections.abc import Iterator

from graphrag.errors import BadProviderReply
from graphrag.providers.openai_server import OpenAIServer, PromptTooLong
from graphrag.settings import AnswerSettings

# A Chinese character is about one token; the rest of the reply beyond this is not worth waiting for.
_TOKENS_PER_CHARACTER = 2


class OpenAIChat:
    """One model on one server, on this machine unless a setting allows more.

    Raises:
        ConfigError: the host, the model or the key in the settings cannot be used.
    """

    def __init__(self, settings: AnswerSettings) -> None:
        self._server = OpenAIServer(
            "answer",
            settings.host,
            settings.model,
            settings.timeout_seconds,
            settings.allow_remote,
            settings.api_key_env,
        )
        self._settings = settings

    @property
    def model_id(self) -> str:
        """Return `openai:` and the model's name."""
        return f"openai:{self._server.model}"

    def check(self) -> None:
        """Make sure that the server answers and has the model."""
        self._server.check()

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the reply piece by piece.

        Raises:
            ProviderUnavailable: the server does not answer, refuses the key or lacks the model.
            BadProviderReply: the prompt is too long for the model, or the reply breaks off or has another form.
        """
        is_done = False
        try:
            for event in self._server.stream("/chat/completions", self._body(system, user), (system, user)):
                piece, is_last = _read_event(event, self._server.address.written)
                is_done = is_done or is_last
                if piece:
                    yield piece
        except PromptTooLong as error:
            raise PromptTooLong(f"{error} A lower token_budget under [answer] in graphrag.toml does that.") from error
        if not is_done:
            raise BadProviderReply(f"the reply of {self._server.address.written} broke off before its end. Ask again.")

    def _body(self, system: str, user: str) -> dict[str, object]:
        settings = self._settings
        return {
            "model": self._server.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "stream": True,
            "temperature": settings.temperature,
            "max_tokens": _TOKENS_PER_CHARACTER * settings.max_characters,
        }


def _read_event(event: object, source: str) -> tuple[str, bool]:
    """Return an event's text, and whether the reply ends with it; one without choices, as of usage, says nothing.

    None is the end that the server states.

    Raises:
        BadProviderReply: it has another form.
    """
    if event is None:
        return "", True
    try:
        choices = event["choices"]  # type: ignore[index]  # any other form raises
        if not choices:
            return "", False
        piece = choices[0].get("delta", {}).get("content") or ""
        if not isinstance(piece, str):
            raise TypeError("a piece of text is none")
        return piece, choices[0].get("finish_reason") is not None
    except (LookupError, TypeError, AttributeError) as error:
        raise BadProviderReply(
            f"{source} did not reply as an OpenAI server does. Ask again, or run: graphrag doctor"
        ) from error
