"""The graph of notes, topics, tags and attachments; the only module that holds Cypher.

Runs on Kùzu or its successor, chosen by name; one process can load only one of them. A writer works on a
private copy of the file; readers open published files that nobody writes to any more. Topics are found by
their name in any case, and vanish with their last link.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphrag.domain.graph import Entity, EntityKind, Facet, Neighborhood, NoteSummary, Relation
from graphrag.domain.note import ResolvedLink, TargetKind
from graphrag.domain.snapshot import NoteBatch
from graphrag.stores.failures import reading, writing
from graphrag.stores.graph_rows import (
    LABELS,
    link_table,
    note_row,
    number_links,
    read_link,
    read_note,
    target_key,
    topic_key,
)
from graphrag.stores.graph_session import GraphSession
from graphrag.stores.graph_walk import find_neighborhood, find_path
from graphrag.stores.nesting import count_facets, fold_name

_WRITER_BUFFER_BYTES = 256 << 20
_READER_BUFFER_BYTES = 128 << 20

_SCHEMA = (
    "CREATE NODE TABLE Note(path STRING PRIMARY KEY, title STRING, aliases STRING[], tags STRING[], "
    "category STRING, created STRING, updated STRING)",
    "CREATE NODE TABLE Topic(key STRING PRIMARY KEY, name STRING)",
    "CREATE NODE TABLE Attachment(key STRING PRIMARY KEY)",
    "CREATE NODE TABLE Tag(key STRING PRIMARY KEY, name STRING)",
    "CREATE REL TABLE Tagged(FROM Note TO Tag)",
    "CREATE REL TABLE Link(FROM Note TO Note, FROM Note TO Topic, FROM Note TO Attachment, position INT32, "
    "kind STRING, name STRING, line INT32, heading STRING, text STRING, written STRING, resolved STRING)",
)
_UNLINK = "UNWIND $paths AS path MATCH (:Note {path: path})-[link:Link]->() DELETE link"
_UNTAG = "UNWIND $paths AS path MATCH (:Note {path: path})-[tagged:Tagged]->() DELETE tagged"
_DELETE_NOTES = "UNWIND $paths AS path MATCH (note:Note {path: path}) DETACH DELETE note"
_MERGE_NOTES = (
    "UNWIND $rows AS row MERGE (note:Note {path: row.path}) SET note.title = row.title, "
    "note.aliases = row.aliases, note.tags = row.tags, note.category = row.category, "
    "note.created = row.created, note.updated = row.updated"
)
_MERGE_NAMED = "UNWIND $rows AS row MERGE (n:{label} {{key: row.key}}) ON CREATE SET n.name = row.name"
_MERGE_ATTACHMENTS = "UNWIND $keys AS key MERGE (:Attachment {key: key})"
_COPY_LINKS = "COPY Link FROM $rows (from = 'Note', to = '{label}')"
_COPY_TAGGED = "COPY Tagged FROM $rows"
_DROP_UNLINKED = (
    "MATCH (n:Topic) WHERE NOT EXISTS {MATCH (n)<-[:Link]-(:Note)} DELETE n",
    "MATCH (n:Attachment) WHERE NOT EXISTS {MATCH (n)<-[:Link]-(:Note)} DELETE n",
    "MATCH (n:Tag) WHERE NOT EXISTS {MATCH (n)<-[:Tagged]-(:Note)} DELETE n",
)
_LINKS = (
    "MATCH (note:Note)-[link:Link]->(target) RETURN note.path, label(target), target.path, link.kind, "
    "link.name, link.line, link.heading, link.text, link.written, link.resolved "
    "ORDER BY note.path, link.position"
)
_NOTES = (
    "MATCH (n:Note) {where} RETURN n.path, n.title, n.aliases, n.tags, n.category, n.created, n.updated "
    "ORDER BY n.path"
)
_EDGE = "a.path, {target}, link.kind, link.name, link.line, link.position"
_RELATIONS = (
    "MATCH (a:Note)-[link:Link]->(b:Note) WHERE a.path IN $ids OR b.path IN $ids RETURN "
    + _EDGE.format(target="b.path"),
    "MATCH (a:Note)-[link:Link]->(b:Topic) WHERE a.path IN $ids OR b.key IN $topics RETURN "
    + _EDGE.format(target="b.name"),
)
_TAG_RELATIONS = (
    "MATCH (a:Note)-[:Tagged]->(b:Tag) WHERE a.path IN $ids OR b.key IN $tags RETURN a.path, b.name"
)


class KuzuGraphWriter:
    """Writes to a graph file that nobody reads yet; creates it when it is missing.

    Raises:
        StoreError: the file is damaged or cannot be written; also from every method.
        MissingExtra: the engine is not installed.
    """

    def __init__(self, file: Path, engine: str) -> None:
        self._file = file
        is_new = not file.exists()
        with writing(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            self._session = GraphSession(file, engine, read_only=False, buffer_bytes=_WRITER_BUFFER_BYTES)
            for statement in _SCHEMA if is_new else ():
                self._session.run(statement)

    def apply(self, batch: NoteBatch) -> None:
        """Replace the batch's notes, drop the removed ones, set the links of both its notes and `relinked`."""
        written = [indexed.note.path for indexed in batch.notes]
        linked = {*written, *batch.relinked, *(link.source for link in batch.links)}
        with writing(self._file):
            self._run(_UNLINK, "paths", sorted(linked))
            self._run(_UNTAG, "paths", written)
            self._run(_DELETE_NOTES, "paths", sorted({*batch.removed} - {*written}))
            self._run(_MERGE_NOTES, "rows", [note_row(indexed.note) for indexed in batch.notes])
            self._set_tags(batch)
            self._set_links(batch.links)
            for statement in _DROP_UNLINKED:
                self._session.run(statement)

    def links(self) -> list[ResolvedLink]:
        """Return all links as stored, by note and in its order, for resolving them again."""
        with reading(self._file):
            return [read_link(row) for row in self._session.run(_LINKS)]

    def close(self) -> None:
        """Flush to the file, so that it is complete without a log beside it, and release it."""
        with writing(self._file):
            self._session.run("CHECKPOINT")
            self._session.close()

    def _set_tags(self, batch: NoteBatch) -> None:
        import pyarrow as pa

        names: dict[str, str] = {}
        pairs: dict[tuple[str, str], None] = {}
        for indexed in batch.notes:
            for tag in indexed.note.tags:
                names.setdefault(fold_name(tag), tag)
                pairs[indexed.note.path, fold_name(tag)] = None
        self._run(_MERGE_NAMED.format(label="Tag"), "rows", _named(names))
        if pairs:
            rows = pa.table({"note": [note for note, _ in pairs], "tag": [tag for _, tag in pairs]})
            self._session.run(_COPY_TAGGED, {"rows": rows})

    def _set_links(self, links: Sequence[ResolvedLink]) -> None:
        topics: dict[str, str] = {}
        for link in links:
            if link.target_kind is TargetKind.TOPIC:
                topics.setdefault(topic_key(link.target), link.target)
        attachments = {link.target for link in links if link.target_kind is TargetKind.ATTACHMENT}
        self._run(_MERGE_NAMED.format(label="Topic"), "rows", _named(topics))
        self._run(_MERGE_ATTACHMENTS, "keys", sorted(attachments))
        known = {path for (path,) in self._session.run("MATCH (n:Note) RETURN n.path")} if links else set()
        for kind, label in LABELS.items():
            chosen = [
                (position, link)
                for position, link in number_links(links)
                # A link whose ends are not both in the graph cannot be drawn.
                if link.target_kind is kind
                and link.source in known
                and (kind is not TargetKind.NOTE or target_key(link) in known)
            ]
            if chosen:
                self._session.run(_COPY_LINKS.format(label=label), {"rows": link_table(chosen)})

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
        rows = self._run(_NOTES.format(where="WHERE n.path = $path"), {"path": path})
        return read_note(rows[0]) if rows else None

    def notes(self) -> list[NoteSummary]:
        """Return all notes by path."""
        return [read_note(row) for row in self._run(_NOTES.format(where=""))]

    def relations(self, entity_ids: Sequence[str], with_tags: bool = False) -> list[Relation]:
        """Return every relation from or to any of the entities, tags' only on demand; by note and line."""
        if not entity_ids:
            return []
        keys = _keys(entity_ids)
        found: list[tuple[str, int, int, Relation]] = []
        for statement in _RELATIONS:
            parameters = {name: keys[name] for name in ("ids", "topics") if f"${name}" in statement}
            for source, target, kind, name, line, position in self._run(statement, parameters):
                if source != target:
                    found.append((source, line, position, Relation(source, target, kind, name, source, line)))
        if with_tags:
            for source, tag in self._run(_TAG_RELATIONS, {"ids": keys["ids"], "tags": keys["tags"]}):
                found.append((source, 0, 0, Relation(source, f"#{tag}", "tag", "", source, 0)))
        found.sort(key=lambda item: (*item[:3], item[3].target))
        return [relation for *_, relation in found]

    def entities(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        """Return the entities by the ids given; unknown ids are absent."""
        keys = _keys(entity_ids)
        notes = dict(
            self._run("MATCH (n:Note) WHERE n.path IN $ids RETURN n.path, n.title", {"ids": keys["ids"]})
        )
        named = "MATCH (n:{label}) WHERE n.key IN $keys RETURN n.key, n.name"
        topics = dict(self._run(named.format(label="Topic"), {"keys": keys["topics"]}))
        tags = dict(self._run(named.format(label="Tag"), {"keys": keys["tags"]})) if keys["tags"] else {}
        found: dict[str, Entity] = {}
        for id_ in entity_ids:
            if id_ in notes:
                found[id_] = Entity(id_, EntityKind.NOTE, notes[id_])
            elif id_.startswith("#") and (tag := tags.get(fold_name(id_))):
                found[id_] = Entity(f"#{tag}", EntityKind.TAG, tag)
            elif topic := topics.get(topic_key(id_)):
                found[id_] = Entity(topic, EntityKind.TOPIC, topic)
        return found

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
        patterns = {
            "notes": "(:Note)",
            "topics": "(:Topic)",
            "links": "(:Note)-[:Link]->(:Note:Topic)",
            "tags": "(:Tag)",
        }
        return {
            name: int(self._run(f"MATCH {pattern} RETURN count(*)")[0][0])
            for name, pattern in patterns.items()
        }

    def close(self) -> None:
        """Release the file."""
        self._session.close()

    def _run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        with reading(self._file):
            return self._session.run(statement, parameters)


def _named(names: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "name": name} for key, name in names.items()]


def _keys(entity_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the ids as each table's keys: only the tables know which of them an id belongs to."""
    return {
        "ids": list(entity_ids),
        "topics": [topic_key(id_) for id_ in entity_ids],
        "tags": [fold_name(id_) for id_ in entity_ids if id_.startswith("#")],
    }
