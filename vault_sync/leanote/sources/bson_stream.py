"""A file of a mongodump, plain or gzipped -> its documents, one at a time; never the whole file in memory.

A length that cannot be ends the reading, since nothing tells where the next document starts: what came before is kept,
and the damage is reported with its place.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from vault_sync.leanote.account import Problem

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
