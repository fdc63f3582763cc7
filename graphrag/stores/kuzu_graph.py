"""The graph of notes, topics and tags; the only module that holds Cypher.

One table holds every entity and one every edge: each table costs about a megabyte on disk however little is in it. Runs
on Kùzu or its successor, chosen by name; one process can load only one of them. Every write loads a new file in bulk,
since a file that is changed in place grows with each change; files are packed where they lie (see `graph_session`).
Readers open published files that nobody writes to any more. Topics and tags are found by their name in any case, and
vanish with their last link.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from graphrag.domain.graph import Entity, EntityKind, Facet, Neighborhood, NoteSummary, Relation
from graphrag.domain.note import ResolvedLink
from graphrag.domain.snapshot import NoteBatch
from graphrag.stores.failures import reading, writing
from graphrag.stores.graph_rows import (
    TAG_EDGE,
    Row,
    edge_rows,
    entity_keys,
    named_rows,
    note_row,
    read_entity,
    read_note,
    to_table,
)
from graphrag.stores.graph_session import GraphSession, load_engine, make_packed, open_packed
from graphrag.stores.graph_walk import find_neighborhood, find_path
from graphrag.stores.link_file import LinkFile
from graphrag.stores.nesting import count_facets

_SCHEMA = (
    "CREATE NODE TABLE Entity(id STRING PRIMARY KEY, kind STRING, title STRING, aliases STRING[], tags STRING[], "
    "category STRING, created STRING, updated STRING)",
    "CREATE REL TABLE Link(FROM Entity TO Entity, kind STRING, name STRING, line INT32)",
)
_COLUMNS = ("id", "kind", "title", "aliases", "tags", "category", "created", "updated")
_ROW = "RETURN " + ", ".join(f"n.{name}" for name in _COLUMNS)
_KINDS = (EntityKind.NOTE, EntityKind.TOPIC, EntityKind.TAG)  # what is stored; terms are read from the walk
_NOTES = f"MATCH (n:Entity) WHERE n.kind = '{EntityKind.NOTE.value}' {_ROW} ORDER BY n.id"
_BY_ID = "UNWIND $ids AS id MATCH (n:Entity {id: id}) "
_EDGE = "RETURN a.id, b.id, b.kind, b.title, link.kind, link.name, link.line"
_EDGES = f"MATCH (a:Entity)-[link:Link]->(b:Entity) WHERE a.id <> b.id {_EDGE}"
_TYPED = f"MATCH (a:Entity)-[link:Link]->(b:Entity) WHERE link.name <> '' {_EDGE}"
_TOPICS = f"MATCH (n:Entity) WHERE n.kind = '{EntityKind.TOPIC.value}' RETURN n.id, n.kind, n.title ORDER BY n.title"


class KuzuGraphWriter:
    """Writes the file of a new graph: at first a copy of an older one, or missing; nobody reads it yet.

    Raises:
        StoreError: the file is damaged or cannot be written; also from every method.
        MissingExtra: the engine is not installed.
    """

    def __init__(self, file: Path, engine: str) -> None:
        self._file = file
        self._engine = load_engine(engine)
        with writing(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            self._links = LinkFile(file)
            self._notes = self._read_notes() if file.exists() else {}

    def apply(self, batch: NoteBatch) -> None:
        """Replace the batch's notes, drop the removed ones, set the links of its and the relinked notes."""
        written = {indexed.note.path: note_row(indexed.note) for indexed in batch.notes}
        with writing(self._file):
            self._links.replace({*written, *batch.relinked, *batch.removed}, batch.links)
            kept = {path: row for path, row in self._notes.items() if path not in batch.removed}
            self._notes = kept | written

    def links(self) -> list[ResolvedLink]:
        """Return all links as stored, by note and in its order, for resolving them again."""
        with reading(self._file):
            return self._links.links()

    def close(self) -> None:
        """Write the graph file and the links file beside it."""
        notes = dict(sorted(self._notes.items()))
        with writing(self._file):
            links = [link for link in self._links.links() if link.source in notes]
            self._links.save()
            with make_packed(self._file, self._engine) as session:
                for statement in _SCHEMA:
                    session.run(statement)
                _load(session, "Entity", [*notes.values(), *named_rows(notes, links)])
                _load(session, "Link", list(edge_rows(notes, links)))

    def _read_notes(self) -> dict[str, Row]:
        session = open_packed(self._file, self._engine)
        rows = session.run(_NOTES)
        session.close()
        return {row[0]: dict(zip(_COLUMNS, row, strict=True)) for row in rows}


def _load(session: GraphSession, table: str, rows: Sequence[Row]) -> None:
    if rows:
        session.run(f"COPY {table} FROM $rows", {"rows": to_table(rows)})


class KuzuGraphReader:
    """Reads one published graph file; safe to use from several threads.

    Raises:
        StoreError: the file is missing or damaged; also from every method.
        MissingExtra: the engine is not installed.
    """

    def __init__(self, file: Path, engine: str) -> None:
        self._file = file
        module = load_engine(engine)
        with reading(file):
            self._session = open_packed(file, module)

    def entity(self, entity_id: str) -> Entity | None:
        """Return the entity of this id; topics and tags answer in any case."""
        return self.entities([entity_id]).get(entity_id)

    def note(self, path: str) -> NoteSummary | None:
        """Return what is kept of a note."""
        rows = self._run(f"{_BY_ID} WHERE n.kind = '{EntityKind.NOTE.value}' {_ROW}", {"ids": [path]})
        return _note(rows[0]) if rows else None

    def notes(self) -> list[NoteSummary]:
        """Return all notes by path."""
        return [_note(row) for row in self._run(_NOTES)]

    def relations(self, entity_ids: Sequence[str], with_tags: bool = False) -> list[Relation]:
        """Return every relation from or to any of the entities, tags' only on demand; by note and line."""
        keys = dict.fromkeys(entity_keys(entity_ids))
        outgoing, incoming = self._edges
        edges = [edge for key in keys for edge in outgoing.get(key, ())]
        # What one of the entities says about another was found from its source already.
        edges += [edge for key in keys for edge in incoming.get(key, ()) if edge[0] not in keys]
        return _relations(edge for edge in edges if with_tags or edge[4] != TAG_EDGE)

    def typed_relations(self) -> list[Relation]:
        """Return every relation that has a name, those from an entity to itself included; by note and line."""
        return _relations(self._run(_TYPED))

    def topics(self) -> list[Entity]:
        """Return all topics by name."""
        return [read_entity(*row) for row in self._run(_TOPICS)]

    def entities(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        """Return the entities by the ids given; unknown ids are absent."""
        keys = {id_: entity_keys([id_]) for id_ in entity_ids}
        wanted = list(dict.fromkeys(key for some in keys.values() for key in some))
        rows = self._run(f"{_BY_ID} RETURN n.id, n.kind, n.title", {"ids": wanted}) if wanted else []
        stored = {row[0]: read_entity(*row) for row in rows}
        found = {id_: next((stored[key] for key in some if key in stored), None) for id_, some in keys.items()}
        return {id_: entity for id_, entity in found.items() if entity}

    def neighborhood(self, entity_id: str, max_hops: int, limit: int) -> Neighborhood:
        """Return what lies around an entity along links of either direction, nearest and best linked first.

        An unknown id has no neighbours.
        """
        center = self.entity(entity_id) or Entity(entity_id, EntityKind.TOPIC, entity_id)
        return find_neighborhood(self, center, max_hops, limit)

    def path(self, start: str, end: str, max_hops: int) -> list[Relation] | None:
        """Return a shortest chain of relations between two entities, in order from `start`, or None."""
        ends = self.entities([start, end])
        if {start, end} - ends.keys():
            return None
        return find_path(self, ends[start].id, ends[end].id, max_hops)

    def tags(self) -> list[Facet]:
        """Return all tags with counts; a parent counts its children's notes once."""
        return count_facets(note.tags for note in self.notes())

    def categories(self) -> list[Facet]:
        """Return all categories with counts, parents included."""
        return count_facets((note.category,) for note in self.notes())

    def counts(self) -> Mapping[str, int]:
        """Return the number of notes, topics, links and tags; links to attachments do not count."""
        kinds = {kind: int(number) for kind, number in self._run("MATCH (n:Entity) RETURN n.kind, count(*)")}
        links = self._run(f"MATCH ()-[link:Link]->() WHERE link.kind <> '{TAG_EDGE}' RETURN count(*)")
        named = {f"{kind.value}s": kinds.get(kind.value, 0) for kind in _KINDS}
        return {**named, "links": int(links[0][0])}

    def close(self) -> None:
        """Release the file."""
        self._session.close()

    @cached_property
    def _edges(self) -> tuple[dict[str, list[list[Any]]], dict[str, list[list[Any]]]]:
        """All edges by source and by target: reading them at once takes no longer than asking for two hops."""
        outgoing: dict[str, list[list[Any]]] = {}
        incoming: dict[str, list[list[Any]]] = {}
        for edge in self._run(_EDGES):
            outgoing.setdefault(edge[0], []).append(edge)
            incoming.setdefault(edge[1], []).append(edge)
        return outgoing, incoming

    def _run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        with reading(self._file):
            return self._session.run(statement, parameters)


def _relations(edges: Iterable[Sequence[Any]]) -> list[Relation]:
    found = (
        Relation(source, read_entity(target, target_kind, title).id, kind, name, source, line)
        for source, target, target_kind, title, kind, name, line in edges
    )
    return sorted(found, key=lambda r: (r.note, r.line, r.target, r.name, r.kind))


def _note(row: Sequence[Any]) -> NoteSummary:
    return read_note(dict(zip(_COLUMNS, row, strict=True)))
