"""`/graph/…` and `/explain`: what lies around a name, how two hang together, what joins most, how a fact stands."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from graphrag.domain.report import GraphOverview, PathView, Surroundings
from graphrag.knowledge_json import fact_json
from graphrag.server.description import problems
from graphrag.server.inputs import FactQuery, NearQuery, OverviewQuery, PathQuery
from graphrag.server.schemas import FactShape
from graphrag.server.service import reply
from graphrag.vault.best_connected import best_connected

router = APIRouter(tags=["graph"])


@router.get("/graph/near", response_model=Surroundings, responses=problems(404))
async def near(request: Request, query: Annotated[NearQuery, Query()]) -> Response:
    """Return what lies around a note, topic, tag or term, and why."""
    return await reply(request, lambda app: app.near(query.name, query.hops, query.limit))


@router.get("/graph/path", response_model=PathView, responses=problems(404))
async def path(request: Request, query: Annotated[PathQuery, Query()]) -> Response:
    """Return a shortest chain of links between two names; an empty one when there is none."""
    return await reply(request, lambda app: app.path(query.start, query.end, query.hops))


@router.get("/graph/overview", response_model=GraphOverview, responses=problems())
async def overview(request: Request, query: Annotated[OverviewQuery, Query()]) -> Response:
    """Return the best-connected notes, topics and tags, and what joins them."""
    return await reply(request, lambda app: best_connected(app.graph(), query.limit))


@router.get("/explain", response_model=FactShape, responses=problems(404, 409))
async def explain(request: Request, query: Annotated[FactQuery, Query()]) -> Response:
    """Return how the notes stand to a fact like `张三 负责 支付模块`, with its proof."""
    return await reply(request, lambda app: fact_json(app.explain(query.fact)))
