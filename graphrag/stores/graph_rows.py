"""Rows of the graph's tables, from and to the domain's types."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pyarrow as pa

from graphrag.domain.graph import NoteSummary
from graphrag.domain.note import Note, ResolvedLink, TargetKind
from graphrag.stores.nesting import fold_name

TEXT_COLUMNS = 5

_EPOCH = datetime(1970, 1, 1)
_NO_DATE = -1_000_000
_NO_ZONE = -1_000_001


def note_row(note: Note) -> dict[str, object]:
    """Return the properties of a note's vertex: TEXT_COLUMNS texts or lists of them, then the dates.

    A date is microseconds of local time and seconds east of UTC, which also tell a date without a zone and a missing
    one: the engine changes numbers in place, but not strings.
    """
    created, created_zone = _dump_date(note.created)
    updated, updated_zone = _dump_date(note.updated)
    return {
        "path": note.path,
        "title": note.title,
        "aliases": list(note.aliases),
        "tags": list(note.tags),
        "category": note.category,
        "created": created,
        "created_zone": created_zone,
        "updated": updated,
        "updated_zone": updated_zone,
    }


def read_note(values: Sequence[Any]) -> NoteSummary:
    """Return the note of a row with the columns of `note_row`."""
    path, title, aliases, tags, category, created, created_zone, updated, updated_zone = values
    return NoteSummary(
        path=path,
        title=title,
        aliases=tuple(aliases),
        tags=tuple(tags),
        category=category,
        created=_load_date(created, created_zone),
        updated=_load_date(updated, updated_zone),
    )


def to_table(rows: list[dict[str, object]]) -> pa.Table:
    """Return rows of one shape for bulk loading."""
    lists = {name: pa.list_(pa.string()) for name in ("aliases", "tags")}
    columns = {name: pa.array([row[name] for row in rows], lists.get(name)) for name in rows[0]}
    return pa.table(columns)


def topic_key(name: str) -> str:
    """Return the identity of a topic: links to it may differ in case."""
    return name.casefold()


def edge_row(link: ResolvedLink) -> dict[str, object]:
    """Return the keys of both ends and the properties of a link's edge, in the order of the schema."""
    is_topic = link.target_kind is TargetKind.TOPIC
    return {
        "source": link.source,
        "target": topic_key(link.target) if is_topic else link.target,
        "kind": link.link.kind.value,
        "name": link.link.relation,
        "line": link.link.line,
    }


def named_rows(names: Mapping[str, str]) -> list[dict[str, object]]:
    """Return topics or tags, given as key -> name, as rows."""
    return [{"key": key, "name": name} for key, name in names.items()]


def entity_keys(entity_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the ids as each table's keys: only the tables know which of them an id belongs to."""
    return {
        "ids": list(entity_ids),
        "topics": [topic_key(id_) for id_ in entity_ids],
        "tags": [fold_name(id_) for id_ in entity_ids if id_.startswith("#")],
    }


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
