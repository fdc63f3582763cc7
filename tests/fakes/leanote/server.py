"""Leanote's Open API on loopback for one account, and the ways in which a server fails.

What it answers is in `open_api.py`. The site's configured address is not the one it is called by.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.leanote.open_api import OpenApi, Reply
from tests.fakes.leanote.records import FakeAccount


class Trouble(StrEnum):
    """What the server does with a request instead of answering it."""

    SERVER_ERROR = "server_error"  # 500 with a page
    HTML = "html"  # 200 with a page: a proxy, or another service
    GARBAGE = "garbage"  # what is not JSON under the type of JSON
    EMPTY = "empty"
    STALL = "stall"  # takes the request and says nothing
    CUT = "cut"  # closes in the middle of the body
    REDIRECT = "redirect"  # to `elsewhere`
    NOT_FOUND = "not_found"  # 404 with a page
    ENDLESS = "endless"  # bytes without end


@dataclass(frozen=True, slots=True)
class Seen:
    """One request."""

    action: str  # such as `note/getNotes`
    method: str
    host: str  # of the header
    target: str  # path and query as sent
    parameters: dict[str, str]


@dataclass(slots=True)
class LeanoteServer:
    """A running server; its switches may change between requests."""

    api: OpenApi
    prefix: str
    http: ThreadingHTTPServer
    seen: list[Seen] = field(default_factory=list)
    troubles: dict[str, list[Trouble]] = field(default_factory=dict)  # action, or "" for any -> one for each request
    elsewhere: str = "http://127.0.0.1:9/"
    busy: int = 0
    most_busy: int = 0  # the highest number of requests that were answered at a time
    lock: threading.Lock = field(default_factory=threading.Lock)
    released: threading.Event = field(default_factory=threading.Event)  # ends what stalls

    @property
    def account(self) -> FakeAccount:
        return self.api.account

    @property
    def host(self) -> str:
        """The address that a user would give."""
        return f"http://127.0.0.1:{self.http.server_address[1]}{self.prefix}"

    def fail(self, trouble: Trouble, times: int = 1, action: str = "") -> None:
        """Answer the next requests, of one action or of any, with a trouble."""
        self.troubles.setdefault(action, []).extend([trouble] * times)

    def expire_tokens(self) -> None:
        """Forget who is logged in."""
        self.api.tokens.clear()

    def counts(self) -> Counter[str]:
        """Return the number of requests by action."""
        return Counter(request.action for request in self.seen)

    def next_trouble(self, action: str) -> Trouble | None:
        with self.lock:
            queue = self.troubles.get(action) or self.troubles.get("")
            return queue.pop(0) if queue else None


@contextmanager
def running_leanote(account: FakeAccount, prefix: str = "") -> Iterator[LeanoteServer]:
    """Serve an account until the block ends."""
    handler = type("BoundHandler", (_Handler,), {})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    server = LeanoteServer(OpenApi(account), prefix, http)
    handler.state = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    state: LeanoteServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes, and the second would wait for the first

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _handle(self) -> None:
        with self.state.lock:
            self.state.busy += 1
            self.state.most_busy = max(self.state.most_busy, self.state.busy)
        try:
            # A caller that gave up waiting has closed the connection.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._answer()
        finally:
            with self.state.lock:
                self.state.busy -= 1

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        form = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
        parameters |= dict(parse_qsl(form, keep_blank_values=True))
        path = parts.path.removeprefix(self.state.prefix)
        action = path.removeprefix("/api/")
        seen = Seen(action, self.command, self.headers.get("Host", ""), self.path, parameters)
        with self.state.lock:
            self.state.seen.append(seen)
        if trouble := self.state.next_trouble(action):
            self._misbehave(trouble)
        elif not parts.path.startswith(self.state.prefix):
            self._send(404, b"<html>not here</html>", "text/html")
        elif path.startswith("/upload/"):
            self._reply(self.state.api.upload(path))
        else:
            language = self.headers.get("Accept-Language", "")
            with self.state.lock:
                reply = self.state.api.call(action, parameters, language)
            self._reply(reply)

    def _reply(self, reply: Reply) -> None:
        self._send(reply.status, reply.body, reply.content_type, reply.disposition)

    def _misbehave(self, trouble: Trouble) -> None:
        replies: dict[Trouble, Callable[[], None]] = {
            Trouble.SERVER_ERROR: lambda: self._send(500, b"<html><h1>Oops</h1></html>", "text/html"),
            Trouble.HTML: lambda: self._send(200, b"<!DOCTYPE html><title>Welcome to nginx!</title>", "text/html"),
            Trouble.GARBAGE: lambda: self._send(200, b'{"Ok": tru', "application/json; charset=utf-8"),
            Trouble.EMPTY: lambda: self._send(200, b"", "application/json; charset=utf-8"),
            Trouble.NOT_FOUND: lambda: self._send(404, b"<html>404</html>", "text/html"),
            Trouble.STALL: self._stall,
            Trouble.CUT: self._cut,
            Trouble.REDIRECT: self._redirect,
            Trouble.ENDLESS: self._endless,
        }
        replies[trouble]()

    def _stall(self) -> None:
        self.state.released.wait(30)
        self.close_connection = True

    def _cut(self) -> None:
        self._head(200, "application/json; charset=utf-8", 1000)
        self.wfile.write(b'[{"NoteId":')
        self.close_connection = True

    def _redirect(self) -> None:
        self.send_response(302)
        self.send_header("Location", self.state.elsewhere)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _endless(self) -> None:
        self._head(200, "application/octet-stream", None)
        self.close_connection = True
        while not self.state.released.is_set():
            self.wfile.write(b"x" * 65536)

    def _head(self, status: int, content_type: str, length: int | None, disposition: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if disposition:  # http.server writes Latin-1, Leanote the raw bytes of UTF-8
            self.send_header("Content-Disposition", disposition.encode().decode("latin-1"))
        self.end_headers()

    def _send(self, status: int, body: bytes, content_type: str, disposition: str = "") -> None:
        self._head(status, content_type, len(body), disposition)
        self.wfile.write(body)
