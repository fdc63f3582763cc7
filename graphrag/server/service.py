"""What every endpoint works with, and the way in which a request reaches the library and its result the caller."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response

from graphrag.app import App
from graphrag.domain.access import AccessToken
from graphrag.jsonable import to_jsonable
from graphrag.server.metrics import Metrics
from graphrag.server.rules import ServerRules
from graphrag.server.served_vault import ServedVault
from graphrag.server.workers import Workers

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request, and the vault as the token shows it."""

    token: AccessToken
    app: App


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of one running server."""

    vault: ServedVault
    rules: ServerRules
    reads: Workers
    answers: Workers
    metrics: Metrics


def service_of(request: Request) -> Service:
    """Return the running server that a request came to."""
    service: Service = request.app.state.service
    return service


def caller_of(request: Request) -> Caller:
    """Return who sent a request."""
    caller: Caller = request.state.caller
    return caller


async def reply(request: Request, work: Callable[[App], object]) -> Response:
    """Answer a request with what a thread gets from the caller's vault, as JSON."""
    service, app = service_of(request), caller_of(request).app
    content = await service.reads.run(lambda: to_json(work(app)), service.rules.read_seconds)
    return Response(content, media_type=JSON)


def to_json(value: object) -> bytes:
    """Return a value as `--json` prints it, on one line."""
    text = json.dumps(to_jsonable(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")


Json = dict[str, Any]
