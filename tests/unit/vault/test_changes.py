"""What changed in a vault, without an index: a private note shows in no form."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphrag.domain.history import VaultChanges
from graphrag.errors import NoteNotFound, VaultError
from graphrag.settings import Settings
from graphrag.vault.changes import changes_since, note_log
from graphrag.vault.cited_lines import open_passage
from graphrag.vault.resources import Parts
from tests.unit.vault_sync.conftest import Git, git, write

__all__ = ["git"]

PRIVATE = "---\nprivate: true\n---\n"
TEXT = "# 题\n\n" + "".join(f"第{number}行\n" for number in range(9))


def commit(git: Git) -> str:
    git("add", "-A")
    git("commit", "-qm", "改")
    return git("rev-parse", "HEAD")


def parts(folder: Path) -> Parts:
    return Parts(folder, Settings.model_validate({"vault": {"exclude_tags": ["机密"]}}))


def changes(folder: Path, since: str) -> VaultChanges:
    return changes_since(parts(folder), since, datetime.now(UTC))


def shown(folder: Path, since: str) -> tuple[list[str], int]:
    view = changes(folder, since)
    return [note.path for note in view.notes], view.left_out


def test_notes_sections_and_links(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    write(tmp_path, "b.md", TEXT + "b")
    first = commit(git)
    write(tmp_path, "a.md", "---\ntags: [x]\n---\n" + TEXT + "\n## 节\n\n依赖:: [[b]]\n")
    git("mv", "b.md", "c.md")
    second = commit(git)
    view = changes(tmp_path, first)
    assert (view.since, view.until, view.commits, view.left_out) == (first, second, 1, 0)
    changed, renamed = view.notes
    assert (changed.kind, changed.title, changed.front_matter) == ("changed", "题", True)
    assert [(item.kind, item.heading, item.line) for item in changed.sections] == [("added", ("题", "节"), 16)]
    assert [(item.kind, item.target, item.relation, item.line) for item in changed.links] == [
        ("added", "b", "依赖", 18)
    ]
    assert (renamed.kind, renamed.path, renamed.previous_path) == ("renamed", "c.md", "b.md")
    assert (renamed.front_matter, renamed.sections, renamed.links) == (False, (), ())


@pytest.mark.parametrize(
    ("since", "day"),
    [
        ("2024-3", "2024-02-01"),
        ("2024-04", "2024-03-09"),
        ("1d", "2024-03-05"),
        ("7d", "2024-03-01"),
        ("昨天", "2024-03-05"),
        ("last Friday", "2024-03-05"),
        ("最近三天", "2024-03-05"),
        ("上个月", ""),
        ("since 2024-03-02", "2024-03-01"),
    ],
)
def test_the_state_before_a_time_in_words(tmp_path: Path, git: Git, since: str, day: str) -> None:
    commits = {"": ""}
    for at in ("2024-02-01", "2024-03-01", "2024-03-05", "2024-03-09"):
        write(tmp_path, "a.md", TEXT + at)
        git("add", "-A")
        git("commit", "-qm", "改", day=at)
        commits[at] = git("rev-parse", "HEAD")
    assert changes_since(parts(tmp_path), since, datetime(2024, 3, 10, tzinfo=UTC)).since == commits[day]


def test_a_day_that_there_is_not_is_refused(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    commit(git)
    with pytest.raises(VaultError, match="'2024-13-01' is no day"):
        changes(tmp_path, "2024-13-01")


@pytest.mark.parametrize(("before", "after"), [(PRIVATE + TEXT, TEXT), (TEXT, PRIVATE + TEXT), (None, "#机密/x\n")])
def test_a_note_that_is_private_then_or_now_is_only_counted(
    tmp_path: Path, git: Git, before: str | None, after: str
) -> None:
    write(tmp_path, "a.md", before or "x") if before else None
    write(tmp_path, "公开.md", TEXT)
    first = commit(git)
    write(tmp_path, "a.md", after)
    write(tmp_path, "公开.md", "改")
    commit(git)
    assert shown(tmp_path, first) == (["公开.md"], 1)


def test_a_note_made_private_on_disk_only_is_kept_back_too(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    first = commit(git)
    write(tmp_path, "a.md", TEXT + "改\n")
    commit(git)
    write(tmp_path, "a.md", PRIVATE + TEXT)
    assert shown(tmp_path, first) == ([], 1)
    for refused in (lambda: note_log(parts(tmp_path), "a"), lambda: open_passage(parts(tmp_path), f"a.md:1@{first}")):
        with pytest.raises(VaultError, match="is private"):
            refused()


def test_ignored_files_and_unreadable_ones_are_only_counted(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    first = commit(git)
    write(tmp_path, ".ragignore", "秘密/\n")
    write(tmp_path, "秘密/b.md", TEXT)
    git("mv", "a.md", "秘密/a.md")
    (tmp_path / "c.md").write_bytes(bytes(range(256)) * 20)
    commit(git)
    assert shown(tmp_path, first) == ([], 3)
    with pytest.raises(VaultError, match=r"is private: left out by \.ragignore"):
        open_passage(parts(tmp_path), f"a.md@{first}")
    with pytest.raises(VaultError, match=r"'a\.md' is private"):
        note_log(parts(tmp_path), "a.md")


def test_a_note_that_was_private_when_it_was_deleted_or_moved_on_stays_private(tmp_path: Path, git: Git) -> None:
    for name in ("a.md", "b.md"):
        write(tmp_path, name, TEXT + name)
    first = commit(git)
    write(tmp_path, "a.md", PRIVATE + TEXT)
    git("mv", "b.md", "c.md")
    commit(git)
    git("rm", "-q", "a.md")
    write(tmp_path, "c.md", PRIVATE + "全新\n")
    commit(git)
    assert shown(tmp_path, first) == ([], 2)
    for name in ("a.md", "b.md", "c.md"):
        with pytest.raises(VaultError, match="is private"):
            note_log(parts(tmp_path), name)
    for name in ("a.md", "b.md"):
        with pytest.raises(VaultError, match="is private") as error:
            open_passage(parts(tmp_path), f"{name}:1-2@{first}")
        assert "c.md" not in str(error.value)


def test_the_log_of_a_note_that_is_gone_or_has_moved(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "旧.md", TEXT)
    write(tmp_path, "删.md", TEXT + "x")
    commit(git)
    git("mv", "旧.md", "新.md")
    git("rm", "-q", "删.md")
    commit(git)
    for name in ("旧.md", "旧", "./旧.md", "新.md", "[[新]]"):
        assert [item.kind.value for item in note_log(parts(tmp_path), name)] == ["renamed", "added"]
    assert [item.kind.value for item in note_log(parts(tmp_path), "删")] == ["removed", "added"]
    for name in ("没有.md", "../旧.md", "*.md", ""):
        with pytest.raises(NoteNotFound):
            note_log(parts(tmp_path), name)


def test_a_vault_without_history_says_so(tmp_path: Path, git: Git, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(tmp_path, "a.md")
    with pytest.raises(VaultError, match="nothing is committed yet"):
        changes(tmp_path, "7d")
    plain = tmp_path_factory.mktemp("plain")
    write(plain, "a.md")
    for ask in (lambda: changes(plain, "7d"), lambda: note_log(parts(plain), "a.md")):
        with pytest.raises(VaultError, match="not in a Git repository"):
            ask()
