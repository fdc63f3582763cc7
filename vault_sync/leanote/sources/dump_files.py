"""The bodies of a dump, found by a note's id: only their places are in memory, never more than one text.

A gzipped collection is unpacked into a temporary file, since a packed one cannot be read from the middle.
"""

import gzip
import os
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import IO, Any

from graphrag.errors import NoteUnreadable, SourceRefused
from vault_sync.leanote.account import Problem
from vault_sync.leanote.sources.rows import read_id, read_text

_BELOW: tuple[tuple[str, ...], ...] = (
    (),
    ("files",),
    ("public",),
)  # where servers and their forks put what a path names
_MOST_NAMES = 2_000_000


class StoredFiles:
    """The files of a server. `roots` are its root folder or what is left of it; only `searched` is looked through."""

    def __init__(self, roots: Sequence[Path], searched: Sequence[Path], limit: int) -> None:
        self._roots = roots
        self._searched = searched
        self._limit = limit
        self._by_name: dict[str, Path] | None = None

    def read(self, path: str, name: str) -> bytes | None:
        """Return the bytes of the file at a path, or else of the one with the name anywhere; None without either.

        Raises:
            NoteUnreadable: the path leads out, the file is larger than allowed, or the disk does not give it.
        """
        parts = _parts(path)
        if parts and (found := self._at(parts) or (self._at((*parts, name)) if _is_name(name) else None)):
            return self._read(found)
        found = self.names().get(name) if _is_name(name) else None
        return self._read(found) if found and found.is_file() and not found.is_symlink() else None

    def names(self) -> Mapping[str, Path]:
        """Return where each file name lies, looked up once; the first in order when a name lies twice."""
        if self._by_name is None:
            names: dict[str, Path] = {}
            for top in self._searched:
                for folder, folders, files in os.walk(top):
                    folders.sort()
                    for name in sorted(files) if len(names) < _MOST_NAMES else ():
                        names.setdefault(name, Path(folder, name))
            self._by_name = names
        return self._by_name

    def _at(self, parts: Sequence[str]) -> Path | None:
        for root in self._roots:
            for below in _BELOW:
                if found := _descend(root, (*below, *parts)):
                    return found
        return None

    def _read(self, path: Path) -> bytes:
        try:
            with path.open("rb") as stream:
                data = stream.read(self._limit + 1)
        except OSError as error:
            raise NoteUnreadable(f"{path.name}: cannot be read: {error.strerror}. Check its permissions.") from error
        if len(data) > self._limit:
            raise NoteUnreadable(f"{path.name}: larger than {self._limit:,} bytes, which is not read.")
        return data


def _parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path from the server's root."""
    parts = PurePosixPath(path.replace("\\", "/").lstrip("/")).parts
    if ".." in parts or "\0" in path or any(Path(part).drive for part in parts):
        raise NoteUnreadable("the dump gives a path that leads out of the server's folder; it is not followed.")
    return parts


def _is_name(name: str) -> bool:
    return bool(name) and not any(sign in name for sign in "/\\\0") and name not in (".", "..")


def _descend(root: Path, parts: Sequence[str]) -> Path | None:
    """Return the regular file that the parts lead to, None when there is none."""
    place = root
    try:
        for part in parts:
            place /= part
            if place.is_symlink():
                raise NoteUnreadable(f"{place.name}: a symbolic link on the way to the file, which is not followed.")
        return place if place.is_file() else None
    except OSError as error:
        raise NoteUnreadable(f"{parts[-1][:80]}: cannot be looked up: {error.strerror}.") from error


Report = Callable[[Problem], None]

_SMALLEST = 5
_LARGEST = 16 * 2**20 + 16 * 2**10  # MongoDB's own limit for a document, and what it allows itself above


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its fields, and its bytes with their place in the unpacked file."""

    fields: dict[str, Any]
    data: bytes
    offset: int


class Collection:
    """One collection of a dump; a missing or empty file is a collection without documents."""

    def __init__(self, path: Path, report: Report) -> None:
        self.path = path
        self.is_damaged = False  # some documents could not be read; known when they have been gone through
        self._report = report

    @property
    def is_packed(self) -> bool:
        """Whether it was written by `mongodump --gzip`."""
        return self.path.suffix == ".gz"

    def documents(self) -> Iterator[Document]:
        """Yield the documents that can be read, in the order of the file."""
        if self.path.is_symlink():
            self._damage("a symbolic link, which is not followed")
        elif self.path.is_file():
            try:
                with self._open() as stream:
                    yield from self._read(stream)
            except (OSError, EOFError, zlib.error) as error:
                self._damage(f"cannot be read to its end: {error}")

    def _open(self) -> BufferedIOBase:
        return gzip.open(self.path) if self.is_packed else self.path.open("rb")

    def _read(self, stream: BufferedIOBase) -> Iterator[Document]:
        offset = 0
        while start := stream.read(4):
            length = int.from_bytes(start, "little", signed=True)
            if len(start) < 4 or not _SMALLEST <= length <= _LARGEST:
                self._damage(f"no document can start at byte {offset:,}; what follows is left out")
                return
            data = start + stream.read(length - 4)
            if len(data) < length:
                self._damage(f"the document at byte {offset:,} is cut off")
                return
            if (fields := self._decode(data, offset)) is not None:
                yield Document(fields, data, offset)
            offset += length

    def _decode(self, data: bytes, offset: int) -> dict[str, Any] | None:
        fields = decode(data)
        if fields is not None:
            return fields
        fields = decode(data, is_strict=False)
        if fields is None:
            self._damage(f"the document at byte {offset:,} is damaged and was left out")
        else:
            self._report(Problem(self.path.name, f"the document at byte {offset:,} holds text that is not UTF-8"))
        return fields

    def _damage(self, message: str) -> None:
        self.is_damaged = True
        self._report(Problem(self.path.name, message))


def open_collection(database: Path, name: str, report: Report) -> Collection:
    """Return a collection of a dump, plain or gzipped, by its name."""
    packed = database / f"{name}.bson.gz"
    return Collection(packed if packed.is_file() else database / f"{name}.bson", report)


def decode(data: bytes, is_strict: bool = True) -> dict[str, Any] | None:
    """Return a document's fields, None when its bytes are not one; dates stay numbers, as any year may stand there."""
    import bson
    from bson.codec_options import CodecOptions, DatetimeConversion

    options: CodecOptions[dict[str, Any]] = CodecOptions(
        datetime_conversion=DatetimeConversion.DATETIME_MS,
        unicode_decode_error_handler="strict" if is_strict else "replace",
    )
    try:
        return bson.decode(data, codec_options=options)
    except bson.errors.InvalidBSON:
        return None


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
