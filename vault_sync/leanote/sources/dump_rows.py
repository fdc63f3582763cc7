"""Rows of a dump -> notebooks, listings, and what a file's row tells. Pure; forgives absent fields and old types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from vault_sync.leanote.account import FileRef, Notebook, NoteListing
from vault_sync.leanote.sources.rows import listing_of, notebook_of, read_id, read_text

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
    return notebook_of(fields, "_id")


def read_listing(fields: Fields, files: Sequence[FileRef], site: str, checksum: int) -> NoteListing:
    """Return a note with its files; the check sum is of its body's row."""
    times = (_time_text(fields.get("CreatedTime")), _time_text(fields.get("UpdatedTime")))
    return listing_of(fields, read_id(fields.get("_id")), times, site, files, checksum)


def _time_text(value: object) -> str:
    """Return a date of the database as RFC 3339; empty when it is none, or of a year that no calendar has."""
    from bson.datetime_ms import DatetimeMS

    if not isinstance(value, DatetimeMS):
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=int(value))).isoformat()
    except OverflowError:
        return ""
