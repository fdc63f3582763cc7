"""What the OpenAPI description says of every endpoint: how to be let in, and how each failure looks."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Path, Query, Request, Response, Security
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict
from starlette.responses import JSONResponse, StreamingResponse

from graphrag.app import App
from graphrag.domain.access import AccessToken, Scope
from graphrag.domain.graph import Facet
from graphrag.domain.history import VaultChanges
from graphrag.domain.query import Answer
from graphrag.domain.report import GraphOverview, IndexSummary, PathView, Surroundings
from graphrag.server.inputs import (
    AskBody,
    ChangesQuery,
    FactQuery,
    NearQuery,
    NoteQuery,
    NotesQuery,
    OverviewQuery,
    PathQuery,
    SearchQuery,
)
from graphrag.server.note_html import render_note
from graphrag.server.problems import PROBLEM, Problem
from graphrag.server.service import CONTENT_TYPE, JSON, Answering, Service, caller_of, reply, service_of
from graphrag.server.spoken import spoken, with_notice_in
from graphrag.shapes import (
    AnswerShape,
    FactShape,
    HealthShape,
    Json,
    Name,
    NoteShape,
    NotesShape,
    SearchShape,
    StatusShape,
    answer_json,
    dump_line,
    fact_json,
    search_json,
    to_jsonable,
)

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


status_router = APIRouter(tags=["status"])
_NOTHING = IndexSummary(0, "", 0, 0, 0, 0, 0, 0.0, "", "")  # before the first index run, which may be under way
_METRICS = {"text/plain": {"schema": {"type": "string"}}}


@status_router.get("/status", response_model=StatusShape, responses=problems())
async def status(request: Request) -> Response:
    """Return which snapshot answers and how much it holds; to an admin, all that `graphrag status` tells."""
    service, token = service_of(request), caller_of(request).token
    return await reply(request, lambda app: _status(service, token, app))


@status_router.get("/metrics", response_class=Response, responses={**problems(), 200: {"content": _METRICS}})
async def metrics(request: Request) -> Response:
    """Return the metrics for Prometheus; for the scope admin."""
    service = service_of(request)
    content = await service.reads.run(lambda: _metrics(service), service.rules.read_seconds)
    return Response(content, media_type=CONTENT_TYPE)


def _status(service: Service, token: AccessToken, app: App) -> Any:
    is_whole = token.limit.is_empty
    # Progress counts all notes: a limited token is not to know how many there are.
    shown: Json = {"indexing": service.vault.indexing if is_whole else None}
    if not app.is_indexed:
        return to_jsonable(replace(_NOTHING, vault=app.vault.name)) | shown
    if token.scope is Scope.ADMIN and is_whole:
        shown = to_jsonable(app.status()) | shown
    return shown | to_jsonable(app.summary())


def _metrics(service: Service) -> bytes:
    main = service.vault.main
    summary = main.summary() if main.is_indexed else replace(_NOTHING, vault=main.vault.name)
    service.metrics.generation.set(summary.generation)
    service.metrics.notes.set(summary.notes)
    service.metrics.embedded.set(summary.embedded)
    return service.metrics.text()


search_router = APIRouter(tags=["search"])


@search_router.get("/search", response_model=SearchShape, responses=problems())
async def search(request: Request, query: Annotated[SearchQuery, Query()]) -> Response:
    """Return the best passages for a question, best first, and why."""
    filters, language = query.filters(), spoken()

    def find(app: App) -> Json:
        found = app.search(query.q, filters, query.top_k, query.explain)
        return search_json(with_notice_in(language, found), query.explain)

    return await reply(request, find)


notes_router = APIRouter(tags=["notes"])
_MARKDOWN = "text/markdown; charset=utf-8"
_RAW = {"text/markdown": {"schema": {"type": "string"}}}


@notes_router.get("/notes", response_model=NotesShape, responses=problems())
async def notes(request: Request, query: Annotated[NotesQuery, Query()]) -> Response:
    """Return notes by name and filters, newest first."""
    filters = query.filters()
    return await reply(
        request, lambda app: NotesShape.model_validate(app.notes(filters, query.q, query.limit, query.offset))
    )


@notes_router.get("/notes/{path:path}", response_model=NoteShape, responses={**problems(404), 200: {"content": _RAW}})
async def note(
    request: Request,
    path: Annotated[Name, Path(description="of the note in the vault, or its title or alias")],
    query: Annotated[NoteQuery, Query()],
) -> Response:
    """Return one note as indexed, and its text as safe HTML."""
    if not query.raw:
        return await reply(request, lambda app: _show(app, path))
    service, app = service_of(request), caller_of(request).app
    text = await service.reads.run(lambda: app.page(path).text, service.rules.read_seconds)
    return Response(text.encode("utf-8", "replace"), media_type=_MARKDOWN)


def _show(app: App, name: str) -> NoteShape:
    page = app.page(name)
    view, path = page.view, page.view.note.path
    return NoteShape(
        *(view.note, view.chunks, view.outgoing, view.backlinks, view.diagnostics),
        html=render_note(page),
        markdown_url=f"/notes/{quote(path)}?raw=1",
        obsidian_url=app.note_url(path),
    )


lists_router = APIRouter(tags=["lists"])


@lists_router.get("/tags", response_model=list[Facet], responses=problems())
async def tags(request: Request) -> Response:
    """Return all tags with the number of their notes."""
    return await reply(request, lambda app: app.tags())


@lists_router.get("/categories", response_model=list[Facet], responses=problems())
async def categories(request: Request) -> Response:
    """Return all categories with the number of their notes."""
    return await reply(request, lambda app: app.categories())


@lists_router.get("/changes", response_model=VaultChanges, responses=problems(404))
async def changes(request: Request, query: Annotated[ChangesQuery, Query()]) -> Response:
    """Return what changed since a day, a month, a commit, or for some days or weeks (`7d`, `2w`)."""
    return await reply(request, lambda app: app.changes(query.since))


health_router = APIRouter(tags=["status"])
_NOT_READY: Described = {503: {"model": HealthShape, "description": "nothing is indexed yet"}}


@health_router.get("/health", response_model=HealthShape, responses={**problems(open_to_all=True), **_NOT_READY})
async def health(request: Request) -> Response:
    """Return whether there is anything to ask."""
    service = service_of(request)
    is_ready = await service.reads.run(lambda: service.vault.main.is_indexed, service.rules.read_seconds)
    return JSONResponse({"status": "ok" if is_ready else "no index"}, 200 if is_ready else 503)


graph_router = APIRouter(tags=["graph"])


@graph_router.get("/graph/near", response_model=Surroundings, responses=problems(404))
async def near(request: Request, query: Annotated[NearQuery, Query()]) -> Response:
    """Return what lies around a note, topic, tag or term, and why."""
    return await reply(request, lambda app: app.near(query.name, query.hops, query.limit))


@graph_router.get("/graph/path", response_model=PathView, responses=problems(404))
async def path(request: Request, query: Annotated[PathQuery, Query()]) -> Response:
    """Return a shortest chain of links between two names; an empty one when there is none."""
    return await reply(request, lambda app: app.path(query.start, query.end, query.hops))


@graph_router.get("/graph/overview", response_model=GraphOverview, responses=problems())
async def overview(request: Request, query: Annotated[OverviewQuery, Query()]) -> Response:
    """Return the best-connected notes, topics and tags, and what joins them."""
    return await reply(request, lambda app: app.overview(query.limit))


@graph_router.get("/explain", response_model=FactShape, responses=problems(404, 409))
async def explain(request: Request, query: Annotated[FactQuery, Query()]) -> Response:
    """Return how the notes stand to a fact like `张三 负责 支付模块`, with its proof."""
    return await reply(request, lambda app: fact_json(app.explain(query.fact)))


ask_router = APIRouter(tags=["ask"])
_EVENTS = "text/event-stream"
_STREAM = {_EVENTS: {"schema": {"type": "string", "description": "events: stage, token, answer, error"}}}


@ask_router.post("/ask", response_model=AnswerShape, responses={**problems(400), 200: {"content": _STREAM}})
async def ask(request: Request, body: AskBody) -> Response:
    """Answer a question from the notes.

    With `Accept: text/event-stream` come events: `stage` (a name, and milliseconds at its end), `token` (a piece of the
    draft, not checked yet), and at last `answer` or `error` (a problem). Whoever goes away ends the work.
    """
    service, filters = service_of(request), body.filters.filters()
    answering = Answering(service.answers, service.rules, service.metrics)
    await answering.begin(caller_of(request).app, body.question, filters)
    if _EVENTS in request.headers.get("accept", ""):
        return StreamingResponse(_stream(answering), media_type=_EVENTS)
    answer = await _unless_gone(request, answering)
    return Response(dump_line(answer_json(with_notice_in(spoken(), answer))), media_type=JSON)


async def _stream(answering: Answering) -> AsyncIterator[bytes]:
    async for kind, told in answering.events():
        yield b"event: " + kind.encode() + b"\ndata: " + dump_line(_shape_of(told)) + b"\n\n"


def _shape_of(told: object) -> object:
    if isinstance(told, Answer):
        return answer_json(with_notice_in(spoken(), told))
    return told.shape() if isinstance(told, Problem) else told


async def _unless_gone(request: Request, answering: Answering) -> Any:
    """Return the answer, unless the caller goes away before it is there."""
    gone = asyncio.ensure_future(_wait_until_gone(request))
    answer = asyncio.ensure_future(answering.answer())
    try:
        await asyncio.wait((gone, answer), return_when=asyncio.FIRST_COMPLETED)
        answering.stop()  # which is nothing to an answer that is there
        return await answer
    finally:
        gone.cancel()
        answer.cancel()


async def _wait_until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


# The endpoints that want a token; `/health` is open to everybody.
GUARDED = (ask_router, search_router, notes_router, lists_router, graph_router, status_router)
