import json

import pytest

from graphrag.domain.note import Chunk, LinkKind, Note
from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note

BOARD = {
    "nodes": [
        {"id": "1", "type": "text", "text": "# 支付\n依赖:: [[消息队列]] #架构\n`[[代码]]`", "x": 0, "y": 0},
        {"id": "2", "type": "file", "file": "设计/事务.md", "subpath": "#补偿"},
        {"id": "3", "type": "group", "label": "后端"},
        {"id": "4", "type": "link", "url": "https://example.org"},
        {"id": "5", "type": "text", "text": None},
        {"id": "6", "type": "text", "text": "孤立 \ud83d 字符\r\n第二行"},
    ],
    "edges": [
        {"id": "7", "fromNode": "3", "toNode": "2", "label": "采用"},
        {"id": "8", "fromNode": "1", "toNode": "2"},
    ],
}


def parse(data: object, indent: int | None = None) -> Note:
    return parse_note("图/架构.canvas", json.dumps(data, indent=indent).encode())


def chunks(note: Note) -> tuple[Chunk, ...]:
    return chunk_note(note, clean_note(note), ChunkPolicy(200, 600, 0.12))


@pytest.mark.parametrize("indent", [None, 2])
def test_cards_and_edges_are_text(indent: int | None) -> None:
    note = parse(BOARD, indent)
    text = "\n".join(chunk.text for chunk in chunks(note))
    for part in ("支付", "消息队列", "事务", "后端", "后端 → 采用 → 事务", "第二行"):
        assert part in text
    assert "None" not in text
    assert text.encode()
    assert (note.title, note.category, note.tags) == ("架构", "图", ("架构",))


def test_links_of_cards() -> None:
    links = {(link.target, link.kind, link.relation, link.heading) for link in parse(BOARD).links}
    assert links == {
        ("消息队列", LinkKind.PROPERTY, "依赖", ""),
        ("设计/事务.md", LinkKind.EMBED, "", "补偿"),
    }


def test_a_citation_opens_the_lines_of_its_card() -> None:
    cards = [{"id": str(number), "type": "text", "text": f"卡片{number}。" * 60} for number in range(3)]
    note = parse({"nodes": cards, "edges": []}, indent=1)
    lines = note.text.split("\n")
    for number, chunk in enumerate(chunks(note)):
        assert f'"id": "{number}"' in "\n".join(lines[chunk.span.first_line - 1 : chunk.span.last_line])


@pytest.mark.parametrize(
    "data", [b"", b"  \n", b"{}", b"[]", b'"nodes"', b'{"nodes": [], "edges": []}', b'{"nodes": [1, null]}']
)
def test_an_empty_canvas_is_a_note_without_text(data: bytes) -> None:
    assert chunks(parse_note("a.canvas", data)) == ()


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"nodes": [{"id": "1"',
        b"# Markdown",
        b'{"nodes": [' * 2000,
        b'{"x": ' + b"9" * 5000 + b"}",
        b"[" * 200_000,
    ],
)
def test_broken_json_is_an_error_of_the_file(data: bytes) -> None:
    with pytest.raises(UnicodeError, match="not a canvas"):
        parse_note("a.canvas", data)


def test_the_suffix_in_capitals() -> None:
    assert chunks(parse_note("A.CANVAS", json.dumps(BOARD).encode()))


def test_text_of_a_card_that_looks_like_the_file_format() -> None:
    note = parse({"nodes": [{"id": "1", "type": "text", "text": '{"nodes": [{"type": "text", "text": "假"}]}'}]})
    assert len(note.sections) == 1
