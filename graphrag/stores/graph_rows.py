"""Rows of the graph's two tables, from and to the domain's types.

An entity's key in the graph is a note's path, '?' and a topic's name, or '#' and a tag's name, names in lower case.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from graphrag.domain.graph import Entity, EntityKind, NoteSummary
from graphrag.domain.nesting import fold_name
from graphrag.domain.note import Note, ResolvedLink, TargetKind

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
