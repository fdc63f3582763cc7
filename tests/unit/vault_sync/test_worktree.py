import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from graphrag.domain.note import Severity
from graphrag.errors import VaultError
from vault_sync.worktree import FileRules, WorktreeSource

needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "库"
    folder.mkdir()
    return folder


def write(vault: Path, *names: str) -> None:
    for name in names:
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text("内容", encoding="utf-8")


def scan(vault: Path, *exclude: str, max_file_bytes: int = 1000) -> tuple[list[str], dict[str, str]]:
    state = WorktreeSource(vault, FileRules(vault, exclude, max_file_bytes)).scan()
    return [file.path for file in state.files], {found.path: found.message for found in state.skipped}


def test_notes_and_canvases_in_order_other_files_and_hidden_ones_left_out(vault: Path) -> None:
    write(vault, "b.md", "子/深/a.md", "图.canvas", "大写.MD", "图.png", "无后缀", "a.txt")
    write(vault, ".obsidian/x.md", ".trash/y.md", ".git2/z.md", "子/.隐藏.md", ".graphrag/k.md")
    files, skipped = scan(vault)
    assert files == sorted(["b.md", "子/深/a.md", "图.canvas", "大写.MD"])
    assert skipped == {}


def test_the_hash_is_of_the_bytes(vault: Path) -> None:
    write(vault, "a.md", "b.md")
    first = {file.path: file.content_hash for file in WorktreeSource(vault, FileRules(vault, (), 1000)).scan().files}
    (vault / "a.md").write_bytes(b"other")
    second = {file.path: file.content_hash for file in WorktreeSource(vault, FileRules(vault, (), 1000)).scan().files}
    assert first["a.md"] == first["b.md"] == second["b.md"] != second["a.md"]


def test_reading_gives_the_bytes(vault: Path) -> None:
    (vault / "a.md").write_bytes(b"\xff\xfe\0")
    source = WorktreeSource(vault, FileRules(vault, (), 1000))
    assert source.read(source.scan().files[0]) == b"\xff\xfe\0"


def test_without_git_every_state_is_a_worktree(vault: Path) -> None:
    write(vault, "a.md")
    state = WorktreeSource(vault, FileRules(vault, (), 1000)).scan()
    assert (state.commit, state.worktree, state.files[0].created) == ("", True, None)


def test_symbolic_links_are_never_followed(vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "外"
    outside.mkdir()
    write(outside, "秘密.md")
    write(vault, "a.md")
    (vault / "链.md").symlink_to(outside / "秘密.md")
    (vault / "目录").symlink_to(outside, target_is_directory=True)
    (vault / "环").symlink_to(vault, target_is_directory=True)
    (vault / "断.md").symlink_to(vault / "没有.md")
    (vault / "图.png").symlink_to(outside / "秘密.md")
    files, skipped = scan(vault)
    assert files == ["a.md"]
    assert skipped.keys() == {"链.md", "目录", "环", "断.md"}
    assert all("not followed" in reason for reason in skipped.values())


def test_the_vault_itself_may_be_a_link(vault: Path, tmp_path: Path) -> None:
    write(vault, "a.md")
    (tmp_path / "快捷").symlink_to(vault, target_is_directory=True)
    assert scan(tmp_path / "快捷")[0] == ["a.md"]


def test_ragignore_and_the_setting(vault: Path) -> None:
    write(vault, "a.md", "日记/1.md", "日记/留.md", "稿/草稿.md", "caf\u00e9.md", "x/temp.md")
    rules = "# 注释\n\n日记/*\n!日记/留.md\ncafe\u0301.md\n"
    (vault / ".ragignore").write_text(rules, encoding="utf-8-sig")
    files, skipped = scan(vault, "temp.md", "/稿/")
    assert files == ["a.md", "日记/留.md"]
    assert skipped.keys() == {"日记/1.md", "稿/草稿.md", "caf\u00e9.md", "x/temp.md"}


@pytest.mark.parametrize("content", [b"!\n", b"a\\\n", b"\xff\xfe\x00d8"])
def test_a_ragignore_that_cannot_be_understood_is_an_error(vault: Path, content: bytes) -> None:
    write(vault, "a.md")
    (vault / ".ragignore").write_bytes(content)
    with pytest.raises(VaultError, match="ragignore"):
        scan(vault)


def test_large_files_are_left_out(vault: Path) -> None:
    (vault / "大.md").write_bytes(b"x" * 1001)
    (vault / "好.md").write_bytes(b"x" * 1000)
    files, skipped = scan(vault)
    assert files == ["好.md"]
    assert "max_file_bytes" in skipped["大.md"]


@needs_permissions
def test_what_cannot_be_read_is_an_error_of_its_own(vault: Path) -> None:
    write(vault, "a.md", "禁.md", "锁/b.md")
    (vault / "禁.md").chmod(0)
    (vault / "锁").chmod(0)
    try:
        state = WorktreeSource(vault, FileRules(vault, (), 1000)).scan()
    finally:
        (vault / "锁").chmod(0o700)
    assert [file.path for file in state.files] == ["a.md"]
    assert {(found.path, found.severity) for found in state.skipped} == {
        ("禁.md", Severity.ERROR),
        ("锁", Severity.ERROR),
    }


@pytest.mark.timeout(20)
def test_a_pipe_is_not_waited_for(vault: Path) -> None:
    os.mkfifo(vault / "管.md")
    write(vault, "a.md")
    files, skipped = scan(vault)
    assert files == ["a.md"]
    assert skipped == {"管.md": "not a regular file"}
    assert WorktreeSource(vault, FileRules(vault, (), 1000)).present("管.md") is None


def test_names_are_composed_and_the_first_of_two_forms_stays(vault: Path) -> None:
    write(vault, "re\u0301.md")
    assert scan(vault)[0] == ["r\u00e9.md"]
    write(vault, "r\u00e9.md")
    if len(list(vault.iterdir())) == 1:
        pytest.skip("this file system knows one form only")
    files, skipped = scan(vault)
    assert files == [unicodedata.normalize("NFC", "r\u00e9.md")]
    assert "Unicode form" in skipped["r\u00e9.md"]


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system refuses such names")
def test_names_that_are_not_utf8_are_reported(vault: Path) -> None:
    place = os.fsencode(vault)
    Path(os.fsdecode(place + b"/\xff.md")).write_bytes(b"a")
    Path(os.fsdecode(place + b"/\xfe")).mkdir()
    Path(os.fsdecode(place + b"/\xfe/a.md")).write_bytes(b"a")
    files, skipped = scan(vault)
    assert files == []
    assert skipped.keys() == {"\\udcff.md", "\\udcfe"}
    assert "".join(skipped).encode()


def test_a_folder_named_like_a_note(vault: Path) -> None:
    write(vault, "合集.md/a.md")
    assert scan(vault) == (["合集.md/a.md"], {})


def test_very_deep_folders(vault: Path) -> None:
    folder, names = os.open(vault, os.O_RDONLY), []
    for _ in range(1200):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
        names.append("d")
    os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    found = scan(vault)[0]
    # pytest's own removal of old folders recurses and would fail on this one.
    subprocess.run(["rm", "-rf", vault / "d"], check=True)
    assert found == ["/".join([*names, "a.md"])]


def test_an_empty_vault(vault: Path) -> None:
    assert scan(vault) == ([], {})


def test_a_missing_vault_and_one_that_is_no_folder(vault: Path) -> None:
    write(vault, "a.md")
    with pytest.raises(VaultError, match="no such folder"):
        scan(vault / "没有")
    with pytest.raises(VaultError, match="not a folder"):
        scan(vault / "a.md")


def test_nothing_is_present_outside_the_vault_or_behind_a_link(vault: Path) -> None:
    write(vault, "子/a.md", "b.md")
    write(vault.parent, "draussen/a.md", "c.md")
    (vault / "连").symlink_to(vault.parent / "draussen")
    (vault / "连.md").symlink_to(vault.parent / "c.md")
    source = WorktreeSource(vault, FileRules(vault, (), 1000))
    assert source.present("子/a.md") == source.present("b.md") == "内容".encode()
    for path in (
        "连/a.md",
        "连.md",
        "../c.md",
        "子/../../c.md",
        str(vault.parent / "c.md"),
        f"/{vault}/b.md",
        "x\0.md",
    ):
        assert source.present(path) is None, path
