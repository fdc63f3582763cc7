"""Fields of Leanote's rows, as its database and its Open API both have them -> values of a listing.

Pure functions. A field that is absent, null or of another type is as good as empty; nothing is looked up.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

from vault_sync.leanote.account import FileRef, Notebook, NoteListing
from vault_sync.leanote.sources.export_text import clean_tags, parse_time

_ID = re.compile(r"[0-9a-fA-F]{24}")
_UPLOAD = re.compile(r"(?:^|/)(upload/[^?#]+)")


def read_id(value: object) -> str:
    """Return an object id as 24 lower-case hex digits, whether it came as text or as an ObjectId; else empty."""
    text = str(value) if value is not None else ""
    return text.lower() if _ID.fullmatch(text) else ""


def read_text(value: object) -> str:
    """Return a text that can be written as UTF-8: JSON may name halves of a character."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def read_int(value: object) -> int:
    """Return a whole number, whichever type of number it was stored as."""
    if not isinstance(value, (int, float)) or value != value or abs(value) > 2**63:
        return 0
    return int(value)


def read_tags(value: object) -> tuple[str, ...]:
    """Return a note's tags, from a list or from one text."""
    values = value if isinstance(value, list) else [value]
    return clean_tags(read_text(tag) for tag in values)


def read_times(note_id: str, created: str, updated: str) -> tuple[datetime | None, datetime | None]:
    """Return when a note was created and updated, from RFC 3339; an unset or odd creation is when its id was made."""
    changed = parse_time(updated, UTC)
    made = parse_time(created, UTC) or parse_time(_id_time(note_id).isoformat(), UTC)
    return made or changed, changed


def revision_of(listing: NoteListing, *more: object) -> str:
    """Return a word for what a listing says of a note, and for more that the source knows of its body."""
    parts = (
        listing.title,
        listing.notebook,
        listing.tags,
        listing.is_markdown,
        listing.usn,
        listing.url,
        listing.is_blog,
        listing.is_trash,
        listing.is_deleted,
        [(file.kind.value, file.id, file.title) for file in listing.files],
    )
    times = [moment and moment.astimezone(UTC).isoformat() for moment in (listing.created, listing.updated)]
    return sha256(repr((parts, times, more)).encode()).hexdigest()[:24]


def notebook_of(row: Mapping[str, object], id_field: str) -> Notebook:
    """Return the notebook of a row, whose fields the server and the database call the same but for the id."""
    return Notebook(
        id=read_id(row.get(id_field)),
        title=read_text(row.get("Title")),
        parent=read_id(row.get("ParentNotebookId")),
        position=read_int(row.get("Seq")),
        is_deleted=bool(row.get("IsDeleted")),
    )


def listing_of(
    row: Mapping[str, object],
    note_id: str,
    times: tuple[str, str],
    site: str,
    files: Sequence[FileRef],
    *more: object,
) -> NoteListing:
    """Return the note of a row; `times` are RFC 3339, `more` is what else its revision depends on."""
    created, updated = read_times(note_id, *times)
    listing = NoteListing(
        id=note_id,
        title=read_text(row.get("Title")),
        notebook=read_id(row.get("NotebookId")),
        tags=read_tags(row.get("Tags")),
        created=created,
        updated=updated,
        is_markdown=bool(row.get("IsMarkdown")),
        revision="",
        usn=read_int(row.get("Usn")),
        url=f"{site.rstrip('/')}/note/{note_id}" if site else "",
        is_blog=bool(row.get("IsBlog")),
        is_trash=bool(row.get("IsTrash")),
        is_deleted=bool(row.get("IsDeleted")),
        files=tuple(files),
    )
    return replace(listing, revision=revision_of(listing, *more))


def upload_path(name: str) -> str:
    """Return the path `upload/…` of an old picture, which has no id, from the address or path that a body names."""
    found = _UPLOAD.search(name)
    return found[1] if found else ""


def _id_time(note_id: str) -> datetime:
    return datetime.fromtimestamp(int(note_id[:8], 16), UTC)
