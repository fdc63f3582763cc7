import base64
import json
from collections import Counter
from datetime import datetime
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import NoteUnreadable, SourceRefused, SourceUnavailable
from tests.fakes.leanote.account import FakeAccount, FakeNote, seeded_account
from tests.fakes.leanote.desktop import EXPORTED, desktop_body, exported_notes, local_id, write_desktop
from tests.fakes.leanote.records import ZONE
from vault_sync.leanote.account import FileKind, FileRef, NoteListing
from vault_sync.leanote.sources.desktop import NO_BODY, DesktopSource, parse_desktop_file

PICTURE = b"\x89PNG\r\n\x1a\nx"


def a_note(**changes: Any) -> dict[str, Any]:
    times = {"createdTime": "2024-03-09 18:20:00", "updatedTime": "2024-03-10 08:05:31"}
    note = {
        "title": "周末菜谱",
        "content": "## 番茄炒蛋",
        "tags": ["生活"],
        "author": "lin",
        "isMarkdown": True,
        **times,
    }
    return {**note, "files": [], **changes}


def a_file(data: bytes = PICTURE, **changes: Any) -> dict[str, Any]:
    shown = {"fileId": "65F0A1B2C3D4E5F600000400", "title": "shot.png", "type": "png"}
    sums = {"base64": base64.b64encode(data).decode(), "md5": md5(data, usedforsecurity=False).hexdigest()}
    return {**shown, **sums, **changes}


def export(path: Path, *notes: dict[str, Any], day: str = EXPORTED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"exportDate": day, "app": "leanote.desktop.app.linux", "notes": notes}), encoding="utf-8"
    )
    return path


def listed(source: Path) -> list[NoteListing]:
    return list(DesktopSource(source, ZONE).notes())


def messages(source: DesktopSource) -> list[str]:
    return [f"{problem.where}: {problem.message}" for problem in source.problems()]


@pytest.fixture(scope="module")
def account() -> FakeAccount:
    return seeded_account()


@pytest.fixture(scope="module")
def exported(account: FakeAccount, tmp_path_factory: pytest.TempPathFactory) -> DesktopSource:
    folder = tmp_path_factory.mktemp("导出")
    write_desktop(account, folder, {account.keys["待办"]})
    return DesktopSource(folder, ZONE)


def second_of(note: FakeNote) -> datetime | None:
    if note.created is None or not 1900 <= note.created.year < 2200:
        return None
    return note.created.astimezone(ZONE).replace(microsecond=0)


def test_every_note_of_the_account_is_listed_once(account: FakeAccount, exported: DesktopSource) -> None:
    notes = list(exported.notes())
    assert len({note.id for note in notes}) == len(notes) == len(exported_notes(account))
    told = Counter((note.title, note.created, note.is_markdown, note.tags) for note in notes)
    assert told == Counter(
        (note.title.strip(), second_of(note), note.is_markdown, tags_of(note)) for note in exported_notes(account)
    )
    assert exported.notebooks() == ()


def test_bodies_and_files_of_the_account(account: FakeAccount, exported: DesktopSource) -> None:
    bytes_of = {(file.kind, local_id(file.kind, file.id)): file.data for file in account.files.values()}
    bodies: Counter[str] = Counter()
    count = 0
    for note in exported.notes():
        bodies[exported.body(note)] += 1
        for ref in note.files:
            assert exported.file(ref, note) == (bytes_of[ref.kind.value, ref.id] or None)
            count += 1
    unopened = account.keys["待办"]
    assert bodies == Counter(
        "" if note.id == unopened else desktop_body(account, note) for note in exported_notes(account)
    )
    assert count > 15


def test_a_note_without_its_text_is_reported(account: FakeAccount, exported: DesktopSource) -> None:
    list(exported.notes())
    empty = [note for note in exported_notes(account) if not note.body or note.id == account.keys["待办"]]
    reported = [problem.where for problem in exported.problems() if problem.message == NO_BODY]
    assert len(reported) == len(empty) > 1
    assert "本周待办" in reported


def tags_of(note: FakeNote) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag.strip() for tag in note.tags or () if tag.strip()))


def test_one_file_alone_is_a_source(tmp_path: Path) -> None:
    path = export(tmp_path / "甲.leanote", a_note())
    export(tmp_path / "乙.leanote", a_note(title="别的"))
    (note,) = listed(path)
    assert (note.title, note.notebook, note.tags) == ("周末菜谱", "", ("生活",))
    assert note.created == datetime(2024, 3, 9, 18, 20, tzinfo=ZONE)
    assert note.updated == datetime(2024, 3, 10, 8, 5, 31, tzinfo=ZONE)


def test_folders_are_notebooks(tmp_path: Path) -> None:
    export(tmp_path / "读书/小说/a.leanote", a_note())
    export(tmp_path / "读书/b.leanote", a_note(createdTime="2024-01-01 00:00:00"))
    (tmp_path / "空").mkdir()
    source = DesktopSource(tmp_path, ZONE)
    books = {book.title: book for book in source.notebooks()}
    assert books.keys() == {"读书", "小说"}
    assert (books["读书"].parent, books["小说"].parent) == ("", books["读书"].id)
    assert {note.notebook for note in source.notes()} == {book.id for book in books.values()}


def test_a_new_title_or_folder_keeps_the_id_and_a_new_text_changes_the_revision(tmp_path: Path) -> None:
    (before,) = listed(export(tmp_path / "1/a.leanote", a_note()))
    (retitled,) = listed(export(tmp_path / "2/b.leanote", a_note(title="新名")).parent)
    (edited,) = listed(export(tmp_path / "3/a.leanote", a_note(content="新"), day="2024-04-01 00:00:00"))
    (same,) = listed(export(tmp_path / "4/a.leanote", a_note(), day="2024-04-01 00:00:00"))
    assert before.id == retitled.id == edited.id == same.id
    assert before.revision == same.revision
    assert len({before.revision, retitled.revision, edited.revision}) == 3


def test_two_notes_of_one_second_have_two_ids(tmp_path: Path) -> None:
    export(tmp_path / "a.leanote", a_note(title="甲"), a_note(title="乙"), a_note(title="甲", author="chen"))
    ids = {note.id for note in listed(tmp_path)}
    assert len(ids) == 3
    assert ids == {note.id for note in listed(tmp_path)}


def test_a_note_exported_twice_is_one_and_the_later_counts(tmp_path: Path) -> None:
    export(tmp_path / "a.leanote", a_note(content="新"), day="2024-05-01 10:00:00")
    export(tmp_path / "a-2.leanote", a_note(content="旧"), day="2024-04-01 10:00:00")
    source = DesktopSource(tmp_path, ZONE)
    (note,) = source.notes()
    assert source.body(note) == "新"
    assert messages(source) == ["a-2.leanote: an earlier export of the note in a.leanote; left out"]


def test_a_time_that_the_app_did_not_know_is_none(tmp_path: Path) -> None:
    unknown = {"createdTime": EXPORTED, "updatedTime": EXPORTED}
    export(tmp_path / "a.leanote", a_note(**unknown), a_note(**unknown, content="另一篇"))
    notes = listed(tmp_path)
    assert [(note.created, note.updated) for note in notes] == [(None, None)] * 2
    assert len({note.id for note in notes}) == 2
    later = "2025-01-01 00:00:00"
    (again,) = listed(export(tmp_path / "b/a.leanote", a_note(createdTime=later, updatedTime=later), day=later))
    assert again.id == notes[0].id


def test_without_a_zone_it_is_that_of_this_machine(tmp_path: Path) -> None:
    (note,) = DesktopSource(export(tmp_path / "a.leanote", a_note())).notes()
    assert note.created == datetime(2024, 3, 9, 18, 20).astimezone()


def test_files_by_kind_as_ids_may_coincide(tmp_path: Path) -> None:
    files = [a_file(), a_file(b"PK", isAttach=True, title="采购单.xlsx"), a_file(fileId="f" * 24, base64="")]
    source = DesktopSource(export(tmp_path / "a.leanote", a_note(files=files)), ZONE)
    (note,) = source.notes()
    image, attachment, empty = note.files
    assert (image.id, image.kind, attachment.title) == ("65f0a1b2c3d4e5f600000400", FileKind.IMAGE, "采购单.xlsx")
    assert (source.file(image, note), source.file(attachment, note), source.file(empty, note)) == (PICTURE, b"PK", None)
    assert source.file(FileRef("0" * 24, FileKind.IMAGE), note) is None


def test_a_wrong_sum_is_only_a_warning(tmp_path: Path) -> None:
    source = DesktopSource(export(tmp_path / "a.leanote", a_note(files=[a_file(md5="0" * 32)])), ZONE)
    (note,) = source.notes()
    assert source.file(note.files[0], note) == PICTURE
    assert messages(source) == [
        "周末菜谱: shot.png: its bytes are not those that the app exported; look whether it opens"
    ]


def test_damaged_and_huge_base64_is_one_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [a_file(base64="@@@@"), a_file(bytes(5000), fileId="a" * 24), a_file(fileId="b" * 24)]
    source = DesktopSource(export(tmp_path / "a.leanote", a_note(files=files)), ZONE)
    (note,) = source.notes()
    monkeypatch.setattr("vault_sync.leanote.sources.desktop.MAX_FILE_BYTES", 4096)
    with pytest.raises(NoteUnreadable, match=r"shot\.png: damaged in the export"):
        source.file(note.files[0], note)
    with pytest.raises(NoteUnreadable, match="larger than 4,096 bytes"):
        source.file(note.files[1], note)
    assert source.file(note.files[2], note) == PICTURE


def test_a_template_of_bare_html_is_rich_text(tmp_path: Path) -> None:
    (tmp_path / "template.leanote").write_text("\n<div><p>模板</p></div>", encoding="utf-8")
    source = DesktopSource(tmp_path, ZONE)
    (note,) = source.notes()
    assert (note.title, note.is_markdown, note.created) == ("template", False, None)
    assert source.body(note) == "\n<div><p>模板</p></div>"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"notes": 3}',
        b"PK\x03\x04\xff\xff",
        b"[" * 200_000,
        b'{"notes": ' + b"[" * 200_000,
        b"1" * 9999,
    ],
)
def test_what_is_not_an_export_leaves_the_rest(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "坏.leanote").write_bytes(data)
    export(tmp_path / "好.leanote", a_note())
    source = DesktopSource(tmp_path, ZONE)
    assert [note.title for note in source.notes()] == ["周末菜谱"]
    (problem,) = source.problems()
    assert problem.where == "坏.leanote" and "\n" not in problem.message


def test_more_values_than_notes_have_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(NoteUnreadable, match="more than 4,000,000 values"):
        parse_desktop_file(b'{"notes": [' + b"[]," * 2_000_001 + b"[]]}", "a.leanote")


def test_wrong_types_in_a_note_are_taken_as_absent(tmp_path: Path) -> None:
    odd: dict[str, Any] = {
        "title": 3,
        "content": None,
        "tags": None,
        "isMarkdown": "yes",
        "createdTime": [],
        "files": {"a": 1},
    }
    (note,) = listed(export(tmp_path / "a.leanote", odd))
    assert (note.title, note.tags, note.created, note.is_markdown, note.files) == ("", (), None, False, ())


def test_a_file_larger_than_the_bound_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(tmp_path / "大.leanote", a_note(content="长" * 5000))
    export(tmp_path / "小.leanote", a_note())
    monkeypatch.setattr("vault_sync.leanote.sources.desktop.MAX_EXPORT_BYTES", 4096)
    source = DesktopSource(tmp_path, ZONE)
    assert len(list(source.notes())) == 1
    assert messages(source) == ["大.leanote: 大.leanote: larger than 4,096 bytes, which is not read."]


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = export(tmp_path / "a.leanote", a_note())
    source = DesktopSource(tmp_path, ZONE)
    (note,) = source.notes()
    word = source.checkpoint()
    source.close()
    export(path, a_note(content="另一篇"))
    with pytest.raises(NoteUnreadable, match="has changed since"):
        source.body(note)
    assert source.checkpoint() != word
    path.unlink()
    with pytest.raises(SourceUnavailable, match="changing"):
        source.checkpoint()


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = export(tmp_path / "外/秘密.leanote", a_note())
    (tmp_path / "库").mkdir()
    (tmp_path / "库/链.leanote").symlink_to(outside)
    source = DesktopSource(tmp_path / "库", ZONE)
    assert list(source.notes()) == []
    assert messages(source) == ["链.leanote: a symbolic link is not followed"]


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="no such file or folder"):
        DesktopSource(tmp_path / "没有.leanote", ZONE)


@given(
    st.binary(max_size=60)
    | st.recursive(st.none() | st.text(max_size=4), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_reading_any_bytes_gives_notes_or_one_line(data: bytes) -> None:
    try:
        parse_desktop_file(data, "a.leanote")
    except NoteUnreadable as error:
        assert "\n" not in str(error)
