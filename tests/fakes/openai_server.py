"""The used part of OpenAI's API on loopback, as llama.cpp and vLLM serve it, and the ways in which a server fails."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.served_vectors import Flaw, make_vectors

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
    REDIRECT = "redirect"
    CLOSE = "close"  # the connection closes without a reply


class OpenAIServer:
    """A server in a thread; what it does may change between requests, `requests` keeps the bodies."""

    def __init__(self, pieces: Sequence[str], mood: Mood, models: Sequence[str]) -> None:
        self.pieces = tuple(pieces)
        self.mood = mood
        self.models = tuple(models)
        self.flaw = Flaw.NONE  # of its vectors
        self.window = 100_000  # characters of a text that it embeds
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []  # as sent with each request
        self.released = threading.Event()  # ends what stalls
        handler = type("BoundHandler", (_Handler,), {"server_state": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.http.daemon_threads = True

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}"


@contextmanager
def running_server(*pieces: str, mood: Mood = Mood.ANSWER, models: Sequence[str] = (MODEL,)) -> Iterator[OpenAIServer]:
    server = OpenAIServer(pieces or ("ok",), mood, models)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server_state: OpenAIServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server_state.keys.append(self.headers["Authorization"])
        if self._misbehaves():
            return
        if self.path != "/v1/models":
            self._send(404, b"not found", "text/plain")
        else:
            self._send_json({"object": "list", "data": [{"id": name} for name in self.server_state.models]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server_state.requests.append(body)
        self.server_state.keys.append(self.headers["Authorization"])
        if self._misbehaves():
            return
        if body["model"] not in self.server_state.models:
            self._fail(404, f"The model `{body['model']}` does not exist.")
        elif self.path == "/v1/embeddings":
            self._embed(body)
        else:
            self._stream_chat()

    def _misbehaves(self) -> bool:
        """Give the reply of a mood that is the same for every request; False when the mood is about a stream."""
        stream = "text/event-stream"
        replies: dict[Mood, Callable[[], None]] = {
            Mood.STALL: self._stall,
            Mood.GARBAGE: lambda: self._send(200, b"data: {oops\n\n", stream),
            Mood.LIST: lambda: self._send(200, b"data: [1, 2]\n\n", stream),
            Mood.WRONG_TYPES: lambda: self._send(200, b'data: {"choices": [{"delta": {"content": 7}}]}\n\n', stream),
            Mood.NOT_UTF8: lambda: self._send(200, b'data: {"choices": "\xff\xfe"}\n\n', stream),
            Mood.TOO_LONG: lambda: self._fail(400, _TOO_LONG),
            Mood.SERVER_ERROR: lambda: self._fail(500, "CUDA error: out of memory"),
            Mood.UNAUTHORIZED: lambda: self._fail(401, "Invalid API Key"),
            Mood.BUSY: lambda: self._fail(429, "Rate limit reached"),
            Mood.LOADING: lambda: self._fail(503, "Loading model"),
            Mood.HTML: lambda: self._send(200, b"<html><body>It works!</body></html>", "text/html"),
            Mood.REDIRECT: self._redirect,
            Mood.CLOSE: self._close,
        }
        if reply := replies.get(self.server_state.mood):
            reply()
        return reply is not None

    def _embed(self, body: dict[str, Any]) -> None:
        state, texts = self.server_state, body["input"]
        if any(len(text) > state.window for text in texts):
            self._fail(500, "input (992 tokens) is too large to process. increase the physical batch size")
            return
        rows = [
            {"index": index, "object": "embedding", "embedding": row}
            for index, row in enumerate(make_vectors(texts, state.flaw))
        ]
        self._send_json({"object": "list", "data": rows[::-1]})  # the order is told by `index` alone

    def _stream_chat(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        state = self.server_state
        is_whole = state.mood in (Mood.ANSWER, Mood.NO_DONE, Mood.ONLY_DONE)
        self._event({"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]})
        for piece in state.pieces if is_whole else state.pieces[: (len(state.pieces) + 1) // 2]:
            self._event({"choices": [{"delta": {"content": piece}, "finish_reason": None}]})
        if state.mood is Mood.STALL_MIDWAY:
            self._stall()
        elif state.mood is Mood.BREAK_OFF:
            self.wfile.write(b"ff\r\ndata: {")
            self._close()
        else:
            self._end_stream(state.mood)

    def _end_stream(self, mood: Mood) -> None:
        if mood is Mood.ERROR_EVENT:
            self._event({"error": {"message": "out of memory", "code": 500}})
        elif mood is Mood.ERROR_FIELD:
            self._chunk(b'error: {"code": 500, "message": "out of memory"}\n\n')
        if mood in (Mood.ANSWER, Mood.NO_DONE):
            self._event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
            self._event({"choices": [], "usage": {"total_tokens": 7}})
        if mood in (Mood.ANSWER, Mood.ONLY_DONE):
            self._chunk(b": a comment\n\ndata: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, value: object) -> None:
        self._chunk(b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _fail(self, status: int, message: str) -> None:
        self._send_json({"error": {"message": message, "type": "error", "code": status}}, status)

    def _send_json(self, value: object, status: int = 200) -> None:
        self._send(status, json.dumps(value).encode(), "application/json")

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _redirect(self) -> None:
        self.send_response(307)
        self.send_header("Location", "http://127.0.0.1:9/v1/chat/completions")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _stall(self) -> None:
        self.server_state.released.wait(30)
        self._close()

    def _close(self) -> None:
        self.close_connection = True
