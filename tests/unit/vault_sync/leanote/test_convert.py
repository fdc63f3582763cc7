import pytest

from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note
from tests.fakes.leanote.targets import ATTACHMENT, GONE, IMAGE, NOTE, FakeTargets
from vault_sync.leanote.account import NoteListing
from vault_sync.leanote.convert.body import Converted, convert


def listing(is_markdown: bool) -> NoteListing:
    return NoteListing(NOTE, "边城", "", (), None, None, is_markdown, "1")


def test_a_body_of_either_kind_tells_what_it_names() -> None:
    markdown = f"![渡口](/file/{IMAGE}) [无](/file/{GONE}) [注](/note/{GONE})"
    assert convert(listing(True), markdown, FakeTargets()) == Converted(
        f"![渡口](assets/渡口.png) （缺图：无） [注](/note/{GONE})\n",
        frozenset({IMAGE}),
        (f"/file/{GONE}",),
        (f"/note/{GONE}",),
    )
    html = f'<p>甲 # <a href="/attach/download?attachId={ATTACHMENT}">书单</a></p><img id="__LEANOTE_IMAGE_1" src="">'
    assert convert(listing(False), html, FakeTargets()) == Converted(
        "甲 # [书单](assets/书单%20%281%29.pdf)\n",
        frozenset({ATTACHMENT}),
        (),
        (),
        ("a picture whose upload was never finished was left out (no address)",),
    )


def test_an_empty_body_is_empty() -> None:
    for body in ("", " \n\n", "\r\n", "\ufeff"):
        assert convert(listing(True), body, FakeTargets()).text == ""
    for body in ("", "<p><br></p>"):
        assert convert(listing(False), body, FakeTargets()).text == ""


def test_text_ends_with_one_newline_and_begins_with_text() -> None:
    assert convert(listing(True), "\r\n \n    code\n\n\n", FakeTargets()).text == "    code\n"


def test_what_no_file_can_hold_is_replaced() -> None:
    convert(listing(True), "a\ud800b\x00", FakeTargets()).text.encode()
    convert(listing(False), "<p>a\ud800b\x00", FakeTargets()).text.encode()


@pytest.mark.parametrize("is_markdown", [True, False])
def test_the_index_reads_links_and_no_tag_comment_or_highlight(is_markdown: bool) -> None:
    body = f"正文 [[甲]] #词 100%%x%% a==b==c ^id <a href='/note/{NOTE}'>边城</a>"
    note = parse_note("a.md", convert(listing(is_markdown), body, FakeTargets()).text.encode())
    assert note.tags == ()
    assert [(link.target, link.text) for link in note.links] == [("读书/边城", "边城")]
    shown = clean_note(note).mapped.text.replace("\\", "").strip()
    assert shown == "正文 [[甲]] #词 100%%x%% a==b==c ^id 边城"
