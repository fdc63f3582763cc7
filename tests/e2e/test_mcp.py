"""`graphrag mcp` as an agent meets it: a process of its own on the example vault, spoken to by the SDK's client."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from graphrag.app import App
from tests.e2e.agents import Agent, connected, text_of
from tests.e2e.conftest import EXAMPLES, silent
from tests.fakes.git import run_git
from tests.fakes.ollama_server import Mood, OllamaServer, running_server

SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'
PRIVATE = ("鲸鱼在七楼晒月亮", "紫罗兰保险箱", "橘猫计划")
COMMAND = [sys.executable, "-P", "-m", "graphrag", "mcp"]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example vault under Git, indexed by words and links alone."""
    vault = tmp_path_factory.mktemp("mcp") / "vault"
    shutil.copytree(EXAMPLES / "vault", vault)
    (vault / "graphrag.toml").write_text(SETTINGS, encoding="utf-8")
    run_git(vault, "init", "--quiet")
    commit(vault, "first")
    index(vault)
    return vault


def commit(vault: Path, message: str) -> None:
    run_git(vault, "add", "--all")
    run_git(vault, "commit", "--quiet", "--message", message)


def index(vault: Path) -> None:
    app = App.open(vault, vault)
    app.index(False, silent)
    app.close()


@contextmanager
def started(vault: Path, *options: str) -> Iterator[Agent]:
    command, *rest = [*COMMAND, "--vault", str(vault), *options]
    with connected(StdioServerParameters(command=command, args=rest, env=dict(os.environ))) as agent:
        yield agent


@pytest.fixture(scope="module")
def agent(vault: Path) -> Iterator[Agent]:
    with started(vault) as agent:
        yield agent


def test_the_tools_read_only(agent: Agent) -> None:
    tools = agent.portal.call(agent.client.list_tools).tools
    assert len(tools) == 8
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
    assert "no tool" in agent.error("save_answer", question="张三负责哪些模块")


def test_passages_are_found_and_read_on(agent: Agent) -> None:
    first, *_ = agent.get("search_notes", query="重试风暴", limit=2)["results"]
    assert "重试风暴复盘" in first["note"]
    assert first["lines"] == agent.get("get_note", note=first["ref"])["lines"]


def test_an_answer_cites_lines_in_their_version(agent: Agent, vault: Path) -> None:
    answer = agent.get("ask_notes", question="张三负责哪些模块")
    assert (answer["status"], answer["model"]) == ("answered", "graph")
    assert "支付模块" in answer["answer"]
    source = answer["citations"][0]
    first, last = source["lines"]
    assert first == last
    assert source["ref"].startswith(f"{source['note']}:{first}@")
    line = (vault / source["note"]).read_text(encoding="utf-8").split("\n")[first - 1]
    assert agent.get("get_note", note=source["ref"])["text"] == line


def test_links_and_relations_are_followed(agent: Agent) -> None:
    around = agent.get("related_notes", name="支付模块")
    assert any("—属于→" in item["why"] for item in around["related"])
    proof = agent.get("explain_relation", subject="张三", relation="负责", object="支付模块")
    assert proof["status"] == "inferred"
    assert agent.get("explain_relation", subject="Saga", object="张三")["status"] == "connected"


def test_lists_and_changes_are_counted(agent: Agent) -> None:
    listed = agent.get("list_notes", filter={"tags": ["支付"]}, limit=50)
    assert listed["total"] == len(listed["notes"]) > 10
    changed = agent.get("recent_changes", limit=3)
    assert (changed["commits"], len(changed["notes"])) == (1, 3)
    assert changed["total"] > 50


def test_resources_are_read_and_private_notes_are_none(agent: Agent, vault: Path) -> None:
    listed = agent.resources()
    assert listed
    for item in listed[:5]:
        assert agent.read(item.uri).rstrip() == (vault / item.name).read_text(encoding="utf-8").rstrip()
    for path in ("工具/晋升答辩草稿.md", "../outside.md", "%2e%2e/%2e%2e/etc/passwd", ".trash/旧网关方案.md"):
        with pytest.raises(MCPError):
            agent.read(f"note:///{path}")


@pytest.mark.parametrize(
    "text",
    [
        "😀👩‍👩‍👧",
        "支付　模块",
        "\u202e模块付支",
        "'; DROP TABLE notes; --",
        "${jndi:ldap://x}",
        "\x1b[2J",
        "*" * 300,
        "tag:",
    ],
)
def test_strange_words_are_answered_or_refused_in_a_line(agent: Agent, text: str) -> None:
    calls: list[tuple[str, dict[str, object]]] = [
        ("search_notes", {"query": text}),
        ("ask_notes", {"question": text}),
        ("get_note", {"note": text}),
        ("related_notes", {"name": text}),
        ("explain_relation", {"subject": text, "object": text, "relation": text}),
        ("list_notes", {"words": text, "filter": {"paths": [text]}}),
        ("recent_changes", {"since": text}),
    ]
    for tool, arguments in calls:
        shown = text_of(agent.call(tool, **arguments))
        assert not shown.startswith("Something went wrong"), tool
        assert not any(phrase in shown for phrase in PRIVATE)


def test_the_newest_index_answers(agent: Agent, vault: Path) -> None:
    assert agent.get("list_notes", words="全新的笔记")["total"] == 0
    (vault / "全新的笔记.md").write_text("# 全新的笔记\n\n量子信箱在三楼。\n", encoding="utf-8")
    commit(vault, "one more")
    index(vault)
    assert agent.get("list_notes", words="全新的笔记")["total"] == 1
    assert agent.get("search_notes", query="量子信箱")["results"][0]["note"] == "全新的笔记.md"


def test_writing_has_to_be_allowed(vault: Path) -> None:
    with started(vault, "--allow-write") as agent:
        saved = agent.get("save_answer", question="张三负责哪些模块", name="模块")
        assert (vault / saved["note"]).read_text(encoding="utf-8").startswith("---\ntitle: 模块\n")
        (vault / saved["note"]).unlink()


def test_a_call_that_is_given_up_frees_the_server(vault: Path) -> None:
    """The model says a little and then nothing; the agent gives up and goes on with something else."""
    with running_server("支付", "模块", "由", "张三", mood=Mood.STALL_MIDWAY) as model:
        settings = f'[index]\nembedder = "none"\n[answer]\nhost = "{model.host}"\n'
        (vault / "graphrag.toml").write_text(settings, encoding="utf-8")
        try:
            with started(vault) as agent:
                agent.portal.call(_give_up, agent.client, model)
                assert agent.get("search_notes", query="支付单")["results"]
        finally:
            (vault / "graphrag.toml").write_text(SETTINGS, encoding="utf-8")


async def _give_up(client: Client, model: OllamaServer) -> None:
    asking = asyncio.ensure_future(client.call_tool("ask_notes", {"question": "支付单有哪些状态？"}))
    while not model.requests and not asking.done():
        await asyncio.sleep(0.02)
    assert not asking.done()
    asking.cancel()


def test_stdout_holds_nothing_but_the_protocol(vault: Path) -> None:
    """Loading the tokenizer, the stores and the parser prints lines; none may get between the messages."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("initialize", client),
        ("tools/list", {}),
        ("tools/call", {"name": "ask_notes", "arguments": {"question": "重试次数是多少？"}}),
        ("tools/call", {"name": "get_note", "arguments": {"note": "支付模块"}}),
        ("resources/list", {}),
    ]
    process = subprocess.Popen(
        [*COMMAND, "--vault", str(vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdin and process.stdout
    replies = []
    for number, (method, params) in enumerate(calls):
        _send(process, {"id": number, "method": method, "params": params})
        replies.append(json.loads(process.stdout.readline()))
        if method == "initialize":
            _send(process, {"method": "notifications/initialized"})
    rest, errors = process.communicate(timeout=60)
    assert [reply["id"] for reply in replies] == [0, 1, 2, 3, 4]
    assert all("result" in reply for reply in replies)
    assert rest == ""
    assert "Traceback" not in errors
    assert process.returncode == 0


def _send(process: "subprocess.Popen[str]", message: dict[str, Any]) -> None:
    assert process.stdin
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def test_without_a_vault_the_command_says_so_and_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--vault", str(tmp_path / "nowhere")], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
