"""Kills under load: the indexer dies at any time while commits come in, and while it makes a snapshot of the past."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphrag.app import App
from tests.e2e.conftest import silent
from tests.e2e.test_crashes import contents
from tests.e2e.test_git import Open, app, assert_equals_a_fresh_index, commit, git
from tests.fakes.git import Git

__all__ = ["app", "git"]  # fixtures

_ROOT = Path(__file__).parents[2]


def _start(vault: Path, moment: int, *revisions: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.e2e.crashing", str(vault), str(moment), *revisions]
    return subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_random_kills_while_commits_come_in(app: App, git: Git, is_full: bool) -> None:
    chance = random.Random(7)
    whole_run = _seconds_of_a_run(app, git)
    sizes = []
    for number in range(12 if is_full else 4):
        commit(app, git, f"{number}", {f"笔记/{number % 5}.md": f"# 笔记 {number}\n\n第 {number} 次写下的话。\n"})
        before = contents(app)
        app.close()
        process = _start(app.vault, -1)
        time.sleep(chance.uniform(0.3, 1.1) * whole_run)
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = contents(app)
        assert after == before or app._readers.manifest.commit == git("rev-parse", "HEAD")
        if number % 3 == 2:
            app.index(False, silent)
            sizes.append(app.status().disk_bytes)
    app.index(False, silent)
    assert_equals_a_fresh_index(app, "after")
    assert sizes[-1] < 2 * sizes[0]


def _seconds_of_a_run(app: App, git: Git) -> float:
    commit(app, git, "erste", {"笔记/0.md": "# 笔记\n"})
    started = time.monotonic()
    assert _start(app.vault, -1).wait() == 0
    app.close()
    return time.monotonic() - started


def test_a_kill_while_the_past_is_made_leaves_the_present_and_the_next_try_succeeds(
    app: App, git: Git, is_full: bool
) -> None:
    past = commit(app, git, "鲸鱼", {"鲸鱼.md": "# 鲸鱼\n\n鲸鱼在晒月亮。\n"})
    commit(app, git, "删", {"鲸鱼.md": None})
    app.index(False, silent)
    commit(app, git, "再", {"a.md": "# a\n"})
    app.index(False, silent)
    app.index(False, silent)
    present = contents(app)
    app.close()
    moments, kills = (0, 1, 3, 5, 7, 9, 11) if is_full else (1, 5, 9), 0
    for moment in moments:
        kills += _start(app.vault, moment, past).wait() == -signal.SIGKILL
        assert contents(app) == present
        app.close()
    assert kills >= len(moments) - 2
    app.go_back(past, silent)
    assert "鲸鱼.md" in app._readers.manifest.notes
    seen = contents(app)
    git("checkout", "-q", "--detach", past)
    fresh = App.open(app.vault, app.vault, {"index": {"dir": str(app.vault.parent / "fresh")}})
    fresh.index(True, silent)
    assert seen == contents(fresh)
    fresh.close()


def test_a_lance_version_removed_by_hand_costs_one_line_and_a_full_run(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    app.close()
    for version in (app.vault / ".graphrag").glob("tables-*/chunks.lance/_versions/*"):
        version.unlink()
    from graphrag.domain.query import Filters
    from graphrag.errors import StoreError

    with pytest.raises(StoreError, match="graphrag index --full"):
        app.search("支付", Filters())
    assert app.index(True, silent).notes == 4
