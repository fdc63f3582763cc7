import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from graphrag.errors import VaultError
from tests.fakes.git import Git, isolate_git, run_git
from vault_sync import hooks
from vault_sync.hooks import install_hooks, remove_hooks

NAMES = ("post-checkout", "post-commit", "post-merge", "post-rewrite")
SOON = 20.0


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate_git(monkeypatch, tmp_path)
    monkeypatch.setattr(hooks, "_PAUSE", "0.3")
    folder = tmp_path / "我的 'vault' \"$HOME\" `x`"
    folder.mkdir()
    return folder


@pytest.fixture
def git(vault: Path) -> Git:
    def run(*arguments: str, folder: Path = vault) -> str:
        return run_git(folder, *arguments)

    run("init", "-q")
    return run


class Poke:
    """A program that writes down how it was called."""

    def __init__(self, folder: Path, vault: Path) -> None:
        self.log = folder / "日志.txt"
        program = folder / "a program's 名"
        program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >> {shlex.quote(str(self.log))}\n')
        program.chmod(0o755)
        self.command = [str(program), "index", "--vault", str(vault)]
        self.line = f"index|--vault|{vault}|"

    def calls(self) -> int:
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        assert text.replace(self.line, "") == ""
        return text.count(self.line)

    def is_called(self, times: int) -> bool:
        end = time.monotonic() + SOON
        while self.calls() < times and time.monotonic() < end:
            time.sleep(0.02)
        return self.calls() == times


@pytest.fixture
def poke(tmp_path: Path, vault: Path) -> Poke:
    return Poke(tmp_path, vault)


def files_of(vault: Path) -> dict[str, tuple[bytes, int]]:
    files = (vault / ".git" / "hooks").iterdir()
    return {file.name: (file.read_bytes(), file.stat().st_mode) for file in files if file.suffix != ".sample"}


def write_hook(vault: Path, name: str, body: str) -> None:
    file = vault / ".git" / "hooks" / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)


def test_every_way_to_a_new_commit_calls_the_command(vault: Path, git: Git, poke: Poke) -> None:
    install_hooks(vault, poke.command)
    git("commit", "-q", "--allow-empty", "-m", "一")
    assert poke.is_called(1)
    git("checkout", "-qb", "另一")
    assert poke.is_called(2)
    git("commit", "-q", "--allow-empty", "-m", "二")
    assert poke.is_called(3)
    git("checkout", "-q", "main")
    assert poke.is_called(4)
    git("merge", "-q", "另一")
    assert poke.is_called(5)
    git("commit", "-q", "--amend", "--allow-empty", "-m", "三")
    assert poke.is_called(6), "once for post-commit and post-rewrite"


def test_many_commits_in_a_row_start_few_runs_and_one_after_the_last(vault: Path, git: Git, poke: Poke) -> None:
    heads = vault.parent / "heads"
    Path(poke.command[0]).write_text(f"#!/bin/sh\ngit rev-parse HEAD >> '{heads}'\n", encoding="utf-8")
    install_hooks(vault, poke.command)
    for number in range(30):
        git("commit", "-q", "--allow-empty", "-m", str(number))
    last = git("rev-parse", "HEAD")
    end = time.monotonic() + SOON
    while last not in (heads.read_text(encoding="utf-8") if heads.exists() else "") and time.monotonic() < end:
        time.sleep(0.02)
    seen = heads.read_text(encoding="utf-8").split()
    assert seen[-1] == last
    assert len(seen) < 30


def test_a_start_that_was_killed_holds_up_nothing_for_long(vault: Path, git: Git, poke: Poke) -> None:
    install_hooks(vault, poke.command)
    mark = vault / ".git" / "graphrag-hook"
    mark.write_text(f"{os.getpid()}\n", encoding="utf-8")
    os.utime(mark, (time.time() - 120, time.time() - 120))
    git("commit", "-q", "--allow-empty", "-m", "alive, but too old")
    assert poke.is_called(1)
    with subprocess.Popen(["true"]) as process:
        process.wait()
    mark.write_text(f"{process.pid}\n", encoding="utf-8")
    git("commit", "-q", "--allow-empty", "-m", "young, but dead")
    assert poke.is_called(2)


def test_a_hook_that_was_there_runs_first_with_its_arguments_and_input(vault: Path, git: Git, poke: Poke) -> None:
    seen = vault.parent / "seen.txt"
    write_hook(vault, "post-rewrite", f'printf "%s " "$@" > {seen}; cat >> {seen}; test ! -e {poke.log}')
    install_hooks(vault, poke.command)
    old = git("commit", "-q", "--allow-empty", "-m", "一") or git("rev-parse", "HEAD")
    assert poke.is_called(1)
    git("commit", "-q", "--amend", "--allow-empty", "-m", "二")
    assert poke.is_called(2)
    assert seen.read_text(encoding="utf-8").split() == ["amend", old, git("rev-parse", "HEAD")]


@pytest.mark.parametrize("status", [0, 7])
def test_its_exit_status_is_kept_and_ours_never_fails(vault: Path, git: Git, poke: Poke, status: int) -> None:
    write_hook(vault, "post-commit", f"exit {status}")
    install_hooks(vault, ["/no/such/program", "x"])
    hook = vault / ".git" / "hooks" / "post-commit"
    assert subprocess.run([hook], cwd=vault, check=False).returncode == status


def test_a_hook_that_git_ignored_stays_ignored(vault: Path, git: Git, poke: Poke) -> None:
    write_hook(vault, "post-commit", f"touch {vault.parent}/ran")
    (vault / ".git" / "hooks" / "post-commit").chmod(0o644)
    install_hooks(vault, poke.command)
    git("commit", "-q", "--allow-empty", "-m", "一")
    assert poke.is_called(1)
    assert not (vault.parent / "ran").exists()


def test_installing_again_changes_nothing_and_removal_restores_every_byte(vault: Path, git: Git, poke: Poke) -> None:
    write_hook(vault, "post-commit", "printf '\\377'")
    (vault / ".git" / "hooks" / "post-merge").symlink_to("post-commit")
    before = files_of(vault)
    install_hooks(vault, ["/elsewhere/python", "index"])
    install_hooks(vault, poke.command)
    installed = files_of(vault)
    install_hooks(vault, poke.command)
    assert files_of(vault) == installed
    assert set(NAMES) < set(installed)
    assert sorted(file.name for file in remove_hooks(vault)) == list(NAMES)
    assert files_of(vault) == before
    assert (vault / ".git" / "hooks" / "post-merge").is_symlink()
    assert remove_hooks(vault) == []


def test_a_hook_that_links_to_another_one_still_does_what_it_did(vault: Path, git: Git, poke: Poke) -> None:
    write_hook(vault, "post-commit", f"echo ran >> {shlex.quote(str(vault.parent / 'ran'))}")
    (vault / ".git" / "hooks" / "post-checkout").symlink_to("post-commit")
    install_hooks(vault, poke.command)
    git("commit", "-q", "--allow-empty", "-m", "一")
    git("checkout", "-qb", "另一")
    assert (vault.parent / "ran").read_text(encoding="utf-8").count("ran") == 2


def test_a_hook_of_another_program_in_the_place_of_ours_is_left_alone(vault: Path, git: Git, poke: Poke) -> None:
    write_hook(vault, "post-commit", "exit 0")
    install_hooks(vault, poke.command)
    write_hook(vault, "post-commit", "exit 1")
    before = files_of(vault)
    with pytest.raises(VaultError, match=r"post-commit\.before-graphrag"):
        install_hooks(vault, poke.command)
    assert files_of(vault) == before
    remove_hooks(vault)
    assert files_of(vault).keys() == {"post-commit", "post-commit.before-graphrag"}


def test_an_install_that_was_cut_short_is_completed_or_undone(vault: Path, git: Git, poke: Poke) -> None:
    folder = vault / ".git" / "hooks"
    write_hook(vault, "post-commit.before-graphrag", "exit 0")
    old = (folder / "post-commit.before-graphrag").read_bytes()
    install_hooks(vault, poke.command)
    remove_hooks(vault)
    assert (folder / "post-commit").read_bytes() == old


def test_hooks_of_two_vaults_in_one_repository(vault: Path, git: Git, poke: Poke) -> None:
    for name in ("甲", "乙"):
        (vault / name).mkdir()
    install_hooks(vault / "甲", poke.command)
    with pytest.raises(VaultError, match="serves another vault"):
        install_hooks(vault / "乙", poke.command)
    (vault / "甲").rmdir()
    install_hooks(vault / "乙", poke.command)


def test_the_folder_that_git_is_told_to_use(vault: Path, git: Git, poke: Poke) -> None:
    (vault / "子").mkdir()
    git("config", "core.hooksPath", ".githooks")
    assert install_hooks(vault / "子", poke.command) == vault / ".githooks"
    git("commit", "-q", "--allow-empty", "-m", "一")
    assert poke.is_called(1)
    remove_hooks(vault)
    assert list((vault / ".githooks").iterdir()) == []


@pytest.mark.parametrize("how", ["setting", "link"])
def test_hooks_shared_with_other_repositories_are_refused(vault: Path, git: Git, poke: Poke, how: str) -> None:
    shared = vault.parent / "shared-hooks"
    shared.mkdir()
    if how == "setting":
        git("config", "--global", "core.hooksPath", str(shared))
    else:
        (vault / ".git" / "hooks").rename(vault / ".git" / "old")
        (vault / ".git" / "hooks").symlink_to(shared)
    for act in (lambda: install_hooks(vault, poke.command), lambda: remove_hooks(vault)):
        with pytest.raises(VaultError, match=r"shared-hooks.*outside"):
            act()
    assert list(shared.iterdir()) == []


def test_a_linked_worktree_uses_the_hooks_of_its_repository(vault: Path, git: Git, tmp_path: Path) -> None:
    git("commit", "-q", "--allow-empty", "-m", "一")
    other = tmp_path / "工作树"
    git("worktree", "add", "-q", str(other))
    poke = Poke(tmp_path, other)
    assert install_hooks(other, poke.command) == vault / ".git" / "hooks"
    git("commit", "-q", "--allow-empty", "-m", "二", folder=other)
    assert poke.is_called(1)


def test_without_git_there_is_nothing_to_hook_into(vault: Path) -> None:
    with pytest.raises(VaultError, match="not in a Git repository"):
        install_hooks(vault, ["/bin/true"])
