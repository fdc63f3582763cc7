"""What the servers of chat and embedding models in the tests have in common: HTTP on loopback, replies, stalls."""

import json
import select
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fakes.served_vectors import Flaw

_LONGEST_STALL = 30.0  # seconds


class ModelServer:
    """A server in a thread; what it does may change between requests, `requests` keeps the bodies."""

    handler: type["ModelHandler"]

    def __init__(self, pieces: Sequence[str], mood: StrEnum, models: Sequence[str]) -> None:
        self.pieces = tuple(pieces) or ("ok",)
        self.mood = mood
        self.models = tuple(models)
        self.flaw = Flaw.NONE  # of its vectors
        self.refusal = (401, b"")  # status and body of a refusal
        self.window = 100_000  # characters of a text that it embeds
        self.requests: list[dict[str, Any]] = []
        self.released = threading.Event()  # ends what stalls
        self.abandoned = threading.Event()  # whoever waited for what stalls has gone
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (self.handler,), {"state": self}))
        self.http.daemon_threads = True

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    @contextmanager
    def running(self) -> Iterator[Self]:
        thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self.http.shutdown()
            self.http.server_close()
            thread.join()


class ModelHandler(BaseHTTPRequestHandler):
    """Replies; what to reply is up to the server at hand."""

    state: Any
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def read_body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.requests.append(body)
        return body

    def send_bytes(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, value: object, status: int = 200) -> None:
        self.send_bytes(status, json.dumps(value).encode(), "application/json")

    def refuse(self) -> None:
        status, body = self.state.refusal
        self.send_bytes(status, body, "application/json")

    def redirect(self) -> None:
        self.send_response(307)
        self.send_header("Location", f"http://127.0.0.1:9{self.path}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def start_stream(self, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def break_off(self, data: bytes) -> None:
        """Announce a longer chunk than comes."""
        self.wfile.write(b"ff\r\n" + data)
        self.close()

    def stall(self) -> None:
        for _ in range(int(_LONGEST_STALL / 0.05)):
            if self.state.released.wait(0.05):
                break
            if has_hung_up(self.connection):
                self.state.abandoned.set()
                break
        self.close()

    def close(self) -> None:
        self.close_connection = True


def has_hung_up(connection: socket.socket) -> bool:
    """Whether the other side has closed, in order or by a reset (as a system does whose program left data unread)."""
    if not select.select([connection], [], [], 0)[0]:
        return False
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except ConnectionResetError:
        return True
