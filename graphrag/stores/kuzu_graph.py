"""The graph of notes, topics and tags; the only module that holds Cypher.

One table holds every entity and one every edge: each table costs about a megabyte on disk however little is in it. Runs
on Kùzu or its successor, chosen by name; one process can load only one of them. Every write loads a new file in bulk,
since a file that is changed in place grows with each change; files are packed where they lie (see `GraphSession`).
Readers open published files that nobody writes to any more. Topics and tags are found by their name in any case, and
vanish with their last link.
"""

import ctypes
import importlib
import importlib.util  # the engine looks Arrow up through it without importing it
import os
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from graphrag.domain.graph import Entity, EntityKind, Facet, Neighborhood, NoteSummary, Relation
from graphrag.domain.note import Note, ResolvedLink, TargetKind
from graphrag.domain.query import fold_name
from graphrag.domain.snapshot import NoteBatch
from graphrag.errors import MissingExtra
from graphrag.stores.failures import reading, writing
from graphrag.stores.graph_files import LinkFile
from graphrag.stores.graph_walk import find_neighborhood, find_path, sum_facets

TAG_EDGE = "tag"

Row: TypeAlias = dict[str, Any]


def note_row(note: Note) -> Row:
    """Return a note's vertex."""
    return {
        "id": note.path,
        "kind": EntityKind.NOTE.value,
        "title": note.title,
        "aliases": list(note.aliases),
        "tags": list(note.tags),
        "category": note.category,
        "created": note.created.isoformat() if note.created else "",
        "updated": note.updated.isoformat() if note.updated else "",
    }


def named_rows(notes: Mapping[str, Row], links: Iterable[ResolvedLink]) -> Iterator[Row]:
    """Yield the vertices of the topics and tags that are named, each under the first spelling met."""
    names: dict[str, tuple[EntityKind, str]] = {}
    for link in links:
        if link.target_kind is TargetKind.TOPIC:
            names.setdefault(_topic_key(link.target), (EntityKind.TOPIC, link.target))
    for note in notes.values():
        for tag in note["tags"]:
            names.setdefault(_tag_key(tag), (EntityKind.TAG, tag))
    for key, (kind, name) in names.items():
        row: Row = {"id": key, "kind": kind.value, "title": name, "aliases": [], "tags": []}
        yield row | {"category": "", "created": "", "updated": ""}


def edge_rows(notes: Mapping[str, Row], links: Iterable[ResolvedLink]) -> Iterator[Row]:
    """Yield the edges between notes, from notes to topics, and from notes to their tags."""
    for link in links:
        is_topic = link.target_kind is TargetKind.TOPIC
        if is_topic or link.target in notes:
            target = _topic_key(link.target) if is_topic else link.target
            yield _edge(link.source, target, link.link.kind.value, link.link.relation, link.link.line)
    for path, note in notes.items():
        for tag in dict.fromkeys(map(_tag_key, note["tags"])):
            yield _edge(path, tag, TAG_EDGE, "", 0)


def read_note(row: Row) -> NoteSummary:
    """Return the note of a vertex."""
    return NoteSummary(
        path=row["id"],
        title=row["title"],
        aliases=tuple(row["aliases"]),
        tags=tuple(row["tags"]),
        category=row["category"],
        created=_read_date(row["created"]),
        updated=_read_date(row["updated"]),
    )


def read_entity(key: str, kind: str, title: str) -> Entity:
    """Return the entity of a vertex: a topic's id is its name, a tag's its name after '#'."""
    ids = {EntityKind.NOTE: key, EntityKind.TOPIC: title, EntityKind.TAG: f"#{title}"}
    return Entity(ids[EntityKind(kind)], EntityKind(kind), title)


def entity_keys(entity_ids: Sequence[str]) -> list[str]:
    """Return the keys that the ids may have: only the graph knows which of them exist."""
    tags = [_tag_key(id_) for id_ in entity_ids if id_.startswith("#")]
    return list(dict.fromkeys((*entity_ids, *tags, *(_topic_key(id_) for id_ in entity_ids))))


def to_table(rows: Sequence[Row]) -> Any:
    """Return rows of one shape as an Arrow table for bulk loading."""
    import pyarrow as pa

    lists = {name: pa.list_(pa.string()) for name in ("aliases", "tags")}
    columns = {name: pa.array([row[name] for row in rows], lists.get(name)) for name in rows[0]}
    return pa.table(columns)


def _edge(source: str, target: str, kind: str, name: str, line: int) -> Row:
    return {"source": source, "target": target, "kind": kind, "name": name, "line": line}


def _topic_key(name: str) -> str:
    return f"?{name.casefold()}"


def _tag_key(tag: str) -> str:
    return f"#{fold_name(tag)}"


def _read_date(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


# Address space to reserve; the default of 8 TB fails where a limit is set on it.
_MAX_FILE_BYTES = 1 << 35
_WRITER_BUFFER_BYTES = 256 << 20
_READER_BUFFER_BYTES = 128 << 20
_M_PERTURB = -6  # the number of this option of mallopt
_DATABASE = "graph"  # the unpacked file, in a folder of its own with whatever the engine puts beside it


class GraphSession:
    """A database with one connection; statements of several threads take turns."""

    def __init__(self, database: Path, engine: ModuleType, *, read_only: bool, buffer_bytes: int) -> None:
        self._lock = threading.Lock()
        self._database: Any = engine.Database(
            str(database), buffer_pool_size=buffer_bytes, read_only=read_only, max_db_size=_MAX_FILE_BYTES
        )
        self._connection: Any = engine.Connection(self._database)

    def run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        """Run a statement and return its rows."""
        with self._lock:
            result = self._connection.execute(statement, dict(parameters or {}))
            rows: list[list[Any]] = result.get_all()
            result.close()
            return rows

    def fetch(self, statement: str, parameters: Mapping[str, object], most: int) -> tuple[list[str], list[list[Any]]]:
        """Run a statement and return the names of its columns and at most so many rows."""
        with self._lock:
            result = self._connection.execute(statement, dict(parameters))
            rows: list[list[Any]] = []
            while len(rows) < most and result.has_next():
                rows.append(result.get_next())
            names: list[str] = result.get_column_names()
            result.close()
            return names, rows

    def vertex_ids(self) -> dict[tuple[int, int], str]:
        """Return the id of each vertex by the table and the offset that the engine knows it by."""
        return {(key["table"], key["offset"]): id_ for key, id_ in self.run("MATCH (n:Entity) RETURN id(n), n.id")}

    def limit_time(self, seconds: float) -> None:
        """Interrupt each later statement after so many seconds."""
        self._connection.set_query_timeout(max(1, int(seconds * 1000)))

    def close(self) -> None:
        """Release the database."""
        self._connection.close()
        self._database.close()


def load_engine(name: str) -> ModuleType:
    """Return the engine of this name.

    Raises:
        MissingExtra: its package is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"The graph engine '{name}' is not installed. Run `pip install 'vault-graphrag[{name}]'`, "
            "or remove `graph_engine` under [index] in graphrag.toml."
        ) from error


def open_packed(file: Path, engine: ModuleType) -> GraphSession:
    """Open a packed file for reading.

    Raises:
        OSError, zlib.error, RuntimeError: it is missing or damaged.
    """
    # The folder goes at once, so that nothing is left behind however this process ends: the system keeps what is open.
    with tempfile.TemporaryDirectory(prefix="graphrag-", ignore_cleanup_errors=True) as folder:
        database = Path(folder) / _DATABASE
        database.write_bytes(zlib.decompress(file.read_bytes()))
        return GraphSession(database, engine, read_only=True, buffer_bytes=_READER_BUFFER_BYTES)


@contextmanager
def _filled_memory() -> Iterator[None]:
    """Let the allocator fill what it hands out, where it can (glibc).

    The engine writes whole pages. What lay in such memory before, such as the text of a note that is private now, must
    not get into a file with them.
    """
    allocator = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if allocator:
        allocator(_M_PERTURB, 0x55)
    try:
        yield
    finally:
        if allocator:
            allocator(_M_PERTURB, 0)


@contextmanager
def make_packed(file: Path, engine: ModuleType) -> Iterator[GraphSession]:
    """Give a new, empty database; when the block ends it is packed into the file."""
    with tempfile.TemporaryDirectory(prefix="graphrag-", ignore_cleanup_errors=True) as folder:
        database = Path(folder) / _DATABASE
        with _filled_memory():
            session = GraphSession(database, engine, read_only=False, buffer_bytes=_WRITER_BUFFER_BYTES)
            try:
                yield session
                session.run("CHECKPOINT")
            finally:
                session.close()
        file.write_bytes(zlib.compress(database.read_bytes(), level=1))


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
# Notes of equal tags, or of one category, are counted at once, in the order of the first note of each.
_GROUPS = (
    f"MATCH (n:Entity) WHERE n.kind = '{EntityKind.NOTE.value}' "
    "RETURN n.{}, count(*), min(n.id) AS first ORDER BY first"
)


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
        return sum_facets((names, number) for names, number, _ in self._run(_GROUPS.format("tags")))

    def categories(self) -> list[Facet]:
        """Return all categories with counts, parents included."""
        return sum_facets(((name,), number) for name, number, _ in self._run(_GROUPS.format("category")))

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
