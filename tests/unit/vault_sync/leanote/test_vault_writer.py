import errno
from pathlib import Path

import pytest

from graphrag.errors import VaultError
from vault_sync.leanote.write.note_file import digest
from vault_sync.leanote.write.vault_writer import VaultWriter


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


OUTSIDE = ["../x.md", "a/../../x.md", "/etc/x.md", "a//b.md", "", ".", "..", "a/./b.md", "a\\..\\b.md", "a\0.md", "a/"]


@pytest.mark.parametrize("path", [*OUTSIDE, ".git/config", ".obsidian/x.md", "a/.x.md", ".trash/../x.md"])
def test_nothing_is_written_outside_or_under_a_hidden_name(vault: Path, path: str) -> None:
    writer = VaultWriter(vault)
    (vault / "here.md").write_text("x")
    for attempt in (
        lambda: writer.write(path, b"x"),
        lambda: writer.move("here.md", path),
        lambda: writer.move(path, "y.md"),
        lambda: writer.remove(path),
        lambda: writer.digest(path),
    ):
        with pytest.raises(VaultError):
            attempt()
    assert [entry.name for entry in vault.parent.iterdir()] == ["vault"]
    assert [entry.name for entry in vault.iterdir()] == ["here.md"]


def test_a_symbolic_link_is_neither_followed_nor_written_through(vault: Path) -> None:
    outside = vault.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret")
    (vault / "folder").symlink_to(outside)
    (vault / "note.md").symlink_to(outside / "a.md")
    writer = VaultWriter(vault)
    for path in ("folder/a.md", "folder/new/b.md"):
        with pytest.raises(VaultError, match="symbolic link"):
            writer.write(path, b"x")
    with pytest.raises(VaultError, match="symbolic link"):
        writer.check_folder("folder")
    assert writer.digest("note.md") == "not a regular file"
    assert not writer.is_free("note.md")
    assert writer.find_ids() == {}
    writer.write("note.md", b"ours")
    assert (outside / "a.md").read_text() == "secret"
    assert not (vault / "note.md").is_symlink()


def test_a_leftover_of_a_crash_is_replaced_even_if_it_is_a_link(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = VaultWriter(vault)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda self, target: self)
        writer.write("a.md", b"half")
    (leftover,) = vault.iterdir()
    assert leftover.name.startswith(".")
    victim = vault.parent / "victim"
    victim.write_text("whole")
    leftover.unlink()
    leftover.symlink_to(victim)
    writer.write("a.md", b"new")
    assert [entry.name for entry in vault.iterdir()] == ["a.md"]
    assert victim.read_text() == "whole"


def test_a_full_disk_leaves_the_old_file_and_nothing_else(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = VaultWriter(vault)
    writer.write("a.md", b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        writer.write("a.md", b"new")
    assert [(entry.name, entry.read_bytes()) for entry in vault.iterdir()] == [("a.md", b"old")]


def test_a_move_replaces_nothing_and_leaves_no_empty_folder(vault: Path) -> None:
    writer = VaultWriter(vault)
    writer.write("a/b/x.md", b"1")
    writer.write("y.md", b"2")
    with pytest.raises(VaultError, match="in the way"):
        writer.move("a/b/x.md", "y.md")
    writer.move("a/b/x.md", "c/x.md")
    assert sorted(path.relative_to(vault).as_posix() for path in vault.rglob("*")) == ["c", "c/x.md", "y.md"]
    writer.remove("c/x.md")
    assert [entry.name for entry in vault.iterdir()] == ["y.md"]


def test_a_trial_writes_nothing_and_answers_as_if_it_had(vault: Path) -> None:
    VaultWriter(vault).write("a.md", b"1")
    writer = VaultWriter(vault, is_trial=True)
    writer.write("b/c.md", b"2")
    writer.move("a.md", "d.md")
    writer.remove("b/c.md")
    assert writer.is_free("a.md")
    assert writer.is_free("b/c.md")
    assert writer.digest("d.md") == digest(b"1")
    assert [(entry.name, entry.read_bytes()) for entry in vault.iterdir()] == [("a.md", b"1")]


def test_notes_are_found_by_the_id_in_their_front_matter(vault: Path) -> None:
    writer = VaultWriter(vault)
    writer.write("a/x.md", b"---\nleanote_id: abc\n---\n")
    writer.write("b.md", b"---\nleanote_id: 'abc'\n---\n")
    writer.write(".trash/c.md", b"---\nleanote_id: gone\n---\n")
    writer.write("d.md", b"leanote_id: none\n")
    assert {key: sorted(paths) for key, paths in writer.find_ids().items()} == {"abc": ["a/x.md", "b.md"]}
    assert writer.mentions({"none", "nowhere"}) == {"none"}
