"""The graph of notes, topics and tags; the only module that holds Cypher.

One table holds every entity and one every edge: each table costs about a megabyte on disk however little is in it. Runs
on Kùzu or its successor, chosen by name; one process can load only one of them. A writer works on a private copy of the
file; readers open published files that nobody writes to any more. Topics and tags are found by their name in any case,
and vanish with their last link.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphrag.domain.graph import Entity, EntityKind, Facet, Neighborhood, NoteSummary, Relation
from graphrag.domain.note import ResolvedLink
from graphrag.domain.snapshot import NoteBatch
from graphrag.stores.failures import reading, writing
from graphrag.stores.graph_rows import (
    TAG_EDGE,
    edge_rows,
    entity_keys,
    named_rows,
    note_row,
    read_entity,
    read_note,
    same_texts,
    to_table,
)
from graphrag.stores.graph_session import GraphSession
from graphrag.stores.graph_walk import find_neighborhood, find_path
from graphrag.stores.link_file import LinkFile
from graphrag.stores.nesting import count_facets

_WRITER_BUFFER_BYTES = 256 << 20
_READER_BUFFER_BYTES = 128 << 20
_BULK_ROWS = 300

_SCHEMA = (
    "CREATE NODE TABLE Entity(id STRING PRIMARY KEY, kind STRING, title STRING, aliases STRING[], tags STRING[], "
    "category STRING, created INT64, created_zone INT32, updated INT64, updated_zone INT32)",
    "CREATE REL TABLE Link(FROM Entity TO Entity, kind STRING, name STRING, line INT32)",
)
_COLUMNS = ("id", "kind", "title", "aliases", "tags", "category", "created", "created_zone", "updated", "updated_zone")
_UNLINK = "UNWIND $ids AS id MATCH (:Entity {id: id})-[link:Link]->() DELETE link"
_DELETE = "UNWIND $ids AS id MATCH (n:Entity {id: id}) DETACH DELETE n"
_CREATE = f"UNWIND $rows AS row CREATE (:Entity {{{', '.join(f'{name}: row.{name}' for name in _COLUMNS)}}})"
_SET_TEXTS = (
    "UNWIND $rows AS row MATCH (n:Entity {id: row.id}) "
    "SET n.title = row.title, n.aliases = row.aliases, n.tags = row.tags, n.category = row.category"
)
_SET_DATES = (
    "UNWIND $rows AS row MATCH (n:Entity {id: row.id}) SET n.created = row.created, "
    "n.created_zone = row.created_zone, n.updated = row.updated, n.updated_zone = row.updated_zone"
)
_DRAW = (
    "UNWIND $rows AS row MATCH (a:Entity {id: row.source}), (b:Entity {id: row.target}) "
    "CREATE (a)-[:Link {kind: row.kind, name: row.name, line: row.line}]->(b)"
)
_DROP_UNLINKED = "MATCH (n:Entity) WHERE n.kind <> 'note' AND NOT EXISTS {MATCH (n)<-[:Link]-()} DELETE n"
_BY_ID = "UNWIND $ids AS id MATCH (n:Entity {id: id}) "
_ROW = "RETURN " + ", ".join(f"n.{name}" for name in _COLUMNS)
_EDGE = "RETURN a.id, b.id, b.kind, b.title, link.kind, link.name, link.line"
_OUTGOING = f"UNWIND $ids AS id MATCH (a:Entity {{id: id}})-[link:Link]->(b:Entity) {_EDGE}"
_INCOMING = f"UNWIND $ids AS id MATCH (a:Entity)-[link:Link]->(b:Entity {{id: id}}) {_EDGE}"


class KuzuGraphWriter:
    """Writes to a graph file that nobody reads yet; creates it when it is missing.

    Raises:
        StoreError: the file is damaged or cannot be written; also from every method.
        MissingExtra: the engine is not installed.
    """

    def __init__(self, file: Path, engine: str) -> None:
        self._file = file
        self._is_new = not file.exists()
        with writing(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            self._session = GraphSession(file, engine, read_only=False, buffer_bytes=_WRITER_BUFFER_BYTES)
            for statement in _SCHEMA if self._is_new else ():
                self._session.run(statement)
            self._links = LinkFile(file)

    def apply(self, batch: NoteBatch) -> None:
        """Replace the batch's notes, drop the removed ones, set the links of its and the relinked notes."""
        written = [indexed.note.path for indexed in batch.notes]
        linked = {*written, *batch.relinked, *(link.source for link in batch.links)}
        with writing(self._file):
            tagged = self._tag_edges_of(sorted(linked - {*written}))
            self._run(_UNLINK, "ids", sorted(linked))
            self._run(_DELETE, "ids", sorted({*batch.removed} - {*written}))
            self._links.replace({*linked, *batch.removed}, batch.links)
            self._set_entities(batch)
            self._draw([*tagged, *edge_rows(batch)])
            self._session.run(_DROP_UNLINKED)

    def links(self) -> list[ResolvedLink]:
        """Return all links as stored, by note and in its order, for resolving them again."""
        with reading(self._file):
            return self._links.links()

    def close(self) -> None:
        """Flush to the graph file and the links file, so that no log is left beside them, and release both."""
        with writing(self._file):
            self._links.save()
            self._session.run("CHECKPOINT")
            self._session.close()

    def _tag_edges_of(self, ids: Sequence[str]) -> list[dict[str, object]]:
        """Return the tag edges of notes that are only relinked: the batch does not hold their tags."""
        rows = self._session.run(_OUTGOING, {"ids": list(ids)}) if ids else []
        return [
            {"source": row[0], "target": row[1], "kind": TAG_EDGE, "name": "", "line": 0}
            for row in rows
            if row[4] == TAG_EDGE
        ]

    def _set_entities(self, batch: NoteBatch) -> None:
        rows = {row["id"]: row for row in (*map(note_row, (item.note for item in batch.notes)), *named_rows(batch))}
        found = [] if self._is_new else self._session.run(_BY_ID + _ROW, {"ids": list(rows)}) if rows else []
        stored = {row[0]: row for row in found}
        self._add([row for id_, row in rows.items() if id_ not in stored], _CREATE, "Entity")
        known = [row for id_, row in rows.items() if id_ in stored and row["kind"] == EntityKind.NOTE]
        # Most edits leave these texts as they were, and each text that is written makes the file grow.
        self._run(_SET_TEXTS, "rows", [row for row in known if not same_texts(row, stored[row["id"]])])
        self._run(_SET_DATES, "rows", known)

    def _draw(self, rows: list[dict[str, object]]) -> None:
        """Draw the edges whose ends are both in the graph."""
        known = {id_ for (id_,) in self._session.run("MATCH (n:Entity) RETURN n.id")}
        self._add([row for row in rows if row["source"] in known and row["target"] in known], _DRAW, "Link")

    def _add(self, rows: list[dict[str, object]], create: str, table: str) -> None:
        """Add vertices or edges; bulk loading has a high fixed price, a low one per row, and leaves a smaller file."""
        if rows and (self._is_new or len(rows) >= _BULK_ROWS):
            self._session.run(f"COPY {table} FROM $rows", {"rows": to_table(rows)})
        else:
            self._run(create, "rows", rows)

    def _run(self, statement: str, name: str, values: Sequence[object]) -> None:
        if values:
            self._session.run(statement, {name: values})


class KuzuGraphReader:
    """Reads one published graph file; safe to use from several threads.

    Raises:
        StoreError: the file is missing or damaged; also from every method.
        MissingExtra: the engine is not installed.
    """

    def __init__(self, file: Path, engine: str) -> None:
        self._file = file
        with reading(file):
            self._session = GraphSession(file, engine, read_only=True, buffer_bytes=_READER_BUFFER_BYTES)

    def entity(self, entity_id: str) -> Entity | None:
        """Return the entity of this id; topics and tags answer in any case."""
        return self.entities([entity_id]).get(entity_id)

    def note(self, path: str) -> NoteSummary | None:
        """Return what is kept of a note."""
        rows = self._run(f"{_BY_ID} WHERE n.kind = 'note' {_ROW}", {"ids": [path]})
        return read_note(rows[0]) if rows else None

    def notes(self) -> list[NoteSummary]:
        """Return all notes by path."""
        return [read_note(row) for row in self._run(f"MATCH (n:Entity) WHERE n.kind = 'note' {_ROW} ORDER BY n.id")]

    def relations(self, entity_ids: Sequence[str], with_tags: bool = False) -> list[Relation]:
        """Return every relation from or to any of the entities, tags' only on demand; by note and line."""
        keys = entity_keys(entity_ids)
        if not keys:
            return []
        outgoing = self._run(_OUTGOING, {"ids": keys})
        # What one of the entities says about another was found from its source already.
        incoming = [row for row in self._run(_INCOMING, {"ids": keys}) if row[0] not in keys]
        found = [
            Relation(source, read_entity(target, target_kind, title).id, kind, name, source, line)
            for source, target, target_kind, title, kind, name, line in (*outgoing, *incoming)
            if source != target and (with_tags or kind != TAG_EDGE)
        ]
        return sorted(found, key=lambda r: (r.note, r.line, r.target, r.name, r.kind))

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
        named = {f"{kind.value}s": kinds.get(kind.value, 0) for kind in EntityKind}
        return {**named, "links": int(links[0][0])}

    def close(self) -> None:
        """Release the file."""
        self._session.close()

    def _run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        with reading(self._file):
            return self._session.run(statement, parameters)
