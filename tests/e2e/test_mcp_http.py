"""`/mcp` of a real `graphrag serve`, by the SDK's client with tokens of each kind."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import MCPError
from mcp.client.streamable_http import streamable_http_client

from graphrag.app import App
from graphrag.domain.access import NO_LIMIT, Limit, Scope
from graphrag.mcp.caller import Caller
from graphrag.mcp.server import OwnVault, build_server
from graphrag.vault.access_control import AccessTokens
from tests.e2e.agents import Agent, connected
from tests.e2e.conftest import silent, write_vault

MARKER = "zebrafinch"  # in every note outside the limit, and in its names
NOTES = {
    "工作/支付模块.md": '---\n负责人: "[[张三]]"\ntags: [支付]\n---\n# 支付模块\n\n'
    "重试次数由 retry_count 控制，默认三次。\n",
    "工作/网关.md": "---\ntags: [支付/网关]\n---\n# 网关\n\n依赖:: [[支付模块]]\n\n网关每分钟放行九百个请求。\n",
    f"私事/{MARKER}.md": f"---\ntags: [{MARKER}/日记]\naliases: [{MARKER} 的别名]\n---\n# {MARKER}\n\n"
    f"retry_count 与 {MARKER} 无关，见 [[支付模块]]、[[网关]]。负责人:: [[{MARKER} 先生]]\n",
    "人物/张三.md": f"# 张三\n\n张三养了一只 {MARKER}，见 [[支付模块]]。\n",
}
OVERRIDES = {"index": {"embedder": "none"}, "answer": {"chat": "none"}}
LIMIT = Limit(categories=("工作",))


@dataclass(frozen=True)
class Served:
    """A running server and the tokens that it lets in."""

    url: str
    owner: str
    reader: str
    asker: str
    limited: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    vault = write_vault(tmp_path_factory.mktemp("served") / "vault", NOTES)
    (vault / "graphrag.toml").write_text('[index]\nembedder = "none"\n[answer]\nchat = "none"\n', encoding="utf-8")
    app = App.open(vault, vault)
    app.index(False, silent)
    app.close()
    tokens = AccessTokens(vault / ".graphrag")
    kinds = (("reader", Scope.READ, NO_LIMIT), ("asker", Scope.ASK, NO_LIMIT), ("limited", Scope.ASK, LIMIT))
    made = {name: tokens.create(name, scope, limit, None) for name, scope, limit in kinds}
    command = [sys.executable, "-P", "-m", "graphrag", "serve", "--port", "0", "--vault", str(vault)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", env=environment) as process:
        assert process.stdout
        url, _, owner = process.stdout.readline().strip().partition("/#token=")
        try:
            _wait_until_indexed(url, made["limited"])
            yield Served(url, owner, **made)
        finally:
            process.terminate()


def _wait_until_indexed(url: str, token: str) -> None:
    """Ask until the part of the vault that a limited token opens is indexed."""
    for _ in range(200):
        try:
            reply = httpx.get(f"{url}/tags", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        except httpx.ConnectError:  # it says where before it listens
            time.sleep(0.1)
            continue
        if reply.status_code == 200:
            return
        assert reply.status_code == 503, reply.text
        time.sleep(0.1)
    raise AssertionError("the limited index was never made")


@contextmanager
def admitted(served: Served, token: str, mode: str = "auto") -> Iterator[Agent]:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    with connected(streamable_http_client(f"{served.url}/mcp", http_client=http), mode) as agent:
        yield agent


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_each_tool_answers_with_and_without_a_handshake(served: Served, mode: str) -> None:
    with admitted(served, served.asker, mode) as agent:
        assert len(agent.portal.call(agent.client.list_tools).tools) == 8
        assert agent.get("search_notes", query="retry_count")["results"]
        assert agent.get("ask_notes", question="谁负责支付模块")["citations"][0]["note"] == "工作/支付模块.md"
        assert agent.get("get_note", note="网关")["links"] == [{"note": "工作/支付模块.md", "relation": "依赖"}]
        assert agent.get("related_notes", name="支付模块")["related"]
        assert agent.get("explain_relation", subject="网关", object="张三")["status"] == "connected"
        assert agent.get("list_notes")["total"] == len(NOTES)
        assert "Git" in agent.error("recent_changes")
        uris = [item.uri for item in agent.resources()]
        assert len(uris) == len(NOTES)
        assert agent.read(uris[0])


def test_the_scope_of_the_token_decides(served: Served) -> None:
    with admitted(served, served.reader) as agent:
        assert "ask_notes" not in [tool.name for tool in agent.portal.call(agent.client.list_tools).tools]
        assert "scope ask" in agent.error("ask_notes", question="谁负责支付模块")
    with admitted(served, served.owner) as agent:  # nobody writes over HTTP
        assert "no tool" in agent.error("save_answer", question="谁负责支付模块")


def test_without_a_valid_token_nothing_is_told(served: Served) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": f"Bearer {served.owner[:-1]}x"}):
        reply = httpx.post(f"{served.url}/mcp", json=message, headers=headers)
        assert reply.status_code == 401
        assert "search_notes" not in reply.text


@pytest.mark.parametrize(
    ("headers", "status"), [({"Origin": "https://evil.example"}, 403), ({"Host": "evil.example"}, 421)]
)
def test_pages_of_other_sites_are_refused(served: Served, headers: dict[str, str], status: int) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    shown = {"Authorization": f"Bearer {served.owner}", **headers}
    assert httpx.post(f"{served.url}/mcp", json=message, headers=shown).status_code == status


def test_only_posts_are_taken(served: Served) -> None:
    for method in ("GET", "DELETE"):
        reply = httpx.request(method, f"{served.url}/mcp", headers={"Authorization": f"Bearer {served.owner}"})
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_a_limited_token_meets_a_vault_in_which_the_other_notes_never_were(served: Served, tmp_path: Path) -> None:
    """The same calls to such a vault give the same results and errors, scores and counts included."""
    inside = {path: text for path, text in NOTES.items() if path.startswith("工作/")}
    reduced = App.open(write_vault(tmp_path / "vault", inside), tmp_path, OVERRIDES)
    reduced.index(False, silent)
    caller = Caller(Scope.ASK, OwnVault(reduced))
    with admitted(served, served.limited) as agent, connected(build_server(lambda request: caller)) as expected:
        for tool, arguments in _sweep():
            shown, there = agent.call(tool, **arguments), expected.call(tool, **arguments)
            assert shown.content == there.content, (tool, arguments)
            assert shown.structured_content == there.structured_content
        uris = [
            [item.uri for item in one.portal.call(one.client.list_resources).resources] for one in (agent, expected)
        ]
        assert uris[0] == uris[1]
        for uri in (f"note:///私事/{MARKER}.md", "note:///人物/张三.md"):
            with pytest.raises(MCPError):
                agent.read(uri)
    reduced.close()


def _sweep() -> list[tuple[str, dict[str, Any]]]:
    """Return calls that would lead to the notes outside: by word, name, path, link, tag, category and date."""
    words = ("retry_count", MARKER, "张三养了什么", f"{MARKER} 先生", "支付模块")
    names = (
        "支付模块",
        "张三",
        MARKER,
        f"{MARKER} 先生",
        f"#{MARKER}/日记",
        f"私事/{MARKER}.md",
        f"{MARKER} 的别名",
        "zebra",
    )
    filters = (
        {"tags": [MARKER]},
        {"tags": ["zebra"]},
        {"categories": ["私"]},
        {"paths": ["人物"]},
        {"since": "2020-01-01"},
    )
    return [
        *(("search_notes", {"query": word}) for word in words),
        *(
            ("ask_notes", {"question": word})
            for word in (*words, "有多少篇笔记", "谁负责支付模块", "哪些笔记链接到支付模块")
        ),
        *(("get_note", {"note": name}) for name in names),
        *(("related_notes", {"name": name, "hops": 3}) for name in names),
        *(("explain_relation", {"subject": "网关", "object": name}) for name in names),
        *(("explain_relation", {"subject": name, "object": "支付模块", "relation": "负责"}) for name in names),
        *(("list_notes", {"words": word}) for word in ("", *words)),
        *(("list_notes", {"filter": one}) for one in filters),
        *(("search_notes", {"query": "支付", "filter": one}) for one in filters),
        ("recent_changes", {"since": "90d"}),
    ]
