from dataclasses import replace
from typing import Any

import pytest

from graphrag.errors import NoteUnreadable
from tests.fakes.leanote.account import GONE_ID, OLD_UPLOAD, FakeAccount
from tests.fakes.leanote.pictures import jpeg
from tests.fakes.leanote.server import LeanoteServer, Trouble, running_leanote
from tests.unit.vault_sync.leanote.sources import ANY_NOTE, image_of, listed, open_source
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.sources.api import ApiSource


def test_every_note_and_notebook_comes_once(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    notes = list(api_source.notes())
    assert len(notes) == len({note.id for note in notes}) == len(account.notes) >= 300
    assert {book.id for book in api_source.notebooks()} == account.notebooks.keys()
    assert api_source.is_whole and not api_source.problems()
    states = {note.id: (note.is_trash, note.is_deleted) for note in notes}
    assert states[account.keys["回收站0"]] == (True, False)
    assert states[account.keys["已删除0"]] == (True, True)


def test_listing_is_the_union_of_what_each_action_lacks(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    without_usn, deleted = account.keys["无编号"], account.keys["已删除0"]
    by_usn = {row["NoteId"] for row in server.api._sync_notes({"maxEntry": "10000"})}
    by_page = {row["NoteId"] for row in server.api._notes({})}
    assert without_usn not in by_usn and deleted not in by_page
    assert {without_usn, deleted} <= listed(api_source).keys()


def test_one_usn_for_more_notes_than_the_default_page_loses_none(server: LeanoteServer, api_source: ApiSource) -> None:
    published = {note.id for note in server.account.notes.values() if note.is_blog}
    assert len(published) > 100 and len({server.account.notes[note].usn for note in published}) == 1
    assert published <= listed(api_source).keys()


def test_fields_come_through(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    notes = listed(api_source)
    note = notes[account.keys["边城"]]
    assert (note.title, note.tags, note.is_markdown) == ("《边城》笔记", ("读书", "沈从文"), True)
    assert note.url == f"{server.host}/note/{note.id}"
    assert [(ref.kind, ref.title) for ref in note.files] == [
        (FileKind.IMAGE, ""),
        (FileKind.ATTACHMENT, "书单.pdf"),
    ]
    assert notes[account.keys["数学"]].tags == ("数学", "公式")
    assert notes[account.keys["单空标签"]].tags == notes[account.keys["空标签值"]].tags == ()


def test_times_of_every_form_are_read(server: LeanoteServer, api_source: ApiSource) -> None:
    account, notes = server.account, listed(api_source)
    for key in ("整秒", "一位", "三位"):
        assert notes[account.keys[key]].created == account.notes[account.keys[key]].created
    for key in ("未设时间", "公元一年", "古代", "未来"):
        created = notes[account.keys[key]].created
        assert created and int(created.timestamp()) == 0x65F0A1B2
    assert notes[account.keys["未设时间"]].updated is None


def test_bodies_come_with_the_links_that_the_server_rewrites(server: LeanoteServer, api_source: ApiSource) -> None:
    account, notes = server.account, listed(api_source)
    body = api_source.body(notes[account.keys["边城"]])
    image, attachment = notes[account.keys["边城"]].files
    assert f"![渡口](http://localhost:9000/api/file/getImage?fileId={image.id})" in body
    assert f"[书单.pdf](/api/file/getAttach?fileId={attachment.id})" in body
    rich = api_source.body(notes[account.keys["富附件"]])
    assert "http://localhost:9000/api/file/getAttach?fileId=" in rich and 'data-mce-href="/attach/download' in rich


def test_an_empty_body_is_not_a_missing_note(server: LeanoteServer, api_source: ApiSource) -> None:
    notes = listed(api_source)
    assert api_source.body(notes[server.account.keys["空正文"]]) == ""
    assert api_source.body(notes[server.account.keys["无正文行"]]) == ""
    with pytest.raises(NoteUnreadable, match="does not have this note"):
        api_source.body(replace(ANY_NOTE, id=GONE_ID))


def test_files_are_read_by_kind(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    for note in listed(api_source).values():
        for ref in note.files:
            stored = account.files.get((ref.kind.value, ref.id))
            assert api_source.file(ref, note) == (stored.data if stored else None)
    assert {"磁盘上没有.pdf"} == {problem.where.rpartition(": ")[2] for problem in api_source.problems()} - {
        image_of(account, "失图").id
    }
    assert all("answers 500" in problem.message for problem in api_source.problems())


def test_an_old_picture_is_fetched_without_the_token(server: LeanoteServer, api_source: ApiSource) -> None:
    path = OLD_UPLOAD.removeprefix("public/")
    assert api_source.file(FileRef(path, FileKind.IMAGE), ANY_NOTE) == server.account.uploads[OLD_UPLOAD]
    assert api_source.file(FileRef("upload/x/images/没有.png", FileKind.IMAGE), ANY_NOTE) is None
    assert api_source.file(FileRef("upload/../api/user/info", FileKind.IMAGE), ANY_NOTE) is None
    assert [(request.target, request.parameters) for request in server.seen[:1]] == [(f"/{path}", {})]
    assert len(server.seen) == 2


def test_an_image_that_is_none_and_a_file_that_is_too_large_are_told(server: LeanoteServer) -> None:
    account = server.account
    page = account.add_image("页.png", b"<html>not a picture</html>")
    large = account.add_image("大.png", jpeg(1) + b"\0" * 5000)
    source = open_source(server, file_bytes=1000)
    with pytest.raises(NoteUnreadable, match="does not answer with a file"):
        source.file(FileRef(page.id, FileKind.IMAGE), ANY_NOTE)
    with pytest.raises(NoteUnreadable, match=r"larger than 1,000 bytes"):
        source.file(FileRef(large.id, FileKind.IMAGE), ANY_NOTE)
    server.fail(Trouble.ENDLESS, action="file/getImage")
    with pytest.raises(NoteUnreadable, match=r"larger than 1,000 bytes"):
        source.file(image_of(account, "边城"), ANY_NOTE)


@pytest.mark.parametrize("trouble", [Trouble.HTML, Trouble.REDIRECT])
@pytest.mark.parametrize("kind", list(FileKind))
def test_a_page_or_a_redirect_is_not_taken_for_a_file(
    server: LeanoteServer, api_source: ApiSource, trouble: Trouble, kind: FileKind
) -> None:
    note = server.account.notes[server.account.keys["边城"]]
    ref = FileRef((note.images if kind is FileKind.IMAGE else note.attachments)[0], kind)
    api_source.checkpoint()
    server.fail(trouble)
    with pytest.raises(NoteUnreadable, match="does not answer with a file"):
        api_source.file(ref, ANY_NOTE)
    assert api_source.file(ref, ANY_NOTE) == server.account.files[kind.value, ref.id].data


def test_an_attachment_may_hold_the_words_of_a_missing_one(server: LeanoteServer, api_source: ApiSource) -> None:
    file = server.account.attach(server.account.keys["边城"], "说明.txt", b"No Such File")
    assert api_source.file(FileRef(file.id, FileKind.ATTACHMENT), ANY_NOTE) == b"No Such File"


def test_the_checkpoint_moves_with_every_change(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    words = [api_source.checkpoint(), api_source.checkpoint()]
    assert words[0] == words[1]
    account.edit(account.keys["边城"], "改了")
    words.append(api_source.checkpoint())
    account.delete_notebook(account.keys["项目三"], by_api=True)  # moves no counter
    words.append(api_source.checkpoint())
    assert len(set(words)) == 3


def test_the_revision_moves_with_what_changed_and_nothing_else(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    before = listed(api_source)
    changes = {
        "边城": lambda note: account.edit(note, "新"),
        "待办": lambda note: account.move(note, account.keys["study"]),
        "表格": lambda note: account.rename(note, "改名"),
        "数学": lambda note: account.retag(note, ["新"]),
        "老图": account.trash,
        "互链": account.delete,
    }
    for key, change in changes.items():
        change(account.keys[key])
    after = listed(api_source)
    assert {note for note in before if before[note].revision != after[note].revision} == {
        account.keys[key] for key in changes
    }


def test_ten_thousand_notes_come_by_pages() -> None:
    account = FakeAccount()
    book = account.add_notebook("大").id
    for number in range(10_050):
        account.add_note(f"笔记 {number}", None, book)
    with running_leanote(account) as server:
        source = open_source(server)
        assert listed(source).keys() == account.notes.keys()
        assert server.counts()["note/getNotes"] == 11
        assert server.counts()["note/getSyncNotes"] == 2
        source.close()


def test_a_server_that_knows_no_pages_is_not_asked_for_ever(
    server: LeanoteServer, api_source: ApiSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"NoteId": f"65f0a1b2c3d4e5f6{number:08x}"} for number in range(1000)]
    monkeypatch.setattr(type(server.api), "_notes", lambda self, parameters: rows)
    assert len(listed(api_source)) == 1000 + len(server.account.notes) - len(
        server.account.notes.keys() & {row["NoteId"] for row in rows}
    )
    assert server.counts()["note/getNotes"] == 2


def test_null_is_an_empty_list_and_a_row_without_id_is_told(
    server: LeanoteServer, api_source: ApiSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(server.api), "_trash", lambda self, parameters: None)
    monkeypatch.setattr(type(server.api), "_notes", lambda self, parameters: [7, {"NoteId": "short"}, {"Title": "x"}])
    assert server.account.notes.keys() - listed(api_source).keys() == {server.account.keys["无编号"]}
    assert not api_source.is_whole and len(api_source.problems()) == 1


def test_fields_of_wrong_types_are_read_as_empty(
    server: LeanoteServer, api_source: ApiSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = "65f0a1b2c3d4e5f6000b0001"
    row = {"NoteId": note_id, "Title": 7, "Tags": {"a": 1}, "Usn": "x", "Files": [7, {"FileId": "x"}], "CreatedTime": 5}
    lone: dict[str, Any] = {"NoteId": note_id[:-1] + "2", "Title": "半个\ud83d字符", "Usn": 1e400}
    monkeypatch.setattr(type(server.api), "_notes", lambda self, parameters: [row, lone])
    notes = listed(api_source)
    note = notes[note_id]
    assert (note.title, note.tags, note.usn, note.files, note.updated) == ("", (), 0, (), None)
    assert notes[lone["NoteId"]].title.encode() == "半个?字符".encode()
