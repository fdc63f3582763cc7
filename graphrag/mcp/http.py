"""MCP over HTTP, as a part of the server: each POST is a request of its own, answered by JSON.

Who asks, and whether they may, is the server's to know: `find_caller` is given the ASGI scope.
"""

from collections.abc import Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from graphrag.mcp.caller import Caller
from graphrag.mcp.server import build_server

FindHttpCaller = Callable[[MutableMapping[str, Any]], Caller]
_MOST_BYTES = 64 * 1024  # of a request


class McpApp:
    """An ASGI application; `run` surrounds its life, once."""

    def __init__(self, find_caller: FindHttpCaller) -> None:
        server = build_server(lambda request: find_caller(_scope_of(request.request)))
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=_MOST_BYTES
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return what has to be entered before the first request."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Meet one request; without sessions there is nothing to GET or DELETE."""
        if scope["method"] != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        await self._manager.handle_request(scope, receive, send)


def _scope_of(request: Request | None) -> MutableMapping[str, Any]:
    assert request is not None  # every message of this transport comes with its request
    return request.scope
