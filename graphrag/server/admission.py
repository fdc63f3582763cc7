"""Who is let in: every path but the open ones wants a token whose scope is large enough.

It stands in front of the endpoints as a whole, so that a new one cannot be forgotten.
"""

import hmac
import ipaddress
import re
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from threading import Lock
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphrag.app import App
from graphrag.domain.access import NO_LIMIT, AccessToken, Denial, Limit, ServerRules
from graphrag.domain.access import Scope as TokenScope
from graphrag.server.problems import Problem, problem_of
from graphrag.server.service import Caller
from graphrag.vault.access_control import OWN_NAME, PREFIX, AccessTokens, hash_secret

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


_WINDOW = 60.0  # seconds
_MOST_ADDRESSES = 10_000


class FailedTries:
    """Counts the failures of each address within a minute; of the addresses, those that were seen last."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._tries: OrderedDict[str, deque[float]] = OrderedDict()
        self._changing = Lock()

    def add(self, address: str) -> int:
        """Count a failure; return in how many seconds the next try is looked at, 0 for at once."""
        now = self._clock()
        with self._changing:
            tries = self._tries.setdefault(_network(address), deque(maxlen=self._most + 1))
            self._tries.move_to_end(_network(address))
            while tries and now - tries[0] > _WINDOW:
                tries.popleft()
            tries.append(now)
            if len(self._tries) > _MOST_ADDRESSES:
                self._tries.popitem(last=False)
            return max(1, round(_WINDOW - (now - tries[0]))) if len(tries) > self._most else 0


def _network(address: str) -> str:
    """Return what one sender cannot change as it likes: an address, of IPv6 the network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else address


OPEN_PATHS = frozenset({"/", "/health", "/openapi.json", "/favicon.ico"})
OPEN_FOLDER = "/page/"
NEEDED = {"/ask": TokenScope.ASK, "/metrics": TokenScope.ADMIN}  # all others want to read
_LONGEST_TOKEN = 200


class Doorkeeper:
    """Knows the tokens: those that are kept, and one of this run alone, for whoever started it."""

    def __init__(self, tokens: AccessTokens, most_failures: int) -> None:
        self._tokens = tokens
        self._tries = FailedTries(most_failures)
        self.own = PREFIX + secrets.token_urlsafe(32)
        self._own_hash = hash_secret(self.own)
        self._own_token = AccessToken(OWN_NAME, TokenScope.ADMIN, NO_LIMIT, True, datetime.now(UTC), None, None, "")

    def admit(self, secret: str | None, needed: TokenScope, address: str) -> AccessToken:
        """Return the token that is shown.

        Raises:
            Problem: it does not let in, which says no more than that.
        """
        found = self._find(secret, needed, address)
        if isinstance(found, AccessToken):
            return found
        if found is Denial.SCOPE:
            raise Problem(HTTPStatus.FORBIDDEN, f"This needs a token of scope {needed}.")
        if seconds := self._tries.add(address):
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests without a valid token.", seconds)
        raise Problem(HTTPStatus.UNAUTHORIZED, "A valid token is needed: Authorization: Bearer grag_…")

    def _find(self, secret: str | None, needed: TokenScope, address: str) -> AccessToken | Denial:
        if secret is None:
            return Denial.UNKNOWN
        if hmac.compare_digest(hash_secret(secret), self._own_hash):
            return self._own_token
        return self._tokens.admit(secret, needed, address, datetime.now(UTC))


class Admission:
    """Middleware that puts the caller into the state of each request, or turns it away."""

    def __init__(self, app: ASGIApp, doorkeeper: Doorkeeper, app_of: Callable[[Limit], App]) -> None:
        self._app = app
        self._doorkeeper = doorkeeper
        self._app_of = app_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a problem."""
        if scope["type"] == "http" and not is_open(scope["path"]):
            try:
                await anyio.to_thread.run_sync(self._admit, scope)
            except Exception as error:
                await problem_of(error).response()(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> None:
        state = scope.setdefault("state", {})
        token = self._doorkeeper.admit(_secret_of(scope), needed_for(scope["path"]), address_of(scope))
        state["token"] = token.name
        state["caller"] = Caller(token, self._app_of(token.limit))


def is_open(path: str) -> bool:
    """Whether a path is for everybody."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


def needed_for(path: str) -> TokenScope:
    """Return the scope that a path wants."""
    return NEEDED.get(path, TokenScope.READ)


def address_of(scope: Scope) -> str:
    """Return the address that a request came from; what a header says of that anybody could have written."""
    client = scope.get("client")
    return str(client[0]) if client else "-"


def _secret_of(scope: Scope) -> str | None:
    """Return the token that a request shows; with two of them, none."""
    shown = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(shown) != 1 or len(shown[0]) > _LONGEST_TOKEN:
        return None
    kind, _, secret = shown[0].decode("latin-1").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None
