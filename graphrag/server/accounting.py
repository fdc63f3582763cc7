"""Around each request: the headers of every reply, a line of the audit log, the metrics, and a net for what nobody
caught."""

import logging
import time
from datetime import UTC, datetime

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphrag.errors import StoreError
from graphrag.server.admission import OPEN_FOLDER, address_of
from graphrag.server.problems import problem_of
from graphrag.server.service import Metrics
from graphrag.server.spoken import speak_as_asked
from graphrag.stores.access_records import AuditEntry, AuditLog

_LOG = logging.getLogger("graphrag.server")
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_UNKNOWN = "unknown"  # stands for all paths that are no endpoint


class Accounting:
    """The outermost middleware."""

    def __init__(self, app: ASGIApp, audit: AuditLog, metrics: Metrics) -> None:
        self._app = app
        self._audit = audit
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Work on a request and write down what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        speak_as_asked(scope)
        started, moment = time.perf_counter(), datetime.now(UTC)
        reply = _Reply(send, scope["path"])
        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, reply.send)
            except Exception as error:
                if not reply.status:
                    await problem_of(error).response()(scope, receive, reply.send)
        self._count(scope, reply.status, time.perf_counter() - started)
        self._write(scope, reply.status, moment, time.perf_counter() - started)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        endpoint = getattr(scope.get("route"), "path", "") or _named(scope["path"])
        self._metrics.requests.labels(endpoint, _method(scope), status).inc()
        self._metrics.seconds.labels(endpoint).observe(seconds)

    def _write(self, scope: Scope, status: int, moment: datetime, seconds: float) -> None:
        name = scope.get("state", {}).get("token", "")
        entry = AuditEntry(moment, name, address_of(scope), _method(scope), scope["path"], status, seconds * 1000)
        try:
            self._audit.write(entry)
        except StoreError as error:
            _LOG.error("%s", error)


class _Reply:
    """Adds the headers to a reply, and keeps its status."""

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._is_asset = path.startswith(OPEN_FOLDER)
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers["Cache-Control"] = "no-cache" if self._is_asset else "no-store"
        await self._send(message)


def _named(path: str) -> str:
    """Return what stands for a path without a route of the framework: each other one would be a row of the metrics."""
    if path.startswith(OPEN_FOLDER):
        return OPEN_FOLDER
    return path if path in ("/", "/mcp", "/openapi.json") else _UNKNOWN


def _method(scope: Scope) -> str:
    """Return the method; anything may stand in its place, and each would become a row of the metrics."""
    known = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
    return scope["method"] if scope["method"] in known else "other"
