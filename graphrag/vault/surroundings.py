"""An entity -> what lies around it, by kind: links, inference, mentions, shared tags and terms, meaning."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from graphrag.domain.graph import Entity, EntityKind, InferredNeighbor, Neighbor, SimilarNeighbor, TagNeighbor
from graphrag.domain.ontology import Fact
from graphrag.domain.query import Filters
from graphrag.domain.report import Surroundings
from graphrag.language.language import is_chinese
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.knowledge import Knowledge
from graphrag.vault.mentioned import find_mentions
from graphrag.vault.note_lines import NoteLines
from graphrag.vault.recurring import find_shared_terms

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
