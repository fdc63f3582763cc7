"""What the skill tells an agent is true: its commands run on the example vault, and print the fields that it names."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from graphrag.cli.main import app as command_line
from graphrag.domain.query import AnswerStatus, Route
from graphrag.mcp.tools import make_tools
from tests.conftest import MakeOnce
from tests.e2e.conftest import write_demo_of_words

SKILL = (Path(__file__).parents[2] / "skills" / "vault-graphrag" / "SKILL.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", SKILL, re.DOTALL) for line in block.splitlines() if line.strip()
]


@pytest.fixture(scope="module")
def vault(make_once: MakeOnce) -> Path:
    return make_once("words", write_demo_of_words)


def run(command: str, vault: Path) -> Any:
    """Return the JSON that a command prints."""
    program, *words = shlex.split(command)
    assert program == "graphrag"
    done = CliRunner().invoke(command_line, words, env={"GRAPHRAG_VAULT": str(vault)}, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_the_skill_introduces_itself() -> None:
    _, front, _ = SKILL.split("---\n", 2)
    head = yaml.safe_load(front)
    assert head["name"] == "vault-graphrag"
    assert 50 < len(head["description"]) <= 1024


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs(vault: Path, command: str) -> None:
    assert run(command, vault)


def test_the_answer_has_the_fields_that_are_shown(vault: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", SKILL, re.DOTALL)
    shown, answer = json.loads(block), run(COMMANDS[0], vault)
    assert shown.keys() <= answer.keys()
    assert shown["citations"][0].keys() == answer["citations"][0].keys()
    assert shown["snapshot"].keys() == answer["snapshot"].keys()
    assert shown["snapshot"]["behind"].keys() == answer["snapshot"]["behind"].keys()
    assert (answer["status"], answer["route"], answer["model"]) == (shown["status"], shown["route"], shown["model"])


def test_other_results_have_the_fields_that_are_named(vault: Path) -> None:
    first = run('graphrag search "分布式事务 补偿" -k 5 --json', vault)["results"][0]
    assert {"note", "lines", "heading", "text", "why"} <= first.keys()
    around = run("graphrag near 支付模块 --json", vault)
    assert {"neighbors", "inferred", "mentions"} <= around.keys()
    assert {"proof", "conflicts", "status"} <= run('graphrag explain "张三 负责 支付模块" --json', vault).keys()


def test_statuses_routes_and_tools_are_all_explained() -> None:
    for status in AnswerStatus:
        assert f"`{status}`" in SKILL
    for route in Route:
        assert f"`{route}`" in SKILL
    for tool in make_tools():
        assert f"`{tool}`" in SKILL


def test_a_refusal_and_a_filter_that_nothing_passes_are_as_described(vault: Path) -> None:
    refused = run('graphrag ask "火星上的樱花几月开？" --json', vault)
    assert refused["status"] in ("no_hit", "low_relevance", "not_in_notes")
    words = ["ask", "重试", "--tag", "没有的标签", "--json"]
    done = CliRunner().invoke(command_line, words, env={"GRAPHRAG_VAULT": str(vault)})
    assert done.exit_code == 1
