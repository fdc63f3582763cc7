"""A note is read again when the system says that its file is another one, and not before."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.vault import whole_graph
from graphrag.vault.present_notes import PresentPassages
from tests.e2e.conftest import silent, write_vault
from vault_sync.worktree import FileRules, FileState, WorktreeSource, state_of

_NOTE = "支付.md"
_LONG_AGO = time.time() - 1000


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    settings = '[index]\nembedder = "none"\n'
    return write_vault(tmp_path / "vault", {_NOTE: "支付模块 重试三次。\n", "b.md": "b\n", "graphrag.toml": settings})


@pytest.fixture
def present(vault: Path, monkeypatch: pytest.MonkeyPatch) -> PresentPassages:
    # So that files that were written just now are settled.
    monkeypatch.setattr(FileState, "is_settled", lambda state, now: True)
    app = App.open(vault, vault)
    app.index(True, silent)
    found = app._readers.present
    assert isinstance(found, PresentPassages)
    return found


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    read = WorktreeSource.present

    def noted(source: WorktreeSource, path: str) -> bytes | None:
        seen.append(path)
        return read(source, path)

    monkeypatch.setattr(WorktreeSource, "present", noted)
    return seen


def test_an_unchanged_note_is_read_once(present: PresentPassages, reads: list[str]) -> None:
    assert [present.is_gone(_NOTE) for _ in range(3)] == [False] * 3
    assert reads == [_NOTE]


def replace_as_an_editor_does(file: Path, text: str) -> None:
    beside = file.with_suffix(".tmp")
    beside.write_text(text, encoding="utf-8")
    os.utime(beside, (file.stat().st_atime, file.stat().st_mtime))
    beside.replace(file)


def write_with_the_old_time(file: Path, text: str) -> None:
    before = file.stat()
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "write", [replace_as_an_editor_does, write_with_the_old_time, lambda file, text: file.write_text(text, "utf-8")]
)
def test_a_note_that_becomes_private_is_seen_at_once(
    present: PresentPassages, vault: Path, write: Callable[[Path, str], object]
) -> None:
    assert not present.is_gone(_NOTE)
    time.sleep(0.02)  # the system's clock goes on in steps
    write(vault / _NOTE, "---\nprivate: true\n---\n支付模块\n")
    assert present.is_gone(_NOTE)
    write(vault / _NOTE, "支付模块 重试三次。\n")
    assert not present.is_gone(_NOTE)


def test_deleted_and_ignored_notes_are_seen_at_once(present: PresentPassages, vault: Path) -> None:
    assert not present.is_gone(_NOTE)
    (vault / ".ragignore").write_text("支付*\n", encoding="utf-8")
    assert present.is_gone(_NOTE)
    (vault / ".ragignore").unlink()
    assert not present.is_gone(_NOTE)
    (vault / _NOTE).unlink()
    assert present.is_gone(_NOTE)


def test_what_was_written_just_now_is_not_relied_on(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("a", encoding="utf-8")
    now = time.time_ns()
    state = state_of(file)
    assert state is not None
    assert not state.is_settled(now)
    assert state.is_settled(now + 10_000_000_000)
    assert state_of(tmp_path / "none.md") is None
    assert state_of(tmp_path) is None


def test_rules_are_kept_until_a_file_of_rules_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileState, "is_settled", lambda state, now: True)
    rules = FileRules(tmp_path, (), 1000)
    assert rules.fresh() is rules
    (tmp_path / ".ragignore").write_text("a.md\n", encoding="utf-8")
    assert rules.fresh().reason_to_ignore("a.md")
    assert not rules.reason_to_ignore("b.md")


def test_the_overview_is_made_once_and_follows_the_vault(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileState, "is_settled", lambda state, now: True)
    app = App.open(vault, vault)
    app.index(True, silent)
    made: list[int] = []
    read = whole_graph.read_graph
    monkeypatch.setattr(whole_graph, "read_graph", lambda *given: made.append(1) or read(*given))
    assert {node.id for node in app.overview(10).nodes} == {_NOTE, "b.md"}
    assert app.overview(10) == app.overview(10)
    assert len(made) == 1
    (vault / _NOTE).unlink()
    assert [node.id for node in app.overview(10).nodes] == ["b.md"]
    write_vault(vault, {"b.md": "---\nprivate: true\n---\nb\n"})
    assert app.overview(10).nodes == ()


def test_a_link_on_the_way_to_a_note_is_not_followed(tmp_path: Path) -> None:
    write_vault(tmp_path / "other", {"a.md": "a"})
    vault = write_vault(tmp_path / "vault", {"in/a.md": "a"})
    (vault / "out").symlink_to(tmp_path / "other")
    (vault / "a.md").symlink_to(vault / "in" / "a.md")
    source = WorktreeSource(vault, FileRules(vault, ("left/",), 1000))
    write_vault(vault, {"left/a.md": "a"})
    paths = ("in/a.md", "out/a.md", "a.md", "left/a.md", "../other/a.md", "none.md", "in", "/in/a.md", "in//a.md")
    assert [source.state(path) is not None for path in paths] == [source.present(path) is not None for path in paths]
    assert source.state("in/a.md") is not None
