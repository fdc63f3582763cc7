"""Note -> cleaned text for searching and embedding, by ordered named rules; code is never touched.

Each rule looks at the text that the rules before it left and returns edits. The mapping back to the file survives all
of them, so that a citation points at the lines as the author wrote them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag.domain.note import Note
from graphrag.domain.report import RuleEffect
from graphrag.ingest.canvas import canvas_items, is_canvas
from graphrag.ingest.hidden import Range, code_ranges
from graphrag.ingest.mapped_text import Edit, MappedText
from graphrag.ingest.rules import RULES, Code
from graphrag.ingest.structure import LineIndex


@dataclass(frozen=True, slots=True)
class CleanText:
    """The cleaned text of a note with its way back, and what each rule did."""

    mapped: MappedText
    effects: tuple[RuleEffect, ...]


def clean_note(note: Note) -> CleanText:
    """Return the note's cleaned text."""
    mapped = MappedText.original(note.text)
    effects: list[RuleEffect] = []
    if is_canvas(note.path):
        mapped = _apply(mapped, "canvas_cards", _canvas_edits(note.text), effects)
    elif start := LineIndex(note.text).start_of(note.body_line):
        mapped = _apply(mapped, "front_matter", [Edit(0, start, "")], effects)
    code = _code(mapped, note)
    for name, rule in RULES:
        changed = _apply(mapped, name, list(rule(mapped.text, code)), effects)
        if changed is not mapped:
            mapped, code = changed, _code(changed, note)
    return CleanText(mapped, tuple(effects))


def _apply(mapped: MappedText, name: str, edits: Sequence[Edit], effects: list[RuleEffect]) -> MappedText:
    if not edits:
        return mapped
    changed = mapped.apply(edits)
    effects.append(RuleEffect(name, len(edits), len(mapped.text) - len(changed.text)))
    return changed


def _code(mapped: MappedText, note: Note) -> Code:
    blocks = _moved(mapped, note.code_blocks)
    ranges = code_ranges(blocks, _moved(mapped, note.code_spans))
    return Code(ranges, frozenset(blocks), [start for start, _ in ranges])


def _moved(mapped: MappedText, ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    starts = mapped.locate([start for start, _ in ranges])
    ends = mapped.locate([end for _, end in ranges])
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def _canvas_edits(text: str) -> list[Edit]:
    edits: list[Edit] = []
    position = 0
    for item in canvas_items(text):
        start, end = item.span
        if start > position:
            edits.append(Edit(position, start, "\n\n" if edits else ""))
        edits.append(Edit(start, end, item.text))
        position = end
    if position < len(text):
        edits.append(Edit(position, len(text), ""))
    return edits
