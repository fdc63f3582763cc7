"""`/health`: whether there is anything to ask. Open to everybody, and says no more than that."""

from fastapi import APIRouter, Request, Response
from starlette.responses import JSONResponse

from graphrag.server.description import Described, problems
from graphrag.server.schemas import HealthShape
from graphrag.server.service import service_of

router = APIRouter(tags=["status"])
_NOT_READY: Described = {503: {"model": HealthShape, "description": "nothing is indexed yet"}}


@router.get("/health", response_model=HealthShape, responses={**problems(open_to_all=True), **_NOT_READY})
async def health(request: Request) -> Response:
    """Return whether there is anything to ask."""
    service = service_of(request)
    is_ready = await service.reads.run(lambda: service.vault.main.is_indexed, service.rules.read_seconds)
    return JSONResponse({"status": "ok" if is_ready else "no index"}, 200 if is_ready else 503)
