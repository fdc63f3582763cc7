"""The ASGI application: endpoints, and around them what guards, admits and accounts for every request."""

from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Depends, FastAPI, Request, Response
from starlette.responses import FileResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from graphrag.app import App
from graphrag.domain.access import Scope, ServerRules
from graphrag.mcp.caller import Caller, Refusal
from graphrag.mcp.server import McpApp
from graphrag.server.accounting import Accounting
from graphrag.server.admission import Admission, Doorkeeper, Guard
from graphrag.server.endpoints import BEARER, GUARDED, describe, health_router
from graphrag.server.inputs import check_given_once
from graphrag.server.problems import Problem, install_problems
from graphrag.server.served_vault import ServedVault
from graphrag.server.service import Metrics, Service, Workers
from graphrag.stores.access_records import AuditLog
from graphrag.vault.access_control import AccessTokens

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


FOLDER = Path(__file__).parent / "page"


def add_page(app: FastAPI) -> None:
    """Add the page at `/` and its assets below `/page/`."""
    app.add_route("/", _page, include_in_schema=False)
    app.mount("/page", StaticFiles(directory=FOLDER), name="page")


async def _page(request: Request) -> Response:
    file = FOLDER / "index.html"
    if not file.is_file():
        raise Problem(HTTPStatus.NOT_FOUND, "This installation has no page.")
    return FileResponse(file, media_type="text/html; charset=utf-8")


class Server:
    """One vault, served; `asgi` is the application, `token` lets in whoever started it."""

    def __init__(self, app: App, rules: ServerRules) -> None:
        folder = app.index_folder()
        self.service = Service(
            vault=ServedVault(app, rules.watched),
            rules=rules,
            reads=Workers("reads", rules.reads, rules.waiting, rules.patience),
            answers=Workers("answers", rules.answers, rules.waiting, rules.patience),
            metrics=Metrics(),
        )
        doorkeeper = Doorkeeper(AccessTokens(folder), rules.failures)
        self.token = doorkeeper.own
        self.endpoints = _endpoints(self.service)
        admitted = Admission(self.endpoints, doorkeeper, self.service.vault.app_of)
        self.asgi: ASGIApp = Accounting(Guard(admitted, rules), AuditLog(folder), self.service.metrics)


def _endpoints(service: Service) -> FastAPI:
    mcp = make_mcp(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with service.vault:
            async with mcp.run():
                yield
        service.reads.close()
        service.answers.close()

    app = FastAPI(
        title="vault-graphrag",
        version=version("vault-graphrag"),
        description="Search and answers over one Markdown vault.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.service = service
    for router in GUARDED:
        app.include_router(router, dependencies=[BEARER, Depends(check_given_once)])
    app.include_router(health_router)
    mount_mcp(app, mcp)
    add_page(app)
    install_problems(app)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]  # as FastAPI wants it
    return app
