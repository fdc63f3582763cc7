import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag.errors import SourceRefused
from tests.fakes.leanote.account import FakeAccount, seeded_account
from tests.fakes.leanote.desktop import write_desktop
from tests.fakes.leanote.desktop_pages import write_evernote, write_html
from tests.fakes.leanote.exporters import write_generic, write_leanote4md, write_leanote_md
from tests.fakes.leanote.mongodump import write_mongodump
from tests.fakes.leanote.records import ZONE
from vault_sync.leanote.account import LeanoteSource, NoteListing
from vault_sync.leanote.sources.detect import open_source

Write = Callable[[FakeAccount, Path], object]

WRITERS: dict[str, Write] = {
    "dump": write_mongodump,
    "desktop": write_desktop,
    "LeanoteMD": write_leanote_md,
    "Leanote4MD": write_leanote4md,
    "HTML": write_html,
    "Evernote": write_evernote,
    "generic": write_generic,
}


def packed(folder: Path, archive: Path, inside: str = "") -> Path:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as target:
            for file in folder.rglob("*"):
                target.write(file, Path(inside, file.relative_to(folder)))
    else:
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(folder, inside or ".")
    return archive


def write(folder: Path, name: str, content: str | bytes = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def a_desktop_note(title: str = "菜谱") -> str:
    return json.dumps({"exportDate": "2024-03-13 10:00:00", "notes": [{"title": title, "content": "文"}]})


def all_of(source: LeanoteSource) -> dict[str, tuple[NoteListing, str]]:
    return {note.id: (note, source.body(note)) for note in source.notes() if not note.is_deleted and not note.is_trash}


def messages(path: Path) -> list[str]:
    with open_source(path, zone=ZONE) as source:
        list(source.notes())
        return [f"{problem.where}: {problem.message}" for problem in source.problems()]


@pytest.fixture(scope="module")
def small_account() -> FakeAccount:
    """A tenth of the account, as every shape is written and packed in three ways."""
    account = seeded_account()
    account.notes = {made_of: note for number, (made_of, note) in enumerate(account.notes.items()) if number % 10 == 0}
    return account


@pytest.mark.parametrize("shape", WRITERS)
def test_each_shape_reads_the_same_from_a_folder_a_zip_and_a_tar(
    small_account: FakeAccount, tmp_path: Path, shape: str
) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    WRITERS[shape](small_account, folder)
    with open_source(folder, zone=ZONE) as source:
        expected, label = all_of(source), source.label
        books = {book.id for book in source.notebooks()}
    assert len(expected) > 20 and label == "export"
    for archive in (
        packed(folder, tmp_path / "a.zip"),
        packed(folder, tmp_path / "export.tar.gz", "export"),
        packed(folder, tmp_path / "export.zip", "export"),
    ):
        with open_source(archive, zone=ZONE) as source:
            assert all_of(source) == expected
            assert {book.id for book in source.notebooks()} == books
            assert source.label == archive.name


@pytest.mark.parametrize("shape", WRITERS)
def test_what_a_source_says_of_itself(small_account: FakeAccount, tmp_path: Path, shape: str) -> None:
    WRITERS[shape](small_account, tmp_path)
    with open_source(tmp_path, zone=ZONE) as source:
        assert source.is_whole == (shape == "dump")
        assert source.has_ids == (shape in ("dump", "generic"))
        assert source.checkpoint() == source.checkpoint() != ""


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("菜谱.leanote", a_desktop_note(), "菜谱"),
        ("边城.md", "# 翠翠", "边城"),
        ("a.txt", "<p>富文本</p>", "a"),
        ("a.html", '<h1 id="leanote-title">页</h1><div id="leanote-content">文</div>', "页"),
        ("a.enex", "<en-export><note><title>象</title></note></en-export>", "象"),
    ],
)
def test_one_file_is_a_source_and_its_neighbours_are_not(tmp_path: Path, name: str, content: str, title: str) -> None:
    path = write(tmp_path, name, content)
    write(tmp_path, f"别的{path.suffix}", content)
    with open_source(str(path), zone=ZONE) as source:
        assert ([note.title for note in source.notes()], source.label) == ([title], name)


def test_of_several_shapes_most_wins_and_the_rest_is_named(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.leanote", "d.enex"):
        write(tmp_path, name, a_desktop_note())
    with open_source(tmp_path) as source:
        assert {note.title for note in source.notes()} == {"a", "b"}
    (line,) = messages(tmp_path)
    assert "also holds 1 .leanote, 1 Evernote; only Markdown is read, as there are most of it" in line


def test_of_equally_many_the_one_that_tells_more(tmp_path: Path) -> None:
    write(tmp_path, "a.leanote", a_desktop_note())
    write(tmp_path, "a.enex", "<en-export><note><title>象</title></note></en-export>")
    with open_source(tmp_path) as source:
        assert [note.title for note in source.notes()] == ["菜谱"]


def test_a_dump_wins_over_any_number_of_attachments(small_account: FakeAccount, tmp_path: Path) -> None:
    write_mongodump(small_account, tmp_path)
    for number in range(5):
        write(tmp_path, f"files/{number}.md", "附件")
    with open_source(tmp_path) as source:
        assert source.has_ids
    assert not any("also holds" in line for line in messages(tmp_path))
    write(tmp_path, "导出/a.leanote", a_desktop_note())
    assert any("also holds 1 .leanote; only database dump is read" in line for line in messages(tmp_path))


def test_text_that_may_be_anything_does_not_count(tmp_path: Path) -> None:
    for name in ("说明.txt", "许可.txt"):
        write(tmp_path, name, "不是笔记")
    write(tmp_path, "a.leanote", a_desktop_note())
    with open_source(tmp_path) as source:
        assert [note.title for note in source.notes()] == ["菜谱"]


@pytest.mark.parametrize("name", ["图.png", "空/x.docx", "page.html"])
def test_nothing_of_leanote_is_refused_with_what_is_accepted(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, "<html></html>")
    with (
        pytest.raises(SourceRefused, match=r"no notes of Leanote in it\. Accepted are a mongodump"),
        open_source(tmp_path),
    ):
        pass


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="No such file"), open_source(tmp_path / "没有"):
        pass


def test_what_an_archive_leaves_out_is_among_the_problems(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../外.md", "外")
        archive.writestr("好.md", "好")
    assert messages(tmp_path / "a.zip") == ["../外.md: `..` in the path: this entry of the archive was left out"]


def test_an_unpacked_archive_is_removed_whatever_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("好.md", "好")
    with pytest.raises(ZeroDivisionError), open_source(tmp_path / "a.zip"):
        assert list((tmp_path / "temporary").iterdir())
        raise ZeroDivisionError
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("x.png", "x")
    with pytest.raises(SourceRefused), open_source(tmp_path / "b.zip"):
        pass
    assert list((tmp_path / "temporary").iterdir()) == []
