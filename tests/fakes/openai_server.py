"""The used part of OpenAI's API on loopback, as llama.cpp and vLLM serve it, and the ways in which a server fails."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any

from tests.fakes.model_server import ModelHandler, ModelServer
from tests.fakes.served_vectors import make_vectors

MODEL = "qwen2.5-7b-instruct"
_TOO_LONG = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."


class Mood(StrEnum):
    """What the server does with a request."""

    ANSWER = "answer"
    NO_DONE = "no_done"  # a whole reply with its reason to finish, and no `[DONE]`
    ONLY_DONE = "only_done"  # a whole reply and `[DONE]`, without a reason to finish
    STALL = "stall"  # takes the request and says nothing
    STALL_MIDWAY = "stall_midway"  # half of the pieces, then nothing
    BREAK_OFF = "break_off"  # half of the pieces, then the connection closes inside a chunk
    STOP_SHORT = "stop_short"  # half of the pieces, then a clean end
    GARBAGE = "garbage"  # an event that is not JSON
    LIST = "list"  # JSON, and not an object
    WRONG_TYPES = "wrong_types"
    NOT_UTF8 = "not_utf8"
    ERROR_EVENT = "error_event"  # an error after 200
    ERROR_FIELD = "error_field"  # llama.cpp's older way
    TOO_LONG = "too_long"
    SERVER_ERROR = "server_error"
    UNAUTHORIZED = "unauthorized"
    BUSY = "busy"
    LOADING = "loading"  # as llama.cpp says while it starts
    HTML = "html"  # another service listens there
    REFUSE = "refuse"  # with the status and the body of `refusal`
    REDIRECT = "redirect"
    CLOSE = "close"  # the connection closes without a reply


class _Handler(ModelHandler):
    def do_GET(self) -> None:
        self.state.keys.append(self.headers["Authorization"])
        if self._misbehaves():
            return
        if self.path != "/v1/models":
            self.send_bytes(404, b"not found", "text/plain")
        else:
            self.send_json({"object": "list", "data": [{"id": name} for name in self.state.models]})

    def do_POST(self) -> None:
        body = self.read_body()
        self.state.keys.append(self.headers["Authorization"])
        if self._misbehaves():
            return
        if body["model"] not in self.state.models:
            self._fail(404, f"The model `{body['model']}` does not exist.")
        elif self.path == "/v1/embeddings":
            self._embed(body)
        else:
            self._stream_chat()

    def _misbehaves(self) -> bool:
        """Give the reply of a mood that is the same for every request; False when the mood is about a stream."""
        stream = "text/event-stream"
        replies: dict[Mood, Callable[[], None]] = {
            Mood.STALL: self.stall,
            Mood.GARBAGE: lambda: self.send_bytes(200, b"data: {oops\n\n", stream),
            Mood.LIST: lambda: self.send_bytes(200, b"data: [1, 2]\n\n", stream),
            Mood.WRONG_TYPES: lambda: self.send_bytes(
                200, b'data: {"choices": [{"delta": {"content": 7}}]}\n\n', stream
            ),
            Mood.NOT_UTF8: lambda: self.send_bytes(200, b'data: {"choices": "\xff\xfe"}\n\n', stream),
            Mood.TOO_LONG: lambda: self._fail(400, _TOO_LONG),
            Mood.SERVER_ERROR: lambda: self._fail(500, "CUDA error: out of memory"),
            Mood.UNAUTHORIZED: lambda: self._fail(401, "Invalid API Key"),
            Mood.BUSY: lambda: self._fail(429, "Rate limit reached"),
            Mood.LOADING: lambda: self._fail(503, "Loading model"),
            Mood.HTML: lambda: self.send_bytes(200, b"<html><body>It works!</body></html>", "text/html"),
            Mood.REFUSE: self.refuse,
            Mood.REDIRECT: self.redirect,
            Mood.CLOSE: self.close,
        }
        if reply := replies.get(self.state.mood):
            reply()
        return reply is not None

    def _embed(self, body: dict[str, Any]) -> None:
        state, texts = self.state, body["input"]
        if any(len(text) > state.window for text in texts):
            self._fail(500, "input (992 tokens) is too large to process. increase the physical batch size")
            return
        rows = [
            {"index": index, "object": "embedding", "embedding": row}
            for index, row in enumerate(make_vectors(texts, state.flaw))
        ]
        self.send_json({"object": "list", "data": rows[::-1]})  # the order is told by `index` alone

    def _stream_chat(self) -> None:
        self.start_stream("text/event-stream; charset=utf-8")
        state = self.state
        is_whole = state.mood in (Mood.ANSWER, Mood.NO_DONE, Mood.ONLY_DONE)
        self._event({"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]})
        for piece in state.pieces if is_whole else state.pieces[: (len(state.pieces) + 1) // 2]:
            self._event({"choices": [{"delta": {"content": piece}, "finish_reason": None}]})
        if state.mood is Mood.STALL_MIDWAY:
            self.stall()
        elif state.mood is Mood.BREAK_OFF:
            self.break_off(b"data: {")
        else:
            self._finish(state.mood)

    def _finish(self, mood: Mood) -> None:
        if mood is Mood.ERROR_EVENT:
            self._event({"error": {"message": "out of memory", "code": 500}})
        elif mood is Mood.ERROR_FIELD:
            self.send_chunk(b'error: {"code": 500, "message": "out of memory"}\n\n')
        if mood in (Mood.ANSWER, Mood.NO_DONE):
            self._event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
            self._event({"choices": [], "usage": {"total_tokens": 7}})
        if mood in (Mood.ANSWER, Mood.ONLY_DONE):
            self.send_chunk(b": a comment\n\ndata: [DONE]\n\n")
        self.end_stream()

    def _event(self, value: object) -> None:
        self.send_chunk(b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n")

    def _fail(self, status: int, message: str) -> None:
        self.send_json({"error": {"message": message, "type": "error", "code": status}}, status)


class OpenAIServer(ModelServer):
    """An OpenAI-compatible server; `keys` keeps the keys, as sent with each request."""

    handler = _Handler

    def __init__(self, pieces: Sequence[str], mood: Mood, models: Sequence[str]) -> None:
        super().__init__(pieces, mood, models)
        self.keys: list[str | None] = []


def running_server(
    *pieces: str, mood: Mood = Mood.ANSWER, models: Sequence[str] = (MODEL,)
) -> AbstractContextManager[OpenAIServer]:
    return OpenAIServer(pieces, mood, models).running()
