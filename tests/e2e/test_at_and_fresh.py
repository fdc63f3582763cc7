"""`ask --at` and `--fresh` from the command line, on a vault whose answer changed between two commits."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphrag.app import App
from graphrag.cli import ask
from graphrag.cli.main import app
from graphrag.vault.follow import Heart
from tests.unit.vault_sync.conftest import Git, git, write

__all__ = ["git"]

Run = Callable[..., Result]

SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'
QUESTION = "retry_count 默认几次"
NOTE = "支付/支付模块.md"
TEXT = "# 支付模块\n\n重试次数由 retry_count 控制，默认三次。\n"
SOON = 60.0


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return lambda *arguments: CliRunner().invoke(app, [*arguments, "--vault", str(tmp_path)])


@pytest.fixture
def commits(tmp_path: Path, git: Git, run: Run) -> tuple[str, str]:
    """Three times at first, then five; the second commit is indexed."""
    write(tmp_path, "graphrag.toml", SETTINGS)
    write(tmp_path, NOTE, TEXT)
    write(tmp_path, "消息队列.md", "# 消息队列\n\n消息积压时先扩消费者。\n")
    git("add", "-A")
    git("commit", "-qm", "三次")
    git("tag", "v1")
    first = git("rev-parse", "HEAD")
    write(tmp_path, NOTE, TEXT.replace("三次", "五次"))
    git("commit", "-qam", "五次", day="2024-03-01")
    assert run("index").exit_code == 0
    return first, git("rev-parse", "HEAD")


def ask_json(run: Run, *options: str) -> dict[str, object]:
    result = run("ask", QUESTION, "--json", *options)
    assert result.exit_code == 0, result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


def commits_of(answer: dict[str, object]) -> set[str]:
    """Return the commits that the snapshot and the citations of an answer name."""
    snapshot, citations = answer["snapshot"], answer["citations"]
    assert isinstance(snapshot, dict)
    assert isinstance(citations, list)
    assert citations
    return {snapshot["commit"], *(citation["commit"] for citation in citations)}


def damage(file: Path) -> None:
    """Put another file in its place: this process may have mapped the old one into memory."""
    file.unlink()
    file.write_bytes(b"damaged")


@pytest.mark.parametrize("revision", ["v1", "HEAD~1", "2024-02-01", "2024年2月", "1 Feb 2024", "2024-02-01 10:30"])
def test_the_past_answers_as_it_was(run: Run, commits: tuple[str, str], revision: str) -> None:
    past, present = ask_json(run, "--at", revision), ask_json(run)
    assert "三次" in str(past["answer"])
    assert "五次" in str(present["answer"])
    assert (commits_of(past), commits_of(present)) == ({commits[0]}, {commits[1]})
    text = run("ask", QUESTION, "--at", revision).stdout
    assert "默认三次" in text
    assert "五次" not in text
    assert f"{NOTE}:3@{commits[0][:7]}" in text
    assert text.splitlines()[-1].endswith(f"快照 {commits[0][:7]}"), "the past is behind nothing"


def test_a_damaged_past_is_made_anew_at_once_or_by_a_full_run(
    tmp_path: Path, run: Run, commits: tuple[str, str]
) -> None:
    past = tmp_path / ".graphrag" / "at" / commits[0]
    ask_json(run, "--at", "v1")
    for graph in past.glob("graph/*.kuzu"):
        damage(graph)
    assert "三次" in str(ask_json(run, "--at", "v1")["answer"])
    for table in past.glob("tables-*/chunks.lance/data/*"):
        damage(table)
    words = [sys.executable, "-m", "graphrag", "ask", QUESTION, "--at", "v1", "--vault", str(tmp_path)]
    failed = subprocess.run(words, capture_output=True, text=True, check=False)  # it leaves without any clean-up
    assert (failed.returncode, "graphrag index --full" in failed.stderr) == (1, True)
    assert run("index", "--full").exit_code == 0
    assert "三次" in str(ask_json(run, "--at", "v1")["answer"])


def test_names_take_one_line_whatever_they_hold(tmp_path: Path, git: Git, run: Run) -> None:
    write(tmp_path, "graphrag.toml", SETTINGS)
    write(tmp_path, "甲\n乙\x1b[31m.md", "# 丙\n\n消息积压时先扩消费者。\n")
    git("add", "-A")
    git("commit", "-qm", "一")
    run("index")
    for command in (
        ("search", "消息积压"),
        ("changes", "--since", "2000-01-01"),
        ("log", "丙"),
        ("near", "丙"),
        ("show", "丙"),
    ):
        output = run(*command).stdout
        assert "\x1b" not in output
        assert "甲\n" not in output, command


def test_a_name_in_another_encoding_names_no_note(run: Run, commits: tuple[str, str]) -> None:
    for command in ("near", "show", "log"):
        result = run(command, "\udcff\udcfe")
        assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1), (command, result.stderr)


def test_the_footer_says_how_far_the_vault_is_ahead_until_fresh_takes_it_in(
    tmp_path: Path, git: Git, run: Run, commits: tuple[str, str]
) -> None:
    write(tmp_path, NOTE, TEXT.replace("三次", "七次"))
    git("commit", "-qam", "七次", day="2024-04-01")
    write(tmp_path, "新.md", "# 新\n")
    git("add", "-A")
    git("commit", "-qm", "新", day="2024-04-02")
    footer = run("ask", QUESTION).stdout.splitlines()[-1]
    assert footer.endswith(f"快照 {commits[1][:7]} · 落后 2 次提交、2 篇笔记（--fresh 可先更新）")
    fresh = run("ask", QUESTION, "--fresh").stdout
    head = git("rev-parse", "HEAD")
    assert "默认七次" in fresh
    assert fresh.splitlines()[-1].endswith(f"快照 {head[:7]}")
    assert ask_json(run)["snapshot"] == ask_json(run, "--fresh")["snapshot"]
    assert commits_of(ask_json(run)) == {head}


def test_saved_files_are_fresh_by_their_content_not_their_time(tmp_path: Path, run: Run) -> None:
    write(tmp_path, "graphrag.toml", SETTINGS)
    write(tmp_path, NOTE, TEXT)
    write(tmp_path / "elsewhere", "new.txt", TEXT.replace("三次", "九次"))
    assert run("index").exit_code == 0
    (tmp_path / "elsewhere" / "new.txt").replace(tmp_path / NOTE)  # as a sync tool does: with its old time
    assert "九次" in str(ask_json(run, "--fresh")["answer"])


def test_fresh_needs_no_writer_when_there_is_nothing_to_do(tmp_path: Path, run: Run, commits: tuple[str, str]) -> None:
    with App.open(tmp_path, tmp_path)._parts.snapshots.write_lock():
        result = run("ask", QUESTION, "--fresh")
    assert (result.exit_code, result.stderr) == (0, "")


def test_fresh_gives_up_with_one_line(
    tmp_path: Path, git: Git, run: Run, commits: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "_PATIENCE", 0.5)
    write(tmp_path, NOTE, TEXT)
    git("commit", "-qam", "又三次")
    with App.open(tmp_path, tmp_path)._parts.snapshots.write_lock():
        result = run("ask", QUESTION, "--fresh")
    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert "正在写这个索引" in line
    assert "不加 --fresh" in line


@pytest.mark.parametrize("command", [pytest.param(("index",), marks=pytest.mark.full), ("ask", QUESTION, "--fresh")])
def test_a_process_waits_for_another_one_that_writes(
    tmp_path: Path, git: Git, commits: tuple[str, str], command: tuple[str, ...]
) -> None:
    write(tmp_path, NOTE, TEXT)
    git("commit", "-qam", "又三次")
    words = [sys.executable, "-m", "graphrag", *command, "--vault", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with App.open(tmp_path, tmp_path)._parts.snapshots.write_lock():
            assert process.stderr is not None
            line = process.stderr.readline()
        output, _ = process.communicate(timeout=SOON)
    assert line.startswith(("Waiting (Ctrl-C stops): ", "正在等待（按 Ctrl-C 停止）："))
    assert process.returncode == 0
    assert ("三次" if command[0] == "ask" else "1 changed") in output


def test_index_leaves_the_vectors_to_a_watcher_that_is_at_it(
    tmp_path: Path, run: Run, commits: tuple[str, str]
) -> None:
    parts = App.open(tmp_path, tmp_path)._parts
    with Heart(parts.heartbeat), parts.snapshots.write_lock():
        result = run("index")
    assert result.exit_code == 0
    assert result.stdout.startswith("Up to date: 2 notes")


def test_a_day_that_no_calendar_has_is_said_beside_the_answer(run: Run, commits: tuple[str, str]) -> None:
    for command in ("ask", "search"):
        text = run(command, "2024年2月30日说的 retry_count 默认几次").output
        assert "问题里的 2024-02-30 在日历上不存在。" in text, command
        assert "在日历上不存在" not in run(command, "2024年2月29日说的 retry_count 默认几次").output
    assert "没有 2024-02-30 这一天" in run("ask", "列出2024年2月30日到3月2日的笔记").output


def test_no_state_is_of_a_day_that_no_calendar_has(run: Run, commits: tuple[str, str]) -> None:
    result = run("ask", QUESTION, "--at", "2024-02-30")
    assert (result.exit_code, "2024-02-30" in result.stderr) == (1, True)
