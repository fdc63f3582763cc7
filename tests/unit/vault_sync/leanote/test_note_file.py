from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vault_sync.leanote.account import NoteListing
from vault_sync.leanote.write.note_file import Head, compose, content_digest, id_in, one_line, valid_tags

ID = "65f0a1b2c3d4e5f600000100"
HEAD = Head(notebook="读书/小说")


def make_note(**values: object) -> NoteListing:
    fields: dict[str, object] = {
        "id": ID,
        "title": "《边城》笔记",
        "notebook": "b",
        "tags": ("读书", "沈从文"),
        "created": datetime(2023, 6, 2, 12, 1, 2, 345000, UTC),
        "updated": datetime(2023, 6, 3, tzinfo=UTC),
        "is_markdown": True,
        "revision": "r",
        "usn": 40,
    }
    return NoteListing(**{**fields, **values})  # type: ignore[arg-type]


def front_matter(data: bytes) -> Mapping[str, object]:
    _, front, _ = data.decode().split("---\n", 2)
    loaded = yaml.safe_load(front)
    assert isinstance(loaded, dict)
    return loaded


def test_the_front_matter_has_its_keys_in_order_and_nothing_empty() -> None:
    note = make_note(is_blog=True, url="https://notes.example.org/note/1")
    zone = timezone(timedelta(hours=8))
    text = compose(note, Head("读书/小说", zone=zone), "# 翠翠\n").decode()
    assert text == (
        "---\ntitle: '《边城》笔记'\ntags:\n- 读书\n- 沈从文\ncreated: 2023-06-02T20:01:02+08:00\n"
        "updated: 2023-06-03T08:00:00+08:00\nnotebook: 读书/小说\nsource: leanote\n"
        f"leanote_id: '{ID}'\nleanote_usn: 40\nblog: true\nurl: https://notes.example.org/note/1\nformat: markdown\n"
        "---\n\n# 翠翠\n"
    )
    bare = front_matter(compose(make_note(title="", tags=(), created=None, updated=None, usn=0), Head(""), ""))
    assert list(bare) == ["source", "leanote_id", "format"]


def test_a_private_note_and_a_copy_stay_out_of_answers_and_a_copy_is_not_the_note() -> None:
    assert front_matter(compose(make_note(), Head("日记", is_private=True), ""))["rag"] is False
    copy = compose(make_note(), Head("读书", copy_of="读书/a.md"), "x\n")
    assert front_matter(copy)["rag"] is False
    assert front_matter(copy)["copy_of"] == "读书/a.md"
    assert id_in(copy) == ""


def test_a_derived_id_does_not_pose_as_leanotes() -> None:
    data = compose(make_note(id="0" * 24), Head("", has_leanote_id=False), "")
    assert "leanote_id" not in front_matter(data)
    assert id_in(data) == "0" * 24


@pytest.mark.parametrize(
    "title", ["yes", "1e3", "0o17", "12:30:45", "- a", "null", "#x", "a: b", "'", "2023-01-01", "~"]
)
def test_titles_stay_text_for_every_parser(title: str) -> None:
    data = compose(make_note(title=title), HEAD, "")
    assert front_matter(data)["title"] == title
    line = data.decode().splitlines()[1]
    assert line.startswith(("title: '", 'title: "')) or title == "a: b"


def test_times_that_cannot_be_told_are_left_out() -> None:
    data = compose(make_note(created=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=8)))), HEAD, "")
    assert "created" not in front_matter(data)


def test_tags_are_such_as_obsidian_takes() -> None:
    tags = valid_tags(["a b", "C++", "C#", "#标签", "2023", "读书/小说", "/x//y/", "!!", "A B", "node.js"])
    assert tags == ("a-b", "C＋＋", "C＃", "标签", "_2023", "读书/小说", "x/y", "node-js")


def test_the_essence_is_what_a_reader_sees() -> None:
    assert content_digest(make_note(usn=1), "x") == content_digest(make_note(usn=2, updated=None), "x")
    assert content_digest(make_note(), "x") != content_digest(make_note(), "y")
    assert content_digest(make_note(title="甲"), "x") != content_digest(make_note(title="乙"), "x")


def test_an_id_counts_in_the_front_matter_only() -> None:
    assert id_in(f"正文\n---\nleanote_id: {ID}\n---\n".encode()) == ""
    assert id_in(f"---\ntitle: x\n---\nleanote_id: {ID}\n".encode()) == ""
    assert id_in(f'\ufeff---\r\nleanote_id: "{ID}"\r\n---\r\nx'.encode()) == ID


@given(st.text(), st.lists(st.text()), st.text(max_size=40))
def test_any_title_tag_and_text_gives_a_file_that_can_be_read_again(title: str, tags: list[str], text: str) -> None:
    data = compose(make_note(title=title, tags=tuple(tags)), Head(title), text)
    front = front_matter(data)
    assert front.get("title", "") == one_line(title)
    assert id_in(data) == ID
    assert all(" " not in tag and any(not char.isdigit() for char in tag) for tag in valid_tags(tags))
