"""A conversation with the example vault, on the command line and without a chat model."""

import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.query import Filters
from tests.e2e.conftest import EXAMPLES, silent

SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example vault in Git, indexed by words and links."""
    folder = tmp_path_factory.mktemp("chat") / "vault"
    shutil.copytree(EXAMPLES / "vault", folder)
    (folder / "graphrag.toml").write_text(SETTINGS, encoding="utf-8")
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "notes")
    app = App.open(folder, folder)
    app.index(False, silent)
    app.close()
    return folder


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def _run(vault: Path, *arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "graphrag", *arguments, "--vault", str(vault)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)


def test_a_conversation_along_relations_goes_on_in_the_next_session(vault: Path) -> None:
    (vault / ".graphrag" / "chat.jsonl").unlink(missing_ok=True)  # of another test
    first = _run(vault, "chat", stdin="支付模块的负责人是谁\n它依赖什么\n/sources\n")
    assert (first.returncode, first.stderr) == (0, "")
    told, _, followed = first.stdout.partition("> 它依赖什么\n")
    assert "支付模块的负责人是张三" in told
    assert followed.startswith("理解为：支付模块依赖什么\n")
    assert "支付模块依赖消息队列" in followed
    assert "    依赖:: [[消息队列]]" in followed
    second = _run(vault, "chat", stdin="那消息队列的负责人呢\n/new\n它依赖什么\n")
    assert "Going on with the last conversation (2 questions, the last one: 它依赖什么)" in second.stderr
    assert "理解为：消息队列的负责人呢\n消息队列的负责人是李四" in second.stdout
    assert "理解为" not in second.stdout.partition("> 它依赖什么")[2]


def test_the_history_is_its_owners_and_git_does_not_see_it(vault: Path) -> None:
    _run(vault, "chat", stdin="支付模块的负责人是谁\n")
    file = vault / ".graphrag" / "chat.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "chat.jsonl" not in _git(vault, "status", "--porcelain", "--untracked-files=all")


def test_a_saved_answer_is_a_new_note_that_no_answer_cites(vault: Path) -> None:
    head, files = _git(vault, "rev-parse", "HEAD"), set(vault.rglob("*.md"))
    reply = json.loads(_run(vault, "ask", "支付模块依赖什么", "--save", "--json").stdout)
    assert reply["saved"] == "问答/支付模块依赖什么.md"
    note = (vault / reply["saved"]).read_text(encoding="utf-8")
    assert "[[支付系统/支付模块#待办|来源1]]" in note
    assert f"commit: {head.strip()}" in note
    again = _run(vault, "ask", "支付模块依赖什么", "--save")
    assert again.stderr == "已保存：问答/支付模块依赖什么 (2).md\n"
    assert set(vault.rglob("*.md")) - files == {
        vault / reply["saved"],
        vault / "问答/支付模块依赖什么 (2).md",
    }
    assert (_git(vault, "rev-parse", "HEAD"), _git(vault, "diff", "--stat")) == (head, "")
    app = App.open(vault, vault, {"index": {"worktree": True}})
    try:
        app.index(False, silent)
        found = app.search("支付模块依赖什么", Filters(), 50).candidates
        assert found
        assert not [item for item in found if item.chunk.note.startswith("问答/")]
    finally:
        app.close()
        shutil.rmtree(vault / "问答")


def test_a_refusal_is_not_saved(vault: Path) -> None:
    result = _run(vault, "ask", "zxqv wubble frobnitz", "--save")
    assert result.returncode == 0
    assert "Nothing was saved" in result.stderr
    assert not (vault / "问答").exists()


def test_the_questions_of_the_example_stand_by_themselves(vault: Path) -> None:
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    app = App.open(vault, vault)
    try:
        conversation = app.converse()
        conversation.ask("支付模块的负责人是谁", Filters())
        for line in lines:
            assert conversation._rewrite(json.loads(line)["question"]) is None, line
    finally:
        app.close()
