"""`/ask`: an answer as JSON, or as it comes about, by server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.responses import StreamingResponse

from graphrag.jsonable import answer_json
from graphrag.server.answering import Answering
from graphrag.server.description import problems
from graphrag.server.inputs import AskBody
from graphrag.server.problems import Problem
from graphrag.server.schemas import AnswerShape
from graphrag.server.service import JSON, caller_of, service_of, to_json

router = APIRouter(tags=["ask"])
_EVENTS = "text/event-stream"
_STREAM = {_EVENTS: {"schema": {"type": "string", "description": "events: stage, token, answer, error"}}}


@router.post("/ask", response_model=AnswerShape, responses={**problems(400), 200: {"content": _STREAM}})
async def ask(request: Request, body: AskBody) -> Response:
    """Answer a question from the notes.

    With `Accept: text/event-stream` come events: `stage` (a name, and milliseconds at its end), `token` (a piece of the
    draft, not checked yet), and at last `answer` or `error` (a problem). Whoever goes away ends the work.
    """
    service, filters = service_of(request), body.filters.read()
    answering = Answering(service.answers, service.rules, service.metrics)
    await answering.begin(caller_of(request).app, body.question, filters)
    if _EVENTS in request.headers.get("accept", ""):
        return StreamingResponse(_stream(answering), media_type=_EVENTS)
    answer = await _unless_gone(request, answering)
    return Response(to_json(answer_json(answer)), media_type=JSON)


async def _stream(answering: Answering) -> AsyncIterator[bytes]:
    async for kind, told in answering.events():
        shape = answer_json(told) if kind == "answer" else told.shape() if isinstance(told, Problem) else told
        yield b"event: " + kind.encode() + b"\ndata: " + to_json(shape) + b"\n\n"


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
