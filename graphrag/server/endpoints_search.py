"""`/search`: the best passages for a question."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from graphrag.jsonable import search_json
from graphrag.server.description import problems
from graphrag.server.inputs import SearchQuery
from graphrag.server.schemas import SearchShape
from graphrag.server.service import reply

router = APIRouter(tags=["search"])


@router.get("/search", response_model=SearchShape, responses=problems())
async def search(request: Request, query: Annotated[SearchQuery, Query()]) -> Response:
    """Return the best passages for a question, best first, and why."""
    filters = query.read()
    return await reply(
        request,
        lambda app: search_json(app.search(query.q, filters, query.top_k, query.explain), query.explain),
    )
