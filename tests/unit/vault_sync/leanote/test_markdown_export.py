import json
import re
import unicodedata
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.leanote.account import FakeAccount, FakeNote, seeded_account
from tests.fakes.leanote.desktop import exported_notes
from tests.fakes.leanote.exporters import (
    IMAGE,
    levels_of,
    write_downloader,
    write_generic,
    write_leanote2local,
    write_leanote2md,
    write_leanote4md,
    write_leanote4md_fork,
    write_leanote_md,
)
from tests.fakes.leanote.records import ZONE
from tests.fakes.leanote.served import served_body
from vault_sync.leanote.account import FileKind, FileRef, NoteListing
from vault_sync.leanote.sources.export_text import derived_id
from vault_sync.leanote.sources.markdown_export import NO_NOTE, MarkdownExportSource

ID = "65f0a1b2c3d4e5f600000200"


@pytest.fixture(scope="module")
def account() -> FakeAccount:
    return seeded_account()


def write(folder: Path, name: str, content: str | bytes = b"") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def opened(folder: Path, contents: dict[str, str | bytes]) -> MarkdownExportSource:
    for name, content in contents.items():
        write(folder, name, content)
    return MarkdownExportSource(folder, ZONE)


def only(source: MarkdownExportSource) -> NoteListing:
    (note,) = source.notes()
    return note


def messages(source: MarkdownExportSource) -> list[str]:
    list(source.notes())
    return [f"{problem.where}: {problem.message}" for problem in source.problems()]


def levels_read(source: MarkdownExportSource, note: NoteListing) -> tuple[str, ...]:
    books = {book.id: book for book in source.notebooks()}
    levels: list[str] = []
    book = books.get(note.notebook)
    while book:
        levels.insert(0, book.title)
        book = books.get(book.parent)
    return tuple(levels)


def by_note(source: MarkdownExportSource, written: dict[str, Path], folder: Path) -> dict[str, NoteListing]:
    """Return what was read by the id of the note that was written, told by its own id or the file's path."""
    notes = {note.id: note for note in source.notes()}
    paths = {note: path.relative_to(folder).as_posix() for note, path in written.items()}
    return {note: notes.get(id_at(path)) or notes[note] for note, path in paths.items()}


def id_at(path: str) -> str:
    return derived_id("markdown", unicodedata.normalize("NFC", path))


def tags_of(note: FakeNote) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag.strip() for tag in note.tags or () if tag.strip()))


def second_of(moment: datetime | None) -> datetime | None:
    if moment is None or not 1900 <= moment.year < 2200:
        return None
    return moment.astimezone(ZONE).replace(microsecond=0)


def lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def images_found(source: MarkdownExportSource, account: FakeAccount, listing: NoteListing, note: FakeNote) -> int:
    """Check that each image of a note is found with its bytes, and return how many there are."""
    ids = dict.fromkeys(IMAGE.findall(served_body(note)))
    for made_of in ids:
        file = account.files.get(("image", made_of))
        assert source.file(FileRef(made_of, FileKind.IMAGE), listing) == (file.data if file else None)
    return len(ids)


def test_leanote4md(account: FakeAccount, tmp_path: Path) -> None:
    written = write_leanote4md(account, tmp_path)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = by_note(source, written, tmp_path)
    assert len(read) == len(list(source.notes())) == len(exported_notes(account))
    images = 0
    for note in exported_notes(account):
        listing = read[note.id]
        assert listing.title == note.title.strip()
        assert source.body(listing) == lines(served_body(note))
        assert levels_read(source, listing) == tuple(level for level in levels_of(account, note) if level)
        assert listing.tags == (tags_of(note) if len([tag for tag in note.tags or () if tag]) == 1 else ())
        assert (listing.created, listing.updated) == (second_of(note.created), second_of(note.updated))
        assert listing.is_markdown == note.is_markdown or not source.body(listing)
        images += images_found(source, account, listing, note)
    assert images > 10
    clashing = [note for note in exported_notes(account) if written[note.id].stem.endswith(note.id)]
    assert clashing and all(read[note.id].id == note.id for note in clashing)
    assert not source.has_ids


def test_the_fork_of_leanote4md(account: FakeAccount, tmp_path: Path) -> None:
    written = write_leanote4md_fork(account, tmp_path)
    source = MarkdownExportSource(tmp_path, ZONE)
    for note_id, listing in by_note(source, written, tmp_path).items():
        note = account.notes[note_id]
        assert (listing.title, listing.tags) == (note.title.strip(), tags_of(note))
        assert source.body(listing) == lines(served_body(note))


@pytest.mark.parametrize("prefix", ["./images", "/images"])
def test_leanote2md(account: FakeAccount, tmp_path: Path, prefix: str) -> None:
    left = write_leanote2md(account, tmp_path, prefix)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = {(note.title, levels_read(source, note)): note for note in source.notes()}
    assert len(list(source.notes())) == len(left)
    safe = str.maketrans({"/": "-"})
    for note_id in left:
        note = account.notes[note_id]
        levels = tuple(level.translate(safe).strip(" .") or "-" for level in levels_of(account, note))
        listing = read[note.title.strip(), levels]
        assert listing.tags == tags_of(note)
        assert listing.created == (note.created if second_of(note.created) else None)
        for link in re.findall(r"\]\(((?:\./|/)images/[^)]+)\)", source.body(listing)):
            file = account.files.get(("image", Path(link).stem))
            assert source.file(FileRef(link, FileKind.IMAGE), listing) == (file.data if file else None)


def test_the_fork_of_leanote2md_tells_when_a_note_was_made_by_its_file(account: FakeAccount, tmp_path: Path) -> None:
    write_leanote2md(account, tmp_path, is_fork=True)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = {note.title: note for note in source.notes()}
    note = account.notes[account.keys["边城"]]
    assert read[note.title].created == note.created
    assert any("times of their files" in line for line in messages(source))


def test_files_that_were_all_written_at_once_tell_no_time(tmp_path: Path) -> None:
    source = opened(tmp_path, {"a.md": "甲", "读书/b.md": "乙", f"images/{ID}.png": b"x"})
    assert [note.created for note in source.notes()] == [None, None]
    assert messages(source) == []


def test_leanote_md(account: FakeAccount, tmp_path: Path) -> None:
    written = write_leanote_md(account, tmp_path)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = by_note(source, written, tmp_path)
    assert {book.id for book in source.notebooks()} >= {
        account.keys[key] for key in ("读书", "小说", "现代", "旧笔记本")
    }
    attachments = 0
    for note in exported_notes(account):
        listing = read[note.id]
        assert listing.is_markdown == note.is_markdown
        for ref in listing.files:
            file = account.files["attachment", ref.id]
            assert (ref.title, source.file(ref, listing)) == (file.title, file.data)
            attachments += 1
        images_found(source, account, listing, note)
    assert attachments > 3
    for key in ("边城", "数学", "流程图"):
        note = account.notes[account.keys[key]]
        assert read[note.id].notebook == note.notebook
    assert any(line.startswith("work/attach/报表.xlsx: no note links") for line in messages(source))


def test_leanote_downloader(account: FakeAccount, tmp_path: Path) -> None:
    written = write_downloader(account, tmp_path)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = by_note(source, written, tmp_path)
    assert len(read) == len(list(source.notes())) == len(exported_notes(account))
    for key in ("边城", "数学", "流程图"):
        note = account.notes[account.keys[key]]
        assert read[note.id].title == note.title
        assert levels_read(source, read[note.id]) == levels_of(account, note)
    found = Counter((read[note.id].is_markdown, note.is_markdown) for note in exported_notes(account) if note.body)
    assert found[True, False] <= 2 and found[False, True] == 0
    note = account.notes[account.keys["边城"]]
    image = note.images[0]
    assert f"(_images/{image}.png)" in source.body(read[note.id])
    assert (
        source.file(FileRef(f"_images/{image}.png", FileKind.IMAGE), read[note.id])
        == account.files["image", image].data
    )


def test_leanote2local(account: FakeAccount, tmp_path: Path) -> None:
    written = write_leanote2local(account, tmp_path)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = by_note(source, written, tmp_path)
    assert len(read) == len(list(source.notes()))
    note = account.notes[account.keys["边城"]]
    assert levels_read(source, read[note.id]) == ("读书", "小说")
    assert levels_read(source, read[account.keys["数学"]]) == ("study",)
    (link,) = re.findall(r"!\[title\]\(([^)]+)\)", source.body(read[note.id]))
    assert source.file(FileRef(link, FileKind.IMAGE), read[note.id]) == account.files["image", note.images[0]].data


@pytest.mark.parametrize("with_json", [True, False])
def test_a_folder_per_notebook(account: FakeAccount, tmp_path: Path, with_json: bool) -> None:
    written = write_generic(account, tmp_path, with_json)
    source = MarkdownExportSource(tmp_path, ZONE)
    read = by_note(source, written, tmp_path)
    assert source.has_ids is with_json
    for note in exported_notes(account):
        listing = read[note.id]
        assert (listing.title, listing.tags) == (note.title.strip(), tags_of(note))
        assert second_of(listing.created) == second_of(note.created)
        assert source.body(listing) == lines(IMAGE.sub(r"/file/\1", served_body(note)))
        images_found(source, account, listing, note)
        if with_json:
            assert (listing.id, listing.usn, listing.is_markdown) == (note.id, note.usn, note.is_markdown)


@pytest.mark.parametrize(
    "text",
    [
        "title: 标题\ndate: 2023/06/02 20:01:02\ntags:\n- 甲\n- 乙\ncategories:\n- 读书\n- 小说\n---\n正文",
        "---\ntitle: 标题\ndate: 2023-06-02 20:01:02\ntags: [甲, 乙]\ncategories:\n  - 读书\n  - 小说\n---\n正文",
        "---\r\nTitle: 标题\r\nDate: 2023-06-02T20:01:02+08:00\r\nTags: 甲，乙\r\nCategories: [读书, 小说]\r\n---\r\n"
        "正文",
        "---\nTITLE: '标题'\ncreated_time: 2023-06-02 20:01:02\ntags: [\"甲\", '乙']\ncategories: [读书, 小说]\n---\n"
        "正文",
        "Title: 标题\nTags: 甲, 乙\nCreated: 2023-06-02 20:01:02\nCategories: [读书, 小说]\n\n正文",
    ],
)
def test_forms_of_a_header(tmp_path: Path, text: str) -> None:
    source = opened(tmp_path, {"x.md": text})
    note = only(source)
    assert (note.title, note.tags, source.body(note)) == ("标题", ("甲", "乙"), "正文")
    assert note.created == datetime(2023, 6, 2, 12, 1, 2, tzinfo=UTC)
    assert levels_read(source, note) == ("读书", "小说")


def test_rich_text_is_told_by_its_first_tag(tmp_path: Path) -> None:
    texts = {
        "富.md": "<p>一</p>\n<pre>\n# 注释\n</pre>",
        "富.txt": "<div># 不是标题</div>",
        "居中.md": "<center>题</center>\n\n# 一\n- 二",
        "小于.md": "<3 是心",
        "纯.txt": "title: 纯\ndate: 2023/06/02 20:01:02\n---\n没有标记",
        "实体.txt": "title: 实体\ndate: 2023/06/02 20:01:02\n---\n一&nbsp;二<br>三",
    }
    source = opened(tmp_path, dict(texts))
    told = {found.path: found.listing.is_markdown for found in source._notes.values()}
    assert told == {
        "富.md": False,
        "富.txt": False,
        "居中.md": True,
        "小于.md": True,
        "纯.txt": True,
        "实体.txt": False,
    }
    assert len({note.id for note in source.notes()}) == 6


def test_plain_text_that_is_no_note_is_named(tmp_path: Path) -> None:
    source = opened(tmp_path, {"readme.txt": "说明", "a.md": "甲"})
    assert [note.title for note in source.notes()] == ["a"]
    assert messages(source) == [f"readme.txt: {NO_NOTE}"]


def test_encodings_and_line_ends(tmp_path: Path) -> None:
    source = opened(
        tmp_path,
        {
            "bom.md": b"\xef\xbb\xbf" + "---\r\ntitle: 有BOM\r\n---\r\n一\r\n二\r三".encode(),
            "gb.md": "旧文件，用国标编码".encode("gb18030"),
            "坏.md": b"\xff\xff\xff",
        },
    )
    bodies = {note.title: source.body(note) for note in source.notes()}
    assert bodies == {"有BOM": "一\n二\n三", "gb": "旧文件，用国标编码"}
    assert [line.partition(":")[0] for line in messages(source)] == ["gb.md", "坏.md"]


def test_files_by_id_by_path_and_never_outside(tmp_path: Path) -> None:
    write(tmp_path, "外.png", b"secret")
    root = tmp_path / "库"
    contents: dict[str, str | bytes] = {
        "读书/a.md": "正文",
        f"pics/{ID.upper()}.JPEG": b"by id",
        "读书/图 片.png": b"by path",
        "shared.png": b"above",
        "b.md": "别的",
    }
    source = opened(root, contents)
    (root / "链.png").symlink_to(tmp_path / "外.png")
    note = next(note for note in source.notes() if note.title == "a")

    def file(link: str) -> bytes | None:
        return source.file(FileRef(link, FileKind.IMAGE), note)

    assert file(ID) == file(f"images/{ID}.png") == b"by id"
    assert file("图 片.png") == file("./图 片.PNG") == b"by path"
    assert file("shared.png") == file("../shared.png") == file("/shared.png") == b"above"
    for link in ("../../外.png", "../外.png", "/etc/passwd", "链.png", "", ".", "..", "../b.md", "\0", "x" * 5000):
        assert file(link) is None


def test_ids_from_names_and_metadata(tmp_path: Path) -> None:
    other, third = "0" * 23 + "1", "0" * 23 + "2"
    lists = {"notes": [{"id": third, "file": "丁.md", "tags": ["甲"]}]}
    source = opened(
        tmp_path,
        {
            f"标题_{ID}.md": "",
            f"{other}.md": "",
            "本/丁.md": "",
            "本/metadata.json": json.dumps(lists),
            "戊.md": "",
            "戊.md.json": '{"_id": "ffffffffffffffffffffffff", "createdTime": 1685707262000, "isBlog": true}',
        },
    )
    notes = {note.id: note for note in source.notes()}
    assert notes.keys() == {ID, other, third, "f" * 24}
    assert (notes[ID].title, notes[other].title, notes[third].title) == ("标题", "", "丁")
    assert notes["f" * 24].created == datetime(2023, 6, 2, 12, 1, 2, tzinfo=UTC)
    assert (notes["f" * 24].is_blog, notes[third].tags, source.has_ids) == (True, ("甲",), True)


def test_two_files_of_one_id_are_two_notes(tmp_path: Path) -> None:
    source = opened(tmp_path, {f"甲_{ID}.md": "一", f"乙_{ID}.md": "二"})
    assert len({note.id for note in source.notes()}) == 2
    assert not source.has_ids
    assert len(messages(source)) == 1


@pytest.mark.parametrize("content", ["{", "[" * 100_000, '{"notes": {"a": 1}}', "3", '[{"title": {}}]', "\xff"])
def test_metadata_that_cannot_be_used_leaves_the_notes(tmp_path: Path, content: str) -> None:
    data = content.encode("latin-1")
    source = opened(tmp_path, {"a.md": "甲", "a.json": data, "metadata.json": data, "dirtrees.json": data})
    assert source.body(only(source)) == "甲"
    assert all("\n" not in line for line in messages(source))


def test_a_new_text_or_header_changes_the_revision_alone(tmp_path: Path) -> None:
    first = only(opened(tmp_path, {"a.md": "title: 一\ndate: 2023/06/02 20:01:02\n---\n正文"}))
    same = only(MarkdownExportSource(tmp_path, ZONE))
    edited = only(opened(tmp_path, {"a.md": "title: 一\ndate: 2023/06/02 20:01:02\n---\n正文二"}))
    tagged = only(opened(tmp_path, {"a.md": "title: 一\ntags: 新\ndate: 2023/06/02 20:01:02\n---\n正文"}))
    assert first == same
    assert len({first.revision, edited.revision, tagged.revision}) == 3
    assert first.id == edited.id == tagged.id


def test_a_note_larger_than_the_bound_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vault_sync.leanote.sources.markdown_export.MAX_NOTE_BYTES", 100)
    source = opened(tmp_path, {"大.md": "长" * 100, "小.md": "短"})
    assert [note.title for note in source.notes()] == ["小"]
    assert "larger than 100 bytes" in messages(source)[0]


def test_a_million_brackets_take_no_time(tmp_path: Path) -> None:
    hostile = "[" * 400_000 + "<a " * 200_000 + "](attach/download?" * 20_000
    source = opened(tmp_path, {"a.md": hostile, "dirtrees.json": "[]", "b.md": "\n".join(["a:"] * 200_000)})
    assert len(list(source.notes())) == 2


def test_a_tree_that_contains_itself_many_times_is_read_once(tmp_path: Path) -> None:
    entry: dict[str, Any] = {"id": ID, "title": "甲", "pid": "", "child": [{"id": ID, "title": "乙", "child": None}]}
    source = opened(tmp_path, {"dirtrees.json": json.dumps([entry, entry]), "甲/a.md": "正文", "丙/b.md": "正文"})
    assert [book.title for book in source.notebooks()] == ["甲", "丙"]
    assert {levels_read(source, note) for note in source.notes()} == {("甲",), ("丙",)}
