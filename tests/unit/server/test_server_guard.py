"""What is refused before anybody asks who sent it: other hosts, other sites, large and slow bodies."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from graphrag.domain.access import ServerRules
from graphrag.server.admission import Guard, host_name
from graphrag.server.problems import Problem
from tests.e2e.conftest import SMALL, write_vault
from tests.unit.server.conftest import Served, ServeVault

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
}


@pytest.mark.parametrize("host", ["127.0.0.1:8321", "localhost:8321", "LOCALHOST", "[::1]:8321", "127.0.0.1"])
def test_this_machine_may_be_called_by_its_names(served: Served, host: str) -> None:
    assert served.get("/tags", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8321",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8321",
        "evil.example@127.0.0.1",
        "192.168.1.5:8321",
        "0.0.0.0:8321",
        "",
        "[::1].evil.example",
        "127.0.0.1:8321:1",
    ],
)
def test_a_name_that_was_made_to_point_here_is_refused(served: Served, host: str) -> None:
    """DNS rebinding: the browser sends the other site's name, and takes the answer for that site's own."""
    for path in ("/", "/health", "/tags", "/page/main.js"):
        reply = served.get(path, headers={"Host": host})
        assert reply.status_code == 421 and reply.json()["title"] == "Misdirected Request"


def test_a_host_can_be_allowed(serve_vault: ServeVault, tmp_path: Path) -> None:
    rules = ServerRules(hosts=frozenset({"notes.lan"}))
    served = serve_vault(write_vault(tmp_path / "v", SMALL), rules)
    assert served.get("/tags", headers={"Host": "Notes.LAN:443"}).status_code == 200
    assert served.get("/tags").status_code == 421


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8321", "HTTP://127.0.0.1:8321"])
def test_the_page_itself_may_ask(served: Served, origin: str) -> None:
    assert served.get("/tags", headers={"Origin": origin}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:9999",
        "http://localhost:8321",
        "",
        "file://",
        "http://127.0.0.1:8321.evil.example",
        "http://evil.example/127.0.0.1:8321",
        "https://127.0.0.1:8321:8321",
        "http://[",
    ],
)
def test_a_page_of_another_site_may_not(served: Served, origin: str) -> None:
    for reply in (
        served.get("/tags", headers={"Origin": origin}),
        served.post("/ask", json={"question": "x"}, headers={"Origin": origin}),
        served.client.options("/ask", headers={"Origin": origin, "Access-Control-Request-Method": "POST"}),
    ):
        assert reply.status_code == 403
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_ports_that_go_without_saying_compare(served: Served) -> None:
    headers = {"Host": "localhost", "Origin": "http://localhost"}
    assert served.get("/tags", headers=headers).status_code == 200
    assert served.get("/tags", headers={"Host": "localhost:443", "Origin": "https://localhost"}).status_code == 200


def test_a_body_has_a_limit_whether_announced_or_not(served: Served) -> None:
    large = b'{"question": "' + b"x" * 70_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    announced = served.post("/ask", content=large, headers=headers)
    in_pieces = served.post("/ask", content=iter([large[:40_000], large[40_000:]]), headers=headers)
    assert (announced.status_code, in_pieces.status_code) == (413, 413)
    assert announced.json()["detail"] == in_pieces.json()["detail"] == "A request may have 64 KB at most."
    assert served.post("/ask", content=b"x", headers={"Content-Length": "abc"}).status_code == 413


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def endpoint(scope: Any, receive: Any, send: Any) -> None:
        await receive()

    async def ask() -> None:
        scope = {"type": "http", "headers": [(b"host", b"localhost")], "method": "POST", "path": "/"}
        await Guard(endpoint, ServerRules(body_seconds=0.01))(scope, asyncio.Event().wait, None)  # type: ignore[arg-type]

    with pytest.raises(Problem) as refused:
        asyncio.run(ask())
    assert refused.value.status_code == 408


def test_every_reply_has_the_headers_that_keep_a_browser_safe(served: Served) -> None:
    replies = [served.get("/tags"), served.get("/tags", ""), served.get("/"), served.get("/nowhere")]
    replies += [served.get("/tags", headers={"Host": "evil.example"}), served.get("/page/main.js"), served.post("/ask")]
    for reply in replies:
        assert set(reply.headers["content-security-policy"].split("; ")) == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in reply.headers
        assert not [name for name in reply.headers if name.startswith("access-control")]
    assert {reply.headers["cache-control"] for reply in replies} == {"no-store", "no-cache"}
    assert served.get("/tags").headers["cache-control"] == "no-store"


def test_the_name_in_a_host_header_goes_without_its_port() -> None:
    names = ["a.b:80", "A.b", "[::1]:80", "[::1]", "::1", " a ", "a:b", "[::1]x"]
    assert [host_name(name) for name in names] == ["a.b", "a.b", "[::1]", "[::1]", "", "a", "", ""]
