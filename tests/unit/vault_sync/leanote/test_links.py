"""The recogniser, and the links that are written: this project's own parser must find what they name."""

import time

import pytest

from graphrag.domain.note import LinkKind
from graphrag.ingest.parse import parse_note
from tests.fakes.leanote.targets import ATTACHMENT, GONE, IMAGE, NOTE, FakeTargets
from vault_sync.leanote.account import FileKind
from vault_sync.leanote.convert.link_writer import LinkWriter, encoded_path, picture_markdown, wikilink
from vault_sync.leanote.links import FileLink, NoteLink, parse_leanote_address


@pytest.mark.parametrize(
    "address",
    [
        f"/api/file/getImage?fileId={IMAGE}",
        f"api/file/getImage?fileId={IMAGE}",
        f"/file/outputImage?fileId={IMAGE}",
        f"https://notes.example.org/api/file/getImage?fileId={IMAGE}",
        f"http://localhost:9000/api/file/getImage?fileId={IMAGE}",
        f"https://example.org:8443/some/prefix/api/file/getImage?fileId={IMAGE}",
        f"//example.org/api/file/getImage?fileId={IMAGE}",
        f"leanote://file/getImage?fileId={IMAGE}",
        f"http://127.0.0.1:8912/api/file/getImage?fileId={IMAGE}",
        f"/api/file/getImage?token=abc&amp;fileId={IMAGE}&amp;w=1",
        f"/api/file/getImage?token=abc&fileId={IMAGE}&w=1#x",
        f"/api/file/getImage?fileId={IMAGE.upper()}",
        f"/file/{IMAGE}",
        f"https://example.org/file/{IMAGE}.png",
        f"images/{IMAGE}.png",
        f"/images/{IMAGE}.JPEG",
        f"../_images/{IMAGE}.png",
        f"边城_files\\{IMAGE}.png",
    ],
)
def test_an_image_of_leanote_in_any_form(address: str) -> None:
    found = parse_leanote_address(address, is_embedded=True)
    assert isinstance(found, FileLink) and (found.ref.id, found.ref.kind) == (IMAGE, FileKind.IMAGE)


@pytest.mark.parametrize(
    "address",
    [
        f"/api/file/getAttach?fileId={ATTACHMENT}",
        f"/attach/download?attachId={ATTACHMENT}",
        f"https://old.example.org/attach/download?attachId={ATTACHMENT}",
        f"leanote://file/getAttach?fileId={ATTACHMENT}",
    ],
)
def test_an_attachment_of_leanote_in_any_form(address: str) -> None:
    found = parse_leanote_address(address)
    assert isinstance(found, FileLink) and (found.ref.id, found.ref.kind) == (ATTACHMENT, FileKind.ATTACHMENT)


@pytest.mark.parametrize(
    ("address", "note"),
    [
        (f"https://any.example.org/note/{NOTE}", NoteLink(NOTE)),
        (f"/note/{NOTE}?online=1", NoteLink(NOTE)),
        (f"https://any.example.org/blog/post/lin/{NOTE}", NoteLink(NOTE)),
        ("https://any.example.org/blog/post/lin/%E8%BE%B9%E5%9F%8E", NoteLink("边城")),
        (f"/attach/downloadAll?noteId={NOTE}", NoteLink(NOTE, is_files=True)),
        (f"https://x.org/api/file/getAllAttachs?noteId={NOTE}&token=x", NoteLink(NOTE, is_files=True)),
    ],
)
def test_a_note_in_any_form(address: str, note: NoteLink) -> None:
    assert parse_leanote_address(address) == note


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (f"/upload/{NOTE}/images/a%20b.png", f"upload/{NOTE}/images/a b.png"),
        (f"https://old.example.org/upload/{NOTE}/images/1.jpg", f"upload/{NOTE}/images/1.jpg"),
        ("_tp_images/0c1d2e3f405162738495a6b7c8d9eafb.png", "_tp_images/0c1d2e3f405162738495a6b7c8d9eafb.png"),
        ("attach/%E4%B9%A6%E5%8D%95.pdf", "attach/书单.pdf"),
    ],
)
def test_a_file_without_an_id_is_named_by_its_path(address: str, name: str) -> None:
    found = parse_leanote_address(address)
    assert isinstance(found, FileLink) and found.is_path and found.ref.id == name


@pytest.mark.parametrize(
    "address",
    [
        "",
        "#top",
        "?fileId=" + IMAGE,
        "https://example.org/",
        "https://example.org/a.png",
        f"https://example.org/{IMAGE}.png",
        f"https://example.org/img?fileId={IMAGE}",
        f"/api/file/getImage?fileId={IMAGE}0",
        "/api/file/getImage?fileId=local_1",
        "https://example.org/upload/a/images/b.png",
        "https://example.org/note/hello",
        "mailto:a@example.org",
        "javascript:alert(1)",
        "file:///C:/a.png",
        "C:\\a.png",
        "www.example.org/a",
        "其他.md",
        "/api/file/getImage?fileId=broken",
        "/note/broken",
        "https://[broken",
        "https://",
        "http:" + "/" * 5000,
    ],
)
def test_what_is_not_leanotes(address: str) -> None:
    found = parse_leanote_address(address)
    assert found is None or (isinstance(found, FileLink) and found.is_path and not address.startswith("https:"))


@pytest.mark.parametrize(
    "path",
    ["a b/图 (1).png", "../assets/a%20b#c?.png", "文 件/x[1]|y.pdf", "a\u3000b/$x$*_y_.txt", "(((/a).pdf", "a:b.png"],
)
def test_our_parser_resolves_what_is_written(path: str) -> None:
    text = f"{picture_markdown(path, '图', '300')} [名](<x>) [名]({encoded_path(path)})"
    links = parse_note("note.md", text.encode()).links
    assert [link.target for link in links if link.target != "x"] == [path, path]


def test_our_parser_resolves_wikilinks_in_text_and_tables() -> None:
    named = f"{wikilink('读书/边城 (2)', 'a [b] | **c**')} {wikilink('甲', '甲')}"
    text = f"{named}\n\n| a |\n| --- |\n| {wikilink('乙', 'x', True)} |"
    links = parse_note("note.md", text.encode()).links
    assert [(link.target, link.text, link.kind) for link in links] == [
        ("读书/边城 (2)", "a ［b］ ｜ c", LinkKind.WIKI),
        ("甲", "甲", LinkKind.WIKI),
        ("乙", "x", LinkKind.WIKI),
    ]


def test_what_became_of_each_link_is_remembered() -> None:
    links = LinkWriter(FakeTargets())
    assert links.picture(f"/api/file/getImage?fileId={IMAGE}", "渡口") == "![渡口](assets/渡口.png)"
    assert links.link(f"/attach/download?attachId={ATTACHMENT}", "") == "[书单 (1).pdf](assets/书单%20%281%29.pdf)"
    assert links.picture(f"/file/{GONE}", "渡口") == "（缺图：渡口）"
    assert links.link(f"/api/file/getAttach?fileId={GONE}", "书单") == "（缺附件：书单）"
    assert links.picture("images/x.png", "x") is None
    assert links.link("foo/bar", "x") is None
    assert links.link(f"/note/{NOTE}", "边城") == "[[读书/边城|边城]]"
    assert links.link(f"/note/{GONE}", "边城") is None
    assert links.link("https://example.org", "x") is None
    assert links.named == {IMAGE, ATTACHMENT}
    assert list(links.missing) == [f"/file/{GONE}", f"/api/file/getAttach?fileId={GONE}", "images/x.png"]
    assert list(links.unresolved) == [f"/note/{GONE}"]


def test_a_hostile_address_takes_no_time() -> None:
    started = time.perf_counter()
    for piece in ("/", "fileId=", "%41", "&amp;", "a/", "?&;"):
        parse_leanote_address(piece * (4000 // len(piece)), is_embedded=True)
        parse_leanote_address("/api/file/getImage?" + piece * 1_000_000)
    assert time.perf_counter() - started < 2
