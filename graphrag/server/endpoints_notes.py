"""`/notes`: the list of notes, and one of them as indexed, as HTML, or as its Markdown."""

from dataclasses import fields
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response

from graphrag.app import App
from graphrag.domain.report import NoteList
from graphrag.server.description import problems
from graphrag.server.inputs import Name, NoteQuery, NotesQuery
from graphrag.server.note_html import render_note
from graphrag.server.schemas import NoteShape, NotesShape
from graphrag.server.service import Json, caller_of, reply, service_of

router = APIRouter(tags=["notes"])
_MARKDOWN = "text/markdown; charset=utf-8"
_RAW = {"text/markdown": {"schema": {"type": "string"}}}


@router.get("/notes", response_model=NotesShape, responses=problems())
async def notes(request: Request, query: Annotated[NotesQuery, Query()]) -> Response:
    """Return notes by name and filters, newest first."""
    filters = query.read()
    return await reply(request, lambda app: _list(app.notes(filters, query.q, query.limit, query.offset)))


@router.get("/notes/{path:path}", response_model=NoteShape, responses={**problems(404), 200: {"content": _RAW}})
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


def _list(found: NoteList) -> Json:
    notes = [
        {"path": note.path, "title": note.title, "tags": note.tags, "category": note.category, "updated": note.updated}
        for note in found.notes
    ]
    return {"total": found.total, "notes": notes}


def _show(app: App, name: str) -> Json:
    page = app.page(name)
    path = page.view.note.path
    shown: Json = {item.name: getattr(page.view, item.name) for item in fields(page.view)}
    return shown | {
        "html": render_note(page),
        "markdown_url": f"/notes/{quote(path)}?raw=1",
        "obsidian_url": app.note_url(path),
    }
