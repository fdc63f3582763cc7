"""The graph of notes, topics and tags; the only module that holds Cypher.

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
    TEXT_COLUMNS,
    edge_row,
    entity_keys,
    named_rows,
    note_row,
    read_note,
    to_table,
    topic_key,
)
from graphrag.stores.graph_session import GraphSession
from graphrag.stores.graph_walk import find_neighborhood, find_path
from graphrag.stores.link_file import LinkFile
from graphrag.stores.nesting import count_facets, fold_name

_WRITER_BUFFER_BYTES = 256 << 20
_READER_BUFFER_BYTES = 128 << 20
_BULK_ROWS = 300

_SCHEMA = (
    "CREATE NODE TABLE Note(path STRING PRIMARY KEY, title STRING, aliases STRING[], tags STRING[], "
    "category STRING, created INT64, created_zone INT32, updated INT64, updated_zone INT32)",
    "CREATE NODE TABLE Topic(key STRING PRIMARY KEY, name STRING)",
    "CREATE NODE TABLE Tag(key STRING PRIMARY KEY, name STRING)",
    "CREATE REL TABLE Tagged(FROM Note TO Tag)",
    "CREATE REL TABLE Link(FROM Note TO Note, FROM Note TO Topic, kind STRING, name STRING, line INT32)",
)
_UNLINK = "UNWIND $paths AS path MATCH (:Note {path: path})-[link:Link]->() DELETE link"
_UNTAG = "UNWIND $paths AS path MATCH (:Note {path: path})-[tagged:Tagged]->() DELETE tagged"
_DELETE_NOTES = "UNWIND $paths AS path MATCH (note:Note {path: path}) DETACH DELETE note"
_CREATE_NOTES = (
    "UNWIND $rows AS row CREATE (:Note {path: row.path, title: row.title, aliases: row.aliases, tags: row.tags, "
    "category: row.category, created: row.created, created_zone: row.created_zone, updated: row.updated, "
    "updated_zone: row.updated_zone})"
)
_COPY_NOTES = "COPY Note FROM $rows"
_SET_TEXTS = (
    "UNWIND $rows AS row MATCH (note:Note {path: row.path}) SET note.title = row.title, "
    "note.aliases = row.aliases, note.tags = row.tags, note.category = row.category"
)
_SET_DATES = (
    "UNWIND $rows AS row MATCH (note:Note {path: row.path}) SET note.created = row.created, "
    "note.created_zone = row.created_zone, note.updated = row.updated, note.updated_zone = row.updated_zone"
)
_MERGE_NAMED = "UNWIND $rows AS row MERGE (n:{label} {{key: row.key}}) ON CREATE SET n.name = row.name"
_COPY_LINKS = "COPY Link FROM $rows (from = 'Note', to = '{label}')"
_COPY_TAGGED = "COPY Tagged FROM $rows"
_CREATE_LINKS = (
    "UNWIND $rows AS row MATCH (a:Note {{path: row.source}}), (b:{label} {{{key}: row.target}}) "
    "CREATE (a)-[:Link {{kind: row.kind, name: row.name, line: row.line}}]->(b)"
)
_CREATE_TAGGED = (
    "UNWIND $rows AS row MATCH (a:Note {path: row.source}), (b:Tag {key: row.target}) CREATE (a)-[:Tagged]->(b)"
)
_DROP_UNLINKED = (
    "MATCH (n:Topic) WHERE NOT EXISTS {MATCH (n)<-[:Link]-(:Note)} DELETE n",
    "MATCH (n:Tag) WHERE NOT EXISTS {MATCH (n)<-[:Tagged]-(:Note)} DELETE n",
)
_TEXTS = "MATCH (n:Note) WHERE n.path IN $paths RETURN n.path, n.title, n.aliases, n.tags, n.category"
_NOTES = (
    "MATCH (n:Note) {where} RETURN n.path, n.title, n.aliases, n.tags, n.category, "
    "n.created, n.created_zone, n.updated, n.updated_zone ORDER BY n.path"
)
_EDGE = "link.kind, link.name, link.line"
_OUTGOING = (
    f"MATCH (a:Note)-[link:Link]->(b:Note) WHERE a.path IN $ids RETURN a.path, b.path, {_EDGE}",
    f"MATCH (a:Note)-[link:Link]->(b:Topic) WHERE a.path IN $ids RETURN a.path, b.name, {_EDGE}",
)
_INCOMING = (
    f"MATCH (a:Note)-[link:Link]->(b:Note) WHERE b.path IN $ids RETURN a.path, b.path, {_EDGE}",
    f"MATCH (a:Note)-[link:Link]->(b:Topic) WHERE b.key IN $topics RETURN a.path, b.name, {_EDGE}",
)
_TAG_RELATIONS = (
    "MATCH (a:Note)-[:Tagged]->(b:Tag) WHERE a.path IN $ids RETURN a.path, b.name",
    "MATCH (a:Note)-[:Tagged]->(b:Tag) WHERE b.key IN $tags RETURN a.path, b.name",
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
            self._links = LinkFile(file)

    def apply(self, batch: NoteBatch) -> None:
        """Replace the batch's notes, drop the removed ones, set the links of its and the relinked notes."""
        written = [indexed.note.path for indexed in batch.notes]
        linked = {*written, *batch.relinked, *(link.source for link in batch.links)}
        with writing(self._file):
            self._run(_UNLINK, "paths", sorted(linked))
            self._run(_UNTAG, "paths", written)
            self._run(_DELETE_NOTES, "paths", sorted({*batch.removed} - {*written}))
            self._set_notes(batch)
            self._set_tags(batch)
            self._links.replace({*linked, *batch.removed}, batch.links)
            self._draw_links(batch.links)
            for statement in _DROP_UNLINKED:
                self._session.run(statement)

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

    def _set_notes(self, batch: NoteBatch) -> None:
        notes = [indexed.note for indexed in batch.notes]
        if not notes:
            return
        stored = {row[0]: row for row in self._session.run(_TEXTS, {"paths": [note.path for note in notes]})}
        self._add([note_row(note) for note in notes if note.path not in stored], _CREATE_NOTES, _COPY_NOTES)
        known = [note_row(note) for note in notes if note.path in stored]
        # Most edits leave these texts as they were, and each text that is written makes the file grow.
        changed = [row for row in known if list(row.values())[:TEXT_COLUMNS] != stored[str(row["path"])]]
        self._run(_SET_TEXTS, "rows", changed)
        self._run(_SET_DATES, "rows", known)

    def _set_tags(self, batch: NoteBatch) -> None:
        names: dict[str, str] = {}
        pairs: dict[tuple[str, str], None] = {}
        for indexed in batch.notes:
            for tag in indexed.note.tags:
                names.setdefault(fold_name(tag), tag)
                pairs[indexed.note.path, fold_name(tag)] = None
        self._run(_MERGE_NAMED.format(label="Tag"), "rows", named_rows(names))
        rows: list[dict[str, object]] = [{"source": note, "target": tag} for note, tag in pairs]
        self._add(rows, _CREATE_TAGGED, _COPY_TAGGED)

    def _draw_links(self, links: Sequence[ResolvedLink]) -> None:
        topics: dict[str, str] = {}
        for link in links:
            if link.target_kind is TargetKind.TOPIC:
                topics.setdefault(topic_key(link.target), link.target)
        self._run(_MERGE_NAMED.format(label="Topic"), "rows", named_rows(topics))
        known = {path for (path,) in self._session.run("MATCH (n:Note) RETURN n.path")} if links else set()
        for kind, label, key in ((TargetKind.NOTE, "Note", "path"), (TargetKind.TOPIC, "Topic", "key")):
            rows = [
                edge_row(link)
                for link in links
                # A link whose ends are not both in the graph cannot be drawn.
                if link.target_kind is kind
                and link.source in known
                and (kind is TargetKind.TOPIC or link.target in known)
            ]
            self._add(rows, _CREATE_LINKS.format(label=label, key=key), _COPY_LINKS.format(label=label))

    def _add(self, rows: list[dict[str, object]], create: str, copy: str) -> None:
        """Add vertices or edges; bulk loading has a high fixed price and a low one per row."""
        if len(rows) < _BULK_ROWS:
            self._run(create, "rows", rows)
        else:
            self._session.run(copy, {"rows": to_table(rows)})

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
        keys = entity_keys(entity_ids)
        given = {*entity_ids}
        outgoing = [row for statement in _OUTGOING for row in self._select(statement, keys)]
        # What one of the entities says about another was found from its source already.
        incoming = [row for statement in _INCOMING for row in self._select(statement, keys)]
        rows = [*outgoing, *(row for row in incoming if row[0] not in given)]
        found = [
            Relation(source, target, kind, name, source, line)
            for source, target, kind, name, line in rows
            if source != target
        ]
        if with_tags:
            pairs = [tuple(row) for statement in _TAG_RELATIONS for row in self._select(statement, keys)]
            found += [Relation(note, f"#{tag}", "tag", "", note, 0) for note, tag in dict.fromkeys(pairs)]
        return sorted(found, key=lambda r: (r.note, r.line, r.target, r.name, r.kind))

    def entities(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        """Return the entities by the ids given; unknown ids are absent."""
        keys = entity_keys(entity_ids)
        notes = dict(self._run("MATCH (n:Note) WHERE n.path IN $ids RETURN n.path, n.title", {"ids": keys["ids"]}))
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
        return {name: int(self._run(f"MATCH {pattern} RETURN count(*)")[0][0]) for name, pattern in patterns.items()}

    def close(self) -> None:
        """Release the file."""
        self._session.close()

    def _select(self, statement: str, keys: Mapping[str, list[str]]) -> list[list[Any]]:
        """Run a statement with the one list of keys that it names."""
        (name,) = (name for name in keys if f"${name}" in statement)
        return self._run(statement, {name: keys[name]}) if keys[name] else []

    def _run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        with reading(self._file):
            return self._session.run(statement, parameters)
