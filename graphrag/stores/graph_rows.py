"""Rows of the graph's tables, from and to the domain's types."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from graphrag.domain.graph import NoteSummary
from graphrag.domain.note import Link, LinkKind, Note, ResolvedLink, TargetKind

LABELS = {TargetKind.NOTE: "Note", TargetKind.TOPIC: "Topic", TargetKind.ATTACHMENT: "Attachment"}


def note_row(note: Note) -> dict[str, object]:
    """Return the properties of a note's vertex."""
    return {
        "path": note.path,
        "title": note.title,
        "aliases": list(note.aliases),
        "tags": list(note.tags),
        "category": note.category,
        "created": note.created.isoformat() if note.created else "",
        "updated": note.updated.isoformat() if note.updated else "",
    }


def read_note(values: Sequence[Any]) -> NoteSummary:
    """Return the note of a row (path, title, aliases, tags, category, created, updated)."""
    path, title, aliases, tags, category, created, updated = values
    return NoteSummary(path, title, tuple(aliases), tuple(tags), category, _date(created), _date(updated))


def topic_key(name: str) -> str:
    """Return the identity of a topic: links to it may differ in case."""
    return name.casefold()


def target_key(link: ResolvedLink) -> str:
    """Return the primary key of the vertex that a link points at."""
    return topic_key(link.target) if link.target_kind is TargetKind.TOPIC else link.target


def number_links(links: Iterable[ResolvedLink]) -> list[tuple[int, ResolvedLink]]:
    """Return the links with their position among those of their note; lines may be equal."""
    following: dict[str, int] = {}
    numbered = []
    for link in links:
        position = following.get(link.source, 0)
        following[link.source] = position + 1
        numbered.append((position, link))
    return numbered


def link_table(numbered: Sequence[tuple[int, ResolvedLink]]) -> pa.Table:
    """Return links as the two keys and the properties of an edge, in the order of the schema."""
    return pa.table(
        {
            "source": [link.source for _, link in numbered],
            "target": [target_key(link) for _, link in numbered],
            "position": pa.array([position for position, _ in numbered], pa.int32()),
            "kind": [link.link.kind.value for _, link in numbered],
            "name": [link.link.relation for _, link in numbered],
            "line": pa.array([link.link.line for _, link in numbered], pa.int32()),
            "heading": [link.link.heading for _, link in numbered],
            "text": [link.link.text for _, link in numbered],
            "written": [link.link.target for _, link in numbered],
            # A note is named by its key; a topic by the case in which this link has it.
            "resolved": ["" if link.target_kind is TargetKind.NOTE else link.target for _, link in numbered],
        }
    )


def read_link(values: Sequence[Any]) -> ResolvedLink:
    """Return the link of a row (source, label and path of the target, then the properties from `kind` on)."""
    source, label, path, kind, name, line, heading, text, written, resolved = values
    target_kind = next(kind for kind, known in LABELS.items() if known == label)
    link = Link(written, LinkKind(kind), line, text, heading, name)
    return ResolvedLink(link, source, path if target_kind is TargetKind.NOTE else resolved, target_kind)


def _date(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
