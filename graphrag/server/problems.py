"""Everything that goes wrong, as problem details (RFC 9457): what a caller may know, and nothing of the inside."""

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException

from graphrag.domain.request_course import Stopped
from graphrag.errors import (
    ConfigError,
    GraphragError,
    InferenceLimit,
    NoteNotFound,
    ProviderError,
    QuestionError,
    SnapshotConflict,
    StoreError,
    VaultError,
    public_message,
)
from graphrag.server.spoken import spoken
from graphrag.settings import wrong_value

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
_RETRY_SECONDS = 5
_UNKNOWN = "there is no such name. GET /openapi.json lists what there is"
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
            "detail": spoken().tell(self.detail),
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
    detail = _TOO_LONG if isinstance(error, Stopped) else public_message(error, _LOG)
    candidates = {"candidates": error.candidates} if isinstance(error, NoteNotFound) and error.candidates else {}
    return Problem(status, detail, retry_after, **candidates)


def too_long() -> Problem:
    """Return what a caller is told whose request took too long."""
    return Problem(HTTPStatus.GATEWAY_TIMEOUT, _TOO_LONG)


def invalid(faults: Sequence[tuple[str, str]]) -> Problem:
    """Return what a caller is told of values that cannot be used: where each stands, and what is wrong with it."""
    (where, what), *_ = faults
    errors = [{"where": where, "what": spoken().tell(what)} for where, what in faults]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"{where}: {what}.", errors=errors)


def install_problems(app: FastAPI) -> None:
    """Let an application tell of every failure as a problem, the framework's own among them."""
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    for kind in (Problem, GraphragError, Stopped, Exception):
        app.add_exception_handler(kind, _on_failure)


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    is_body = status is HTTPStatus.BAD_REQUEST  # which the framework says of nothing else
    detail = _unread_body(error.__cause__) if is_body else _DETAILS.get(status, status.description or status.phrase)
    problem = Problem(status, detail)
    problem.headers = _kept(error.headers or {})
    return problem.response()


def _unread_body(cause: BaseException | None) -> str:
    """Return why a body could not be read as JSON at all."""
    if isinstance(cause, RecursionError):
        return "The body is nested too deeply: it has more brackets inside one another than can be read."
    if isinstance(cause, UnicodeDecodeError):
        return "The body is not UTF-8. Send JSON in UTF-8."
    return 'The body cannot be read. Send JSON like {"question": "…"}.'


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return invalid([_fault(fault) for fault in error.errors()]).response()


def _fault(fault: ErrorDetails) -> tuple[str, str]:
    """Return where a value stands, and what is wrong with it."""
    where = [str(part) for part in fault["loc"]]
    if fault["type"] == "json_invalid":  # it names a character instead of a value
        return where[0], f"is not JSON from character {where[1]} on"
    if isinstance(fault["input"], bytes):
        return where[0], "is not said to be JSON. Send it with the header Content-Type: application/json"
    return ".".join(where), wrong_value(fault, _UNKNOWN)


async def _on_failure(request: Request, error: Exception) -> Response:
    return problem_of(error).response()


_DETAILS = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address. GET /openapi.json lists what there is.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take this method.",
}


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() in ("allow", "retry-after")}
