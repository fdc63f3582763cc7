from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bson import ObjectId

from graphrag.errors import SourceRefused
from tests.fakes.leanote.account import GONE_ID, OLD_UPLOAD, FakeAccount, seeded_account
from tests.fakes.leanote.mongodump import OTHER_USER_ID, write_collection, write_mongodump
from tests.unit.vault_sync.leanote.sources import ANY_NOTE, NOTE_ID, listed
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.sources.mongodump import MongodumpSource, find_database


@pytest.fixture(scope="module")
def account() -> FakeAccount:
    return seeded_account()


@pytest.fixture(scope="module")
def dump(account: FakeAccount, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mongodump(account, tmp_path_factory.mktemp("dump"))


@pytest.fixture(scope="module")
def source(dump: Path) -> Iterator[MongodumpSource]:
    source = MongodumpSource(dump)
    yield source
    source.close()


def test_every_note_and_notebook_comes_once(account: FakeAccount, source: MongodumpSource) -> None:
    assert listed(source).keys() == account.notes.keys()
    assert len(list(source.notes())) == len(account.notes) >= 300
    assert {book.id for book in source.notebooks()} == account.notebooks.keys()
    assert source.is_whole and not source.problems()


def test_fields_come_through_whatever_type_they_were_stored_in(account: FakeAccount, source: MongodumpSource) -> None:
    for note in source.notes():
        stored = account.notes[note.id]
        assert (note.title, note.notebook, note.usn) == (stored.title, stored.notebook, stored.usn)
        flags = (stored.is_markdown, stored.is_blog, stored.is_trash, stored.is_deleted)
        assert (note.is_markdown, note.is_blog, note.is_trash, note.is_deleted) == flags
        assert source.body(note) == (stored.body or "")


def test_tags_have_no_blanks_and_no_doubles(account: FakeAccount, source: MongodumpSource) -> None:
    notes = listed(source)
    assert notes[account.keys["数学"]].tags == ("数学", "公式")
    assert notes[account.keys["单空标签"]].tags == notes[account.keys["空标签值"]].tags == ()


def test_parents_are_read_as_oid_text_or_absent(account: FakeAccount, source: MongodumpSource) -> None:
    parents = {book.id: book.parent for book in source.notebooks()}
    for key in ("小说", "孤儿", "环甲", "环乙", "自环", "life", "缺上级"):
        stored = account.notebooks[account.keys[key]]
        assert parents[stored.id] == (stored.parent or "")


def test_an_unset_or_odd_creation_is_when_the_id_was_made(account: FakeAccount, source: MongodumpSource) -> None:
    notes = listed(source)
    for key in ("未设时间", "公元一年", "古代", "未来"):
        created = notes[account.keys[key]].created
        assert created and int(created.timestamp()) == 0x65F0A1B2
    assert notes[account.keys["三位"]].created == account.notes[account.keys["三位"]].created


def test_files_are_listed_by_note_and_read_by_path(account: FakeAccount, source: MongodumpSource) -> None:
    count = 0
    for note in source.notes():
        for ref in note.files:
            assert source.file(ref, note) == account.files[ref.kind.value, ref.id].data
            count += 1
    assert count > 40


def test_an_image_and_an_attachment_of_one_id_are_two_files(account: FakeAccount, source: MongodumpSource) -> None:
    shared = account.notes[account.keys["边城"]].images[0]
    image, attachment = (source.file(FileRef(shared, kind), ANY_NOTE) for kind in FileKind)
    assert image and attachment and image != attachment


def test_what_has_no_row_or_no_file_is_none(account: FakeAccount, source: MongodumpSource) -> None:
    lost = account.notes[account.keys["失图"]].images[0]
    for file_id in (GONE_ID, lost, "", "nonsense"):
        assert source.file(FileRef(file_id, FileKind.IMAGE), ANY_NOTE) is None


@pytest.mark.parametrize("name", ["{}", "/{}", "http://localhost:9000/{}"])
def test_an_old_picture_is_found_by_its_path(account: FakeAccount, source: MongodumpSource, name: str) -> None:
    ref = FileRef(name.format(OLD_UPLOAD.removeprefix("public/")), FileKind.IMAGE)
    assert source.file(ref, ANY_NOTE) == account.uploads[OLD_UPLOAD]


def test_a_gzipped_dump_gives_the_same(account: FakeAccount, source: MongodumpSource, tmp_path: Path) -> None:
    packed = MongodumpSource(write_mongodump(account, tmp_path, is_packed=True))
    assert list(packed.notes()) == list(source.notes())
    assert list(packed.notebooks()) == list(source.notebooks())
    notes = list(packed.notes())
    assert [packed.body(note) for note in reversed(notes)] == [source.body(note) for note in reversed(notes)]
    packed.close()


def test_revisions_and_the_checkpoint_move_with_what_changed(account: FakeAccount, tmp_path: Path) -> None:
    changing = seeded_account()
    before = MongodumpSource(write_mongodump(changing, tmp_path / "1"))
    again = MongodumpSource(write_mongodump(changing, tmp_path / "2"))
    assert before.checkpoint() == again.checkpoint()
    edited, moved = changing.keys["边城"], changing.keys["待办"]
    changing.edit(edited, "新的正文")
    changing.move(moved, changing.keys["study"])
    after = MongodumpSource(write_mongodump(changing, tmp_path / "3"))
    assert after.checkpoint() != before.checkpoint()
    old, new = listed(before), listed(after)
    assert {note_id for note_id in old if old[note_id].revision != new[note_id].revision} == {edited, moved}


def test_a_body_alone_moves_the_revision(small_dump: Path) -> None:
    (before,) = MongodumpSource(small_dump).notes()
    write_collection(small_dump, "note_contents", [{"_id": ObjectId(NOTE_ID), "Content": "改了"}])
    (after,) = MongodumpSource(small_dump).notes()
    assert before.revision != after.revision
    assert replace(before, revision="") == replace(after, revision="")


def test_a_url_needs_the_site(small_dump: Path) -> None:
    assert [note.url for note in MongodumpSource(small_dump).notes()] == [""]
    site = MongodumpSource(small_dump, site="https://n.example.org/")
    assert [note.url for note in site.notes()] == [f"https://n.example.org/note/{NOTE_ID}"]


def test_one_of_several_users_must_be_named(account: FakeAccount, tmp_path: Path) -> None:
    write_mongodump(account, tmp_path, with_other_user=True)
    with pytest.raises(SourceRefused, match=r"several users. Name one of: Lin \(\d+\), Wang \(1\)\."):
        MongodumpSource(tmp_path)
    with pytest.raises(SourceRefused, match=r"no user 'zhao'.*Lin"):
        MongodumpSource(tmp_path, user="zhao")
    for name in ("wang", "Wang", "WANG@example.org", OTHER_USER_ID):
        assert [note.title for note in MongodumpSource(tmp_path, user=name).notes()] == ["别人的"]
    assert len(list(MongodumpSource(tmp_path, user="lin").notes())) == len(account.notes)


def test_collections_with_secrets_are_never_opened(
    account: FakeAccount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_mongodump(account, tmp_path)
    opened: list[str] = []
    plain_open = Path.open

    def noted(self: Path, *args: object, **kwargs: object) -> object:
        opened.append(self.name)
        return plain_open(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", noted)
    source = MongodumpSource(tmp_path)
    source.checkpoint(), source.notebooks(), list(source.notes())
    assert "notes.bson" in opened
    assert not {"sessions.bson", "configs.bson", "tokens.bson"} & set(opened)


def test_the_database_is_found_at_any_depth(small_dump: Path, tmp_path: Path) -> None:
    assert find_database(tmp_path) == find_database(small_dump) == small_dump


def test_a_folder_without_a_dump_or_with_two_is_refused(small_dump: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceRefused, match=r"no notes\.bson"):
        MongodumpSource(tmp_path / "empty")
    other = small_dump.parent / "other"
    other.mkdir()
    (other / "notes.bson").write_bytes(b"")
    with pytest.raises(SourceRefused, match=r"several dumps \(db, other\)"):
        MongodumpSource(small_dump.parent)


def test_a_dump_without_bodies_is_refused(small_dump: Path) -> None:
    (small_dump / "note_contents.bson").unlink()
    with pytest.raises(SourceRefused, match=r"no note_contents\.bson"):
        MongodumpSource(small_dump)
