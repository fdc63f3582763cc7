import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from graphrag.app import App
from graphrag.cli.import_ import leanote_schedule
from graphrag.cli.main import app
from graphrag.cli.session import UsageError
from graphrag.domain.report import Progress
from graphrag.errors import ConfigError
from graphrag.vault import imports
from graphrag.vault.imports import LeanoteImport
from tests.fakes.git import Git, isolate_git, run_git
from tests.fakes.leanote.source import MemorySource, note_id
from vault_sync.leanote.write.import_report import ImportReport
from vault_sync.leanote.write.vault_writer import VaultWriter

Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def source() -> MemorySource:
    source = MemorySource()
    diary = source.add_notebook("日记")
    source.add_note("边城", "翠翠\n")
    source.add_note("秘密", "x\n", diary)
    source.add_note("旧稿", "x\n", is_trash=True)
    return source


@pytest.fixture
def seen(source: MemorySource, monkeypatch: pytest.MonkeyPatch) -> list[LeanoteImport]:
    """What the command asked for; the account is in memory, all else is real."""
    requests: list[LeanoteImport] = []

    @contextmanager
    def opened(wanted: LeanoteImport) -> Iterator[MemorySource]:
        requests.append(wanted)
        yield source

    monkeypatch.setattr(imports, "_opened", opened)
    for name in ("LEANOTE_USER", "LEANOTE_TOKEN", "LEANOTE_PASSWORD", "GRAPHRAG_VAULT", "GRAPHRAG_INDEX_DIR"):
        monkeypatch.delenv(name, raising=False)
    return requests


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def run(vault: Path, seen: list[LeanoteImport]) -> Invoke:
    def invoke(*arguments: str, source: str = "backup.tar.gz", **environment: str) -> tuple[int, str, str]:
        words = ["import", "leanote", source, "--vault", str(vault), *arguments]
        result = CliRunner().invoke(app, words, env=environment)
        return result.exit_code, result.stdout, result.stderr

    return invoke


@pytest.fixture
def git(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    isolate_git(monkeypatch, tmp_path)
    run_git(vault, "init", "-q")
    run_git(vault, "config", "user.name", "某人")
    run_git(vault, "config", "user.email", "someone@example.org")
    return lambda *arguments: run_git(vault, *arguments)


def notes(vault: Path) -> list[str]:
    return sorted(path.relative_to(vault).as_posix() for path in vault.rglob("*.md"))


def test_an_import_writes_the_notes_and_says_what_it_did(run: Invoke, vault: Path) -> None:
    status, out, err = run("--private", "日记")
    assert status == 0, err
    assert notes(vault) == ["日记/秘密.md", "边城.md"]
    assert "rag: false" in (vault / "日记/秘密.md").read_text()
    assert out.splitlines()[:2] == ["Skipped (1)", "  旧稿  in Leanote's trash"]
    assert "Imported from notes.example.org: 2 new, 1 skipped; not committed: the vault is in no Git repository" in out
    assert (vault / ".graphrag/.gitignore").read_text() == "*\n", "Git never sees the state"
    assert "nothing has changed since the last import (2 notes)" in run("--private", "日记")[1]


def test_json_has_every_list(run: Invoke) -> None:
    status, out, _ = run("--json")
    report = json.loads(out)
    assert status == 0
    assert report["imported"] == [{"name": "边城.md", "detail": ""}, {"name": "日记/秘密.md", "detail": ""}]
    assert report["skipped"] == [{"name": "旧稿", "detail": "in Leanote's trash"}]
    names = ("updated", "moved", "conflicts", "removed", "empty", "missing_files", "unresolved_links", "failures")
    assert all(report[name] == [] for name in names)


def test_a_dry_run_leaves_no_trace(run: Invoke, vault: Path, git: Git) -> None:
    before = git("status", "--porcelain")
    status, out, _ = run("--dry-run")
    assert status == 0
    assert "Would import from notes.example.org: 2 new, 1 skipped" in out
    assert "  边城.md" in out
    assert [entry.name for entry in vault.iterdir()] == [".git"]
    assert git("status", "--porcelain") == before


def test_the_commit_holds_what_came_in_and_nothing_that_the_user_staged(
    run: Invoke, vault: Path, git: Git, source: MemorySource
) -> None:
    (vault / "mine.md").write_text("我的")
    (vault / "other.md").write_text("没有交给 Git")
    git("add", "mine.md")
    status, out, err = run()
    assert status == 0, err
    assert git("log", "-1", "--format=%s") == "Import from Leanote (notes.example.org): 2 new"
    assert "new: 边城.md" in git("log", "-1", "--format=%b")
    assert f"commit {git('rev-parse', 'HEAD')[:7]}" in out
    listed = git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert listed == ["日记/秘密.md", "边城.md"]
    assert git("diff", "--cached", "--name-only") == "mine.md"
    source.change(note_id(1), "改了\n", title="边城 读后")
    source.change(note_id(2), is_trash=True)
    run()
    assert git("log", "-1", "--format=%s").endswith(": 1 moved, 1 removed")
    moves = git("-c", "core.quotePath=false", "show", "--format=", "--name-status", "-M40", "HEAD").splitlines()
    assert any(line.startswith("R") and line.endswith("边城 读后.md") for line in moves)
    assert "R100\t日记/秘密.md\t.trash/秘密.md" in moves
    assert git("status", "--porcelain") == "A  mine.md\n?? other.md"


def test_a_lost_state_does_not_swell_the_message(run: Invoke, vault: Path, git: Git, source: MemorySource) -> None:
    run()
    (vault / ".graphrag/leanote/state.jsonl").unlink()
    source.add_note("后来的", "x\n")
    run()
    assert git("log", "-1", "--format=%s").endswith(": 1 new")
    assert git("status", "--porcelain") == ""


def test_a_second_run_makes_no_commit(run: Invoke, git: Git, source: MemorySource) -> None:
    run()
    first = git("rev-parse", "HEAD")
    source.usn += 1
    assert "commit" not in run()[1]
    assert git("rev-parse", "HEAD") == first


def test_a_refused_commit_leaves_the_files_and_the_next_run_makes_it(run: Invoke, vault: Path, git: Git) -> None:
    hook = refuse_commits(vault)
    status, out, _ = run()
    assert status == 0
    assert "not committed" in out
    assert "the hook says no" in out
    assert notes(vault) == ["日记/秘密.md", "边城.md"]
    hook.unlink()
    assert "commit " in run()[1]
    assert git("log", "--format=%s") == "Import from Leanote (notes.example.org): 2 new"


def refuse_commits(vault: Path) -> Path:
    hook = vault / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'the hook says no' >&2\nexit 1\n")
    hook.chmod(0o755)
    return hook


@pytest.mark.parametrize("has_commit", [False, True])
def test_a_refused_commit_leaves_the_index_as_it_was(run: Invoke, vault: Path, git: Git, has_commit: bool) -> None:
    if has_commit:
        git("commit", "-q", "--allow-empty", "-m", "first")
    (vault / "mine.md").write_text("我的")
    git("add", "mine.md")
    hook = refuse_commits(vault)
    run()
    assert git("diff", "--cached", "--name-only") == "mine.md"
    hook.unlink()
    run()
    assert git("diff", "--cached", "--name-only") == "mine.md"


def test_a_version_that_the_user_staged_is_left_out_and_named(
    run: Invoke, vault: Path, git: Git, source: MemorySource
) -> None:
    run()
    ours = (vault / "边城.md").read_text(encoding="utf-8")
    (vault / "边城.md").write_text(f"{ours}我暂存的\n", encoding="utf-8")
    git("add", "边城.md")
    (vault / "边城.md").write_text(ours, encoding="utf-8")
    source.change(note_id(1), "改了\n")
    source.change(note_id(2), "也改了\n")
    out = run()[1]
    assert "commit " in out
    assert "not committed: 边城.md: you have staged another version; commit or unstage it, and import again" in out
    assert git("show", ":边城.md").endswith("我暂存的")
    assert git("log", "-1", "--format=%b") == "updated: 日记/秘密.md"
    git("reset", "-q", "边城.md")
    run()
    assert git("log", "-1", "--format=%b") == "updated: 边城.md"
    assert git("status", "--porcelain") == ""


def test_a_file_whose_removal_the_user_staged_is_left_out(
    run: Invoke, vault: Path, git: Git, source: MemorySource
) -> None:
    run()
    git("rm", "-q", "--cached", "边城.md")
    source.change(note_id(1), "改了\n")
    assert "not committed: 边城.md" in run()[1]
    assert git("-c", "core.quotePath=false", "diff", "--cached", "--name-status") == "D\t边城.md"


def test_a_lock_of_git_is_explained(run: Invoke, vault: Path, git: Git) -> None:
    (vault / ".git/index.lock").write_text("")
    out = run()[1]
    assert "another Git command is at work. If none is, remove index.lock from .git, and import again." in out
    (vault / ".git/index.lock").unlink()
    assert "commit " in run()[1]


def test_a_merge_under_way_is_left_alone(run: Invoke, vault: Path, git: Git) -> None:
    (vault / "a.md").write_text("x")
    git("add", "a.md")
    git("commit", "-q", "-m", "a")
    (vault / ".git/MERGE_HEAD").write_text(git("rev-parse", "HEAD"))
    assert "a merge or rebase is under way" in run()[1]
    assert git("diff", "--cached", "--name-only") == ""
    (vault / ".git/MERGE_HEAD").unlink()
    run()
    assert git("log", "-1", "--format=%s").endswith("2 new")


def test_without_an_identity_the_files_are_there_and_nothing_breaks(run: Invoke, vault: Path, git: Git) -> None:
    git("config", "--unset", "user.name")
    git("config", "--unset", "user.email")
    git("config", "user.useConfigOnly", "true")
    status, out, _ = run()
    assert status == 0
    assert "not committed" in out
    assert notes(vault) == ["日记/秘密.md", "边城.md"]


def test_no_commit_leaves_the_files_to_the_user_for_good(run: Invoke, git: Git, source: MemorySource) -> None:
    assert "not committed: --no-commit" in run("--no-commit")[1]
    source.add_note("新的", "x\n")
    run()
    assert git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD") == "新的.md"


def test_what_git_ignores_is_written_and_not_committed(run: Invoke, vault: Path, git: Git) -> None:
    (vault / ".gitignore").write_text("日记/\n")
    run()
    assert git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD") == "边城.md"
    assert (vault / "日记/秘密.md").exists()


def test_a_note_called_like_a_pattern_takes_no_other_file_along(
    run: Invoke, vault: Path, git: Git, source: MemorySource
) -> None:
    source.listings.clear()
    source.add_note(":(glob)＊", "x\n")
    (vault / "别的.md").write_text("x")
    run()
    assert len(git("ls-tree", "-r", "--name-only", "HEAD").splitlines()) == 1


def test_a_vault_inside_a_larger_repository_commits_its_own_paths(
    run: Invoke, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate_git(monkeypatch, tmp_path)
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "config", "user.name", "某人")
    run_git(tmp_path, "config", "user.email", "someone@example.org")
    (tmp_path / "outside.md").write_text("x")
    run()
    listed = run_git(tmp_path, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD")
    assert listed.splitlines() == ["vault/日记/秘密.md", "vault/边城.md"]


def test_a_login_comes_from_files_or_the_environment_and_never_from_the_command_line(
    run: Invoke, seen: list[LeanoteImport], tmp_path: Path
) -> None:
    server = "https://notes.example.org"
    (tmp_path / "token").write_text("\ufefftok\n", encoding="utf-8")
    (tmp_path / "empty").write_text("")
    assert run("--token-file", str(tmp_path / "token"), source=server)[0] == 0
    assert run(source=server, LEANOTE_TOKEN="env")[0] == 0
    assert run("--user", "lin", source=server, LEANOTE_PASSWORD="pw")[0] == 0
    assert run(source="a.zip", LEANOTE_TOKEN="env")[0] == 0
    assert [(item.user, item.token, item.password) for item in seen] == [
        ("", "tok", ""),
        ("", "env", ""),
        ("lin", "", "pw"),
        ("", "", ""),
    ]
    assert not any(word in repr(seen) for word in ("tok'", "env'", "pw'"))
    status, _, err = run(source=server)
    assert (status, err.count("\n")) == (2, 1)
    assert "A server needs a login" in err
    assert run("--token-file", str(tmp_path / "empty"), source=server)[0] == 2
    assert run("--password", "x", source=server)[0] == 2


@pytest.mark.parametrize(
    "arguments", [("--theirs", "--ours"), ("--zone", "Mars/Base"), ("--zone", "../etc/passwd"), ("--trash", "burn")]
)
def test_wrong_options_are_usage_errors(run: Invoke, arguments: tuple[str, ...], vault: Path) -> None:
    assert run(*arguments)[0] == 2
    assert list(vault.iterdir()) == []


def test_failures_are_one_line(run: Invoke, source: MemorySource, vault: Path) -> None:
    status, _, err = run("--exclude", "日志")
    hint = "Give --exclude anew, or --exclude '' for none."
    assert (status, err) == (1, f"error: --exclude 日志: no notebook is called so. There are: 日记. {hint}\n")
    assert run("--into", ".git")[0] == 1
    source.fail_after = 1
    status, _, err = run()
    assert status == 1
    assert "does not answer. 1 of 2 notes are done; the same command goes on from there." in err
    source.fail_after = None
    assert "1 new" in run()[1]
    assert notes(vault) == ["日记/秘密.md", "边城.md"]


@pytest.mark.parametrize("into", ["../out", "/tmp/out", "a/../../b", "~/notes", "C:\\notes", "/"])
def test_a_folder_outside_the_vault_is_refused_before_anything_is_read(
    run: Invoke, seen: list[LeanoteImport], into: str, vault: Path
) -> None:
    status, _, err = run("--into", into)
    assert (status, err) == (
        1,
        f"error: --into {into}: not a folder of the vault. Name it from the vault's own folder, like Leanote.\n",
    )
    assert (seen, list(vault.iterdir())) == ([], [])


def test_the_lists_are_kept_and_an_empty_name_clears_them(run: Invoke, source: MemorySource, vault: Path) -> None:
    run("--private", "日记")
    source.change(note_id(2), "改了\n")
    run()
    assert "rag: false" in (vault / "日记/秘密.md").read_text()
    run("--private", "")
    assert "rag" not in (vault / "日记/秘密.md").read_text()


def test_the_settings_are_the_defaults_of_every_import(
    run: Invoke, seen: list[LeanoteImport], vault: Path, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("tok")
    (vault / "graphrag.toml").write_text(
        '[leanote]\nsource = "https://notes.example.org/"\nuser = "lin"\ntoken_file = "../token"\n'
        'into = "导入"\nprivate = ["日记"]\n',
        encoding="utf-8",
    )
    assert run()[0] == 0
    assert "rag: false" in (vault / "导入/日记/秘密.md").read_text()
    assert run("--into", "别处", "--private", "")[0] == 0
    assert "rag" not in (vault / "别处/日记/秘密.md").read_text()
    assert run(source="https://notes.example.org")[0] == 0
    assert [(item.user, item.token) for item in seen] == [("", ""), ("", ""), ("lin", "tok")]


def test_the_login_of_the_settings_goes_to_their_own_source_only(
    run: Invoke, seen: list[LeanoteImport], vault: Path, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("tok")
    (vault / "graphrag.toml").write_text(
        '[leanote]\nsource = "https://notes.example.org"\nuser = "lin"\ntoken_file = "../token"\n', encoding="utf-8"
    )
    status, _, err = run(source="https://other.example.org")
    assert (status, seen) == (2, [])
    assert "needs a login" in err
    assert run("--user", "wang", source="https://notes.example.org")[0] == 2, "the token is another user's"
    run("--user", "lin", source="https://notes.example.org", LEANOTE_PASSWORD="pw")
    assert (seen[0].token, seen[0].password) == ("", "pw")


def test_an_import_that_took_nothing_fails(run: Invoke, source: MemorySource) -> None:
    source.unreadable = {note_id(1), note_id(2)}
    status, out, _ = run()
    assert status == 1
    assert "2 failed" in out
    assert run("--json")[0] == 1
    source.unreadable.clear()
    assert run()[0] == 0


def test_an_interrupted_import_says_that_it_goes_on(
    run: Invoke, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: VaultWriter, path: str, data: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(VaultWriter, "write", interrupt)
        status, _, err = run()
    assert status == 130
    assert "interrupted: what came in stays; the same command goes on from there" in err
    assert "2 new" in run()[1]


def test_an_account_without_notes_is_unchanged_without_a_number(run: Invoke, source: MemorySource) -> None:
    source.listings.clear()
    run()
    assert "nothing has changed since the last import;" in run()[1]


def test_a_full_disk_is_one_line_and_leaves_no_half_file(
    run: Invoke, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: VaultWriter, path: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    with monkeypatch.context() as patch:
        patch.setattr(VaultWriter, "write", fail)
        status, _, err = run()
    assert status == 1
    assert err.startswith("error: No space left on device: 边城.md. Free some space and run the command again")
    assert notes(vault) == []
    assert run()[0] == 0


def test_two_imports_at_once_are_refused(run: Invoke, vault: Path) -> None:
    run()
    with FileLock(vault / ".graphrag/leanote/import.lock"):
        status, _, err = run()
    assert status == 1
    assert "another import is under way" in err


def test_the_summary_names_only_what_there_is(run: Invoke, source: MemorySource, vault: Path) -> None:
    run()
    with (vault / "边城.md").open("a") as file:
        file.write("我的\n")
    source.change(note_id(1), "他们的\n")
    out = run()[1]
    assert "Conflicts (1)\n  边城.md  changed here and changed at Leanote: yours stays, Leanote's is 边城 (" in out
    assert ": 1 unchanged, 1 skipped, 1 in conflict;" in out.splitlines()[-1]


def test_long_lists_are_cut_unless_all_is_wanted(run: Invoke, source: MemorySource) -> None:
    for number in range(15):
        source.add_note(f"空{number}", "")
    out = run("--dry-run")[1]
    assert "Empty (15)" in out
    assert "5 more (--all shows them)" in out
    assert "more (--all" not in run("--dry-run", "--all")[1]


def test_the_help_has_two_examples_and_no_secret_option() -> None:
    text = CliRunner().invoke(app, ["import", "leanote", "--help"]).stdout
    assert text.count("    graphrag import leanote") == 2
    assert "--token " not in text
    assert "--password " not in text


@pytest.fixture
def followed(vault: Path, seen: list[LeanoteImport]) -> Iterator[App]:
    (vault / "graphrag.toml").write_text(
        '[leanote]\nsource = "备份.zip"\nevery = 1\ninto = "导入"\nprivate = ["日记"]\n', encoding="utf-8"
    )
    opened = App.open(vault, vault)
    yield opened
    opened.close()


def test_a_schedule_imports_as_the_settings_say_and_says_so_in_a_line(
    followed: App, seen: list[LeanoteImport], vault: Path
) -> None:
    said: Queue[str] = Queue()
    with leanote_schedule(followed, said.put):
        line = said.get(timeout=10)
    assert line.startswith("Imported from notes.example.org: 2 new, 1 skipped;")
    assert notes(vault) == ["导入/日记/秘密.md", "导入/边城.md"]
    assert (seen[0].source, seen[0].into, seen[0].private) == (str(vault / "备份.zip"), "导入", ("日记",))


def test_a_schedule_says_nothing_when_only_old_gaps_are_left(
    followed: App, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.change(note_id(1), f"![图](/api/file/getImage?fileId={'a' * 24})\n")
    said: list[str] = []
    done: Queue[bool] = Queue()
    real = App.import_leanote

    def import_leanote(self: App, wanted: LeanoteImport, progress: Progress) -> ImportReport:
        report = real(self, wanted, progress)
        done.put(report.is_unchanged)
        return report

    monkeypatch.setattr(App, "import_leanote", import_leanote)
    for _ in range(2):
        with leanote_schedule(followed, said.append):
            assert not done.get(timeout=10), "the file is asked for again"
    assert len(said) == 1


def test_a_schedule_outlives_a_failure(followed: App, source: MemorySource, vault: Path) -> None:
    source.fail_after = 1
    said: Queue[str] = Queue()
    with leanote_schedule(followed, said.put):
        line = said.get(timeout=10)
    assert line.startswith("Leanote not imported, will try again in 1 min: notes.example.org: does not answer. 1 of 2")
    source.fail_after = None
    with leanote_schedule(followed, said.put):
        assert "1 new, 1 unchanged" in said.get(timeout=10)


def test_a_schedule_ends_between_two_notes(followed: App, source: MemorySource, vault: Path) -> None:
    for number in range(500):
        source.add_note(f"第{number}篇", "x\n")
    with leanote_schedule(followed, lambda line: None):
        while not notes(vault):
            time.sleep(0.001)
    done = len(notes(vault))
    assert 0 < done < 500
    time.sleep(0.05)
    assert len(notes(vault)) == done


def test_a_schedule_needs_a_source_and_a_server_a_login(vault: Path, seen: list[LeanoteImport]) -> None:
    for settings, error, message in (
        ("", ConfigError, r"names? no source"),
        ('[leanote]\nsource = "https://notes.example.org"\n', UsageError, "needs a login"),
        ('[leanote]\nsource = "https://n.example.org"\ntoken_file = "no"\n', UsageError, "No such file"),
    ):
        (vault / "graphrag.toml").write_text(settings, encoding="utf-8")
        with pytest.raises(error, match=message), leanote_schedule(App.open(vault, vault), print):
            pass
    assert CliRunner().invoke(app, ["watch", "--leanote", "--vault", str(vault)]).exit_code == 2
    unit = CliRunner().invoke(app, ["watch", "--leanote", "--print-unit", "systemd", "--vault", str(vault)]).stdout
    assert '"--leanote"' in unit
