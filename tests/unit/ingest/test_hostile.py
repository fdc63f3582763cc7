"""Sizes and shapes that no person writes: each gives sane chunks or none, and the time limit catches what explodes."""

from itertools import pairwise

import pytest

from graphrag.domain.note import Chunk, Note
from graphrag.ingest.chunk import ChunkPolicy, chunk_note, text_sizes
from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note

pytestmark = pytest.mark.timeout(60)

POLICY = ChunkPolicy(min_size=200, max_size=600, overlap=0.12)
LINE = 2_000_000


def read(text: str) -> tuple[Note, tuple[Chunk, ...]]:
    note = parse_note("note.md", text.encode())
    return note, chunk_note(note, clean_note(note), POLICY)


def size(chunk: Chunk) -> float:
    return float(text_sizes(chunk.text)[-1])


def test_a_note_of_many_lines(is_full: bool) -> None:
    count = 39_960 if is_full else 9_960
    lines = [f"第 {number} 行，见 [[笔记{number % 50}]]，状态:: 进行中。" for number in range(count)]
    for number in range(0, len(lines), 1000):
        lines[number] += f"\n\n## 第 {number} 节"
    note, chunks = read("\n".join(lines))
    assert len(note.links) == count
    assert len(chunks) > count / 80
    assert all(size(chunk) <= POLICY.max_size for chunk in chunks)
    assert chunks[-1].span.last_line == note.text.count("\n") + 1


@pytest.mark.parametrize(
    "mark",
    [
        *("字", "字。", "word ", "x", " ", "\t", "\u00a0"),
        *("[[", "[[a ", "![[", "((", "[a](", "[a]( ", "\\[", "[x][", "`", "` ", "``a` "),
        *("%%", "%% ", "<!--", "<div", "<div ", "<br>", "<script>", "<%", "|", "| ", "==a ", " ^a", "**a"),
        *("&lt;", "#a ", "a:: ", "(a:: [[b]] ", "> ", "- ", "1. "),
    ],
)
def test_one_long_line_of_a_mark(mark: str) -> None:
    note, chunks = read((mark * LINE)[: LINE // 10])
    assert len(note.title) <= 300
    assert all(size(chunk) <= POLICY.max_size for chunk in chunks)


@pytest.mark.parametrize("word", ["一句没有标点的话", "one long line of words "])
def test_one_line_of_two_megabytes(word: str) -> None:
    _, chunks = read(word * (LINE // len(word.encode())))
    assert len(chunks) > 1000
    assert all(size(chunk) <= POLICY.max_size for chunk in chunks)
    assert all(chunk.span.first_line == chunk.span.last_line == 1 for chunk in chunks)


def test_an_endless_heading() -> None:
    note, chunks = read("# " + "题" * 300_000 + "\n正文")
    assert len(note.title) == 300
    assert all(len(part) <= 300 for chunk in chunks for part in chunk.heading)


@pytest.mark.parametrize(
    "line",
    [
        "- a\n  - b",
        "# a",
        "a:: [[b]]",
        "[a]: b",
        "[[a]]",
        "> a",
        "<!--",
        "%%",
        "```",
        "a | b",
        "<div>",
        "a\n===",
        "[^1]: x",
    ],
)
def test_many_lines_of_a_kind(line: str) -> None:
    _, chunks = read(f"{line}\n" * 4_000)
    assert all(size(chunk) <= POLICY.max_size for chunk in chunks)


def test_endless_spaces_between_two_words() -> None:
    _, chunks = read("一" + " " * 500_000 + "二")
    assert "".join(chunk.text.strip() for chunk in chunks) == "一二"
    assert all(len(chunk.text) < 5_000 for chunk in chunks)


def test_no_heading() -> None:
    _, chunks = read("一段话。" * 1000)
    assert {chunk.heading for chunk in chunks} == {()}
    assert len(chunks) > 5


def test_a_table_of_5_000_rows_repeats_its_head_and_cuts_no_row() -> None:
    head = "| 编号 | 名称 |\n| --- | --- |"
    rows = [f"| {number} | 第{number}个名称 |" for number in range(5000)]
    _, chunks = read("\n".join([head, *rows]))
    assert all(chunk.text.startswith(head + "\n") for chunk in chunks)
    assert [row for chunk in chunks for row in chunk.text.split("\n")[2:]] == rows
    assert [chunk.span.first_line for chunk in chunks[1:]] == [chunk.span.last_line + 1 for chunk in chunks[:-1]]


def test_a_row_that_is_far_too_long_is_cut() -> None:
    _, chunks = read("| a | b |\n| - | - |\n| 一 | 二 |\n| " + "长" * 100_000 + " | b |\n")
    assert max(size(chunk) for chunk in chunks) <= POLICY.max_size


def code(blank_every: int) -> tuple[str, list[str]]:
    lines = [f"value_{number} = compute({number})" for number in range(900)]
    if blank_every:
        lines = [line + "\n" * (number % blank_every == blank_every - 1) for number, line in enumerate(lines)]
    return "```python\n" + "\n".join(lines) + "\n```", lines


def test_long_code_with_blank_lines_splits_at_them() -> None:
    _, chunks = read(code(blank_every=10)[0])
    assert len(chunks) > 10
    for before, after in pairwise(chunks):
        assert after.span.first_line == before.span.last_line + 2
        assert after.text.startswith("value_") and int(after.text.split(" ")[0][6:]) % 10 == 0


def test_long_code_without_blank_lines_splits_at_line_ends() -> None:
    text, lines = code(blank_every=0)
    _, chunks = read(text)
    kept = [line for chunk in chunks for line in chunk.text.split("\n") if not line.startswith("```")]
    assert kept == lines


def test_six_heading_levels() -> None:
    text = "\n".join(f"{'#' * level} 标题{level}\n" + "一段相当长的话。" * 40 for level in range(1, 7))
    _, chunks = read(text)
    assert [chunk.heading for chunk in chunks] == [
        tuple(f"标题{n}" for n in range(1, level + 1)) for level in range(1, 7)
    ]


@pytest.mark.parametrize(
    "text", ["", "\n", " \n\t\n", "---\ntitle: 甲\n---\n", "---\ntitle: 甲\n---", "<!-- 空 -->", "***", "\ufeff"]
)
def test_nothing_to_index(text: str) -> None:
    assert read(text)[1] == ()


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5000 + " 深处\n",
        ("> " * 200 + "深处\n") * 200,
        "".join("  " * level + "- 第几层\n" for level in range(400)),
        "- " * 5000 + "深处\n",
        "1. " * 3000 + "深处\n",
        "".join("> " * level + "深处\n" for level in range(300)),
        ("> - " * 100 + "深处\n") * 20,
    ],
)
def test_deeply_nested_lists_and_quotes(text: str) -> None:
    _, chunks = read(text)
    assert any("深处" in chunk.text or "第几层" in chunk.text for chunk in chunks)
    assert all(size(chunk) <= POLICY.max_size for chunk in chunks)
