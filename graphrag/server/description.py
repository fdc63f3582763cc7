"""What the OpenAPI description says of every endpoint: how to be let in, and how each failure looks."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Security
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict

from graphrag.server.problems import PROBLEM

_ALWAYS = (403, 408, 413, 421, 500, 503, 504)
_ADMITTED = (401, 422, 429)  # besides, where a token is wanted
BEARER = Security(HTTPBearer(auto_error=False, description="A token of `graphrag token create`, or of `serve`."))


class ProblemShape(BaseModel):
    """A problem (RFC 9457)."""

    model_config = ConfigDict(title="Problem", extra="allow")

    type: str
    title: str
    status: int
    detail: str


Described = dict[int | str, dict[str, Any]]


def problems(*statuses: int, open_to_all: bool = False) -> Described:
    """Return the failures of an endpoint: those that every one has, and these."""
    usual = _ALWAYS if open_to_all else (*_ALWAYS, *_ADMITTED)
    return {status: _problem(status) for status in sorted({*usual, *statuses})}


def _problem(status: int) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status in (429, 503):
        described["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds to wait"}}
    return described


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description, made once."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = made["components"]["schemas"]
        schemas["Problem"] = ProblemShape.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        app.openapi_schema = made
    return app.openapi_schema
