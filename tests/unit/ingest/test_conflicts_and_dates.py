"""Notes with a committed merge conflict, and the dates of notes that one commit brought."""

from datetime import UTC, datetime

import pytest

from graphrag.domain.note import Note
from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note

OURS_AND_THEIRS = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> branch\n"
COMMIT = datetime(2025, 6, 1, 12, tzinfo=UTC)
LATER = datetime(2025, 7, 1, 12, tzinfo=UTC)


def parse(text: str, path: str = "采购.md", *dates: datetime) -> Note:
    return parse_note(path, text.encode(), *dates)


@pytest.mark.parametrize("before", ["", "开头一段。\n"])
def test_both_sides_of_a_conflict_are_text_and_neither_is_a_title(before: str) -> None:
    note = parse(before + OURS_AND_THEIRS.format("买三台。", "买五台。") + "结尾。\n")
    text = "\n".join(chunk.text for chunk in chunk_note(note, clean_note(note), ChunkPolicy(200, 600, 0.12)))
    assert note.title == "采购"
    assert "买三台" in text
    assert "买五台" in text
    assert not {"<<<", "===", ">>>", "HEAD"} & set(text.split())
    assert [problem.line for problem in note.diagnostics] == [before.count("\n") + 1]


def test_the_base_of_a_three_way_conflict_is_kept_too() -> None:
    note = parse("<<<<<<< HEAD\n甲\n||||||| 1a2b\n乙\n=======\n丙\n>>>>>>> x\n")
    assert clean_note(note).mapped.text.split() == ["甲", "乙", "丙"]


def test_a_heading_besides_the_conflict_stays_the_title() -> None:
    assert parse("# 采购单\n\n" + OURS_AND_THEIRS.format("# 甲", "乙")).title == "采购单"


@pytest.mark.parametrize(
    "text",
    [
        OURS_AND_THEIRS.format("# 甲", "# 乙"),
        "---\n" + OURS_AND_THEIRS.format("title: 甲", "title: 乙") + "---\n正文\n",
        OURS_AND_THEIRS.format("---\ntitle: 甲\n---\n# 甲", "---\ntitle: 乙\n---\n# 乙"),
    ],
)
def test_no_side_of_a_conflict_gives_the_title(text: str) -> None:
    assert parse(text).title == "采购"


def test_a_conflict_that_a_block_of_code_shows_is_none() -> None:
    note = parse("# Git\n\n```\n" + OURS_AND_THEIRS.format("a", "b") + "```\n")
    assert not note.diagnostics
    assert "<<<<<<< HEAD" in clean_note(note).mapped.text


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + OURS_AND_THEIRS.format("private: false", "private: true") + "---\n正文\n",
        OURS_AND_THEIRS.format("---\nprivate: true\n---\n甲", "---\nprivate: false\n---\n乙"),
        OURS_AND_THEIRS.format("---\nprivate: false\n---\n甲", "---\nprivate: true\n---\n乙"),
    ],
)
def test_a_note_is_private_when_one_side_says_so(text: str) -> None:
    assert parse(text).is_private


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("path", "head", "dates", "created", "updated"),
    [
        ("甲.md", "created: 2021-03-04", (COMMIT, COMMIT), day(2021, 3, 4), day(2021, 3, 4)),
        ("甲.md", "Date: 2021-03-04", (COMMIT, COMMIT), day(2021, 3, 4), day(2021, 3, 4)),
        ("甲.md", "created: 2021-03-04", (COMMIT, LATER), day(2021, 3, 4), LATER),
        ("甲.md", "updated: 2022-01-01", (COMMIT, COMMIT), COMMIT, day(2022, 1, 1)),
        ("日记/2021-03-04.md", "", (COMMIT, COMMIT), day(2021, 3, 4), day(2021, 3, 4)),
        ("20210304 评审.md", "", (COMMIT, COMMIT), day(2021, 3, 4), day(2021, 3, 4)),
        ("日记/2021/03/04.md", "", (COMMIT, COMMIT), day(2021, 3, 4), day(2021, 3, 4)),
        ("2021年3月4日.md", "", (COMMIT, COMMIT), day(2021, 3, 4), day(2021, 3, 4)),
        ("2030-01-01 计划.md", "", (COMMIT, COMMIT), COMMIT, COMMIT),
        ("2021-13-45.md", "", (COMMIT, COMMIT), COMMIT, COMMIT),
        ("订单 202103041234567.md", "", (COMMIT, COMMIT), COMMIT, COMMIT),
        ("甲.md", "", (COMMIT, LATER), COMMIT, LATER),
    ],
)
def test_a_note_that_one_commit_brought_has_its_own_day(
    path: str, head: str, dates: tuple[datetime, datetime], created: datetime, updated: datetime
) -> None:
    note = parse(f"---\n{head}\n---\n正文\n" if head else "正文\n", path, *dates)
    assert (note.created, note.updated) == (created, updated)
