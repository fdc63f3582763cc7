"""Passages that an answer uses -> numbered citations, with the note's lines and their words.

`tell_conflicts` also makes the sides of a conflict, each with its citation and day, the newest first.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from graphrag.domain.note import Chunk
from graphrag.domain.query import (
    Citation,
    ConflictSide,
    Context,
    Reference,
    SourceConflict,
    committed_version,
    note_url,
)
from graphrag.grounding.conflict import Dispute, Side
from graphrag.language.dates import read_dates
from graphrag.language.shown import shown_quote
from graphrag.retrieve.readers import SnapshotReaders

Lines = tuple[int, int]  # 1-based, inclusive


@dataclass(frozen=True, slots=True)
class Cited:
    """A numbered passage: lines of a chunk, and the words there that carry the answer."""

    key: int
    chunk: Chunk
    lines: Lines
    quote: str


class CitedPassages:
    """Numbers what an answer rests on.

    A model cites blocks, so that each has the key that it was given; sentences taken from the blocks are numbered as
    they come, and those on lines that touch share a number.
    """

    def __init__(self, context: Context, *, by_sentence: bool) -> None:
        self._chunks = {block.key: block.chunk for block in context.blocks}
        self._by_sentence = by_sentence
        self._cited: list[Cited] = []

    @property
    def all(self) -> tuple[Cited, ...]:
        """What was named so far."""
        return tuple(self._cited)

    def name(self, block: int, start: int, end: int, quoted: str) -> int:
        """Return the number of a stretch of a block's text, under which it is cited from now on."""
        lines = self.lines_of(block, start, end) if self._by_sentence else _lines(self._chunks[block])
        for place, cited in enumerate(self._cited):
            if cited.chunk.id == self._chunks[block].id and _touch(lines, cited.lines):
                joined = min(lines[0], cited.lines[0]), max(lines[1], cited.lines[1])
                self._cited[place] = replace(cited, lines=joined)
                return cited.key
        key = len(self._cited) + 1 if self._by_sentence else block
        self._cited.append(Cited(key, self._chunks[block], lines, quoted))
        return key

    def lines_of(self, block: int, start: int, end: int) -> Lines:
        """Return the lines of a stretch of a block's text, those of the whole block where they cannot be told."""
        chunk = self._chunks[block]
        return chunk.lines_of(start, end) or _lines(chunk)


def cite(readers: SnapshotReaders, vault_name: str, cited: Cited) -> Citation:
    """Return the citation of a numbered passage."""
    chunk, lines = cited.chunk, cited.lines
    changed = readers.line_date(chunk.note, *lines)
    return Citation(
        key=cited.key,
        note=chunk.note,
        title=chunk.title,
        heading=chunk.heading,
        lines=lines,
        commit=readers.manifest.commit,
        changed=changed.isoformat() if changed else "",
        url=note_url(vault_name, chunk.note, chunk.heading[-1] if chunk.heading else ""),
        quote=shown_quote(cited.quote),
        ref=str(Reference(chunk.note, lines, committed_version(readers.reference()))),
        origin=readers.manifest.notes[chunk.note].origin,
    )


def cite_chunk(readers: SnapshotReaders, vault_name: str, key: int, chunk: Chunk, quoted: str) -> Citation:
    """Return the citation of a chunk's lines, with the words there that carry the answer."""
    return cite(readers, vault_name, Cited(key, chunk, _lines(chunk), quoted))


def _lines(chunk: Chunk) -> Lines:
    return chunk.span.first_line, chunk.span.last_line


def _touch(one: Lines, other: Lines) -> bool:
    return one[0] <= other[1] + 1 and other[0] <= one[1] + 1


def cite_conflicts(
    disputes: Iterable[Dispute], passages: CitedPassages, readers: SnapshotReaders
) -> tuple[SourceConflict, ...]:
    """Return the conflicts; a side that the answer does not cite yet is added to its passages."""

    def tell(side: Side) -> ConflictSide:
        statement = side.statement
        place = statement.key, statement.sentence.start, statement.sentence.end
        key = passages.name(*place, statement.sentence.text)
        return ConflictSide(side.value, key, day_of(readers, statement.note, passages.lines_of(*place)))

    return tuple(newest_first(dispute.subject, map(tell, dispute.sides)) for dispute in disputes)


def newest_first(subject: str, sides: Iterable[ConflictSide]) -> SourceConflict:
    """Return a conflict with its sides in order, those without a date last."""
    return SourceConflict(subject, tuple(sorted(sides, key=lambda side: side.date, reverse=True)))


def day_of(readers: SnapshotReaders, note: str, lines: Lines) -> str:
    """Return the first day on which the lines are known to have said this, as ISO text; empty when none is known.

    That is the earliest of the date in the note's file name, the last change of the lines in Git, and the note's own
    last change: no line is newer than any of them. For a note that tells none of these, it is when it was created.
    """
    named = [dated for dated in read_dates(note.rpartition("/")[2]) if dated.year and dated.day]
    known = readers.graph.note(note)
    moments = [readers.line_date(note, *lines), known.updated if known else None]
    days = [moment.date().isoformat() for moment in moments if moment]
    days += [dated.days()[0].isoformat() for dated in named if dated.is_day()]
    created = known.created.date().isoformat() if known and known.created else ""
    return min(days, default=created)
