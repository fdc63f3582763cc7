from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import NoteUnreadable
from tests.fakes.leanote.account import FakeAccount, seeded_account
from tests.fakes.leanote.desktop import desktop_body, exported_notes, local_id
from tests.fakes.leanote.desktop_pages import html_body, page, write_html
from vault_sync.leanote.account import FileKind, FileRef, NoteListing
from vault_sync.leanote.sources.html_export import EATEN_DOLLARS, HtmlExportSource, note_in_page


@pytest.fixture(scope="module")
def account() -> FakeAccount:
    return seeded_account()


def opened(folder: Path, **pages: str) -> HtmlExportSource:
    for name, text in pages.items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return HtmlExportSource(folder)


def by_title(source: HtmlExportSource) -> dict[str, NoteListing]:
    return {note.title: note for note in source.notes()}


def messages(source: HtmlExportSource) -> list[tuple[str, str]]:
    list(source.notes())
    return [(problem.where, problem.message) for problem in source.problems()]


def lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def test_the_account_comes_through_as_far_as_pages_tell(account: FakeAccount, tmp_path: Path) -> None:
    written = write_html(account, tmp_path)
    source = HtmlExportSource(tmp_path)
    notes = list(source.notes())
    assert len({note.id for note in notes}) == len(notes) == len(exported_notes(account))
    bodies = {(note.title, note.is_markdown, source.body(note)) for note in notes}
    for note in exported_notes(account):
        body = html_body(account, note, written[note.id].stem)
        title = " ".join(note.title.split())
        if note.is_markdown:
            assert (title, True, lines(body)) in bodies
        elif "</div>" not in body or "<div" in body:  # a stray end cuts the text short in every browser too
            assert (title, False, lines(body).strip()) in bodies
    assert all((note.created, note.updated, note.tags, note.files) == (None, None, (), ()) for note in notes)


def test_pictures_are_found_by_the_path_or_id_of_the_link(account: FakeAccount, tmp_path: Path) -> None:
    write_html(account, tmp_path)
    source = HtmlExportSource(tmp_path)
    note = account.notes[account.keys["边城"]]
    listing = by_title(source)[note.title]
    made_of = local_id("image", note.images[0])
    data = account.files["image", note.images[0]].data
    assert f"_files/{made_of}.png" in source.body(listing)
    assert source.file(FileRef(made_of, FileKind.IMAGE), listing) == data
    assert source.file(FileRef(f"-边城-笔记_files/{made_of}.png", FileKind.IMAGE), listing) == data
    assert source.file(FileRef(made_of, FileKind.ATTACHMENT), listing) is None
    for link in ("../外.png", "/etc/passwd", "f" * 24, ""):
        assert source.file(FileRef(link, FileKind.IMAGE), listing) is None


def test_formulas_are_mentioned_once_a_note(account: FakeAccount, tmp_path: Path) -> None:
    write_html(account, tmp_path)
    source = HtmlExportSource(tmp_path)
    damaged = [where for where, message in messages(source) if message == EATEN_DOLLARS]
    with_dollars = [note for note in exported_notes(account) if "$" in desktop_body(account, note)]
    assert len(damaged) == len(with_dollars) > 0
    assert "高斯积分推导" in damaged


@given(st.text(st.sampled_from("a<>/&;prextaltgmp \n$`#字"), max_size=60))
def test_markdown_is_cut_out_as_it_is(body: str) -> None:
    assert note_in_page(page("题", body, True), "a.html")[1:] == (body, True)


@pytest.mark.parametrize(
    "body", ["前</textarea>后", "前</pre>后", "&lt;b&gt; &amp;amp;", "\n<b>一</b>", "</textarea></pre>"]
)
def test_markdown_that_holds_its_own_end(body: str) -> None:
    assert note_in_page(page("题", body, True), "a.html")[1] == body


def test_rich_text_ends_with_its_own_division() -> None:
    body = "<div>一<div>二</div></div><DIV>三</DIV>"
    assert note_in_page(page("题", body, False), "a.html")[1:] == (body, False)


def test_a_title_of_the_page_not_of_the_file(tmp_path: Path) -> None:
    source = opened(tmp_path, **{"a-b": page("A &amp; B / 题", "", True), "读书/c": page("", "<p>一</p>", False)})
    notes = by_title(source)
    assert notes.keys() == {"A & B / 题", ""}
    (book,) = source.notebooks()
    assert (book.title, notes[""].notebook) == ("读书", book.id)


def test_one_page_alone_takes_its_pictures_and_not_its_neighbours(tmp_path: Path) -> None:
    picture = tmp_path / "a_files" / f"{'b' * 24}.png"
    picture.parent.mkdir()
    picture.write_bytes(b"x")
    opened(tmp_path, a=page("甲", "![](a_files/x.png)", True), b=page("乙", "", True))
    source = HtmlExportSource(tmp_path / "a.html")
    (note,) = source.notes()
    assert source.file(FileRef("b" * 24, FileKind.IMAGE), note) == b"x"


def test_other_pages_are_named_and_left(tmp_path: Path) -> None:
    source = opened(tmp_path, a=page("甲", "一", True), 网页="<html><title>别的</title><body><p>文</p></body></html>")
    assert by_title(source).keys() == {"甲"}
    ((where, message),) = messages(source)
    assert (where, "not a note that Leanote's desktop app exported" in message) == ("网页.html", True)


def test_a_page_that_changes_is_unreadable_or_new(tmp_path: Path) -> None:
    source = opened(tmp_path, a=page("甲", "一", True))
    note = by_title(source)["甲"]
    word = source.checkpoint()
    changed = opened(tmp_path, a="<html></html>")
    with pytest.raises(NoteUnreadable):
        source.body(note)
    assert changed.checkpoint() != word


@pytest.mark.parametrize(
    "hostile",
    [
        "<div" * 300_000,
        "<div " + "id='leanote-content' " * 50_000,
        "<div id=leanote-content>" * 50_000,
        "<h1 " * 300_000,
    ],
)
def test_hostile_pages_take_no_time(hostile: str) -> None:
    text = page("题", hostile, False) + hostile
    assert note_in_page(text, "a.html")[0] == "题"
