"""Terms that recur across notes, as entities: who holds one, and which notes hold a note's own rare terms.

A term is an identifier, a capitalised or quoted name, or a word of the user's dictionary, in few passages of the vault.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from graphrag.domain.graph import Entity, EntityKind, MentionNeighbor, TermNeighbor
from graphrag.domain.ontology import Place
from graphrag.domain.report import Surroundings
from graphrag.domain.walk import TermHolder, fold_words
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.note_lines import NoteLines

_NOTES = 2  # that hold a term, for it to recur
_SHOWN_TERMS = 5  # of one note
_LINES = 3  # of a term in one note


def find_term(readers: SnapshotReaders, name: str) -> Entity | None:
    """Return the term that a name is, None when it recurs in no two notes, or the walk is not made yet."""
    walk = readers.load_walk()
    term = fold_words(name.strip().strip("`"))
    if walk is None or len(walk.graph.holders(term)) < _NOTES:
        return None
    return Entity(term, EntityKind.TERM, name.strip().strip("`"))


def look_around_term(readers: SnapshotReaders, lines: NoteLines, term: Entity, limit: int) -> Surroundings:
    """Return the notes that hold a term, those with the most passages first, each with its lines."""
    walk = readers.load_walk()
    holders = walk.graph.holders(term.id) if walk else []
    holders.sort(key=lambda holder: (-len(holder.chunks), holder.note))
    shown = [neighbor for holder in holders if (neighbor := _holder(readers, lines, holder))]
    return Surroundings(
        center=term,
        max_hops=1,
        neighbors=(),
        omitted=max(0, len(shown) - limit),
        inferred=(),
        mentions=tuple(shown[:limit]),
        shared_tags=(),
        shared_terms=(),
        similar=(),
    )


def find_shared_terms(readers: SnapshotReaders, lines: NoteLines, note: str, limit: int) -> Iterator[TermNeighbor]:
    """Yield the notes that hold rare terms of this one, the most and the rarest first."""
    walk = readers.load_walk()
    by_note: dict[str, list[TermHolder]] = defaultdict(list)
    for holder in walk.graph.shared_terms(note) if walk else ():
        by_note[holder.note].append(holder)
    best = sorted(by_note, key=lambda path: (-sum(holder.weight for holder in by_note[path]), path))
    shown = (path for path in best if lines.is_shown(path))
    for path in islice(shown, limit):
        holders = sorted(by_note[path], key=lambda holder: (-holder.weight, holder.term))
        texts = readers.chunks.get_chunks([holder.chunks[0] for holder in holders[:_SHOWN_TERMS]])
        terms = tuple(
            _as_written(holder.term, texts[holder.chunks[0]].text)
            for holder in holders[:_SHOWN_TERMS]
            if holder.chunks[0] in texts
        )
        weight = sum(holder.weight for holder in holders)
        entity = Entity(path, EntityKind.NOTE, readers.manifest.notes[path].title)
        yield TermNeighbor(entity, terms, round(weight, 4))


def _holder(readers: SnapshotReaders, lines: NoteLines, holder: TermHolder) -> MentionNeighbor | None:
    """Return a note that holds a term; None when it, or every line that does, must not be shown."""
    places = tuple(sorted(_places(readers, lines, holder))) if lines.is_shown(holder.note) else ()
    if not places:
        return None
    entity = Entity(holder.note, EntityKind.NOTE, readers.manifest.notes[holder.note].title)
    return MentionNeighbor(entity, True, places, round(holder.weight * len(holder.chunks), 4))


def _places(readers: SnapshotReaders, lines: NoteLines, holder: TermHolder) -> Iterator[Place]:
    for chunk in readers.chunks.get_chunks(holder.chunks[:_LINES]).values():
        span = (chunk.span.first_line, chunk.span.last_line)
        if line := lines.find_first(holder.note, span, lambda text: holder.term in fold_words(text)):
            yield line.place


def _as_written(term: str, text: str) -> str:
    """Return a folded term as a text spells it."""
    folded = fold_words(text)
    start = folded.find(term)
    return text[start : start + len(term)] if start >= 0 and len(folded) == len(text) else term
