"""Files that are no notes of their own: templates, and copies that sync tools make."""

import json
import subprocess
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.errors import VaultError
from tests.e2e.conftest import silent
from vault_sync.conflict_copies import find_copies
from vault_sync.worktree import TEMPLATE, FileRules, WorktreeSource

TEXT = "# 计划\n\n四月上线，五月推广。预算十二万，由李强负责。"


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        ("a/计划 (冲突副本 2024-03-05 12-00-00).md", "a/计划.md"),
        ("计划（李强的冲突副本）.md", "计划.md"),
        ("plan (Bob's conflicted copy 2024-03-05).md", "plan.md"),
        ("plan.sync-conflict-20240305-120000-ABCDEF7.md", "plan.md"),
        ("plan_conflict-20240305-120000.md", "plan.md"),
        ("图.excalidraw.sync-conflict-20240305-120000-ABCDEF7.md", "图.excalidraw.md"),
    ],
)
def test_a_name_that_tells_of_a_conflict(copy: str, original: str) -> None:
    assert find_copies({copy, original}, lambda path: path.encode()) == {copy: original}
    assert find_copies({copy}, lambda path: path.encode()) == {}


@pytest.mark.parametrize("copy", ["计划 2.md", "计划 (1).md", "计划（2）.md", "计划 copy.md", "计划 - 副本.md"])
def test_a_numbered_name_is_a_copy_where_the_texts_are_much_the_same(copy: str) -> None:
    texts = {"计划.md": TEXT, copy: TEXT.replace("五月", "六月")}
    assert find_copies(texts, lambda path: texts[path].encode()) == {copy: "计划.md"}
    texts[copy] = "# 计划\n\n下一年再说：先招人，再找场地。"
    assert find_copies(texts, lambda path: texts[path].encode()) == {}


def test_a_series_with_conflict_in_its_title_is_kept() -> None:
    names = {"git.md", "git (merge conflicts).md", "第.md", "第 2.md", "版本 1.md", "版本 2.md"}
    assert find_copies(names, lambda path: path.encode()) == {}


def test_copies_and_templates_are_left_out_with_the_reason(tmp_path: Path) -> None:
    for name in ("计划.md", "计划 2.md", "模板/周报.md", "样式 [a]/人.md", "样式 a/真.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    templater = tmp_path / ".obsidian/plugins/templater-obsidian"
    templater.mkdir(parents=True)
    (tmp_path / ".obsidian/templates.json").write_text(json.dumps({"folder": "模板/"}), encoding="utf-8")
    (templater / "data.json").write_text(json.dumps({"templates_folder": "样式 [a]"}), encoding="utf-8")
    state = WorktreeSource(tmp_path, FileRules(tmp_path, (), 1000)).scan()
    assert [file.path for file in state.files] == ["样式 a/真.md", "计划.md"]
    reasons = {problem.path: problem.message for problem in state.skipped}
    assert reasons["模板/周报.md"] == reasons["样式 [a]/人.md"] == TEMPLATE
    assert "计划.md" in reasons["计划 2.md"]
    (tmp_path / ".ragignore").write_text("!/模板/\n", encoding="utf-8")
    paths = [file.path for file in WorktreeSource(tmp_path, FileRules(tmp_path, (), 1000)).scan().files]
    assert "模板/周报.md" in paths


@pytest.mark.parametrize("settings", ["", "[]", '{"folder": ""}', '{"folder": "/"}', '{"folder": 3}'])
def test_settings_that_name_no_folder_leave_nothing_out(tmp_path: Path, settings: str) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/templates.json").write_text(settings, encoding="utf-8")
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    assert not WorktreeSource(tmp_path, FileRules(tmp_path, (), 1000)).scan().skipped


@pytest.mark.parametrize("has_git", [True, False])
def test_a_copy_that_came_is_no_change_to_index(tmp_path: Path, has_git: bool) -> None:
    (tmp_path / "计划.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "graphrag.toml").write_text('[index]\nembedder = "none"\n', encoding="utf-8")
    if has_git:
        for words in (("init", "-q"), ("add", "计划.md"), ("commit", "-qm", "a")):
            identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
            subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True)
    app = App.open(tmp_path, tmp_path)
    app.index(False, silent)
    (tmp_path / "计划 2.md").write_text(TEXT.replace("五月", "六月"), encoding="utf-8")
    manifest = app._parts.snapshots.current()
    assert manifest is not None
    lag = app._parts.lag(manifest)
    assert lag is not None and (lag.notes, lag.uncommitted) == (0, 0)


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def open_repository(folder: Path, files: dict[str, bytes]) -> App:
    folder.mkdir(exist_ok=True)
    (folder / "graphrag.toml").write_text('[index]\nembedder = "none"\n')
    (folder / ".gitignore").write_text(".graphrag/\n")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return App.open(folder, folder)


@pytest.mark.parametrize("is_worktree", [False, True])
def test_a_text_that_git_keeps_elsewhere_is_told_with_the_next_step(tmp_path: Path, is_worktree: bool) -> None:
    files = {"a.md": b"# A\n", "lfs.md": POINTER.encode(), "secret.md": b"\0GITCRYPT\0" + bytes(range(40))}
    open_repository(tmp_path, files).close()
    app = App.open(tmp_path, tmp_path, {"index": {"worktree": is_worktree}})
    report = app.index(False, silent)
    reasons = {item.path: item.message for item in report.diagnostics}
    assert report.notes == 1
    assert "git lfs pull" in reasons["lfs.md"]
    assert "git-crypt unlock" in reasons["secret.md"]
    assert {item.path for item in app.status().failed} == {"lfs.md", "secret.md"}


def test_a_submodule_is_told_and_read_from_the_disk(tmp_path: Path) -> None:
    open_repository(tmp_path / "other", {"b.md": b"# B\n\nfalcon\n"}).close()
    app = open_repository(tmp_path / "vault", {"a.md": b"# A\n"})
    git(tmp_path / "vault", "submodule", "--quiet", "add", str(tmp_path / "other"), "team")
    git(tmp_path / "vault", "commit", "-qm", "team")
    app.index(False, silent)
    (told,) = app.status().skipped
    assert told.path == "team"
    assert "submodule" in told.message
    app.close()
    saved = App.open(tmp_path / "vault", tmp_path, {"index": {"worktree": True}})
    saved.index(False, silent)
    saved.close()
    status = App.open(tmp_path / "vault", tmp_path).status()
    assert status.notes == 2
    assert not any(status.pending.values()), "saved files are compared with saved files"


def test_what_a_sparse_checkout_leaves_out_is_told(tmp_path: Path) -> None:
    open_repository(tmp_path / "whole", {"a.md": b"# A\n", "b.md": b"# B\n", "c.md": b"# C\n"}).close()
    git(tmp_path, "clone", "-q", str(tmp_path / "whole"), "part")
    git(tmp_path / "part", "sparse-checkout", "set", "--no-cone", "/a.md", "/.gitignore", "/graphrag.toml")
    app = App.open(tmp_path / "part", tmp_path)
    assert app.index(False, silent).notes == 1
    assert {item.path: "sparse" in item.message for item in app.status().skipped} == {"b.md": True, "c.md": True}


def test_a_repository_of_another_user_is_told_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_repository(tmp_path, {"a.md": b"# A\n"}).close()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    app = App.open(tmp_path, tmp_path)
    with pytest.raises(VaultError, match=r"belongs to another user.*safe\.directory"):
        app.index(False, silent)
