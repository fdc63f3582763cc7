"""A served vault in this process: a small one, indexed with the fast embedder, asked through the whole application."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Mount
from starlette.testclient import TestClient

from graphrag.app import App
from graphrag.domain.access import NO_LIMIT, Limit, Scope, ServerRules
from graphrag.server.asgi import Server
from graphrag.vault.access_control import AccessTokens
from tests.conftest import MakeOnce
from tests.e2e.conftest import SMALL, embed_fast, index_vault, silent, write_vault
from tests.fakes.embedder import HashingEmbedder

BASE = "http://127.0.0.1:8321"


class Served:
    """A server with its client; `get` and `post` show the token of this run unless another is given."""

    def __init__(self, app: App, rules: ServerRules) -> None:
        self.app = app
        self.server = Server(app, rules)
        self.tokens = AccessTokens(app.index_folder())

    @cached_property
    def client(self) -> TestClient:
        """A client in this process; the server starts with its first use."""
        client = TestClient(self.server.asgi, base_url=BASE, raise_server_exceptions=False)
        client.__enter__()
        return client

    def close(self) -> None:
        if "client" in self.__dict__:
            self.client.__exit__()
        self.app.close()

    def get(self, path: str, token: str | None = None, **options: Any) -> httpx.Response:
        return self._ask("GET", path, token, options)

    def post(self, path: str, token: str | None = None, **options: Any) -> httpx.Response:
        return self._ask("POST", path, token, options)

    def make_token(self, name: str, scope: Scope = Scope.READ, limit: Limit = NO_LIMIT) -> str:
        return self.tokens.create(name, scope, limit, None)

    def _ask(self, method: str, path: str, token: str | None, options: dict[str, Any]) -> httpx.Response:
        shown = self.server.token if token is None else token
        headers = {**({"Authorization": f"Bearer {shown}"} if shown else {}), **options.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **options)


def routes_of(server: Server) -> list[tuple[str, str]]:
    """Return method and path of every route of the application, those of a folder of files by one of them."""
    return [*_routes_in(server.endpoints.routes)]


def _routes_in(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for route in routes:
        if hasattr(route, "original_router"):  # newer versions of the framework keep included routers as they are
            yield from _routes_in(route.original_router.routes)
        elif isinstance(route, Mount):
            yield "GET", f"{route.path}/main.js"
        else:
            yield from ((method, route.path) for method in sorted(route.methods or {"GET", "POST"}))


ServeVault = Callable[..., Served]


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashingEmbedder:
    return embed_fast(monkeypatch)


@pytest.fixture(scope="session")
def indexed_small(make_once: MakeOnce) -> Path:
    """The small vault with its index, to be copied."""

    def write(vault: Path) -> None:
        write_vault(vault, SMALL)
        with pytest.MonkeyPatch.context() as patch:
            embed_fast(patch)
            index_vault(vault)

    return make_once("small", write)


@pytest.fixture
def serve_vault(tmp_path: Path) -> Iterator[ServeVault]:
    """Open a vault as it lies there, index it unless told not to, and serve it."""
    opened: list[Served] = []

    def serve(vault: Path, rules: ServerRules | None = None, index: bool = True, **answer: object) -> Served:
        app = App.open(vault, vault, {"answer": {"chat": "none", **answer}})
        if index:
            app.index(False, silent)
        served = Served(app, rules or ServerRules())
        opened.append(served)
        return served

    yield serve
    for served in opened:
        served.close()


@pytest.fixture
def served(tmp_path: Path, indexed_small: Path, serve_vault: ServeVault) -> Served:
    """The small vault, served."""
    vault = tmp_path / "vault"
    shutil.copytree(indexed_small, vault)
    return serve_vault(vault, index=False)
