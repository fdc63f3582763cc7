"""An entity -> what lies around it, by kind: links, inferred relations, mentions, shared tags and terms, similarity.

A term without a note of its own has surroundings, too: the notes that hold it, with their lines.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np

from graphrag.domain.graph import (
    Entity,
    EntityKind,
    InferredNeighbor,
    MentionNeighbor,
    Neighbor,
    SimilarNeighbor,
    TagNeighbor,
    TermNeighbor,
)
from graphrag.domain.ontology import Fact, Place
from graphrag.domain.passage_graph import Mention, TermHolder, fold_words
from graphrag.domain.query import Filters
from graphrag.domain.report import Surroundings
from graphrag.language.script import is_chinese
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.cited_lines import NoteLines
from graphrag.vault.knowledge import Knowledge

_NOTES = 2  # that hold a term, for it to recur
_SHOWN_TERMS = 5  # of one note


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


_LINES = 3  # of one mention: each is looked up in the note


def find_mentions(readers: SnapshotReaders, lines: NoteLines, note: str, limit: int) -> Iterator[MentionNeighbor]:
    """Yield the strongest mentions in either direction; a note that a link joins with this one is none.

    While the walk of the snapshot is not made yet, there are none.
    """
    walk = readers.load_walk()
    if walk is None:
        return
    linked = {end for relation in readers.graph.relations([note]) for end in (relation.source, relation.target)}
    found = [item for item in walk.graph.mentions(note) if not linked & {item.source, item.target} - {note}]
    for is_backlink in (False, True):
        ways = (item for item in found if (item.target == note) == is_backlink)
        shown = (_neighbor(readers, lines, item, is_backlink) for item in ways)
        yield from islice((neighbor for neighbor in shown if neighbor), limit)


def _neighbor(
    readers: SnapshotReaders, lines: NoteLines, mention: Mention, is_backlink: bool
) -> MentionNeighbor | None:
    """Return the note at the other end; None when it, or every line that holds the name, must not be shown."""
    other = mention.source if is_backlink else mention.target
    places = tuple(sorted(_mention_places(readers, lines, mention))) if lines.is_shown(other) else ()
    if not places:
        return None
    entity = Entity(other, EntityKind.NOTE, readers.manifest.notes[other].title)
    return MentionNeighbor(entity, is_backlink, places, round(mention.weight, 4))


def _mention_places(readers: SnapshotReaders, lines: NoteLines, mention: Mention) -> Iterator[Place]:
    """Yield the first line of each chunk that holds the name, the chunk's own first line when markup splits it."""
    names = _name_test(readers, mention.target)
    for chunk in readers.chunks.get_chunks(mention.chunks[:_LINES]).values():
        span = (chunk.span.first_line, chunk.span.last_line)
        if line := lines.find_first(mention.source, span, names) or lines.find(Place(mention.source, span[0])):
            yield line.place


def _name_test(readers: SnapshotReaders, note: str) -> Callable[[str], bool]:
    from graphrag.ingest.walk_graph import NameFinder

    entry = readers.manifest.notes[note]
    finder = NameFinder((entry.title, *entry.aliases))
    return lambda text: any(match.is_mention for match in finder.find(text))


_FEW = 8  # notes of the other kinds, mentions in each direction: a glance, no list to read through
_FIRST_CHUNKS = 8  # of a note, whose mean stands for what it is about
_HITS = 100  # chunks to look through for similar notes: a long note may have many


def look_around(
    knowledge: Knowledge, readers: SnapshotReaders, lines: NoteLines, entity_id: str, max_hops: int, limit: int
) -> Surroundings:
    """Return what lies around a note, topic or tag, without what the vault no longer holds or keeps private."""
    around = readers.graph.neighborhood(entity_id, max_hops, limit)
    view = _View(knowledge, readers, lines, around.center)
    return Surroundings(
        center=around.center,
        max_hops=max_hops,
        neighbors=tuple(view.shown(around.neighbors)),
        omitted=around.omitted,
        inferred=tuple(view.inferred(limit)),
        mentions=tuple(find_mentions(readers, lines, around.center.id, _FEW)),
        shared_tags=tuple(view.shared_tags()),
        shared_terms=tuple(find_shared_terms(readers, lines, around.center.id, _FEW)),
        similar=tuple(view.similar()),
    )


class _View:
    """Looks from one entity."""

    def __init__(self, knowledge: Knowledge, readers: SnapshotReaders, lines: NoteLines, center: Entity) -> None:
        self._knowledge = knowledge
        self._readers = readers
        self._lines = lines
        self._center = center
        self._notes = readers.manifest.notes
        self._language = "zh" if is_chinese(center.title) else "en"

    def shown(self, neighbors: Iterable[Neighbor]) -> Iterator[Neighbor]:
        """Yield the neighbours that may be named, and to which all the way may be; the nearest come first."""
        reached = {self._center.id}
        for neighbor in neighbors:
            entity = neighbor.entity
            if neighbor.via in reached and (entity.kind is not EntityKind.NOTE or self._lines.is_shown(entity.id)):
                reached.add(entity.id)
                yield neighbor

    def inferred(self, limit: int) -> Iterator[InferredNeighbor]:
        """Yield what inference joins to the centre, what follows from the fewest lines first."""
        if self._knowledge.is_empty:
            return
        facts = self._knowledge.seeker.inferred_around(self._center.id)
        found = [neighbor for fact in islice(facts, limit) if (neighbor := self._inferred(fact))]
        yield from sorted(found, key=lambda item: (-item.weight, item.name, item.entity.id))

    def shared_tags(self) -> Iterator[TagNeighbor]:
        """Yield the notes that share tags with the centre."""
        entry = self._notes.get(self._center.id)
        if entry is None or not entry.tags:
            return
        levels = {path: _levels(other.tags) for path, other in self._notes.items()}
        notes_of = Counter(level for some in levels.values() for level in some)
        weights = {level: math.log((1 + len(levels)) / notes_of[level]) for level in levels[self._center.id]}
        total = sum(weights.values()) or 1.0
        shared = {path: some.keys() & weights.keys() for path, some in levels.items() if path != self._center.id}
        scores = {path: sum(weights[level] for level in some) / total for path, some in shared.items() if some}
        best = sorted(scores, key=lambda path: (-scores[path], path))
        shown = [path for path in best[: 2 * _FEW] if self._lines.is_shown(path)][:_FEW]
        names = levels[self._center.id]
        for path in shown:
            yield TagNeighbor(self._note(path), _deepest(shared[path], names), round(scores[path], 4))

    def similar(self) -> Iterator[SimilarNeighbor]:
        """Yield the notes whose passages are nearest to the mean of the centre's first ones."""
        chunks = self._readers.chunks
        if not self._readers.manifest.embedded_count or self._center.id not in self._notes:
            return
        own = chunks.chunks_of([self._center.id], Filters()).get(self._center.id, [])[:_FIRST_CHUNKS]
        vectors = chunks.vectors_of([self._center.id], Filters()).get(self._center.id, {})
        first = [vectors[chunk.id] for chunk in own if chunk.id in vectors]
        if not first:
            return
        mean = np.mean(first, axis=0)
        hits = chunks.search_vectors(mean / np.linalg.norm(mean), _HITS, Filters())
        notes = {id_: chunk.note for id_, chunk in chunks.get_chunks([hit.chunk_id for hit in hits]).items()}
        best: dict[str, float] = {}
        for hit in hits:
            best.setdefault(notes.get(hit.chunk_id, self._center.id), hit.similarity)
        best.pop(self._center.id, None)
        shown = [path for path in best if self._lines.is_shown(path)][:_FEW]
        yield from (SimilarNeighbor(self._note(path), round(best[path], 4)) for path in shown)

    def _inferred(self, fact: Fact) -> InferredNeighbor | None:
        is_backlink = fact.object == self._center.id
        other = fact.subject if is_backlink else fact.object
        places = self._knowledge.seeker.places(fact)
        is_held = all(self._lines.find(place) for place in places)
        if not is_held or (other in self._notes and not self._lines.is_shown(other)):
            return None
        name = self._knowledge.title(fact.property, self._language)
        return InferredNeighbor(
            self._entity(other), fact.property, name, is_backlink, places, round(1 / len(places), 4)
        )

    def _entity(self, entity: str) -> Entity:
        if entity in self._notes:
            return self._note(entity)
        return Entity(entity, EntityKind.TOPIC, self._knowledge.title(entity, self._language))

    def _note(self, path: str) -> Entity:
        return Entity(path, EntityKind.NOTE, self._notes[path].title)


def _levels(tags: tuple[str, ...]) -> dict[str, str]:
    """Return every level of nested tags by its folded name, as the note writes it."""
    levels: dict[str, str] = {}
    for tag in tags:
        parts = tag.split("/")
        for end in range(1, len(parts) + 1):
            level = "/".join(parts[:end])
            levels.setdefault(level.casefold(), level)
    return levels


def _deepest(shared: set[str], names: dict[str, str]) -> tuple[str, ...]:
    """Return the levels that no other shared one lies below, as the centre writes them."""
    return tuple(names[level] for level in sorted(shared) if not any(other.startswith(f"{level}/") for other in shared))
