"""A watcher in a process of its own follows a vault through all that Git, an editor and its owner do to it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.report import WatcherState
from graphrag.errors import StoreError, VaultError
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.e2e.test_crashes import contents
from tests.fakes.git import isolate_git, run_git

SOON = 60.0
SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'


@dataclass
class Vault:
    """A vault in Git, as its owner sees it."""

    folder: Path
    _day: int = field(default=0)

    def git(self, *arguments: str) -> str:
        self._day += 1
        return run_git(self.folder, *arguments, moment=f"{1_704_067_200 + 86_400 * self._day} +0800")

    def commit(self, notes: dict[str, str] | None = None) -> None:
        write_vault(self.folder, notes or {})
        self.git("add", "-A")
        self.git("commit", "-qm", "又", "--allow-empty")

    def app(self) -> App:
        return App.open(self.folder, self.folder)

    def is_indexed(self) -> bool:
        try:
            current = self.app()._parts.snapshots.current()
        except (StoreError, VaultError):
            return False
        return current is not None and current.commit == self.git("rev-parse", "HEAD")

    def equals_a_fresh_index(self) -> bool:
        fresh_dir = self.folder.parent / "fresh"
        fresh = App.open(self.folder, self.folder, {"index": {"dir": str(fresh_dir)}})
        fresh.index(True, silent)
        app = self.app()
        same = contents(app) == contents(fresh)
        app.close()
        fresh.close()
        shutil.rmtree(fresh_dir)
        return same


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    isolate_git(monkeypatch, tmp_path)
    for key in [key for key in os.environ if key.startswith("GRAPHRAG_")]:
        monkeypatch.delenv(key)
    found = Vault(write_vault(tmp_path / "我的 vault", {**SMALL, "graphrag.toml": SETTINGS, ".gitignore": "*.toml\n"}))
    found.git("init", "-q")
    found.commit()
    return found


@contextmanager
def watching(vault: Vault, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A running watcher; it has to end at once and quietly when it is told to."""
    command = [sys.executable, "-m", "graphrag", "watch", "--vault", str(vault.folder), "--debounce", "0.1", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            started = time.monotonic()
            errors = process.communicate(timeout=SOON)[1]
    assert process.returncode == 0, errors
    assert errors.endswith("stopped\n")
    assert "Traceback" not in errors
    assert time.monotonic() - started < SOON / 2


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)


def test_whatever_git_does_the_index_follows_and_equals_a_fresh_one(vault: Vault, is_full: bool) -> None:
    def rename() -> None:
        (vault.folder / "新").mkdir()
        vault.git("mv", "支付/支付模块.md", "新/支付模块.md")
        vault.commit()

    def delete() -> None:
        vault.git("rm", "-q", "消息队列.md")
        vault.commit()

    def branch() -> None:
        vault.git("checkout", "-qb", "另一", "HEAD~2")
        vault.commit({"人物/李四.md": "# 李四\n\n写过 [[支付模块]]。\n"})
        vault.git("checkout", "-q", "main")
        vault.git("checkout", "-q", "另一")

    def amend() -> None:
        write_vault(vault.folder, {"人物/李四.md": "# 李四\n\n改写过 [[交易系统]]。\n"})
        vault.git("commit", "-qa", "--amend", "-m", "改")

    def gc() -> None:
        vault.git("gc", "-q", "--prune=now")
        vault.commit({"gc之后.md": "# gc之后\n\n见 [[李四]]。\n"})

    steps = [
        lambda: vault.commit({"支付/退款.md": "# 退款\n\n退款走原路，见 [[支付模块]]。\n"}),
        rename,
        delete,
        branch,
        lambda: vault.git("rebase", "-q", "main"),
        amend,
        lambda: vault.git("reset", "-q", "--hard", "HEAD~2"),
        gc,
    ]
    with watching(vault):
        until(vault.is_indexed)
        for number, step in enumerate(steps, 1):
            step()
            until(vault.is_indexed)
            if is_full or number % 4 == 0:
                assert vault.equals_a_fresh_index(), step
        watcher = vault.app().status().watcher
        assert watcher is not None
        assert watcher.is_alive
        with pytest.raises(subprocess.CalledProcessError) as second:
            _graphrag(vault, "watch")
        assert "is watching this vault already" in second.value.stderr
        assert second.value.stderr.count("\n") == 1
    watcher = vault.app().status().watcher
    assert watcher is not None
    assert not watcher.is_alive
    assert (watcher.heartbeat.state, watcher.heartbeat.last_commit) == (
        WatcherState.STOPPED,
        vault.git("rev-parse", "HEAD"),
    )


def test_saved_files_and_a_vault_that_goes_and_comes_back(vault: Vault) -> None:
    def holds(note: str, text: str) -> bool:
        try:
            app = vault.app()
            try:
                return text in "".join(chunk.text for chunk in app.show(note).chunks)
            finally:
                app.close()
        except (StoreError, VaultError):
            return False

    def save_by_rename(text: str) -> None:
        (vault.folder / ".队列.swp").write_text(text, encoding="utf-8")
        (vault.folder / ".队列.swp").rename(vault.folder / "消息队列.md")

    with watching(vault, "--worktree", "--json") as process:
        assert process.stdout is not None
        # A run is told when it ends, and readers see its text before: one that the vault is taken from tells nothing.
        events = [json.loads(process.stdout.readline())]
        assert holds("消息队列", "积压")
        save_by_rename("# 消息队列\n\n换成了 RocketMQ。\n")
        events.append(json.loads(process.stdout.readline()))
        assert holds("消息队列", "RocketMQ")
        away = vault.folder.with_name("别处")
        vault.folder.rename(away)
        assert process.stderr is not None
        while "not there, or empty; waiting" not in process.stderr.readline():
            assert process.poll() is None
        assert not vault.folder.exists(), "nothing is written where the vault was"
        away.rename(vault.folder)
        save_by_rename("# 消息队列\n\n又换成了 Kafka。\n")
        until(lambda: holds("消息队列", "Kafka"))
        events.append(json.loads(process.stdout.readline()))
    assert [(event["added"], event["changed"]) for event in events] == [(4, 0), (0, 1), (0, 1)]


def test_new_settings_are_taken_in_while_it_runs(vault: Vault) -> None:
    with watching(vault, "--sweep", "0.3"):
        until(vault.is_indexed)
        (vault.folder / "graphrag.toml").write_text(SETTINGS + "[chunk]\nmax_size = 300\n", encoding="utf-8")
        until(lambda: vault.app().stale() == ())


def test_hooks_index_every_commit_and_keep_what_was_there(vault: Vault) -> None:
    seen = vault.folder.parent / "seen.txt"
    old = vault.folder / ".git" / "hooks" / "post-commit"
    old.write_text(f"#!/bin/sh\necho ran >> '{seen}'\n", encoding="utf-8")
    old.chmod(0o755)
    before = old.read_bytes()
    _graphrag(vault, "index")
    _graphrag(vault, "init", "--hook")
    for number in range(3):
        vault.commit({"消息队列.md": f"# 消息队列\n\n第 {number} 次修改。\n"})
    until(vault.is_indexed)
    assert seen.read_text(encoding="utf-8") == "ran\n" * 3
    vault.git("checkout", "-q", "HEAD~2")
    until(vault.is_indexed)
    until(lambda: _is_idle(vault))
    assert vault.equals_a_fresh_index()
    log = (vault.folder / ".graphrag" / "hook.log").read_text(encoding="utf-8")
    assert vault.git("rev-parse", "--short=7", "HEAD") in log
    assert "error" not in log
    _graphrag(vault, "init", "--unhook")
    assert old.read_bytes() == before


def _is_idle(vault: Vault) -> bool:
    """Whether no background run holds a lock, so that none lives on after the test."""
    try:
        with vault.app()._parts.snapshots.write_lock():
            return True
    except StoreError:
        return False


def _graphrag(vault: Vault, command: str, *options: str) -> str:
    words = [sys.executable, "-m", "graphrag", command, "--vault", str(vault.folder), *options]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=SOON).stdout
