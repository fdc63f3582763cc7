"""What is refused before anybody asks who sent it: a request for another host, one from another site's page, a body
that is too large.

A page of any site can send requests to this machine. Those name the site in `Origin`; and where a site's own name was
made to point here (DNS rebinding), they name it in `Host`.
"""

import re
from http import HTTPStatus
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphrag.server.problems import Problem
from graphrag.server.rules import ServerRules

_HOST = re.compile(r"([^:\[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")


class Guard:
    """Middleware that lets through what the server is meant for."""

    def __init__(self, app: ASGIApp, rules: ServerRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check(Headers(scope=scope))
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        await self._app(scope, _bounded(receive, self._rules), send)

    def _check(self, headers: Headers) -> None:
        named = headers.getlist("host")
        if len(named) != 1 or host_name(named[0]) not in self._rules.hosts:
            detail = "This server does not go by that name. Start it with --allow-host to add one."
            raise Problem(HTTPStatus.MISDIRECTED_REQUEST, detail)
        origin = headers.get("origin")
        if origin is not None and not _is_same(origin, named[0]):
            raise Problem(HTTPStatus.FORBIDDEN, "Requests from pages of other sites are refused.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._rules.body_bytes:
            raise _too_large(self._rules.body_bytes)


def _bounded(receive: Receive, rules: ServerRules) -> Receive:
    """Return a function that receives a bounded body in bounded time, whatever was announced."""
    taken, is_whole = 0, False

    async def receive_bounded() -> Message:
        nonlocal taken, is_whole
        try:
            with anyio.fail_after(None if is_whole else rules.body_seconds):
                message = await receive()
        except TimeoutError:
            raise Problem(HTTPStatus.REQUEST_TIMEOUT, "The rest of the request did not come in time.") from None
        taken += len(message.get("body", b""))
        is_whole = is_whole or not message.get("more_body", False)
        if taken > rules.body_bytes:
            raise _too_large(rules.body_bytes)
        return message

    return receive_bounded


def host_name(host: str) -> str:
    """Return the name in a Host header, in lower case and without the port."""
    found = _HOST.fullmatch(host.strip().lower())
    return found[1] if found else ""


def _is_same(origin: str, host: str) -> bool:
    """Whether a page of this server sent a request. It may have come through a proxy that speaks TLS."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    scheme = parts.scheme
    return scheme in ("http", "https") and _with_port(parts.netloc, scheme) == _with_port(host, scheme)


def _with_port(place: str, scheme: str) -> str:
    bare = place.strip().lower()
    has_port = bare.rpartition("]")[2].count(":") == 1
    return bare if has_port else f"{bare}:{443 if scheme == 'https' else 80}"


def _too_large(most: int) -> Problem:
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request may have {most // 1024} KB at most.")
