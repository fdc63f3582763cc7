"""`/tags`, `/categories`, `/changes`: what there is to filter by, and what is new."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from graphrag.domain.graph import Facet
from graphrag.domain.history import VaultChanges
from graphrag.server.description import problems
from graphrag.server.inputs import ChangesQuery
from graphrag.server.service import reply

router = APIRouter(tags=["lists"])


@router.get("/tags", response_model=list[Facet], responses=problems())
async def tags(request: Request) -> Response:
    """Return all tags with the number of their notes."""
    return await reply(request, lambda app: app.tags())


@router.get("/categories", response_model=list[Facet], responses=problems())
async def categories(request: Request) -> Response:
    """Return all categories with the number of their notes."""
    return await reply(request, lambda app: app.categories())


@router.get("/changes", response_model=VaultChanges, responses=problems(404))
async def changes(request: Request, query: Annotated[ChangesQuery, Query()]) -> Response:
    """Return what changed since a day, a month, a commit, or for some days or weeks (`7d`, `2w`)."""
    return await reply(request, lambda app: app.changes(query.since))
