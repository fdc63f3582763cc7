import json
import plistlib
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from graphrag.cli.main import app
from graphrag.cli.status import render_status
from graphrag.cli.watch import event_json, event_line, render_unit
from graphrag.domain.report import Heartbeat, Watcher, WatcherState
from graphrag.domain.snapshot import IndexReport
from tests.fakes.app import COMMIT, FakeApp

HARD = Path("/家/我的 \"notes\" 100% $HOME \\ 'x'")
Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHRAG_VAULT", raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, list(arguments))
        return result.exit_code, result.stdout, result.stderr

    return run


def make_report(**changes: object) -> IndexReport:
    report = IndexReport(3, COMMIT, 1, 0, 2, 1, 40, 100, 0, 0, (), (), 0.42)
    return replace(report, **changes)  # type: ignore[arg-type]


def test_a_change_of_the_index_is_one_line() -> None:
    assert event_line(make_report())[8:] == "  3f2a9c1  1 added, 2 deleted, 1 renamed; 0.4 s"
    partial = make_report(commit="", added=0, deleted=0, renamed=0, embeddings_made=64, embedded=64)
    assert event_line(partial)[8:] == "  files  no note changed; 64 embedded; 36 not embedded yet; 0.4 s"
    event = json.loads(event_json(make_report(embeddings_made=7)))
    assert "\n" not in event_json(make_report())
    assert (event["commit"], event["added"], event["renamed"], event["embeddings_made"]) == (COMMIT, 1, 1, 7)
    assert datetime.fromisoformat(event["time"]).tzinfo is not None


def test_the_systemd_unit_quotes_what_systemd_would_read() -> None:
    unit = render_unit("systemd", HARD, ["/opt/python", "watch", "--vault", str(HARD)])
    start = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    words = shlex.split(start.removeprefix("ExecStart=").replace("$$", "$").replace("%%", "%"))
    assert words == ["/opt/python", "watch", "--vault", str(HARD)]
    lines = [line for line in unit.splitlines() if line and line[0] not in "#["]
    assert all("=" in line for line in lines)
    assert "100%%" in unit


def test_the_launchd_unit_is_a_property_list() -> None:
    text = render_unit("launchd", HARD, ["/opt/python", "watch", "--vault", str(HARD)])
    unit = plistlib.loads(text.encode())
    assert unit["ProgramArguments"] == ["/opt/python", "watch", "--vault", str(HARD)]
    assert f"{unit['Label']}.plist" in text


def test_a_unit_is_printed_with_the_options_that_were_given(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "笔记.md").write_text("x", encoding="utf-8")
    status, out, _ = invoke("watch", "--print-unit", "systemd", "--worktree", "--poll", "10", "--sweep", "30")
    assert status == 0
    assert f'"watch" "--vault" "{tmp_path}" "--worktree" "--poll" "10"\n' in out
    assert list(tmp_path.iterdir()) == [tmp_path / "笔记.md"], "nothing is written"


def test_words_without_print_unit_are_a_usage_error(invoke: Invoke) -> None:
    for words in (("systemd",), ("--print-unit", "cron"), ("--poll", "0"), ("--debounce", "-1")):
        assert invoke("watch", *words)[0] == 2


@pytest.mark.parametrize(
    ("changes", "is_alive", "words"),
    [
        ({}, True, ["idle", "process 7 on 书房", "last change 2024-06-16", "indexed 3f2a9c1", "queue: empty"]),
        ({"chunks": 1200, "events": 2}, True, ["queue: 2 events, 1,200 chunks to embed"]),
        ({"last_error": "no space is left"}, True, ["last error: no space is left"]),
        ({}, False, ["not running (last seen 2024-06-16"]),
    ],
)
def test_status_shows_the_watcher(tmp_path: Path, changes: dict[str, object], is_alive: bool, words: list[str]) -> None:
    moment = datetime(2024, 6, 16, 12, tzinfo=UTC)
    beat = Heartbeat(7, "书房", moment, moment, WatcherState.IDLE, moment, COMMIT, "", 0, 0)
    watcher = Watcher(is_alive, replace(beat, **changes))  # type: ignore[arg-type]
    console = Console(record=True, width=400, soft_wrap=True)
    render_status(console, replace(FakeApp(tmp_path).status(), watcher=watcher), show_all=False)
    line = next(line for line in console.export_text().splitlines() if line.startswith("Watcher"))
    assert all(word in line for word in words)


def test_status_says_which_embedder_a_full_run_would_take(tmp_path: Path) -> None:
    console = Console(record=True, width=400, soft_wrap=True)
    status = FakeApp(tmp_path).status()
    render_status(console, status, show_all=False)
    assert "index --full" not in console.export_text()
    render_status(console, replace(status, full_embedder="onnxruntime:e5-small"), show_all=False)
    assert "graphrag index --full makes vectors by onnxruntime:e5-small" in console.export_text()


def test_init_takes_one_vault(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("甲", "乙"):
        (tmp_path / name).mkdir()
    status, _, err = invoke("init", "甲", "--vault", "乙")
    assert (status, err.count("\n")) == (2, 1)
    assert "two vaults are named" in err
    assert invoke("init", "甲", "--vault", "./甲")[0] == 0
    monkeypatch.setenv("GRAPHRAG_VAULT", str(tmp_path / "甲"))
    assert invoke("init", "乙")[0] == 0, "what is typed wins over the environment"
    assert (tmp_path / "乙" / "graphrag.toml").exists()


def test_hooks_want_git_and_leave_an_existing_settings_file(invoke: Invoke, tmp_path: Path) -> None:
    assert invoke("init", "--hook", "--unhook")[0] == 2
    status, _, err = invoke("init", "--unhook")
    assert (status, err.count("\n")) == (1, 1)
    assert "not in a Git repository" in err
    assert not (tmp_path / "graphrag.toml").exists()


def test_a_background_run_wants_to_know_the_vault(invoke: Invoke) -> None:
    assert invoke("index", "--background")[0] == 2


def test_the_program_of_units_and_hooks_ignores_the_folder_it_is_started_in() -> None:
    from graphrag.cli.watch import program

    assert program()[:2] == [sys.executable, "-P"]
