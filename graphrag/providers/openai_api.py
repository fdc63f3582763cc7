"""A server with OpenAI's API (llama.cpp, vLLM, LM Studio, a paid one): requests, streams, failures as our errors."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphrag.domain.ports import Vectors
from graphrag.domain.request_course import present_course
from graphrag.errors import BadProviderReply, ConfigError, ModelMissing, ProviderError, ProviderUnavailable
from graphrag.providers.encoder import Encoder, TextTooLong, is_about_length, prefixes_of
from graphrag.providers.remote import (
    Address,
    first_line,
    interruptible,
    message_in,
    message_of,
    read_address,
    reason_of,
)
from graphrag.settings import AnswerSettings, EmbeddingSettings

if TYPE_CHECKING:
    import httpx


DEFAULT_HOST = "http://127.0.0.1:8080"
_CHECK_SECONDS = 5.0
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAMES_SHOWN = 5
_REFUSED = (401, 403)
_NOT_NOW = (429, 503)  # too many requests, or the quota is used up; the model is still loading
_NO_MODEL = re.compile(
    r"model\b.*\b(?:not (?:found|exist|loaded)|does(?: not|n't) exist)|no models? loaded", re.IGNORECASE | re.DOTALL
)


class PromptTooLong(BadProviderReply):
    """What was sent is longer than the model's window."""


class OpenAIServer:
    """One model on one server; `section` names the part of the settings that a message sends the user to.

    Raises:
        ConfigError: the host is no address, or another machine without permission; no model is named; the variable of
            the environment that should hold the key is not set.
    """

    def __init__(self, section: str, host: str, model: str, limit: float, allow_remote: bool, api_key_env: str) -> None:
        self.address: Address = read_address(section, host, DEFAULT_HOST, allow_remote)
        if not model:
            raise ConfigError(
                f"an openai server needs the name of a model. Set model under [{section}] in graphrag.toml "
                f"to one of those that {self._base}/models lists."
            )
        self.model = model
        self._section = section
        self._limit = limit
        self._key_env = api_key_env
        self._key = _read_key(section, api_key_env)

    def check(self) -> None:
        """Make sure that the server answers and has the model.

        Raises:
            ProviderUnavailable: it does not; the message says what to do.
        """
        try:
            with self._request("GET", "/models", None, (), _CHECK_SECONDS) as response:
                reply = self._read_json(response)
            models = _model_names(reply)
        except ProviderUnavailable:
            raise
        except (ProviderError, LookupError, TypeError) as error:
            raise ProviderUnavailable(
                f"{self.address.written} does not list its models as an OpenAI server does: {reason_of(error)}. "
                f"Check host under [{self._section}] in graphrag.toml."
            ) from error
        if self.model not in models:
            names = ", ".join(sorted(models)[:_NAMES_SHOWN]) or "none"
            raise ModelMissing(
                f"{self.address.written} has no model '{self.model}'; it has: {names}. "
                f"Change model under [{self._section}] in graphrag.toml."
            )

    def post(self, path: str, body: dict[str, object], texts: Sequence[str]) -> object:
        """Send a request and return the reply's JSON; `texts` are what of the user's the body holds.

        Raises:
            ProviderUnavailable: the server does not answer, refuses the key or lacks the model.
            PromptTooLong: the model's window is too small.
            BadProviderReply: any other failure.
        """
        with self._request("POST", path, body, texts, self._limit) as response:
            return self._read_json(response)

    def stream(self, path: str, body: dict[str, object], texts: Sequence[str]) -> Iterator[object]:
        """Send a request and yield the JSON of each server-sent event, and None for the end that the server states.

        Raises:
            ProviderError: as `post`, also in the middle of the reply.
        """
        with self._request("POST", path, body, texts, self._limit) as response:
            kind = response.headers.get("content-type", "")
            if "event-stream" not in kind:
                raise self._bad(f"it sent {kind or 'no type'} in the place of a stream")
            for line in self._lines(response):
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if value == "[DONE]":
                    yield None
                    return
                if field in ("data", "error"):
                    yield self._event(field, value)

    def _event(self, field: str, value: str) -> object:
        try:
            event: object = json.loads(value)
        except ValueError as error:
            raise self._bad(reason_of(error)) from error
        failure = event if field == "error" else event.get("error") if isinstance(event, dict) else None
        if failure:
            raise self._explain(200, message_of({"error": failure}) or value)
        return event

    def _lines(self, response: "httpx.Response") -> Iterator[str]:
        """Yield the lines of a stream; the client's own lines would also end at U+2028, which JSON may hold."""
        parts, rest = response.iter_bytes(), b""
        while True:
            # Only the client's own work stands in the `try`: what the reader of the lines raises is not ours.
            try:
                part = next(parts, None)
                *lines, rest = (rest + (part or b"\n")).split(b"\n")
                texts = [line.decode("utf-8").rstrip("\r") for line in lines]
            except Exception as error:
                raise self._translate(error, self._limit) from error
            yield from texts
            if part is None:
                return

    @contextmanager
    def _request(
        self, method: str, path: str, body: dict[str, object] | None, texts: Sequence[str], limit: float
    ) -> Iterator["httpx.Response"]:
        """Open a reply whose status is good."""
        if not self.address.knock():
            raise self._silent()
        if texts:
            self.address.log_sent(texts)
        import httpx

        # Neither a proxy of the environment nor a redirect may carry the notes of a local set-up elsewhere.
        is_remote = not self.address.is_local
        hooks = interruptible()
        with httpx.Client(timeout=limit, follow_redirects=False, trust_env=is_remote, event_hooks=hooks) as client:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            request = client.build_request(method, self._base + path, json=body, headers=headers)
            try:
                response = client.send(request, stream=True)
                if response.status_code != httpx.codes.OK:
                    response.read()
            except Exception as error:
                raise self._translate(error, limit) from error
            try:
                if response.status_code != httpx.codes.OK:
                    raise self._explain(response.status_code, message_in(response.text))
                yield response
            finally:
                response.close()

    def _read_json(self, response: "httpx.Response") -> object:
        try:
            response.read()
            return response.json()
        except Exception as error:
            raise self._translate(error, self._limit) from error

    @property
    def _base(self) -> str:
        url = self.address.url
        return url if url.endswith("/v1") else f"{url}/v1"

    def _translate(self, error: Exception, limit: float) -> ProviderError:
        """Return our exception for one of the client's; a server of another kind makes it raise almost any.

        Raises:
            Stopped: the request was broken off on purpose.
        """
        present_course().check()
        import httpx

        if isinstance(error, httpx.TimeoutException):
            return ProviderUnavailable(
                f"{self.address.written} did not answer within {limit:g} s. "
                f"Raise timeout_seconds under [{self._section}] in graphrag.toml, or choose a smaller model."
            )
        if isinstance(error, httpx.ConnectError):
            return self._silent()
        return self._bad(reason_of(error))

    def _explain(self, status: int, message: str) -> ProviderError:
        """Return the exception for a failure that the server reports."""
        where, text = self.address.written, first_line(message) or "without a word"
        if is_about_length(message):
            return PromptTooLong(
                f"the model's window is too small: {text}. Start the server with a larger one "
                "(llama.cpp: -c, vLLM: --max-model-len, LM Studio: context length), or send less."
            )
        if status in _REFUSED:
            name = self._key_env or "a variable of the environment, named by api_key_env"
            advice = f"Put a valid key into {name} (api_key_env under [{self._section}] in graphrag.toml)."
            return ProviderUnavailable(f"{where} refuses the key ({status}). {advice}")
        if status in (400, 404) and _NO_MODEL.search(message):
            return ModelMissing(
                f"{where} has no model '{self.model}': {text}. "
                f"Change model under [{self._section}], or load it there. Its models: {self._base}/models"
            )
        if status in _NOT_NOW:
            return ProviderUnavailable(f"{where} cannot answer now ({status}): {text}. Try again later.")
        code = f" {status}" if status != 200 else ""
        return BadProviderReply(f"{where} answered{code}: {text}. Look into the server's log.")

    def _bad(self, reason: str) -> BadProviderReply:
        return BadProviderReply(
            f"{self.address.written} broke off or did not reply as an OpenAI server does: {reason}. "
            "Ask again, or run: graphrag doctor"
        )

    def _silent(self) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"no server answers at {self.address.written}. Start it (for llama.cpp: llama-server -m MODEL.gguf), "
            f"or change host under [{self._section}] in graphrag.toml."
        )


def _read_key(section: str, name: str) -> str:
    if name and not _VARIABLE.fullmatch(name):  # it may be a key, put where only its name belongs
        raise ConfigError(
            f"api_key_env under [{section}] is to name a variable of the environment, like OPENAI_API_KEY."
        )
    key = os.environ.get(name, "").strip() if name else ""
    if name and not key:
        raise ConfigError(f"api_key_env under [{section}] names {name}, which is not set. Run: export {name}=…")
    return key


def _model_names(reply: object) -> set[str]:
    """Return the ids of `/v1/models`; raises a LookupError or TypeError for any other form."""
    if not isinstance(reply, dict):
        raise TypeError("the list is no object")
    return {str(model["id"]) for model in reply["data"]}


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
