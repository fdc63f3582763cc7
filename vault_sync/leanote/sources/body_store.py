"""The bodies of a dump, found by a note's id: only their places are in memory, never more than one text.

A gzipped collection is unpacked into a temporary file, since a packed one cannot be read from the middle.
"""

import tempfile
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from graphrag.errors import NoteUnreadable, SourceRefused
from vault_sync.leanote.sources.bson_stream import Document, Report, decode, open_collection
from vault_sync.leanote.sources.rows import read_id, read_text

_LARGEST_COPY = 16 * 2**30


@dataclass(frozen=True, slots=True)
class _Place:
    offset: int
    length: int
    checksum: int


class BodyStore:
    """The rows of `note_contents`; `text` may be called by several threads.

    Raises:
        SourceRefused: the dump has no such collection.
    """

    def __init__(self, database: Path, report: Report) -> None:
        self._collection = open_collection(database, "note_contents", report)
        if not self._collection.path.is_file():
            raise SourceRefused(f"{database}: no note_contents.bson, so there are no texts. Make the dump again.")
        self._lock = threading.Lock()
        self._places: dict[str, _Place] = {}
        self._stream = self._unpack() if self._collection.is_packed else self._find()

    def checksum(self, note_id: str) -> int:
        """Return a number that changes with a note's row; 0 when it has none."""
        place = self._places.get(note_id)
        return place.checksum if place else 0

    def text(self, note_id: str) -> str:
        """Return a note's text, empty when it has no row.

        Raises:
            NoteUnreadable: its row may be in the part of the collection that could not be read.
        """
        place = self._places.get(note_id)
        if place is None:
            if self._collection.is_damaged:
                raise NoteUnreadable(f"{self._collection.path.name} is damaged, and has no readable text of this note.")
            return ""
        with self._lock:
            self._stream.seek(place.offset)
            data = self._stream.read(place.length)
        fields = decode(data) or decode(data, is_strict=False)
        if fields is None:
            raise NoteUnreadable(f"{self._collection.path.name} has changed while it was read. Import again.")
        return read_text(fields.get("Content"))

    def close(self) -> None:
        """Close the file, and remove the temporary one."""
        self._stream.close()

    def _find(self) -> IO[bytes]:
        """Note where each body lies; return the collection's own file."""
        for document in self._collection.documents():
            self._note(document, document.offset)
        return self._collection.path.open("rb")

    def _unpack(self) -> IO[bytes]:
        """Note where each body lies in a temporary file; return that."""
        copy: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the source is
        size = 0
        for document in self._collection.documents():
            self._note(document, size)
            size += copy.write(document.data)
            if size > _LARGEST_COPY:
                copy.close()
                raise SourceRefused(f"{self._collection.path.name}: unpacks to more than {_LARGEST_COPY:,} bytes.")
        return copy

    def _note(self, document: Document, offset: int) -> None:
        place = _Place(offset, len(document.data), zlib.crc32(document.data))
        self._places[read_id(document.fields.get("_id"))] = place
