"""The ASGI application: endpoints, and around them what guards, admits and accounts for every request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import Depends, FastAPI
from starlette.types import ASGIApp

from graphrag.app import App
from graphrag.server import (
    endpoints_ask,
    endpoints_graph,
    endpoints_health,
    endpoints_lists,
    endpoints_notes,
    endpoints_search,
    endpoints_status,
)
from graphrag.server.accounting import Accounting
from graphrag.server.admission import Admission, Doorkeeper
from graphrag.server.description import BEARER, describe
from graphrag.server.guard import Guard
from graphrag.server.inputs import check_given_once
from graphrag.server.mcp_mount import make_mcp, mount_mcp
from graphrag.server.metrics import Metrics
from graphrag.server.page_files import add_page
from graphrag.server.problems import install_problems
from graphrag.server.rules import ServerRules
from graphrag.server.served_vault import ServedVault
from graphrag.server.service import Service
from graphrag.server.workers import Workers
from graphrag.stores.audit_log import AuditLog
from graphrag.vault.access import AccessTokens

_GUARDED = (endpoints_search, endpoints_ask, endpoints_notes, endpoints_graph, endpoints_lists, endpoints_status)


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
    for module in _GUARDED:
        app.include_router(module.router, dependencies=[BEARER, Depends(check_given_once)])
    app.include_router(endpoints_health.router)
    mount_mcp(app, mcp)
    add_page(app)
    install_problems(app)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]  # as FastAPI wants it
    return app
