"""An Obsidian canvas (JSON Canvas 1.0, jsoncanvas.org) -> sections, links and tags; one section per card or edge.

A card's span is its JSON object in the file, so that a citation opens the lines that hold it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from graphrag.domain.note import Block, BlockKind, Link, LinkKind, Section
from graphrag.ingest.inline import find_fields, find_links, find_tags
from graphrag.ingest.structure import LineIndex, Range, mask, read_structure

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


def is_canvas(path: str) -> bool:
    """Whether a vault file is a canvas."""
    return path.lower().endswith(".canvas")


def read_canvas(text: str, lines: LineIndex) -> Canvas:
    """Return the canvas of a file's text.

    Raises:
        ValueError: the text is not JSON.
    """
    sections: list[Section] = []
    links: list[Link] = []
    tags: list[str] = []
    for item in canvas_items(text):
        span = lines.span(*item.span)
        sections.append(Section((), span, (Block(BlockKind.TEXT, span),)))
        inner = LineIndex(item.text)
        masked = _masked(item.text, inner)
        links += [replace(link, line=span.first_line) for link in find_links(masked, find_fields(masked), inner)]
        tags += find_tags(masked)
    links += _file_links(text, lines)
    return Canvas(tuple(sections), tuple(links), tuple(tags))


def _masked(text: str, lines: LineIndex) -> str:
    structure = read_structure(text, 1, lines)
    return mask(text, sorted((*structure.code_blocks, *structure.code_spans, *structure.comments)))


def canvas_items(text: str) -> list[CanvasItem]:
    """Return the cards and edges that hold words, in the order of the file."""
    objects = list(_objects(text))
    labels = {_text_of(value, "id"): _card_text(value) for value, _ in objects if "type" in value}
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
        return _text_of(card, "text")
    if kind == "group":
        return _text_of(card, "label")
    if kind == "file":
        return _text_of(card, "file").rpartition("/")[2].removesuffix(".md")
    return ""


def _edge_text(edge: dict[str, object], labels: dict[str, str]) -> str:
    ends = [labels.get(_text_of(edge, key), "").split("\n")[0] for key in ("fromNode", "toNode")]
    label = _text_of(edge, "label")
    return f"{ends[0]} → {label} → {ends[1]}" if label else ""


def _text_of(value: dict[str, object], key: str) -> str:
    """Return a text value; a lone surrogate, which JSON can escape and no store can hold, is replaced."""
    found = value.get(key)
    text = found if isinstance(found, str) else ""
    return text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def _file_links(text: str, lines: LineIndex) -> Iterator[Link]:
    for value, span in _objects(text):
        if value.get("type") == "file" and (target := _text_of(value, "file")):
            heading = _text_of(value, "subpath").lstrip("#")
            yield Link(target, LinkKind.EMBED, lines.line_of(span[0]), target, heading)
