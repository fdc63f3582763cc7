"""`index` and `--fresh` while another process writes the index."""

import json
import os
from datetime import UTC, datetime

import pytest

from graphrag.cli import ask, index
from graphrag.domain.report import Heartbeat, Watcher, WatcherState
from tests.fakes.app import FakeApp
from tests.unit.cli.conftest import RunCommand

NOW = datetime(2024, 6, 16, tzinfo=UTC)
HEARTBEAT = Heartbeat(os.getpid(), "书房", NOW, NOW, WatcherState.INDEXING, None, "", "", 0, 2)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_LOOK", 0.01)
    monkeypatch.setattr(index, "_SILENT", 0.0)
    monkeypatch.setattr(ask, "_PATIENCE", 0.3)


def names(fake: FakeApp) -> list[str]:
    return [name for name, _ in fake.calls]


@pytest.mark.parametrize("command", ["ask", "search"])
def test_fresh_does_nothing_when_there_is_nothing_to_do(run_command: RunCommand, fake: FakeApp, command: str) -> None:
    fake.is_up_to_date = True
    result = run_command(command, "q", "--fresh")
    assert names(fake) == [command]
    assert (result.exit_code, result.stderr) == (0, "")


def test_fresh_waits_for_the_other_process_and_then_indexes(run_command: RunCommand, fake: FakeApp) -> None:
    fake.conflicts = 2
    result = run_command("ask", "q", "--fresh")
    assert names(fake) == ["index", "index", "index", "ask"]
    assert result.stderr.count("Waiting (Ctrl-C stops): process 7 is writing this index") == 1


def test_fresh_ends_its_wait_when_the_other_process_did_the_work(run_command: RunCommand, fake: FakeApp) -> None:
    answers = iter([False, False, True])
    fake.conflicts = 99
    fake.is_current = lambda: next(answers)  # type: ignore[method-assign]
    assert run_command("ask", "q", "--fresh").exit_code == 0
    assert names(fake) == ["index", "index", "ask"]


def test_fresh_is_never_answered_from_an_old_snapshot(run_command: RunCommand, fake: FakeApp) -> None:
    fake.conflicts = 9_999
    result = run_command("ask", "q", "--fresh", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "ask" not in names(fake)
    assert result.stderr.splitlines()[-1].startswith("error: not up to date after 0 s: process 7 is writing this index")


def test_a_first_question_waits_for_whoever_makes_the_index(run_command: RunCommand, fake: FakeApp) -> None:
    fake.is_indexed, fake.conflicts = False, 1
    assert run_command("ask", "q").exit_code == 0
    assert names(fake) == ["ask", "index", "index", "ask"]


def test_index_waits_until_the_other_process_ends(run_command: RunCommand, fake: FakeApp) -> None:
    fake.conflicts, fake.is_up_to_date = 3, True
    result = run_command("index")
    assert names(fake) == ["index"] * 4
    assert "Waiting (Ctrl-C stops): process 7" in result.stderr


@pytest.mark.parametrize(("options", "tries"), [((), 1), (("--full",), 3)])
def test_index_leaves_the_rest_to_a_watcher(
    run_command: RunCommand, fake: FakeApp, options: tuple[str, ...], tries: int
) -> None:
    fake.conflicts, fake.is_up_to_date, fake.last_watcher = 2, True, Watcher(True, HEARTBEAT)
    result = run_command("index", "--json", *options)
    assert names(fake) == ["index"] * tries
    report = json.loads(result.stdout)
    assert (report["chunks"], report["embedded"]) == (10, 8 if tries == 1 else 10)
