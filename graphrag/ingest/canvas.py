"""An Obsidian canvas (JSON Canvas 1.0, jsoncanvas.org) -> sections, links and tags; one section per card or edge.

A card's span is its JSON object in the file, so that a citation opens the lines that hold it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag.domain.note import Block, BlockKind, Link, LinkKind, Section
from graphrag.ingest.inline import find_fields, find_links, find_tags
from graphrag.ingest.structure import LineIndex, Range

_ARRAY = re.compile(r'"(nodes|edges)"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a canvas says."""

    sections: tuple[Section, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CanvasItem:
    """One card or edge as text, with the range of its JSON object."""

    text: str
    span: Range


def read_canvas(text: str, lines: LineIndex) -> Canvas:
    """Return the canvas of a file's text.

    Raises:
        json.JSONDecodeError: the text is not JSON.
    """
    sections, links, tags = [], [], []
    for item in canvas_items(text):
        span = lines.span(*item.span)
        sections.append(Section((), span, (Block(BlockKind.TEXT, span),)))
        fields = find_fields(item.text)
        links += [
            Link(link.target, link.kind, span.first_line, link.text, link.heading, link.relation)
            for link in find_links(item.text, fields, LineIndex(item.text))
        ]
        tags += find_tags(item.text)
    links += _file_links(text, lines)
    return Canvas(tuple(sections), tuple(links), tuple(tags))


def canvas_items(text: str) -> list[CanvasItem]:
    """Return the cards and edges that hold words, in the order of the file."""
    objects = list(_objects(text))
    labels = {str(value.get("id")): _card_text(value) for value, _ in objects if "type" in value}
    items = []
    for value, span in objects:
        if words := _card_text(value) if "type" in value else _edge_text(value, labels):
            items.append(CanvasItem(words, span))
    return items


def _objects(text: str) -> Iterator[tuple[dict[str, object], Range]]:
    """Yield every object of the two arrays with its range; decoding them one by one keeps their places."""
    if text.strip():
        json.loads(text)
    decoder = json.JSONDecoder()
    for opening in _ARRAY.finditer(text):
        position = _skip(text, opening.end())
        while position < len(text) and text[position] == "{":
            value, end = decoder.raw_decode(text, position)
            yield value, (position, end)
            position = _skip(text, end)


def _skip(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position


def _card_text(card: dict[str, object]) -> str:
    kind = card.get("type")
    if kind == "text":
        return str(card.get("text", "")).strip()
    if kind == "group":
        return str(card.get("label", "")).strip()
    if kind == "file":
        return str(card.get("file", "")).rpartition("/")[2].removesuffix(".md")
    return ""


def _edge_text(edge: dict[str, object], labels: dict[str, str]) -> str:
    ends = [labels.get(str(edge.get(key)), "").split("\n")[0] for key in ("fromNode", "toNode")]
    label = str(edge.get("label", "")).strip()
    return f"{ends[0]} → {label} → {ends[1]}" if label else ""


def _file_links(text: str, lines: LineIndex) -> Iterator[Link]:
    for value, span in _objects(text):
        if value.get("type") == "file" and (target := str(value.get("file", ""))):
            heading = str(value.get("subpath", "")).lstrip("#")
            yield Link(target, LinkKind.EMBED, lines.line_of(span[0]), target, heading)
