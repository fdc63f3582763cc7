"""Who is let in: every path but the open ones wants a token whose scope is large enough.

It stands in front of the endpoints as a whole, so that a new one cannot be forgotten.
"""

import hmac
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from graphrag.app import App
from graphrag.domain.access import NO_LIMIT, AccessToken, Denial, Limit
from graphrag.domain.access import Scope as TokenScope
from graphrag.server.failed_tries import FailedTries
from graphrag.server.problems import Problem, problem_of
from graphrag.server.service import Caller
from graphrag.vault.access import OWN_NAME, PREFIX, AccessTokens, hash_secret

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
