"""The used part of Ollama's API on loopback, and the ways in which a server fails."""

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.served_vectors import Flaw, make_vectors

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
    SERVER_ERROR = "server_error"
    HTML = "html"  # another service listens there
    HTML_404 = "html_404"
    REDIRECT = "redirect"
    CLOSE = "close"  # the connection closes without a reply


class OllamaServer:
    """A server in a thread; what it does may change between requests, `requests` keeps the bodies."""

    def __init__(self, pieces: Sequence[str], mood: Mood, models: Sequence[str]) -> None:
        self.pieces = tuple(pieces)
        self.mood = mood
        self.models = tuple(models)
        self.flaw = Flaw.NONE  # of its vectors
        self.window = 100_000  # characters of a text that it embeds
        self.requests: list[dict[str, Any]] = []
        self.released = threading.Event()  # ends what stalls
        self.abandoned = threading.Event()  # whoever waited for what stalls has gone
        handler = type("BoundHandler", (_Handler,), {"server_state": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.http.daemon_threads = True

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}"


@contextmanager
def running_server(*pieces: str, mood: Mood = Mood.ANSWER, models: Sequence[str] = (MODEL,)) -> Iterator[OllamaServer]:
    server = OllamaServer(pieces or ("ok",), mood, models)
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
    server_state: OllamaServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if self._misbehaves():
            return
        if self.path != "/api/tags":
            self._send(404, b"404 page not found", "text/plain")
        else:
            models = [{"model": name, "name": name} for name in self.server_state.models]
            self._send_json({"models": models})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server_state.requests.append(body)
        if self._misbehaves():
            return
        if body["model"] not in self.server_state.models:
            self._send_json({"error": f"model '{body['model']}' not found"}, 404)
            return
        if self.path == "/api/embed":
            self._embed(body)
        elif body["stream"]:
            self._stream_chat(body["model"])
        else:
            content = "".join(self.server_state.pieces)
            self._send_json({"message": {"role": "assistant", "content": content}, "done": True})

    def _embed(self, body: dict[str, Any]) -> None:
        state, texts = self.server_state, body["input"]
        if any(len(text) > state.window for text in texts) and body["truncate"] is False:
            self._send_json({"error": "the input length exceeds the context length"}, 400)
        else:
            self._send_json({"model": body["model"], "embeddings": make_vectors(texts, state.flaw)})

    def _misbehaves(self) -> bool:
        """Give the reply of a mood that is the same for every request; False when the mood is about a chat's stream."""
        replies: dict[Mood, Callable[[], None]] = {
            Mood.STALL: self._stall,
            Mood.GARBAGE: lambda: self._send(200, b"{oops\n", "application/x-ndjson"),
            Mood.LIST: lambda: self._send(200, b"[1, 2]\n", "application/x-ndjson"),
            Mood.WRONG_TYPES: lambda: self._send(
                200, b'{"message": 7, "models": 7, "done": true}\n', "application/json"
            ),
            Mood.NOT_UTF8: lambda: self._send(200, b'{"message": "\xff\xfe"}\n', "application/x-ndjson"),
            Mood.SERVER_ERROR: lambda: self._send_json({"error": "llama runner process has terminated"}, 500),
            Mood.HTML: lambda: self._send(200, b"<html><body>It works!</body></html>", "text/html"),
            Mood.HTML_404: lambda: self._send(404, b"<html><body>Not here</body></html>", "text/html"),
            Mood.REDIRECT: self._redirect,
            Mood.CLOSE: self._close,
        }
        if reply := replies.get(self.server_state.mood):
            reply()
        return reply is not None

    def _stream_chat(self, model: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        state = self.server_state
        is_whole = state.mood is Mood.ANSWER
        for piece in state.pieces if is_whole else state.pieces[: (len(state.pieces) + 1) // 2]:
            self._chunk({"model": model, "message": {"role": "assistant", "content": piece}, "done": False})
        if state.mood is Mood.STALL_MIDWAY:
            self._stall()
        elif state.mood is Mood.BREAK_OFF:
            self.wfile.write(b"ff\r\n{")
            self._close()
        else:
            if state.mood is Mood.ERROR_LINE:
                self._chunk({"error": "out of memory"})
            elif is_whole:
                self._chunk({"model": model, "message": {"role": "assistant", "content": ""}, "done": True})
            self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, value: object) -> None:
        line = json.dumps(value, ensure_ascii=False).encode() + b"\n"
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self.wfile.flush()

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
        self.send_header("Location", "http://127.0.0.1:9/api/chat")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _stall(self) -> None:
        for _ in range(600):
            if self.server_state.released.wait(0.05):
                break
            if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                self.server_state.abandoned.set()
                break
        self._close()

    def _close(self) -> None:
        self.close_connection = True
