"""MCP over stdin and stdout, for a client that starts this process: one vault, one caller, the newest snapshot."""

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import to_thread
from mcp.server.stdio import stdio_server

from graphrag.domain.access import Scope
from graphrag.domain.course import Course, following
from graphrag.errors import GraphragError
from graphrag.mcp.caller import Caller
from graphrag.mcp.server import build_server

if TYPE_CHECKING:
    from graphrag.app import App

Result = TypeVar("Result")
_LOG = logging.getLogger("graphrag.mcp")


def serve_stdio(app: "App", may_write: bool) -> None:
    """Serve one client until it closes stdin; nothing but the protocol goes to stdout."""
    caller = Caller(Scope.ADMIN, OwnVault(app), may_write)
    anyio.run(_serve, caller)


async def _serve(caller: Caller) -> None:
    server = build_server(lambda request: caller)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class OwnVault:
    """The vault of the one caller."""

    def __init__(self, app: "App") -> None:
        self._app = app

    async def __call__(self, work: "Callable[[App], Result]", scope: Scope) -> Result:
        """Run work in a thread on the newest snapshot; when it is given up, the thread ends at its next step."""
        course = Course()
        try:
            return await to_thread.run_sync(partial(self._run, work, course), abandon_on_cancel=True)
        finally:
            course.stop()

    def _run(self, work: "Callable[[App], Result]", course: Course) -> Result:
        with following(course):
            self._take_newest()
            return work(self._app)

    def _take_newest(self) -> None:
        try:
            self._app.refresh()
        except GraphragError as error:
            _LOG.warning("the snapshot before goes on answering: %s", error)
