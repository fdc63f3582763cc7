"""A tar or tar.gz -> its entries, given to an `Unpacking`; never more than a block of one in memory.

`tarfile` reads extended headers whole, keeps every entry, and ends quietly at a header that is damaged; these are dealt
with here. Its extraction filters are not used, as nothing is extracted by it.
"""

import gzip
import io
import tarfile
import zlib
from pathlib import Path
from typing import IO

from graphrag.errors import SourceRefused
from vault_sync.leanote.sources.archive_names import decoded
from vault_sync.leanote.sources.unpacking import Unpacking

_MAX_HEADER_BYTES = 2**20
_GZIP = b"\x1f\x8b"


def unpack_tar(path: Path, unpacking: Unpacking) -> None:
    """Give every entry to the unpacking, folders and files.

    Raises:
        SourceRefused: it is damaged or too large.
    """
    try:
        with path.open("rb") as raw:
            is_gzip = raw.read(2) == _GZIP
            raw.seek(0)
            stream = _Measured(gzip.GzipFile(fileobj=raw) if is_gzip else raw, unpacking)
            _unpack(stream, unpacking)
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, ValueError) as error:
        raise SourceRefused(f"{path.name}: a damaged tar ({error}). Copy or export it again.") from error


def _unpack(stream: "_Measured", unpacking: Unpacking) -> None:
    with tarfile.open(fileobj=stream, mode="r:", encoding="utf-8") as archive:
        while (entry := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # else every entry stays in memory
            unpacking.check_count()
            _take(archive, entry, unpacking)
        stream.seek(archive.offset)
        if any(stream.read(tarfile.BLOCKSIZE)):
            raise tarfile.ReadError(f"no entry at {archive.offset}, and not the end")


def _take(archive: tarfile.TarFile, entry: tarfile.TarInfo, unpacking: Unpacking) -> None:
    name = decoded(entry.name.encode("utf-8", errors="surrogateescape"))
    if entry.isdir():
        unpacking.take_folder(name)
    elif entry.issym() or entry.islnk():
        unpacking.leave_out(name, "a link")
    elif entry.isreg() and (stream := archive.extractfile(entry)) is not None:
        with stream:
            unpacking.take_file(name, stream, entry.mtime)
    else:
        unpacking.leave_out(name, "not a regular file")


class _Measured(io.BufferedIOBase):
    """The unpacked bytes of a tar: refuses to go too far, and to give too much at once."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, unpacking: Unpacking) -> None:
        self._stream = stream
        self._unpacking = unpacking

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {size} bytes")
        return self._stream.read(size)

    def seek(self, position: int, whence: int = 0, /) -> int:
        self._unpacking.check_size(position)  # a gzip is unpacked on the way, even for an entry that is left out
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        return self._stream.tell()
