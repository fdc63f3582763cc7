import base64
from collections import Counter
from hashlib import md5
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import NoteUnreadable
from tests.fakes.leanote.account import FakeAccount, FakeNote, seeded_account
from tests.fakes.leanote.desktop import desktop_body, exported_notes
from tests.fakes.leanote.desktop_pages import EVERNOTE, eaten, write_evernote
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.sources.evernote import (
    EATEN_DOLLARS,
    NO_TIMES,
    EvernoteNote,
    EvernoteSource,
    parse_evernote_file,
)

BILLION_LAUGHS = """<?xml version="1.0"?><!DOCTYPE en-export [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><en-export><note><title>一</title><content>&c;</content></note></en-export>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE en-export [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<en-export><note><title>一</title><content>&a;</content></note></en-export>"""


@pytest.fixture(scope="module")
def account() -> FakeAccount:
    return seeded_account()


def an_export(
    title: str = "题", content: str = "", tags: str = "", is_markdown: str = "false", resources: str = ""
) -> str:
    return EVERNOTE.format(title=title, content=content, tags=tags, is_markdown=is_markdown, resources=resources)


def resource(data: bytes, mime: str = "image/png", name: str = "图.png") -> str:
    shown = f"<resource-attributes><file-name>{name}</file-name></resource-attributes>"
    return f"<resource><data>{base64.b64encode(data).decode()}</data><mime>{mime}</mime>{shown}</resource>"


def sum_of(data: bytes) -> str:
    return md5(data, usedforsecurity=False).hexdigest()


def one(text: str) -> EvernoteNote:
    (note,) = parse_evernote_file(text, "a.enex")
    return note


def tags_of(note: FakeNote) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag.strip() for tag in note.tags or () if tag.strip()))


def messages(source: EvernoteSource) -> list[tuple[str, str]]:
    list(source.notes())
    return [(problem.where, problem.message) for problem in source.problems()]


def test_the_account_comes_through_as_far_as_the_app_tells(account: FakeAccount, tmp_path: Path) -> None:
    write_evernote(account, tmp_path)
    source = EvernoteSource(tmp_path)
    notes = list(source.notes())
    expected = exported_notes(account)
    assert len({note.id for note in notes}) == len(notes) == len(expected)
    told = Counter((note.title, note.is_markdown, note.tags) for note in notes)
    titles = {note.id: note.title.replace("\x01", "").strip() for note in expected}  # what XML cannot hold is gone
    assert told == Counter((titles[note.id], note.is_markdown, tags_of(note)) for note in expected)
    bodies = Counter(source.body(note) for note in notes if note.is_markdown)
    assert bodies == Counter(
        eaten(desktop_body(account, note)).replace("\r\n", "\n") for note in expected if note.is_markdown
    )
    assert {(note.created, note.updated) for note in notes} == {(None, None)}
    assert [where for where, message in messages(source) if message == NO_TIMES] == [tmp_path.name]
    assert "高斯积分推导" in [where for where, message in messages(source) if message == EATEN_DOLLARS]


def test_files_are_named_by_their_sum(account: FakeAccount, tmp_path: Path) -> None:
    write_evernote(account, tmp_path)
    source = EvernoteSource(tmp_path)
    notes = {note.title: note for note in source.notes()}
    picture = account.files["image", account.notes[account.keys["富图"]].images[0]].data or b""
    note = notes["西湖游记"]
    assert f'<img src="{sum_of(picture)}"' in source.body(note)
    assert source.file(FileRef(sum_of(picture), FileKind.IMAGE), note) == picture
    assert source.file(FileRef("0" * 32, FileKind.IMAGE), note) is None
    contract = notes["带附件的合同"]
    (ref,) = [ref for ref in contract.files if ref.title == "旧合同.doc"]
    assert f'<a href="{ref.id}">旧合同.doc</a>' in source.body(contract)
    assert source.file(ref, contract) == "附件 旧合同.doc".encode()


@pytest.mark.parametrize("title", ["A & B", "a < b > c", "已经 &amp; 写好", "<b>粗</b>", "&nbsp;", "]]", "1 &lt; 2"])
def test_titles_and_tags_that_the_app_did_not_escape(title: str) -> None:
    note = one(an_export(title, tags=f"<tag>{title}</tag>"))
    assert note.title == title.replace("&amp;", "&").replace("&lt;", "<")
    assert note.tags == (note.title,)


def test_a_title_inside_the_text_is_left() -> None:
    assert one(an_export(content="<div><title>A & B</title></div>")).body == "<div><title>A & B</title></div>"


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="￾￿"), max_size=40))
def test_any_title_is_read(title: str) -> None:
    assert (
        one(an_export(title.replace("<", "").replace("&", ""))).title == title.replace("<", "").replace("&", "").strip()
    )


@pytest.mark.parametrize("body", ["a < b && c", "<b>一</b>\n&lt;", "</pre>后</en-note>再", "", "\n# 一\n"])
def test_markdown_is_taken_as_it_was_written(body: str) -> None:
    assert one(an_export(content=f"<pre>{body}</pre>", is_markdown="true")).body == body


def test_markdown_that_was_escaped_after_all() -> None:
    assert one(an_export(content="<pre>a &lt; b &amp;&amp; c</pre>", is_markdown="true")).body == "a < b && c"


def test_pictures_keep_their_width_and_attachments_their_names() -> None:
    media = f'<en-media type="image/png" width="300px" hash="{sum_of(b"x").upper()}"/>一<en-media hash="{"0" * 32}"/>'
    note = one(an_export(content=media, resources=resource(b"x") + resource(b"y", "application/pdf", "书.pdf")))
    assert note.body == f'<img src="{sum_of(b"x")}" alt="" width="300">一'
    assert [(ref.kind, ref.title) for ref, _ in note.files] == [
        (FileKind.IMAGE, "图.png"),
        (FileKind.ATTACHMENT, "书.pdf"),
    ]


def test_several_notes_in_a_file_and_folders_as_notebooks(tmp_path: Path) -> None:
    note = an_export("一").partition("<note>")[2].partition("</note>")[0]
    text = an_export("二").replace("</note></en-export>", f"</note><note>{note}</note></en-export>")
    (tmp_path / "读书").mkdir()
    (tmp_path / "读书/a.enex").write_text(text, encoding="utf-8")
    source = EvernoteSource(tmp_path)
    assert [note.title for note in source.notes()] == ["二", "一"]
    (book,) = source.notebooks()
    assert {note.notebook for note in source.notes()} == {book.id}


@pytest.mark.parametrize("text", [BILLION_LAUGHS, OUTSIDE, "", "<html></html>", "不是 XML", "<en-export><note>"])
def test_hostile_and_broken_files_leave_the_rest(tmp_path: Path, text: str) -> None:
    (tmp_path / "坏.enex").write_text(text, encoding="utf-8")
    (tmp_path / "好.enex").write_text(an_export("好"), encoding="utf-8")
    source = EvernoteSource(tmp_path)
    assert [note.title for note in source.notes()] == ["好"]
    (problem,) = [problem for problem in source.problems() if problem.where == "坏.enex"]
    assert "\n" not in problem.message


def test_deep_xml_is_read_or_refused() -> None:
    text = an_export(resources="<a>" * 90_000 + "</a>" * 90_000)
    assert one(text).title == "题"


def test_more_tags_than_notes_have_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(NoteUnreadable, match="more than 200,000 tags"):
        parse_evernote_file(an_export(resources="<a/>" * 600_000), "a.enex")
    assert one(an_export(content="<br/>" * 600_000)).title == "题"


@pytest.mark.parametrize(
    "hostile", ["<![CDATA[", "<en-note>", "<en-media ", "<title>", "<pre>", "</pre>", "]]", "<en-note "]
)
@pytest.mark.parametrize("is_markdown", ["true", "false"])
def test_hostile_text_takes_no_time(hostile: str, is_markdown: str) -> None:
    assert one(an_export(content=hostile * 100_000, is_markdown=is_markdown)).title == "题"
    with pytest.raises(NoteUnreadable):
        parse_evernote_file(f"<en-export>{hostile * 100_000}", "a.enex")


def test_damaged_base64_is_a_missing_file() -> None:
    note = one(
        an_export(content="<en-media hash='" + "0" * 32 + "'/>文", resources="<resource><data>@</data></resource>")
    )
    assert (note.body, note.files) == ("文", ())


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.enex"
    path.write_text(an_export("一"), encoding="utf-8")
    source = EvernoteSource(path)
    (note,) = source.notes()
    source.close()
    path.write_text(an_export("二"), encoding="utf-8")
    with pytest.raises(NoteUnreadable, match="has changed since"):
        source.body(note)
