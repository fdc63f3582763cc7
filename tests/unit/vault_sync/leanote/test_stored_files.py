from pathlib import Path

import pytest
from bson import ObjectId

from graphrag.errors import NoteUnreadable
from tests.fakes.leanote.mongodump import write_collection
from tests.fakes.leanote.pictures import png
from tests.unit.vault_sync.leanote.sources import ANY_NOTE, IMAGE_ID
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.sources.mongodump import MongodumpSource, find_server_files


def write_image_row(database: Path, path: str, name: str = "") -> None:
    write_collection(database, "files", [{"_id": ObjectId(IMAGE_ID), "Path": path, "Name": name}])


def read_image(database: Path, files: Path | None = None, file_bytes: int = 1000) -> bytes | None:
    source = MongodumpSource(database.parent, files, file_bytes=file_bytes)
    return source.file(FileRef(IMAGE_ID, FileKind.IMAGE), ANY_NOTE)


def put(path: Path, data: bytes = png(1)) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return data


@pytest.mark.parametrize("place", ["files/a/images/x.png", "files/files/a/images/x.png", "public/files/a/images/x.png"])
def test_a_file_is_looked_for_where_servers_and_forks_keep_it(small_dump: Path, place: str) -> None:
    (small_dump.parent / "files").mkdir()
    assert read_image(small_dump) is None
    data = put(small_dump.parent / place)
    assert read_image(small_dump) == data


def test_a_path_may_be_a_folder_and_a_name_is_searched_for(small_dump: Path) -> None:
    data = put(small_dump.parent / "files/u/images/n.png")
    write_image_row(small_dump, "/files/u/images", "n.png")
    assert read_image(small_dump) == data
    write_image_row(small_dump, "moved/away/n.png", "n.png")
    assert read_image(small_dump) == data


def test_the_files_may_be_given(small_dump: Path, tmp_path: Path) -> None:
    data = put(tmp_path / "elsewhere/a/images/x.png")
    assert read_image(small_dump) is None
    assert read_image(small_dump, tmp_path / "elsewhere") == data


def test_files_beside_a_dump_are_found_only_when_asked_for(small_dump: Path) -> None:
    data = put(small_dump.parent / "files/a/images/x.png")
    source = MongodumpSource(small_dump)
    ref = FileRef(IMAGE_ID, FileKind.IMAGE)
    assert source.file(ref, ANY_NOTE) is None and "no files/" in source.problems()[0].message
    assert MongodumpSource(small_dump, find_server_files(small_dump)).file(ref, ANY_NOTE) == data
    assert find_server_files(small_dump / "notes.bson") is None


@pytest.mark.parametrize(
    "path", ["../secret.png", "files/../../secret.png", "/../secret.png", "files\\..\\..\\secret.png"]
)
def test_a_path_that_leads_out_is_refused(small_dump: Path, path: str) -> None:
    (small_dump.parent / "files").mkdir()
    put(small_dump.parent.parent / "secret.png")
    write_image_row(small_dump, path)
    with pytest.raises(NoteUnreadable, match="leads out"):
        read_image(small_dump)


def test_an_absolute_path_is_below_the_root(small_dump: Path, tmp_path: Path) -> None:
    (small_dump.parent / "files").mkdir()
    put(tmp_path / "secret.png")
    write_image_row(small_dump, str(tmp_path / "secret.png"))
    assert read_image(small_dump) is None


def test_symbolic_links_are_not_followed(small_dump: Path, tmp_path: Path) -> None:
    put(tmp_path / "secret/x.png")
    images = small_dump.parent / "files/a/images"
    images.mkdir(parents=True)
    (images / "x.png").symlink_to(tmp_path / "secret/x.png")
    with pytest.raises(NoteUnreadable, match="symbolic link"):
        read_image(small_dump)
    write_image_row(small_dump, "gone/x.png", "x.png")
    assert read_image(small_dump) is None
    (small_dump.parent / "files/out").symlink_to(tmp_path / "secret", target_is_directory=True)
    write_image_row(small_dump, "files/out/x.png")
    with pytest.raises(NoteUnreadable, match="symbolic link"):
        read_image(small_dump)


@pytest.mark.parametrize("path", ["files/" + "x" * 5000, "files/a\0b.png", ""])
def test_paths_that_no_disk_takes_are_told_or_missing(small_dump: Path, path: str) -> None:
    (small_dump.parent / "files").mkdir()
    write_image_row(small_dump, path)
    try:
        assert read_image(small_dump) is None
    except NoteUnreadable as error:
        assert len(str(error)) < 200


def test_a_file_that_is_too_large_or_no_picture_is_told(small_dump: Path) -> None:
    put(small_dump.parent / "files/a/images/x.png", png(1) + b"\0" * 2000)
    with pytest.raises(NoteUnreadable, match="larger than 1,000 bytes"):
        read_image(small_dump)
    put(small_dump.parent / "files/a/images/x.png", b"<html>")
    with pytest.raises(NoteUnreadable, match="not a picture"):
        read_image(small_dump)
    put(small_dump.parent / "files/a/images/x.png", b"")
    assert read_image(small_dump) is None
