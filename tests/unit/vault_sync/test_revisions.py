from pathlib import Path

import pytest

from graphrag.domain.history import ChangeKind
from tests.unit.vault_sync.conftest import Git, write
from vault_sync.commit_diff import read_revisions
from vault_sync.repository import find_repository

LINES = [f"第{number}行" for number in range(10)]
TEXT = "\n".join(LINES) + "\n"


def revisions(folder: Path, name: str) -> list[tuple[str, str, str, str, int, int]]:
    repository = find_repository(folder)
    assert repository is not None
    return [
        (item.subject, item.kind.value, item.path, item.previous_path, item.lines_added, item.lines_removed)
        for item in read_revisions(repository, name)
    ]


def commit(git: Git, subject: str, day: str = "2024-01-01") -> None:
    git("add", "-A")
    git("commit", "-qm", subject, day=day)


def test_a_note_is_followed_through_its_names(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "旧 名.md", TEXT)
    commit(git, "一")
    write(tmp_path, "旧 名.md", TEXT + "添\n")
    commit(git, "二")
    (tmp_path / "子").mkdir()
    git("mv", "旧 名.md", "子/新\n名.md")
    write(tmp_path, "子/新\n名.md", TEXT + "添\n再添\n")
    commit(git, "三")
    write(tmp_path, "别的.md")
    commit(git, "四")
    (tmp_path / "子/新\n名.md").unlink()
    commit(git, "五")
    assert revisions(tmp_path, "子/新\n名.md") == [
        ("五", "removed", "子/新\n名.md", "", 0, 12),
        ("三", "renamed", "子/新\n名.md", "旧 名.md", 1, 0),
        ("二", "changed", "旧 名.md", "", 1, 0),
        ("一", "added", "旧 名.md", "", 10, 0),
    ]


def test_author_date_and_commit_are_told(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md")
    commit(git, "一", day="2024-05-06")
    repository = find_repository(tmp_path)
    assert repository is not None
    (revision,) = read_revisions(repository, "a.md")
    assert (revision.commit, revision.author) == (git("rev-parse", "HEAD"), "某人")
    assert revision.date.isoformat() == "2024-05-06T08:00:00+08:00"


@pytest.mark.parametrize("subject", [":100644 100644 a b M", "1\t2\tx.md", "a\x1fb", '"引号"', "@{}%H%x00"])
def test_subjects_and_names_of_any_characters(tmp_path: Path, git: Git, subject: str) -> None:
    for name in (":a.md", "3\t4\tb.md", "[ab]*.md", "a.md", "-n.md"):
        write(tmp_path, name, name)
    git("add", "-A")
    git("-c", f"user.name={subject}", "commit", "-qm", subject)
    for name in (":a.md", "3\t4\tb.md", "[ab]*.md", "-n.md"):
        assert revisions(tmp_path, name) == [(subject, "added", name, "", 1, 0)]


def test_an_empty_subject_and_settings_of_the_user(tmp_path: Path, git: Git) -> None:
    for key, value in [("log.showRoot", "false"), ("color.ui", "always"), ("log.showSignature", "true")]:
        git("config", key, value)
    for key, value in [("log.follow", "true"), ("diff.renames", "false"), ("i18n.logOutputEncoding", "gbk")]:
        git("config", key, value)
    write(tmp_path, "中文.md", TEXT)
    git("add", "-A")
    git("commit", "-qm", "", "--allow-empty-message")
    git("mv", "中文.md", "b.md")
    commit(git, "移动")
    assert revisions(tmp_path, "b.md") == [
        ("移动", "renamed", "b.md", "中文.md", 0, 0),
        ("", "added", "中文.md", "", 10, 0),
    ]


def test_a_copy_of_a_template_begins_with_itself(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "模板.md", TEXT)
    commit(git, "一")
    write(tmp_path, "日记.md", TEXT)
    commit(git, "二")
    assert revisions(tmp_path, "日记.md") == [("二", "added", "日记.md", "", 10, 0)]


def test_a_note_that_came_back(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    commit(git, "一")
    git("rm", "-q", "a.md")
    commit(git, "二")
    write(tmp_path, "a.md", "回来\n")
    commit(git, "三")
    assert [item[:2] for item in revisions(tmp_path, "a.md")] == [("三", "added"), ("二", "removed"), ("一", "added")]


def test_a_merge_shows_only_what_it_brought_together(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "a.md", TEXT)
    write(tmp_path, "b.md", TEXT + "b\n")
    commit(git, "一", day="2024-01-01")
    git("switch", "-qc", "side")
    git("mv", "a.md", "新.md")
    write(tmp_path, "b.md", TEXT + "side\n")
    commit(git, "旁支改名", day="2024-01-02")
    git("switch", "-q", "main")
    write(tmp_path, "a.md", "首行\n" + TEXT)
    commit(git, "主干修改", day="2024-01-03")
    git("merge", "-q", "-m", "合并", "side", day="2024-01-04")
    assert revisions(tmp_path, "新.md") == [
        ("合并", "changed", "新.md", "", 1, 0),
        ("旁支改名", "renamed", "新.md", "a.md", 0, 0),
        ("主干修改", "changed", "a.md", "", 1, 0),
        ("一", "added", "a.md", "", 10, 0),
    ]
    assert [item[0] for item in revisions(tmp_path, "b.md")] == ["旁支改名", "一"]


def test_a_shallow_clone_does_not_pretend_to_know_the_first_commit(tmp_path: Path, git: Git) -> None:
    for number in range(3):
        write(tmp_path, "origin/a.md", TEXT * (number + 1))
        if not number:
            git("-C", "origin", "init", "-q")
        git("-C", "origin", "add", "-A")
        git("-C", "origin", "commit", "-qm", str(number))
    git("clone", "-q", "--depth", "2", f"file://{tmp_path}/origin", "clone")
    assert revisions(tmp_path / "clone", "a.md") == [("2", "changed", "a.md", "", 10, 0)]


def test_a_vault_in_a_folder_of_a_repository_and_binary_content(tmp_path: Path, git: Git) -> None:
    write(tmp_path, "docs/a.md", TEXT)
    commit(git, "一")
    (tmp_path / "vault").mkdir()
    git("mv", "docs/a.md", "vault/a.md")
    commit(git, "搬进来")
    (tmp_path / "vault/a.md").write_bytes(b"\0\1\2")
    commit(git, "二进制")
    assert revisions(tmp_path / "vault", "a.md") == [
        ("二进制", ChangeKind.CHANGED, "a.md", "", 0, 0),
        ("搬进来", ChangeKind.ADDED, "a.md", "", 10, 0),
    ]
