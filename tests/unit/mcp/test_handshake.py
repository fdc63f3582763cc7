"""The handshake is answered as the server answers it, before anything heavy is loaded."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from graphrag.mcp.handshake import _VERSIONS, answer_to

_CLIENT = {"name": "test", "version": "1"}
_HEAVY = ("mcp", "mcp_types", "numpy", "pyarrow", "lance", "kuzu", "jieba", "rdflib", "graphrag.app")


def initialize(protocol: str = "2025-06-18", **changed: Any) -> dict[str, Any]:
    params = {"protocolVersion": protocol, "capabilities": {}, "clientInfo": _CLIENT}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params, **changed}


def talk(vault: Path, *messages: dict[str, Any] | str) -> list[dict[str, Any]]:
    """Return what a server on stdio answers to messages."""
    lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
    process = subprocess.Popen(
        [sys.executable, "-m", "graphrag", "mcp", "--vault", str(vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    answers = []
    for line in lines:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        if '"id"' in line:
            answers.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    assert process.stdout.read() == ""
    assert process.wait(60) == 0
    process.stdout.close()
    return answers


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    return tmp_path


def test_the_versions_are_those_of_the_library() -> None:
    assert _VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


def test_the_answer_is_the_servers_own(vault: Path) -> None:
    plain, odd = initialize(), initialize(extra=1)
    assert answer_to(json.dumps(odd).encode()) is None  # left to the server
    mine, tools = talk(vault, plain, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    theirs, same_tools = talk(vault, odd, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    assert mine == theirs
    assert tools == same_tools
    assert tools["result"]["tools"]


@pytest.mark.parametrize(
    "message",
    [
        *(initialize("1999-01-01"), initialize(id=None), initialize(id=True), initialize(params={})),
        *(initialize(jsonrpc="1.0"), initialize(method="ping"), [], "initialize", 1, None),
    ],
)
def test_anything_else_is_left_to_the_server(message: object) -> None:
    assert answer_to(json.dumps(message).encode()) is None
    assert answer_to(b"{") is None


def test_nothing_heavy_is_loaded_before_the_answer(vault: Path) -> None:
    program = (
        "import sys; from graphrag.cli import commands; import graphrag.mcp.handshake as handshake; "
        "greet = handshake.greet\n"
        "def noted():\n"
        "    greet()\n"
        f"    print([name for name in {_HEAVY} if name in sys.modules], file=sys.stderr)\n"
        "    raise SystemExit(0)\n"
        "handshake.greet = noted\n"
        f"sys.exit(commands.run_line(['mcp', '--vault', {str(vault)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(initialize()) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "vault-graphrag"
    assert done.stderr.strip() == "[]"


def test_a_client_that_says_nothing_gets_nothing(vault: Path) -> None:
    assert talk(vault) == []
