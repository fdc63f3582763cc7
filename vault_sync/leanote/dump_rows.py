"""Rows of a dump -> notebooks, listings, and what a file's row tells. Pure; forgives absent fields and old types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from vault_sync.leanote.account import FileRef, Notebook, NoteListing
from vault_sync.leanote.rows import read_id, read_int, read_tags, read_text, read_times, revision_of

Fields = Mapping[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FileRow:
    """Where a row of `files` or `attachs` says that its file lies, and whose it is."""

    path: str
    name: str  # its last part, or the file in the folder that the path is
    title: str  # its original name
    owner: str  # the user of an image, the note of an attachment


def read_file_row(fields: Fields, owner_field: str) -> FileRow:
    """Return what a row of `files` or `attachs` tells."""
    path = read_text(fields.get("Path"))
    name = read_text(fields.get("Name")) or path.rpartition("/")[2]
    return FileRow(path, name, read_text(fields.get("Title")), read_id(fields.get(owner_field)))


def read_notebook(fields: Fields) -> Notebook:
    """Return a notebook."""
    return Notebook(
        id=read_id(fields.get("_id")),
        title=read_text(fields.get("Title")),
        parent=read_id(fields.get("ParentNotebookId")),
        position=read_int(fields.get("Seq")),
        is_deleted=bool(fields.get("IsDeleted")),
    )


def read_listing(fields: Fields, files: Sequence[FileRef], site: str, checksum: int) -> NoteListing:
    """Return a note with its files; the check sum is of its body's row."""
    note_id = read_id(fields.get("_id"))
    times = (_time_text(fields.get("CreatedTime")), _time_text(fields.get("UpdatedTime")))
    created, updated = read_times(note_id, *times)
    listing = NoteListing(
        id=note_id,
        title=read_text(fields.get("Title")),
        notebook=read_id(fields.get("NotebookId")),
        tags=read_tags(fields.get("Tags")),
        created=created,
        updated=updated,
        is_markdown=bool(fields.get("IsMarkdown")),
        revision="",
        usn=read_int(fields.get("Usn")),
        url=f"{site.rstrip('/')}/note/{note_id}" if site else "",
        is_blog=bool(fields.get("IsBlog")),
        is_trash=bool(fields.get("IsTrash")),
        is_deleted=bool(fields.get("IsDeleted")),
        files=tuple(files),
    )
    return replace(listing, revision=revision_of(listing, checksum))


def _time_text(value: object) -> str:
    """Return a date of the database as RFC 3339; empty when it is none, or of a year that no calendar has."""
    from bson.datetime_ms import DatetimeMS

    if not isinstance(value, DatetimeMS):
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=int(value))).isoformat()
    except OverflowError:
        return ""
