"""Rows of the graph's two tables, from and to the domain's types.

An entity's key in the graph is a note's path, '?' and a topic's name, or '#' and a tag's name, names in lower case.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from graphrag.domain.graph import Entity, EntityKind, NoteSummary
from graphrag.domain.note import Note, TargetKind
from graphrag.domain.snapshot import NoteBatch
from graphrag.stores.nesting import fold_name

TAG_EDGE = "tag"

_EPOCH = datetime(1970, 1, 1)
_NO_DATE = -1_000_000
_NO_ZONE = -1_000_001
_TEXTS = ("title", "aliases", "tags", "category")


def note_row(note: Note) -> dict[str, Any]:
    """Return a note's vertex.

    A date is microseconds of local time and seconds east of UTC, which also tell a date without a zone and a missing
    one: the engine changes numbers in place, but not strings.
    """
    created, created_zone = _dump_date(note.created)
    updated, updated_zone = _dump_date(note.updated)
    return {
        "id": note.path,
        "kind": EntityKind.NOTE.value,
        "title": note.title,
        "aliases": list(note.aliases),
        "tags": list(note.tags),
        "category": note.category,
        "created": created,
        "created_zone": created_zone,
        "updated": updated,
        "updated_zone": updated_zone,
    }


def named_rows(batch: NoteBatch) -> Iterator[dict[str, Any]]:
    """Yield the vertices of the topics and tags that a batch names, each under the first spelling met."""
    names: dict[str, tuple[EntityKind, str]] = {}
    for link in batch.links:
        if link.target_kind is TargetKind.TOPIC:
            names.setdefault(_topic_key(link.target), (EntityKind.TOPIC, link.target))
    for indexed in batch.notes:
        for tag in indexed.note.tags:
            names.setdefault(_tag_key(tag), (EntityKind.TAG, tag))
    for key, (kind, name) in names.items():
        row: dict[str, Any] = {"id": key, "kind": kind.value, "title": name, "aliases": [], "tags": [], "category": ""}
        dates = {"created": 0, "created_zone": _NO_DATE, "updated": 0, "updated_zone": _NO_DATE}
        yield row | dates


def edge_rows(batch: NoteBatch) -> Iterator[dict[str, Any]]:
    """Yield the edges of a batch: its links to notes and topics, and its notes' tags."""
    for link in batch.links:
        if link.target_kind is not TargetKind.ATTACHMENT:
            is_topic = link.target_kind is TargetKind.TOPIC
            target = _topic_key(link.target) if is_topic else link.target
            yield _edge(link.source, target, link.link.kind.value, link.link.relation, link.link.line)
    for indexed in batch.notes:
        for tag in dict.fromkeys(map(_tag_key, indexed.note.tags)):
            yield _edge(indexed.note.path, tag, TAG_EDGE, "", 0)


def same_texts(row: Mapping[str, Any], stored: Sequence[Any]) -> bool:
    """Whether a note's texts are what a stored row, in the order of `note_row`, already holds."""
    return dict(zip(row, stored, strict=True)) | {name: row[name] for name in row if name not in _TEXTS} == row


def read_note(values: Sequence[Any]) -> NoteSummary:
    """Return the note of a row in the order of `note_row`."""
    path, _, title, aliases, tags, category, created, created_zone, updated, updated_zone = values
    return NoteSummary(
        path=path,
        title=title,
        aliases=tuple(aliases),
        tags=tuple(tags),
        category=category,
        created=_load_date(created, created_zone),
        updated=_load_date(updated, updated_zone),
    )


def read_entity(key: str, kind: str, title: str) -> Entity:
    """Return the entity of a vertex: a topic's id is its name, a tag's its name after '#'."""
    ids = {EntityKind.NOTE: key, EntityKind.TOPIC: title, EntityKind.TAG: f"#{title}"}
    return Entity(ids[EntityKind(kind)], EntityKind(kind), title)


def entity_keys(entity_ids: Sequence[str]) -> list[str]:
    """Return the keys that the ids may have: only the graph knows which of them exist."""
    tags = [_tag_key(id_) for id_ in entity_ids if id_.startswith("#")]
    return list(dict.fromkeys((*entity_ids, *tags, *(_topic_key(id_) for id_ in entity_ids))))


def to_table(rows: list[dict[str, Any]]) -> Any:
    """Return rows of one shape as an Arrow table for bulk loading."""
    import pyarrow as pa

    lists = {name: pa.list_(pa.string()) for name in ("aliases", "tags")}
    columns = {name: pa.array([row[name] for row in rows], lists.get(name)) for name in rows[0]}
    return pa.table(columns)


def _edge(source: str, target: str, kind: str, name: str, line: int) -> dict[str, Any]:
    return {"source": source, "target": target, "kind": kind, "name": name, "line": line}


def _topic_key(name: str) -> str:
    return f"?{name.casefold()}"


def _tag_key(tag: str) -> str:
    return f"#{fold_name(tag)}"


def _dump_date(date: datetime | None) -> tuple[int, int]:
    if date is None:
        return 0, _NO_DATE
    offset = date.utcoffset()
    local = (date.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    return local, _NO_ZONE if offset is None else int(offset.total_seconds())


def _load_date(local: int, zone: int) -> datetime | None:
    if zone == _NO_DATE:
        return None
    date = _EPOCH + timedelta(microseconds=local)
    if zone == _NO_ZONE:
        return date
    return date.replace(tzinfo=timezone(timedelta(seconds=zone)) if zone else UTC)
