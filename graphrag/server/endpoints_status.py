"""`/status`, `/metrics`: what the index stands at, what the server costs."""

from dataclasses import replace

from fastapi import APIRouter, Request, Response

from graphrag.app import App
from graphrag.domain.access import AccessToken, Scope
from graphrag.domain.report import IndexSummary
from graphrag.jsonable import to_jsonable
from graphrag.server.description import problems
from graphrag.server.metrics import CONTENT_TYPE
from graphrag.server.schemas import StatusShape
from graphrag.server.service import Json, Service, caller_of, reply, service_of

router = APIRouter(tags=["status"])
_NOTHING = IndexSummary(0, "", 0, 0, 0, 0, 0, 0.0, "", "")  # before the first index run, which may be under way
_METRICS = {"text/plain": {"schema": {"type": "string"}}}


@router.get("/status", response_model=StatusShape, responses=problems())
async def status(request: Request) -> Response:
    """Return which snapshot answers and how much it holds; to an admin, all that `graphrag status` tells."""
    service, token = service_of(request), caller_of(request).token
    return await reply(request, lambda app: _status(service, token, app))


@router.get("/metrics", response_class=Response, responses={**problems(), 200: {"content": _METRICS}})
async def metrics(request: Request) -> Response:
    """Return the metrics for Prometheus; for the scope admin."""
    service = service_of(request)
    content = await service.reads.run(lambda: _metrics(service), service.rules.read_seconds)
    return Response(content, media_type=CONTENT_TYPE)


def _status(service: Service, token: AccessToken, app: App) -> Json:
    is_whole = token.limit.is_empty
    # Progress counts all notes: a limited token is not to know how many there are.
    shown: Json = {"indexing": service.vault.indexing if is_whole else None}
    if not app.is_indexed:
        return _fields(replace(_NOTHING, vault=app.vault.name)) | shown
    if token.scope is Scope.ADMIN and is_whole:
        shown = _fields(app.status()) | shown
    return shown | _fields(app.summary())


def _metrics(service: Service) -> bytes:
    main = service.vault.main
    summary = main.summary() if main.is_indexed else replace(_NOTHING, vault=main.vault.name)
    service.metrics.generation.set(summary.generation)
    service.metrics.notes.set(summary.notes)
    service.metrics.embedded.set(summary.embedded)
    return service.metrics.text()


def _fields(value: object) -> Json:
    found = to_jsonable(value)
    assert isinstance(found, dict)
    return found
