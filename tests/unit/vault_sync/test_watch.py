import errno
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from watchdog.observers import Observer

from tests.fakes.git import Git, isolate_git, run_git
from vault_sync.file_watch import Pace, VaultLook, VaultWatch

Act = Callable[[], object]
PACE = Pace(debounce=0.1, longest=1.0, sweep=30.0)
SWEEPING = Pace(debounce=0.05, longest=1.0, sweep=0.2)
SOON = 20.0
QUIET = 1.0


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate_git(monkeypatch, tmp_path)
    folder = tmp_path / "我的 库"
    write(folder, "一.md", "子/二.md", ".obsidian/x.md", ".graphrag/CURRENT")
    return folder


@pytest.fixture
def git(vault: Path) -> Git:
    """Run Git in the vault, which is committed."""

    def run(*arguments: str) -> str:
        return run_git(vault, *arguments)

    run("init", "-q")
    run("add", "*.md")
    run("commit", "-qm", "一")
    return run


def write(vault: Path, *names: str, text: str = "内容") -> None:
    for name in names:
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(text, encoding="utf-8")


@contextmanager
def watching(vault: Path, pace: Pace = PACE, wants_files: bool = False) -> Iterator[VaultWatch]:
    with VaultWatch(VaultLook(vault, wants_files, ("graphrag.toml",)), pace, lambda line: None) as watch:
        yield watch


def is_told(watch: VaultWatch, act: Act, seconds: float = SOON) -> bool:
    act()
    return watch.wait(seconds)


def commit(git: Git, *arguments: str) -> Act:
    return lambda: git("commit", "-q", "--allow-empty", "-m", "又", *arguments)


def test_whatever_moves_the_head_is_told_and_nothing_else(vault: Path, git: Git) -> None:
    git("branch", "另一")
    with watching(vault) as watch:
        assert is_told(watch, commit(git))
        assert is_told(watch, commit(git, "--amend", "--date=2001-01-01T00:00:00"))
        assert is_told(watch, lambda: git("checkout", "-q", "另一"))
        assert is_told(watch, lambda: git("reset", "-q", "--hard", "main"))
        for act in (lambda: git("gc", "-q"), lambda: git("status"), lambda: git("tag", "v1")):
            assert not is_told(watch, act, QUIET)
        write(vault, "一.md", text="没有提交")
        assert not watch.wait(QUIET)
        assert is_told(watch, commit(git)), "after gc, which packs the refs"


def test_saved_files_are_told_and_hidden_ones_are_not(vault: Path) -> None:
    def save_by_rename() -> None:
        write(vault, ".一.md.swp", text="改过")
        (vault / ".一.md.swp").rename(vault / "一.md")

    with watching(vault) as watch:
        assert is_told(watch, lambda: write(vault, "一.md", text="改了"))
        assert is_told(watch, save_by_rename)
        assert is_told(watch, lambda: (vault / "子").rename(vault / "新"))
        assert is_told(watch, lambda: write(vault, "深/更深/三.md"))
        assert is_told(watch, lambda: write(vault, "深/更深/三.md", text="在新文件夹里"))
        assert is_told(watch, lambda: (vault / "深/更深/三.md").unlink())
        write(vault, ".graphrag/CURRENT", ".graphrag/x/y.md", ".obsidian/z.md", "图.png", ".新/四.md")
        assert watch.pending == 0
        assert not watch.wait(QUIET)


def test_files_are_followed_beside_commits_on_demand(vault: Path, git: Git) -> None:
    with watching(vault, wants_files=True) as watch:
        assert is_told(watch, lambda: write(vault, "一.md", text="改了"))
        assert is_told(watch, commit(git))


def test_the_first_commit_turns_from_files_to_commits(vault: Path) -> None:
    with watching(vault, SWEEPING) as watch:
        run = {"cwd": vault, "check": True, "capture_output": True}
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        for words in (("init", "-q"), ("add", "*.md"), ("commit", "-qm", "一")):
            subprocess.run(["git", *names, *words], **run)  # type: ignore[call-overload]
        assert watch.wait(SOON)
        write(vault, "一.md", text="没有提交")
        assert not watch.wait(QUIET)


def test_thousands_of_files_are_one_batch(vault: Path) -> None:
    with watching(vault) as watch:
        assert is_told(watch, lambda: write(vault, *(f"许多/{number}.md" for number in range(3000))))
        assert watch.pending == 0
        assert not watch.wait(QUIET)


def test_constant_changes_are_told_after_the_longest_wait(vault: Path) -> None:
    done = threading.Event()

    def scribble() -> None:
        while not done.is_set():
            write(vault, "一.md", text=str(time.monotonic()))
            time.sleep(0.01)

    writer = threading.Thread(target=scribble)
    with watching(vault) as watch:
        writer.start()
        try:
            started = time.monotonic()
            assert watch.wait(SOON)
            assert PACE.longest <= time.monotonic() - started < 10 * PACE.longest
        finally:
            done.set()
            writer.join()


def test_a_lost_event_is_made_good_by_a_sweep(vault: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VaultWatch, "on_any_event", lambda self, event: None)
    with watching(vault, SWEEPING) as watch:
        assert is_told(watch, commit(git))
        assert is_told(watch, lambda: write(vault, ".ragignore", text="子/"))
        assert is_told(watch, lambda: write(vault, "graphrag.toml", text="[index]"))
        assert not watch.wait(QUIET)


def test_polling_needs_no_events(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Observer, "schedule", lambda *_, **__: pytest.fail("it watches"))
    with watching(vault, Pace(debounce=0.05, longest=1.0, sweep=30.0, poll=0.2)) as watch:
        assert is_told(watch, lambda: write(vault, "一.md", text="改了"))
        assert not watch.wait(QUIET)


@pytest.mark.parametrize(
    ("number", "reason"),
    [(errno.ENOSPC, "inotify watch limit reached"), (errno.EMFILE, "inotify instance limit reached")],
)
def test_a_system_without_more_watches_is_said_once_and_looked_at(
    vault: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, reason)

    monkeypatch.setattr(Observer, "schedule", refuse)
    lines: list[str] = []
    with VaultWatch(VaultLook(vault, False), SWEEPING, lines.append) as watch:
        assert is_told(watch, lambda: write(vault, "一.md", text="改了"))
        assert is_told(watch, lambda: write(vault, "一.md", text="又改"))
    assert len(lines) == 1
    assert reason in lines[0]
    assert "every 0.2 s" in lines[0]


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_vault_that_goes_and_comes_back(vault: Path, is_committed: bool, request: pytest.FixtureRequest) -> None:
    if is_committed:
        request.getfixturevalue("git")
    away = vault.with_name("别处")
    with watching(vault) as watch:
        assert watch.is_there
        assert is_told(watch, lambda: vault.rename(away))
        assert not watch.is_there
        assert not watch.wait(QUIET)
        assert is_told(watch, lambda: away.rename(vault))
        assert watch.is_there


def test_another_folder_in_the_place_of_the_vault_is_watched_from_then_on(vault: Path) -> None:
    with watching(vault) as watch:
        assert is_told(watch, lambda: vault.rename(vault.with_name("旧")))
        assert is_told(watch, lambda: write(vault, "新.md"))
        assert is_told(watch, lambda: write(vault, "新.md", text="改了"))


def test_an_empty_mount_point_is_no_vault(vault: Path, git: Git) -> None:
    with watching(vault, SWEEPING) as watch:
        assert is_told(watch, lambda: (vault / ".git").rename(vault.with_name("git")))
        assert not watch.is_there
    (vault.parent / "空").mkdir()
    with watching(vault.parent / "空") as watch:
        assert not watch.is_there


def test_a_linked_worktree_follows_its_own_head(vault: Path, git: Git) -> None:
    git("worktree", "add", "-q", str(vault.with_name("工作树")), "-b", "工作")
    with watching(vault.with_name("工作树")) as watch:
        assert not is_told(watch, commit(git), QUIET)
        assert is_told(
            watch, lambda: git("-C", str(vault.with_name("工作树")), "commit", "-q", "--allow-empty", "-m", "二")
        )


def test_a_vault_inside_a_repository(vault: Path, git: Git) -> None:
    with watching(vault / "子") as watch:
        assert is_told(watch, commit(git))


def test_trouble_with_git_is_left_to_the_index_to_report(vault: Path, git: Git) -> None:
    with watching(vault, SWEEPING) as watch:
        assert is_told(watch, lambda: (vault / ".git" / "HEAD").write_text("?", encoding="utf-8"))
        assert watch.is_there


def test_a_wait_ends_in_time(vault: Path) -> None:
    with watching(vault) as watch:
        started = time.monotonic()
        assert not watch.wait(0.0)
        assert not watch.wait(0.2)
        assert time.monotonic() - started < SOON


@pytest.mark.parametrize("pace", [PACE, Pace(debounce=0.1, longest=1.0, sweep=30.0, poll=30.0)])
def test_waiting_ends_soon_after_it_is_to_stop(vault: Path, pace: Pace) -> None:
    stop = threading.Event()
    with VaultWatch(VaultLook(vault, True), pace, lambda line: None, stop) as watch:
        threading.Timer(0.2, stop.set).start()
        started = time.monotonic()
        assert not watch.wait()
        assert time.monotonic() - started < 10
