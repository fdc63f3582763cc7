"""Everything that goes wrong, as problem details (RFC 9457): what a caller may know, and nothing of the inside."""

import json
import logging
import re
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from graphrag.domain.course import Stopped
from graphrag.errors import (
    ConfigError,
    GraphragError,
    InferenceLimit,
    NoteNotFound,
    ProviderError,
    QuestionError,
    SnapshotConflict,
    SnapshotMissing,
    StoreError,
    VaultError,
)

PROBLEM = "application/problem+json"
_LOG = logging.getLogger("graphrag.server")
_STATUS: tuple[tuple[type[Exception], HTTPStatus], ...] = (  # the first that fits
    (VaultError, HTTPStatus.NOT_FOUND),
    (QuestionError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (InferenceLimit, HTTPStatus.CONFLICT),
    (SnapshotConflict, HTTPStatus.CONFLICT),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ProviderError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ConfigError, HTTPStatus.SERVICE_UNAVAILABLE),
    (Stopped, HTTPStatus.GATEWAY_TIMEOUT),
)
_PLACE = re.compile(r"^(?:/|[A-Za-z]:\\)[^:]*: ")  # the folder of the vault, in front of what is wrong with it
_INSIDE = (StoreError, ConfigError)  # their messages name files of this machine
_RETRY_SECONDS = 5
_TOO_LONG = "It took too long. Ask for less at once, or try again later."


class Problem(HTTPException):
    """A request ends with this status; `retry_after` says in how many seconds to try again."""

    def __init__(self, status: HTTPStatus, detail: str, retry_after: int | None = None, **members: object) -> None:
        wait = {"Retry-After": str(retry_after)} if retry_after is not None else {}
        how = {"WWW-Authenticate": "Bearer"} if status is HTTPStatus.UNAUTHORIZED else {}
        super().__init__(status, detail, {**wait, **how})
        self.status = status
        self.members = members

    def shape(self) -> dict[str, object]:
        """Return the problem as JSON knows it."""
        return {
            "type": "about:blank",
            "title": self.status.phrase,
            "status": int(self.status),
            "detail": self.detail,
            **self.members,
        }

    def response(self) -> Response:
        """Return the problem as a whole reply."""
        content = json.dumps(self.shape(), ensure_ascii=False).encode("utf-8", "replace")
        return Response(content, self.status, self.headers, media_type=PROBLEM)


def problem_of(error: Exception) -> Problem:
    """Return what a caller is told of an exception; what it must not be told goes to the log."""
    if isinstance(error, Problem):
        return error
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    retry_after = _RETRY_SECONDS if status is HTTPStatus.SERVICE_UNAVAILABLE else None
    candidates = {"candidates": error.candidates} if isinstance(error, NoteNotFound) and error.candidates else {}
    return Problem(status, _detail(error, status), retry_after, **candidates)


def too_long() -> Problem:
    """Return what a caller is told whose request took too long."""
    return Problem(HTTPStatus.GATEWAY_TIMEOUT, _TOO_LONG)


def _detail(error: Exception, status: HTTPStatus) -> str:
    if isinstance(error, SnapshotMissing):
        return "Nothing is indexed yet. Run: graphrag index"
    if isinstance(error, Stopped):
        return _TOO_LONG
    if isinstance(error, GraphragError) and not isinstance(error, _INSIDE):
        return _PLACE.sub("", str(error))
    if isinstance(error, GraphragError):
        _LOG.error("%s: %s", type(error).__name__, error)
        return "The index cannot be used now. The server's log says why."
    _LOG.error("unexpected failure", exc_info=error)
    return "Something went wrong inside. The server's log says what."


def install_problems(app: FastAPI) -> None:
    """Let an application tell of every failure as a problem, the framework's own among them."""
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    for kind in (Problem, GraphragError, Stopped, Exception):
        app.add_exception_handler(kind, _on_failure)


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    problem = Problem(status, _DETAILS.get(status, status.description or status.phrase))
    problem.headers = _kept(error.headers or {})
    return problem.response()


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [
        {"where": ".".join(str(part) for part in fault["loc"]), "what": str(fault["msg"])} for fault in error.errors()
    ]
    first = faults[0]
    detail = f"{first['where']}: {first['what']}"
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, errors=faults).response()


async def _on_failure(request: Request, error: Exception) -> Response:
    return problem_of(error).response()


_DETAILS = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address. GET /openapi.json lists what there is.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take this method.",
}


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() in ("allow", "retry-after")}
