"""A graph in dictionaries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphrag.domain.graph import Entity, EntityKind, Facet, Neighborhood, NoteSummary, Relation
from graphrag.domain.note import ResolvedLink, TargetKind
from graphrag.domain.snapshot import NoteBatch
from graphrag.stores.graph_walk import find_neighborhood, find_path


@dataclass
class GraphTables:
    """What a file is to the real store."""

    notes: dict[str, NoteSummary] = field(default_factory=dict)
    links: dict[str, list[ResolvedLink]] = field(default_factory=dict)


class MemoryGraphWriter:
    def __init__(self, tables: GraphTables) -> None:
        self._tables = tables

    def apply(self, batch: NoteBatch) -> None:
        written = {indexed.note.path for indexed in batch.notes}
        for path in {*written, *batch.relinked, *batch.removed}:
            self._tables.links.pop(path, None)
        for path in {*batch.removed} - written:
            self._tables.notes.pop(path, None)
        for indexed in batch.notes:
            note = indexed.note
            self._tables.notes[note.path] = NoteSummary(
                note.path, note.title, note.aliases, note.tags, note.category, note.created, note.updated
            )
        for link in batch.links:
            self._tables.links.setdefault(link.source, []).append(link)

    def links(self) -> list[ResolvedLink]:
        return [link for source in sorted(self._tables.links) for link in self._tables.links[source]]

    def close(self) -> None:
        pass


class MemoryGraphReader:
    def __init__(self, tables: GraphTables) -> None:
        self._notes = tables.notes
        self._links = [
            link for links in tables.links.values() for link in links if link.target_kind is not TargetKind.ATTACHMENT
        ]
        self._topics: dict[str, str] = {}
        for link in self._links:
            if link.target_kind is TargetKind.TOPIC:
                self._topics.setdefault(link.target.casefold(), link.target)
        self._tags: dict[str, str] = {}
        for note in self._notes.values():
            for tag in note.tags:
                self._tags.setdefault(tag.casefold(), tag)

    def entity(self, entity_id: str) -> Entity | None:
        if note := self._notes.get(entity_id):
            return Entity(note.path, EntityKind.NOTE, note.title)
        if entity_id.startswith("#"):
            tag = self._tags.get(entity_id[1:].casefold())
            return Entity(f"#{tag}", EntityKind.TAG, tag) if tag else None
        topic = self._topics.get(entity_id.casefold())
        return Entity(topic, EntityKind.TOPIC, topic) if topic else None

    def note(self, path: str) -> NoteSummary | None:
        return self._notes.get(path)

    def notes(self) -> list[NoteSummary]:
        return [self._notes[path] for path in sorted(self._notes)]

    def relations(self, entity_ids: Sequence[str], with_tags: bool = False) -> list[Relation]:
        ids = {entity.id for entity in self.entities(entity_ids).values()}
        every = [relation for link in self._links if (relation := self._relation(link)).source != relation.target]
        if with_tags:
            every += [
                Relation(note.path, f"#{self._tags[tag.casefold()]}", "tag", "", note.path, 0)
                for note in self._notes.values()
                for tag in dict.fromkeys(note.tags)
            ]
        found = [relation for relation in every if relation.source in ids or relation.target in ids]
        return sorted(found, key=lambda relation: (relation.note, relation.line))

    def typed_relations(self) -> list[Relation]:
        found = [relation for link in self._links if (relation := self._relation(link)).name]
        return sorted(found, key=lambda relation: (relation.note, relation.line))

    def topics(self) -> list[Entity]:
        return [Entity(name, EntityKind.TOPIC, name) for name in sorted(self._topics.values())]

    def entities(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        return {id_: entity for id_ in entity_ids if (entity := self.entity(id_))}

    def neighborhood(self, entity_id: str, max_hops: int, limit: int) -> Neighborhood:
        center = self.entity(entity_id) or Entity(entity_id, EntityKind.TOPIC, entity_id)
        return find_neighborhood(self, center, max_hops, limit)

    def path(self, start: str, end: str, max_hops: int) -> list[Relation] | None:
        first, last = self.entity(start), self.entity(end)
        return find_path(self, first.id, last.id, max_hops) if first and last else None

    def tags(self) -> list[Facet]:
        return _facets([note.tags for note in self._notes.values()])

    def categories(self) -> list[Facet]:
        return _facets([(note.category,) for note in self._notes.values()])

    def counts(self) -> Mapping[str, int]:
        return {
            "notes": len(self._notes),
            "topics": len(self._topics),
            "links": len(self._links),
            "tags": len(self._tags),
        }

    def close(self) -> None:
        pass

    def _relation(self, link: ResolvedLink) -> Relation:
        is_topic = link.target_kind is TargetKind.TOPIC
        target = self._topics[link.target.casefold()] if is_topic else link.target
        written = link.link
        return Relation(link.source, target, written.kind.value, written.relation, link.source, written.line)


def _facets(names_of_notes: Sequence[Sequence[str]]) -> list[Facet]:
    names = {name for names in names_of_notes for name in names if name}
    levels = {name[:end] for name in names for end in (*_slashes(name), len(name))}
    facets = [
        Facet(level, sum(any(f"{name}/".startswith(f"{level}/") for name in names) for names in names_of_notes))
        for level in levels
    ]
    return sorted(facets, key=lambda facet: (-facet.notes, facet.name))


def _slashes(name: str) -> list[int]:
    return [position for position, character in enumerate(name) if character == "/"]
