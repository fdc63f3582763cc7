"""Cleaned note -> chunks: passages of one heading path, of a size that an embedder reads whole.

Short neighbouring sections share a chunk under the heading path that they have in common; long ones are packed from
blocks. Code blocks and table rows are never cut, a table's further parts repeat its header, and running text repeats
its last sentences at the start of the next chunk.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.note import BlockKind, Chunk, Note, Section, TextLines
from graphrag.ingest.clean import CleanText, MappedText
from graphrag.ingest.structure import LineIndex, Range

_SENTENCE_END = re.compile(r"[。！？!?；;…]+[\"'”’」』）)\]]*|\.(?=\s)|\n")
_WORD = re.compile(r"\w")
_BLANK = re.compile(r"\n[ \t]*\n")
_INSIDE_WORD = re.compile(r"[A-Za-z0-9_\u00c0-\u024f]{2}")
_LONGEST_WORD = 64  # that is spared when a text without sentences is cut by size
_LONGEST_ROW = 4  # times max_size, up to which a table's row stays whole
_FREE_SPACES = 1000  # of a run of white space that weigh nothing; what follows must not make a passage endless
_OTHER_WEIGHT = 0.4  # of a letter that is not CJK against a Chinese character's 1, by their shares of e5's 512 tokens


@dataclass(frozen=True, slots=True)
class ChunkPolicy:
    """Sizes as in the settings."""

    min_size: int
    max_size: int
    overlap: float


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece that stays whole; `header` is the range of a table's head when this piece is a later row of it."""

    start: int
    end: int
    kind: BlockKind
    header: Range | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """Sections that share chunks."""

    heading: tuple[str, ...]
    units: tuple[_Unit, ...]


def chunk_note(note: Note, clean: CleanText, policy: ChunkPolicy) -> tuple[Chunk, ...]:
    """Return the note's chunks in order; none for a note without text."""
    chunker = _Chunker(clean.mapped, policy)
    lines = LineIndex(note.text)
    chunks: list[Chunk] = []
    front = clean.mapped.locate([lines.start_of(note.body_line)])[0]
    for group in chunker.groups(note.sections, front):
        for start, end, header in chunker.pack(group.units):
            text = clean.mapped.text[start:end]
            if not _WORD.search(text):
                continue
            if header:
                text = clean.mapped.text[slice(*header)].rstrip("\n") + "\n" + text
            span = lines.span(*clean.mapped.source(start, end))
            parts = _text_lines(clean.mapped, start, end, len(text) - (end - start), lines)
            key = "\0".join((note.path, *group.heading, str(len(chunks)), text))
            identity = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
            place = identity, note.path, note.title, group.heading, len(chunks)
            head = max(0, min(front, end) - start)
            chunks.append(Chunk(*place, text, span, lines=parts, front=head))
    return tuple(chunks)


def _text_lines(mapped: MappedText, start: int, end: int, head: int, lines: LineIndex) -> tuple[TextLines, ...]:
    """Return the lines of each stretch of a chunk's text, which starts with so many characters of a table's head."""
    first = lines.lines_of(mapped.starts[start:end])
    last = lines.lines_of(np.maximum(mapped.starts[start:end], mapped.ends[start:end] - 1))
    steps = np.flatnonzero((np.diff(first, prepend=-1) != 0) | (np.diff(last, prepend=-1) != 0))
    return tuple(TextLines(head + int(step), int(first[step]), int(last[step])) for step in steps)


def text_sizes(text: str) -> NDArray[np.float64]:
    """Return the size of every prefix of the text, shape (len(text) + 1,)."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    wide = ((points >= 0x2E80) & (points <= 0x9FFF)) | ((points >= 0xAC00) & (points <= 0xD7FF))
    wide |= ((points >= 0xF900) & (points <= 0xFAFF)) | ((points >= 0xFF00) & (points <= 0xFFEF)) | (points >= 0x1F000)
    space = (points <= 0x20) | (points == 0x3000)
    positions = np.arange(len(points))
    run = positions - np.maximum.accumulate(np.where(space, -1, positions)) if len(points) else positions
    weights = np.where(space & (run <= _FREE_SPACES), 0.0, np.where(wide, 1.0, _OTHER_WEIGHT))
    return np.concatenate([[0.0], np.cumsum(weights)])


class _Chunker:
    def __init__(self, mapped: MappedText, policy: ChunkPolicy) -> None:
        self._mapped = mapped
        self._text = mapped.text
        self._sizes = text_sizes(mapped.text)
        self._policy = policy

    def groups(self, sections: Iterable[Section], front: int) -> Iterator[_Group]:
        """Join short neighbouring sections as far as they fit into one chunk; the first has the front matter, too.

        That is the text up to the offset `front`; where it does not fit, passages of its own hold it.
        """
        bounds = self._trim(0, front)
        head = tuple(self._pieces(*bounds, BlockKind.TABLE, self._line_starts(*bounds))) if bounds else ()
        for group in self._groups(sections):
            yield _Group(group.heading, (*head, *group.units))
            head = ()
        if head:
            yield _Group((), head)

    def _groups(self, sections: Iterable[Section]) -> Iterator[_Group]:
        policy = self._policy
        heading: tuple[str, ...] = ()
        units: list[_Unit] = []
        only_heading = False
        for section in sections:
            added = list(self._units(section))
            if not added:
                continue
            size, more = self._size_of(units), self._size_of(added)
            is_short = size < policy.min_size or more < policy.min_size
            if units and (only_heading or (is_short and size + more <= policy.max_size)):
                heading = section.heading if only_heading else _common(heading, section.heading)
                units += added
                only_heading = False
            else:
                if units:
                    yield _Group(heading, tuple(units))
                heading, units = section.heading, added
                only_heading = len(added) == 1 and added[0].kind is BlockKind.HEADING
        if units:
            yield _Group(heading, tuple(units))

    def pack(self, units: tuple[_Unit, ...]) -> Iterator[tuple[int, int, Range | None]]:
        """Yield the range of each chunk, and the table head to repeat before it."""
        start, end, header = -1, -1, None
        for position, unit in enumerate(units):
            if start >= 0 and self._exceeds(start, unit, header):
                yield start, end, header
                start, header = self._overlap_start(units, position), None
                if start == unit.start:
                    header = unit.header
                elif self._exceeds(start, unit, None):
                    start, header = unit.start, unit.header
            elif start < 0:
                start, header = unit.start, unit.header
            end = unit.end
        if start >= 0:
            yield start, end, header

    def _exceeds(self, start: int, unit: _Unit, header: Range | None) -> bool:
        head = self._size(*header) if header else 0.0
        return head + self._size(start, unit.end) > self._policy.max_size

    def _overlap_start(self, units: tuple[_Unit, ...], position: int) -> int:
        """Return where the chunk that begins with this unit starts: some whole sentences earlier in running text."""
        unit, before = units[position], units[position - 1]
        textual = (BlockKind.TEXT, BlockKind.LIST)
        if unit.kind not in textual or before.kind not in textual:
            return unit.start
        room = self._policy.overlap * self._policy.max_size
        start = unit.start
        for border in reversed(list(self._sentence_starts(before.start, before.end))):
            if self._size(border, unit.start) > room:
                break
            start = border
        return start

    def _units(self, section: Section) -> Iterator[_Unit]:
        starts = self._mapped.locate([block.span.start for block in section.blocks])
        ends = self._mapped.locate([block.span.end for block in section.blocks])
        for block, start, end in zip(section.blocks, starts, ends, strict=True):
            bounds = self._trim(start, end)
            if bounds is None:
                continue
            if self._size(*bounds) <= self._policy.max_size:
                yield _Unit(*bounds, block.kind)
            elif block.kind is BlockKind.CODE:
                yield from self._split_code(*bounds)
            elif block.kind is BlockKind.TABLE:
                yield from self._split_table(*bounds)
            else:
                yield from self._pieces(*bounds, block.kind, self._sentence_starts(*bounds))

    def _split_code(self, start: int, end: int) -> Iterator[_Unit]:
        """Split at blank lines, and a stretch that is still too long at line ends."""
        borders = [start, *(found.end() for found in _BLANK.finditer(self._text, start, end)), end]
        for first, last in pairwise(borders):
            if bounds := self._trim(first, last):
                is_long = self._size(*bounds) > self._policy.max_size
                cuts = self._line_starts(*bounds) if is_long else [bounds[0]]
                yield from self._pieces(*bounds, BlockKind.CODE, cuts)

    def _split_table(self, start: int, end: int) -> Iterator[_Unit]:
        rows = [*self._line_starts(start, end), end]
        body = rows[2] if len(rows) > 3 else end
        header = (start, body) if self._size(start, body) <= self._policy.max_size / 2 else None
        yield from self._pieces(start, body, BlockKind.TABLE, [start])
        for first, last in pairwise(rows[2:]):
            if bounds := self._trim(first, last):
                if self._size(*bounds) <= _LONGEST_ROW * self._policy.max_size:
                    yield _Unit(*bounds, BlockKind.TABLE, header)
                else:
                    yield from self._pieces(*bounds, BlockKind.TABLE, [bounds[0]])

    def _pieces(self, start: int, end: int, kind: BlockKind, borders: Iterable[int]) -> Iterator[_Unit]:
        """Yield the range cut at those borders, and by size where even a piece between two of them is too long."""
        cuts = [*borders, end]
        for first, last in pairwise(cuts):
            while self._size(first, last) > self._policy.max_size:
                middle = self._cut(first)
                if bounds := self._trim(first, middle):
                    yield _Unit(*bounds, kind)
                first = middle
            if bounds := self._trim(first, last):
                yield _Unit(*bounds, kind)

    def _cut(self, start: int) -> int:
        """Return where a piece of the largest size ends, a little earlier if that spares a word."""
        limit = self._sizes[start] + self._policy.max_size
        end = max(start + 1, int(np.searchsorted(self._sizes, limit, side="right")) - 1)
        for border in range(end, max(start, end - _LONGEST_WORD), -1):
            if not _INSIDE_WORD.match(self._text, border - 1):
                return border
        return end

    def _sentence_starts(self, start: int, end: int) -> Iterator[int]:
        yield start
        for found in _SENTENCE_END.finditer(self._text, start, end):
            if found.end() < end:
                yield found.end()

    def _line_starts(self, start: int, end: int) -> Iterator[int]:
        yield start
        position = self._text.find("\n", start, end)
        while position >= 0:
            if position + 1 < end:
                yield position + 1
            position = self._text.find("\n", position + 1, end)

    def _trim(self, start: int, end: int) -> Range | None:
        """Return the range without white space around it; None when nothing is left."""
        piece = self._text[start:end]
        if not piece.strip():
            return None
        return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())

    def _size(self, start: int, end: int) -> float:
        return float(self._sizes[end] - self._sizes[start])

    def _size_of(self, units: list[_Unit]) -> float:
        return self._size(units[0].start, units[-1].end) if units else 0.0


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    return first[:shared]
