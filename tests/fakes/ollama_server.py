"""The used part of Ollama's API on loopback, and the ways in which a server fails."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any

from tests.fakes.model_server import ModelHandler, ModelServer
from tests.fakes.served_vectors import make_vectors

MODEL = "qwen2.5:7b"


class Mood(StrEnum):
    """What the server does with a request."""

    ANSWER = "answer"
    STALL = "stall"  # takes the request and says nothing
    STALL_MIDWAY = "stall_midway"  # half of the pieces, then nothing
    BREAK_OFF = "break_off"  # half of the pieces, then the connection closes inside a chunk
    STOP_SHORT = "stop_short"  # half of the pieces, then a clean end without `done`
    GARBAGE = "garbage"  # a line that is not JSON
    LIST = "list"  # JSON, and not an object
    WRONG_TYPES = "wrong_types"  # an object whose fields have other types
    NOT_UTF8 = "not_utf8"
    ERROR_LINE = "error_line"  # Ollama's own way to report a failure after 200
    ERROR_OBJECT = "error_object"  # the same, by a server that is not Ollama
    SERVER_ERROR = "server_error"
    HTML = "html"  # another service listens there
    HTML_404 = "html_404"
    REFUSE = "refuse"  # with the status and the body of `refusal`
    REDIRECT = "redirect"
    CLOSE = "close"  # the connection closes without a reply


class _Handler(ModelHandler):
    def do_GET(self) -> None:
        if self._misbehaves():
            return
        if self.path != "/api/tags":
            self.send_bytes(404, b"404 page not found", "text/plain")
        else:
            models = [{"model": name, "name": name} for name in self.state.models]
            self.send_json({"models": models})

    def do_POST(self) -> None:
        body = self.read_body()
        if self._misbehaves():
            return
        if body["model"] not in self.state.models:
            self.send_json({"error": f"model '{body['model']}' not found"}, 404)
            return
        if self.path == "/api/embed":
            self._embed(body)
        elif body["stream"]:
            self._stream_chat(body["model"])
        else:
            content = "".join(self.state.pieces)
            self.send_json({"message": {"role": "assistant", "content": content}, "done": True})

    def _embed(self, body: dict[str, Any]) -> None:
        state, texts = self.state, body["input"]
        if any(len(text) > state.window for text in texts) and body["truncate"] is False:
            self.send_json({"error": "the input length exceeds the context length"}, 400)
        else:
            self.send_json({"model": body["model"], "embeddings": make_vectors(texts, state.flaw)})

    def _misbehaves(self) -> bool:
        """Give the reply of a mood that is the same for every request; False when the mood is about a chat's stream."""
        replies: dict[Mood, Callable[[], None]] = {
            Mood.STALL: self.stall,
            Mood.GARBAGE: lambda: self.send_bytes(200, b"{oops\n", "application/x-ndjson"),
            Mood.LIST: lambda: self.send_bytes(200, b"[1, 2]\n", "application/x-ndjson"),
            Mood.WRONG_TYPES: lambda: self.send_bytes(
                200, b'{"message": 7, "models": 7, "done": true}\n', "application/json"
            ),
            Mood.NOT_UTF8: lambda: self.send_bytes(200, b'{"message": "\xff\xfe"}\n', "application/x-ndjson"),
            Mood.SERVER_ERROR: lambda: self.send_json({"error": "llama runner process has terminated"}, 500),
            Mood.HTML: lambda: self.send_bytes(200, b"<html><body>It works!</body></html>", "text/html"),
            Mood.HTML_404: lambda: self.send_bytes(404, b"<html><body>Not here</body></html>", "text/html"),
            Mood.REFUSE: self.refuse,
            Mood.REDIRECT: self.redirect,
            Mood.CLOSE: self.close,
        }
        if reply := replies.get(self.state.mood):
            reply()
        return reply is not None

    def _stream_chat(self, model: str) -> None:
        self.start_stream("application/x-ndjson")
        state = self.state
        is_whole = state.mood is Mood.ANSWER
        for piece in state.pieces if is_whole else state.pieces[: (len(state.pieces) + 1) // 2]:
            self._line({"model": model, "message": {"role": "assistant", "content": piece}, "done": False})
        if state.mood is Mood.STALL_MIDWAY:
            self.stall()
        elif state.mood is Mood.BREAK_OFF:
            self.break_off(b"{")
        else:
            if state.mood is Mood.ERROR_LINE:
                self._line({"error": "out of memory"})
            elif state.mood is Mood.ERROR_OBJECT:
                self._line({"error": {"message": "out of memory"}})
            elif is_whole:
                self._line({"model": model, "message": {"role": "assistant", "content": ""}, "done": True})
            self.end_stream()

    def _line(self, value: object) -> None:
        self.send_chunk(json.dumps(value, ensure_ascii=False).encode() + b"\n")


class OllamaServer(ModelServer):
    """Ollama, as far as the program uses it."""

    handler = _Handler


def running_server(
    *pieces: str, mood: Mood = Mood.ANSWER, models: Sequence[str] = (MODEL,)
) -> AbstractContextManager[OllamaServer]:
    return OllamaServer(pieces, mood, models).running()
