import unicodedata
from datetime import date
from pathlib import Path

import pytest

from graphrag.domain.history import ChangeKind
from graphrag.errors import VaultError
from tests.unit.vault_sync.conftest import Git, write
from vault_sync.compare import changed_files, departures, follow, state_before, trace_back
from vault_sync.repository import Repository, find_repository

TEXT = "".join(f"第{number}行\n" for number in range(20))


def commit(git: Git, message: str = "改", day: str = "2024-01-01") -> str:
    git("add", "-A")
    git("commit", "-qm", message, "--allow-empty", day=day)
    return git("rev-parse", "HEAD")


def repository(folder: Path) -> Repository:
    found = find_repository(folder)
    assert found is not None
    return found


def changes(folder: Path, older: str, newer: str = "HEAD") -> list[tuple[str, str, str]]:
    return [
        (file.kind.value, file.path, file.previous_path) for file in changed_files(repository(folder), older, newer)
    ]


@pytest.mark.parametrize("quote", ["true", "false"])
def test_what_became_of_each_note(tmp_path: Path, git: Git, quote: str) -> None:
    git("config", "core.quotePath", quote)
    for name in ("改 了.md", "删\n了.md", "旧/移动.md", "不变.md", "代码.py", ".隐藏/x.md"):
        write(tmp_path, name, TEXT + name)
    first = commit(git)
    write(tmp_path, "改 了.md", "别的")
    write(tmp_path, "新/增.md", "新")
    (tmp_path / "新/移动.md").write_bytes((tmp_path / "旧/移动.md").read_bytes() + b"end\n")
    for name in ("旧/移动.md", "删\n了.md", ".隐藏/x.md"):
        (tmp_path / name).unlink()
    commit(git)
    assert changes(tmp_path, first) == [
        ("removed", "删\n了.md", ""),
        ("changed", "改 了.md", ""),
        ("added", "新/增.md", ""),
        ("renamed", "新/移动.md", "旧/移动.md"),
    ]
    by_path = {file.path: file for file in changed_files(repository(tmp_path), first, "HEAD")}
    assert by_path["改 了.md"].after == git("rev-parse", "HEAD:改 了.md")
    assert by_path["新/移动.md"].before == git("rev-parse", f"{first}:旧/移动.md")
    assert (by_path["删\n了.md"].after, by_path["新/增.md"].before) == ("", "")


def test_from_the_empty_state_everything_is_new(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "b.md")
    write(tmp_path, "a.md")
    (tmp_path / "link.md").symlink_to("a.md")
    commit(git)
    assert changes(tmp_path, "") == [("added", "a.md", ""), ("added", "b.md", "")]


def test_a_copy_is_an_addition_whatever_the_user_set(tmp_path: Path, git: Git) -> None:
    for key, value in [("diff.renames", "copies"), ("color.ui", "always"), ("diff.noprefix", "true")]:
        git("config", key, value)
    write(tmp_path, "模板.md", TEXT)
    first = commit(git)
    write(tmp_path, "日记.md", TEXT)
    write(tmp_path, "模板.md", TEXT + "末行\n")
    commit(git)
    assert changes(tmp_path, first) == [("added", "日记.md", ""), ("changed", "模板.md", "")]


def test_a_note_moved_in_one_commit_and_rewritten_in_the_next_is_renamed(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    first = commit(git)
    git("mv", "a.md", "b.md")
    commit(git)
    write(tmp_path, "b.md", "全新\n")
    write(tmp_path, "c.md", "另一篇\n")
    commit(git)
    assert changes(tmp_path, first) == [("renamed", "b.md", "a.md"), ("added", "c.md", "")]


def test_what_is_no_note_on_one_side_is_not_there_on_it(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.txt", TEXT)
    write(tmp_path, "b.md", TEXT + "b")
    write(tmp_path, "c.md", TEXT + "c")
    first = commit(git)
    git("mv", "a.txt", "a.md")
    git("mv", "b.md", "b.txt")
    (tmp_path / "c.md").unlink()
    (tmp_path / "c.md").symlink_to("a.md")
    commit(git)
    assert changes(tmp_path, first) == [("added", "a.md", ""), ("removed", "b.md", ""), ("removed", "c.md", "")]


def test_case_counts_and_unicode_forms_and_modes_do_not(tmp_path: Path, git: Git) -> None:
    git("config", "core.precomposeUnicode", "false")
    write(tmp_path, "Note.md", TEXT)
    write(tmp_path, "cafe\u0301.md", TEXT + "c")
    write(tmp_path, "mode.md", TEXT + "m")
    first = commit(git)
    git("mv", "Note.md", "note.md")
    git("mv", "cafe\u0301.md", "caf\u00e9.md")
    (tmp_path / "mode.md").chmod(0o755)
    commit(git)
    assert changes(tmp_path, first) == [("renamed", "note.md", "Note.md")]
    assert unicodedata.is_normalized("NFC", changed_files(repository(tmp_path), "", first)[1].path)


def test_a_vault_in_a_folder_of_a_repository(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "vault/a.md", TEXT)
    write(tmp_path, "docs/b.md", TEXT + "b")
    first = commit(git)
    git("mv", "vault/a.md", "vault/子.md")
    git("mv", "docs/b.md", "vault/b.md")
    commit(git)
    assert changes(tmp_path / "vault", first) == [("added", "b.md", ""), ("renamed", "子.md", "a.md")]


def test_notes_are_followed_from_path_to_path_and_back(tmp_path: Path, git: Git) -> None:
    for name in ("a.md", "x.md"):
        write(tmp_path, name, TEXT + name)
    first = commit(git)
    git("mv", "a.md", "b.md")
    commit(git)
    write(tmp_path, "a.md", "另一篇\n")
    git("mv", "b.md", "c.md")
    commit(git)
    git("rm", "-q", "c.md", "x.md")
    last = git("rev-parse", "HEAD:c.md")
    commit(git)
    left = departures(repository(tmp_path), first, "HEAD")
    assert follow("a.md", left) == ("c.md", last)
    assert follow("不动.md", left) == ("不动.md", "")
    assert (trace_back("c.md", left), trace_back("x.md", left)) == ("a.md", "x.md")
    assert departures(repository(tmp_path), "", "HEAD") == left


@pytest.mark.parametrize(
    ("since", "days"),
    [
        ("2024-03-05", ["2024-03-01"]),  # of that day's start: what came on it is new
        ("2024-04-01", ["2024-03-09"]),
        ("1999-01-01", []),
    ],
)
def test_the_state_at_the_start_of_a_day(tmp_path: Path, git: Git, since: str, days: list[str]) -> None:
    commits = {day: commit(git, day=day) for day in ("2024-02-01", "2024-03-01", "2024-03-05", "2024-03-09")}
    found = state_before(repository(tmp_path), date.fromisoformat(since))
    assert [day for day, id_ in commits.items() if id_ == found] == days


def test_a_state_may_be_named_by_a_revision(tmp_path: Path, git: Git) -> None:
    first = commit(git)
    git("tag", "v1")
    commit(git)
    for name in ("v1", "HEAD~1", first[:8]):
        assert state_before(repository(tmp_path), name) == first
    for name, message in [("v2", "'v2' is no commit"), ("--all", "is no commit")]:
        with pytest.raises(VaultError, match=message):
            state_before(repository(tmp_path), name)


def test_the_state_of_a_day_is_that_of_the_branch_not_of_what_was_merged_later(tmp_path: Path, git: Git) -> None:
    first = commit(git, day="2024-01-01")
    git("switch", "-qc", "side")
    commit(git, day="2024-01-03")
    git("switch", "-q", "main")
    commit(git, day="2024-01-05")
    git("merge", "-q", "--no-ff", "-m", "合并", "side", day="2024-01-09")
    assert state_before(repository(tmp_path), date(2024, 1, 4)) == first


def test_a_shallow_clone_says_how_far_back_it_reaches(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "origin/a.md")
    git("-C", "origin", "init", "-q")
    git("-C", "origin", "add", "-A")
    git("-C", "origin", "commit", "-qm", "一", day="2024-01-01")
    write(tmp_path, "origin/a.md", "改")
    git("-C", "origin", "commit", "-qam", "二", day="2024-02-01")
    git("clone", "-q", "--depth", "1", f"file://{tmp_path}/origin", "clone")
    clone = repository(tmp_path / "clone")
    with pytest.raises(VaultError, match="shallow clone does not reach back to 2024-01-15"):
        state_before(clone, date(2024, 1, 15))
    assert state_before(clone, date(2024, 3, 1)) == clone.head()
    assert ChangeKind.ADDED in {file.kind for file in changed_files(clone, "", "HEAD")}
