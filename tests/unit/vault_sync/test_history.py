import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag.domain.snapshot import Manifest, NoteEntry, VaultState
from graphrag.errors import VaultError
from tests.unit.stores.test_snapshots import make_manifest
from tests.unit.vault_sync.conftest import Git, write
from vault_sync.worktree import FileRules, WorktreeSource


def scan(folder: Path, base: Manifest | None = None) -> VaultState:
    return WorktreeSource(folder, FileRules(folder, (), 1000)).scan(base)


def manifest_of(state: VaultState) -> Manifest:
    """A snapshot of this state, as far as a scan asks it."""
    notes = {file.path: NoteEntry(file.content_hash, file.dates, "", (), (), (), 0) for file in state.files}
    return replace(make_manifest(1, notes=notes), commit=state.commit, worktree=state.worktree, left_out={})


def days(folder: Path) -> dict[str, tuple[str, str]]:
    dated = [file for file in scan(folder).files if file.created and file.updated]
    return {file.path: (f"{file.created:%Y-%m-%d}", f"{file.updated:%Y-%m-%d}") for file in dated}


@pytest.mark.parametrize("quote", ["true", "false"])
def test_first_and_last_commit_of_each_file(tmp_path: Path, git: Git, quote: str) -> None:
    git("config", "core.quotePath", quote)
    write(tmp_path, "笔记/事务 设计.md")
    write(tmp_path, "b.md")
    git("add", "-A")
    git("commit", "-qm", "一", day="2024-01-01")
    write(tmp_path, "笔记/事务 设计.md", "改")
    git("commit", "-qam", "二", day="2024-02-03")
    git("commit", "-qm", "空", "--allow-empty", day="2024-03-01")
    assert days(tmp_path) == {"笔记/事务 设计.md": ("2024-01-01", "2024-02-03"), "b.md": ("2024-01-01", "2024-01-01")}
    history = scan(tmp_path)
    assert history.commit == git("rev-parse", "HEAD")
    assert not history.worktree


@pytest.mark.parametrize(
    "name", ["a\nb.md", "\nx.md", " y.md", "a\x01b.md", '引"号\\.md', "-n.md", "2024-01-01T00:00:00.md"]
)
def test_names_of_any_characters(tmp_path: Path, git: Git, name: str) -> None:
    write(tmp_path, "first.md")
    write(tmp_path, name)
    git("add", "-A")
    git("commit", "-qm", "一")
    assert days(tmp_path).keys() == {"first.md", name}


def test_names_are_composed(tmp_path: Path, git: Git) -> None:
    git("config", "core.precomposeUnicode", "false")
    write(tmp_path, "cafe\u0301.md")
    git("add", "-A")
    git("commit", "-qm", "一")
    assert days(tmp_path).keys() == {"caf\u00e9.md"}


def test_a_vault_in_a_folder_of_a_repository(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "vault/子/a.md")
    write(tmp_path, "code.py")
    git("add", "-A")
    git("commit", "-qm", "一")
    assert days(tmp_path / "vault").keys() == {"子/a.md"}
    write(tmp_path, "code.py", "改")
    assert not scan(tmp_path / "vault").worktree
    write(tmp_path, "vault/新.md")
    assert scan(tmp_path / "vault").worktree


def test_a_folder_that_the_repository_around_it_knows_nothing_of(tmp_path: Path, git: Git) -> None:
    write(tmp_path, ".gitignore", "vault/")
    git("add", "-A")
    git("commit", "-qm", "一")
    write(tmp_path, "vault/a.md")
    history = scan(tmp_path / "vault")
    assert (history.commit, history.worktree, days(tmp_path / "vault")) == ("", True, {})


@pytest.mark.parametrize("change", ["edit", "add", "stage", "remove"])
def test_dirty(tmp_path: Path, git: Git, change: str) -> None:
    git("config", "status.showUntrackedFiles", "no")
    write(tmp_path, "a.md")
    git("add", "-A")
    git("commit", "-qm", "一")
    if change == "remove":
        (tmp_path / "a.md").unlink()
    else:
        write(tmp_path, "b.md" if change == "add" else "a.md", "改")
    if change == "stage":
        git("add", "-A")
    assert scan(tmp_path).worktree


def test_a_detached_head_a_rename_and_a_merge(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md")
    git("add", "-A")
    git("commit", "-qm", "一", day="2024-01-01")
    git("switch", "-qc", "side")
    git("mv", "a.md", "b.md")
    git("commit", "-qm", "二", day="2024-01-02")
    git("switch", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "三", "side", day="2024-01-03")
    git("checkout", "-q", "--detach")
    assert days(tmp_path)["b.md"] == ("2024-01-01", "2024-01-01")  # moved without a change


def test_settings_of_the_user_change_nothing(tmp_path: Path, git: Git) -> None:
    for key, value in [("log.showSignature", "true"), ("log.date", "relative"), ("diff.renames", "copies")]:
        git("config", key, value)
    git("config", "log.showRoot", "true")
    write(tmp_path, "a.md")
    git("add", "-A")
    git("commit", "-qm", "一")
    assert days(tmp_path) == {"a.md": ("2024-01-01", "2024-01-01")}


def test_no_repository_no_commit_a_bare_one(tmp_path: Path, git: Git, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(tmp_path, "a.md")
    bare = tmp_path_factory.mktemp("bare")
    git("init", "-q", "--bare", str(bare))
    for folder in (tmp_path, tmp_path_factory.mktemp("plain"), bare):
        history = scan(folder)
        assert (history.commit, history.worktree, days(folder)) == ("", True, {})


def test_reading_writes_nothing(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md")
    git("add", "-A")
    git("commit", "-qm", "一")
    index = tmp_path / ".git" / "index"
    os.utime(tmp_path / "a.md", (1, 1))  # Git would note the new time in its index
    before = index.read_bytes()
    scan(tmp_path)
    assert index.read_bytes() == before


def test_a_broken_repository_is_named(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md")
    git("add", "-A")
    git("commit", "-qm", "一")
    for item in (tmp_path / ".git" / "objects").rglob("*"):
        if item.is_file():
            item.unlink()
    with pytest.raises(VaultError, match="Git cannot read"):
        scan(tmp_path)


def test_without_git_on_the_machine_there_is_no_history(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md")
    git("add", "-A")
    git("commit", "-qm", "一")
    script = (
        "import pathlib, sys; from vault_sync.repository import find_repository\n"
        "print(find_repository(pathlib.Path(sys.argv[1])))"
    )
    environment = {**os.environ, "PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "None", done.stderr


def test_a_merge_takes_a_note_with_the_dates_of_the_side_that_it_took(tmp_path: Path, git: Git) -> None:
    for name in ("kept.md", "edited.md", "again.md", "both.md"):
        write(tmp_path, name, f"{name}\n\n\n\n\n\n")
    git("add", "-A")
    git("commit", "-qm", "一", day="2024-01-01")
    git("switch", "-qc", "side")
    for name in ("kept.md", "edited.md", "again.md"):
        git("rm", "-q", name)
    git("commit", "-qm", "删", day="2024-01-02")
    write(tmp_path, "again.md", "新")
    write(tmp_path, "both.md", "both.md\n\n\n\n\n\n尾\n")
    git("add", "-A")
    git("commit", "-qm", "再", day="2024-01-03")
    git("switch", "-q", "main")
    write(tmp_path, "edited.md", "改")
    write(tmp_path, "both.md", "头\nboth.md\n\n\n\n\n\n")
    git("commit", "-qam", "改", day="2024-01-04")
    git("merge", "-q", "--no-commit", "-s", "ours", "side", day="2024-01-05")
    write(tmp_path, "both.md", "头\nboth.md\n\n\n\n\n\n尾\n")
    git("commit", "-qam", "合并", day="2024-01-05")
    expected = {
        "kept.md": ("2024-01-01", "2024-01-01"),
        "edited.md": ("2024-01-01", "2024-01-04"),
        "again.md": ("2024-01-01", "2024-01-01"),
        "both.md": ("2024-01-01", "2024-01-05"),
    }
    assert days(tmp_path) == expected
    for name, (_, last) in expected.items():
        assert git("log", "-1", "--format=%as", "--", name) == last
    git("switch", "-q", "side")
    git("merge", "-q", "--no-commit", "-s", "ours", "main@{1}", day="2024-01-06")
    git("checkout", "-q", "main", "--", "kept.md", "edited.md")
    git("commit", "-qm", "反向合并", day="2024-01-06")
    assert days(tmp_path) == {
        **expected,
        "again.md": ("2024-01-03", "2024-01-03"),
        "both.md": ("2024-01-01", "2024-01-03"),
    }


_ARRIVALS = {
    "from another suffix": "a.txt",
    "from a hidden folder": ".trash/a.md",
    "from a folder that is left out": "草稿/a.md",
    "from a folder outside": "../别处/a.md",
}


@pytest.mark.parametrize("before", _ARRIVALS.values(), ids=_ARRIVALS.keys())
@pytest.mark.parametrize("edits", [0, 1])
def test_dates_that_a_base_spares_reading_are_those_of_the_whole_history(
    tmp_path: Path, git: Git, before: str, edits: int
) -> None:
    vault = tmp_path / "vault"
    rules = FileRules(vault, ("草稿/",), 1000)
    write(vault, "b.md", "别的")
    write(vault, before, "一")
    git("add", "-A")
    git("commit", "-qm", "一", day="2024-01-01")
    base = manifest_of(WorktreeSource(vault, rules).scan())
    if edits:
        write(vault, before, "二")
        git("commit", "-qam", "二", day="2024-01-02")
    (vault / before).rename(vault / "a.md")
    git("add", "-A")
    git("commit", "-qm", "搬", day="2024-01-03")
    write(vault, "b.md", "改")
    git("commit", "-qam", "三", day="2024-01-04")
    grown, fresh = WorktreeSource(vault, rules).scan(base), WorktreeSource(vault, rules).scan()
    assert grown == fresh
    (found,) = [file for file in fresh.files if file.path == "a.md"]
    born = "2024-01-03" if before.startswith("..") else "2024-01-01"
    assert f"{found.created:%Y-%m-%d}" == born


def test_a_note_that_is_edited_while_it_is_left_out_is_as_old_as_its_history(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", "一")
    write(tmp_path, "b.md", "别的")
    git("add", "-A")
    git("commit", "-qm", "一", day="2024-01-01")
    base = manifest_of(WorktreeSource(tmp_path, FileRules(tmp_path, ("a.md",), 1000)).scan())
    write(tmp_path, "a.md", "二")
    git("commit", "-qam", "二", day="2024-01-02")
    assert scan(tmp_path, base) == scan(tmp_path)
    assert days(tmp_path)["a.md"] == ("2024-01-01", "2024-01-02")
