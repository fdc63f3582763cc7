"""`/mcp`: the tools for agents over HTTP, with the token, the vault and the threads of every other request."""

from collections.abc import Callable, MutableMapping
from typing import Any, TypeVar

from fastapi import FastAPI
from starlette.routing import Route

from graphrag.app import App
from graphrag.domain.access import Scope
from graphrag.mcp.caller import Caller, Refusal
from graphrag.mcp.http import McpApp
from graphrag.server.problems import Problem
from graphrag.server.service import Service

Result = TypeVar("Result")
PATH = "/mcp"


def make_mcp(service: Service) -> McpApp:
    """Return the application for agents; its `run` has to surround the server's life."""
    return McpApp(lambda scope: _caller(scope, service))


def mount_mcp(app: FastAPI, mcp: McpApp) -> None:
    """Put the application in its place."""
    app.router.routes.append(Route(PATH, endpoint=mcp, include_in_schema=False))


def _caller(scope: MutableMapping[str, Any], service: Service) -> Caller:
    admitted = scope["state"]["caller"]
    return Caller(admitted.token.scope, _CallersVault(admitted.app, service))


class _CallersVault:
    """The vault as one token shows it."""

    def __init__(self, app: App, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, work: Callable[[App], Result], scope: Scope) -> Result:
        """Run work in a thread of its kind, when one is free, for as long as a request may take."""
        service, rules = self._service, self._service.rules
        threads, seconds = (service.reads, rules.read_seconds)
        if scope is Scope.ASK:
            threads, seconds = (service.answers, rules.answer_seconds)
        try:
            return await threads.run(lambda: work(self._app), seconds)
        except Problem as problem:
            raise Refusal(problem.detail) from problem
