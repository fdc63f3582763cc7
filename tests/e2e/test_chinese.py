"""With a Chinese locale, no line that a command prints is English: the commands of the README over a small vault."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag.cli.main import app
from tests.e2e.conftest import SMALL, write_vault
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.git import isolate_git, run_git

QUESTION = "支付模块的重试次数由什么控制"
CASE = {"id": "1", "question": QUESTION, "relevant": ["支付/支付模块.md"]}
COMMANDS = [
    ["index"],
    ["index", "--full"],
    ["status"],
    ["doctor"],
    ["ask", QUESTION],
    ["ask", "retry_count"],
    ["ask", QUESTION, "--save"],
    ["ask", "张三负责哪些模块"],
    ["ask", "标签是 支付 的笔记有哪些"],
    ["ask", "火星上有水吗", "--tag", "没有"],
    ["ask", QUESTION, "--at", "HEAD"],
    ["search", QUESTION, "--explain"],
    ["search", QUESTION, "--why-not", "张三"],
    ["chat"],
    ["open", "支付模块:6"],
    ["log", "支付模块"],
    ["changes", "--all"],
    ["near", "支付模块"],
    ["path", "支付模块", "张三"],
    ["path", "支付模块", "张三", "--hops", "1"],
    ["explain", "张三 负责 交易系统"],
    ["ontology", "check"],
    ["token", "create", "手机"],
    ["token", "list"],
    ["token", "delete", "没有"],
    ["show", "支付模块"],
    ["tags"],
    ["categories"],
    ["sample", "1"],
    ["export", "--out", "没有/x.graphml"],
    ["eval", "cases.jsonl", "--mode", "full_text"],
    ["eval", "missing.jsonl"],
    ["calibrate"],
    ["import", "leanote", "没有"],
    ["init"],
    ["watch", "nothing"],
    ["serve", "--host", "0.0.0.0"],
    ["ask", "--since", "2024"],
    ["ask"],
    ["ask", "1/0"],
    ["ask", QUESTION, "--since", "90x"],
    ["ask", "上月31号开会说了什么"],
    ["ask", "-5 °C in F"],
    ["ask", QUESTION, "--nothing"],
    ["ask", QUESTION, "-k", "many"],
    ["near"],
    ["show", "a", "b"],
    ["nothing"],
    ["cypher", ""],
    ["cypher", "RETURN 1", "--json", "--csv"],
    ["eval", "cases.jsonl", "--answers"],
    ["near", "没有这篇"],
    ["open", "支付模块:999"],
]
# What a Chinese line may hold besides: code, paths, addresses, options, and names of settings, models and fields.
NO_PROSE = re.compile(
    r"`[^`]*`|'[^']*'|“[^”]*”|\S*[/\\_.:@#=\[\]<>$]\S*|--?[a-z][\w-]*|graphrag( [a-z]+)*|pip install \S+"
)
ENGLISH = re.compile(r"(?:\b[A-Za-z][a-z]+\b[ ,;]+){2,}[A-Za-z]+|^[A-Za-z][a-z]+(?: [a-z]+)*[.:]?$")
CHINESE = re.compile(r"[\u3400-\u9fff]")


@pytest.fixture
def vault(tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_vault(tmp_path / "vault", SMALL)
    (folder / "graphrag.toml").write_text('[answer]\nchat = "ollama"\nhost = "http://127.0.0.1:9"\n', encoding="utf-8")
    (folder / "cases.jsonl").write_text(json.dumps(CASE, ensure_ascii=False), encoding="utf-8")
    isolate_git(monkeypatch, tmp_path)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "开始"]):
        run_git(folder, *arguments)
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setenv("GRAPHRAG_VAULT", str(folder))
    monkeypatch.chdir(folder)
    return folder


def english_lines(output: str) -> list[str]:
    lines = (line for line in output.splitlines() if not CHINESE.search(line))
    return [line for line in lines if ENGLISH.search(NO_PROSE.sub(" ", line).strip())]


def test_no_command_prints_a_line_of_english(vault: Path) -> None:
    talk = f"{QUESTION}\n/help\n/why\n/sources\n/filter\n/nothing\n/save\n/new\n/why\n".encode()
    runner, found = CliRunner(), {}
    for command in COMMANDS:
        result = runner.invoke(app, command, input=talk if command == ["chat"] else None)
        assert result.exception is None or isinstance(result.exception, SystemExit), (command, result.exception)
        found[" ".join(command)] = english_lines(result.output)
    assert {command: lines for command, lines in found.items() if lines} == {}


def test_json_stays_as_it_is(vault: Path) -> None:
    runner = CliRunner()
    runner.invoke(app, ["index"])
    answer = json.loads(runner.invoke(app, ["ask", QUESTION, "--json"]).stdout)
    assert answer["notice"].startswith("Ollama does not answer at")
    assert json.loads(runner.invoke(app, ["doctor", "--json"]).stdout)[0]["name"] == "python"
