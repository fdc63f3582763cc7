"""A zip -> its entries, given to an `Unpacking`; never more than a block of one in memory.

`zipfile` alone takes a list of entries of any length into memory, reads names without a declared encoding as an old
American one, and unpacks methods whose output it does not bound; these are dealt with here.
"""

import io
import stat
import time
import zipfile
from pathlib import Path

from graphrag.errors import SourceRefused
from vault_sync.leanote.sources.archive_names import decoded
from vault_sync.leanote.sources.unpacking import Unpacking

_MAX_LIST_BYTES = 32 * 2**20
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpack_zip(path: Path, unpacking: Unpacking) -> None:
    """Give every entry to the unpacking, folders and files.

    Raises:
        SourceRefused: it is damaged, encrypted or too large.
    """
    try:
        with _ShortReads(path) as stream, zipfile.ZipFile(stream) as archive:
            _unpack(archive, unpacking)
    except (zipfile.BadZipFile, EOFError, UnicodeDecodeError, NotImplementedError, ValueError) as error:
        raise SourceRefused(f"{path.name}: a damaged zip ({error}). Copy or export it again.") from error


def _unpack(archive: zipfile.ZipFile, unpacking: Unpacking) -> None:
    entries = archive.infolist()
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        unpacking.refuse("encrypted")
    for entry in entries:
        unpacking.check_count()
        name = _name(entry)
        if reason := _reason_to_leave_out(entry):
            unpacking.leave_out(name, reason)
        elif name.endswith("/"):
            unpacking.take_folder(name)
        else:
            _take_file(archive, entry, name, unpacking)


def _take_file(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, unpacking: Unpacking) -> None:
    try:
        stream = archive.open(entry)
    except (zipfile.BadZipFile, UnicodeDecodeError, EOFError) as error:
        unpacking.leave_out(name, f"damaged ({error})")
        return
    with stream:
        unpacking.take_file(name, stream, _moment(entry))


def _name(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & _UTF8_NAME:
        return entry.filename
    return decoded(entry.orig_filename.encode("cp437"))


def _reason_to_leave_out(entry: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a symbolic link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "not a regular file"
    if entry.compress_type not in _METHODS:
        return f"packed by method {entry.compress_type}, which is not supported"
    return ""


def _moment(entry: zipfile.ZipInfo) -> float:
    """Return the time of change; a zip holds it as local time."""
    try:
        return time.mktime((*entry.date_time, 0, 0, -1))
    except (OverflowError, ValueError):
        return 0.0


class _ShortReads(io.FileIO):
    """A file that refuses to be taken into memory at once, as `zipfile` does with the list of entries."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_LIST_BYTES:
            raise zipfile.BadZipFile(f"its list of entries is longer than {_MAX_LIST_BYTES:,} bytes")
        return super().read(size if size is not None else -1) or b""
