"""A folder, zip, tar or tar.gz -> a folder that can be read; an archive is unpacked into a temporary one.

What an archive says of itself is not believed: bytes are counted as they come out. Links, devices and names that lead
out of the target become problems and the rest is unpacked; what is too large, encrypted or cut short is refused whole.
Archives in archives stay closed.
"""

import gzip
import io
import os
import re
import stat
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from graphrag.errors import SourceRefused, SourceUnavailable
from vault_sync.leanote.account import Problem

MAX_NAME_BYTES = 240  # most disks stop at 255; a suffix must still fit
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class UnsafeName(Exception):
    """An entry's name leads, or may lead, out of the target; its text is the reason."""


def decoded(raw: bytes) -> str:
    """Return a name that was written without saying its encoding: UTF-8, else what Chinese Windows writes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", errors="replace")


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of an entry's path, each short enough for a disk; empty for the target itself.

    Raises:
        UnsafeName: it is absolute, climbs, names a drive, or holds what another system reads as a separator.
    """
    if name.startswith("/"):
        raise UnsafeName("an absolute path")
    if "\\" in name:
        raise UnsafeName("a backslash in the name")
    if _DRIVE.match(name):
        raise UnsafeName("a drive letter")
    if _CONTROL.search(name):
        raise UnsafeName("a control character in the name")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise UnsafeName("`..` in the path")
    return tuple(shortened(part) for part in parts)


def shortened(part: str) -> str:
    """Return a file's name in at most MAX_NAME_BYTES, its suffix kept."""
    if len(part.encode("utf-8", errors="replace")) <= MAX_NAME_BYTES:
        return part
    stem, dot, suffix = part.rpartition(".")
    if not dot or len(suffix.encode()) > 16:
        stem, suffix = part, ""
    room = MAX_NAME_BYTES - len((dot + suffix).encode())
    return stem.encode()[:room].decode(errors="ignore") + (dot + suffix if suffix else "")


def printable(name: str) -> str:
    """Return a name that fits into a message of one line."""
    shown = _CONTROL.sub("?", name).encode("utf-8", errors="replace").decode()
    return shown if len(shown) <= 120 else f"{shown[:117]}..."


_BLOCK = 64 * 1024
_RATIO_FROM = 64 * 2**20  # below it a high ratio does no harm: a small folder of empty pictures has one
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
_TAKEN = (FileExistsError, NotADirectoryError, IsADirectoryError)


@dataclass(frozen=True, slots=True)
class Limits:
    """What an archive may unpack to; real dumps of ten years stay well below."""

    entries: int = 200_000
    entry_bytes: int = 4 * 2**30
    total_bytes: int = 32 * 2**30
    ratio: int = 200  # of unpacked to packed bytes


class Unpacking:
    """What has come out of an archive so far: `files` of them, and the `problems`."""

    def __init__(self, archive: Path, target: Path, limits: Limits) -> None:
        self.files = 0
        self.problems: list[Problem] = []
        self._archive = archive.name
        self._target = target
        self._limits = limits
        self._entries = 0
        self._bytes = 0
        self._ceiling = max(_RATIO_FROM, archive.stat().st_size * limits.ratio)

    def leave_out(self, name: str, reason: str) -> None:
        """Note that an entry was left out."""
        self.problems.append(Problem(printable(name), f"{reason}: this entry of the archive was left out"))

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the whole archive.

        Raises:
            SourceRefused: as said.
        """
        raise SourceRefused(f"{self._archive}: {reason}. If you trust it, unpack it yourself and give the folder.")

    def check_count(self) -> None:
        """Count one more entry, and refuse the archive when that is too many."""
        self._entries += 1
        if self._entries > self._limits.entries:
            self.refuse(f"more than {self._limits.entries:,} entries")

    def check_size(self, size: int) -> None:
        """Refuse the archive when it may not unpack to this many bytes."""
        if size > self._limits.total_bytes:
            self.refuse(f"unpacks to more than {self._limits.total_bytes:,} bytes")
        if size > self._ceiling:
            self.refuse(f"unpacks to more than {self._limits.ratio} times its size")

    def take_folder(self, name: str) -> None:
        """Make a folder; a name that is not safe, or taken, becomes a problem."""
        try:
            self._target.joinpath(*safe_parts(name)).mkdir(parents=True, exist_ok=True)
        except UnsafeName as reason:
            self.leave_out(name, str(reason))
        except _TAKEN:
            self.leave_out(name, "a file has this name")

    def take_file(self, name: str, stream: IO[bytes], moment: float) -> None:
        """Write a file and its time of change; an unsafe or taken name, or damage, becomes a problem.

        Raises:
            SourceRefused: it, or all together, is too large.
        """
        try:
            location = self._place(name)
            with location.open("xb") as file:
                self._copy(name, stream, file)
        except UnsafeName as reason:
            self.leave_out(name, str(reason))
        except _TAKEN:
            self.leave_out(name, "another entry has this name")
        except _DAMAGE as error:
            location.unlink()
            self.leave_out(name, f"damaged ({error})")
        else:
            self.files += 1
            with suppress(OverflowError, ValueError):  # a time that no disk can hold; the time of unpacking stays
                os.utime(location, (moment, moment))

    def _place(self, name: str) -> Path:
        parts = safe_parts(name)
        if not parts:
            raise UnsafeName("no name")
        location = self._target.joinpath(*parts)
        location.parent.mkdir(parents=True, exist_ok=True)
        return location

    def _copy(self, name: str, stream: IO[bytes], file: IO[bytes]) -> None:
        size = 0
        while block := stream.read(_BLOCK):
            size += len(block)
            self._bytes += len(block)
            if size > self._limits.entry_bytes:
                self.refuse(f"{printable(name)} is larger than {self._limits.entry_bytes:,} bytes")
            self.check_size(self._bytes)
            file.write(block)


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
            _unpack_zip(archive, unpacking)
    except (zipfile.BadZipFile, EOFError, UnicodeDecodeError, NotImplementedError, ValueError) as error:
        raise SourceRefused(f"{path.name}: a damaged zip ({error}). Copy or export it again.") from error


def _unpack_zip(archive: zipfile.ZipFile, unpacking: Unpacking) -> None:
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


_MAX_HEADER_BYTES = 2**20


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
            _unpack_tar(stream, unpacking)
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, ValueError) as error:
        raise SourceRefused(f"{path.name}: a damaged tar ({error}). Copy or export it again.") from error


def _unpack_tar(stream: "_Measured", unpacking: Unpacking) -> None:
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


_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"
_TAR = slice(257, 262)


@dataclass(frozen=True, slots=True)
class OpenedFolder:
    """A folder to read, and what of its archive was left out."""

    folder: Path
    problems: tuple[Problem, ...] = ()


@contextmanager
def opened_folder(path: Path, limits: Limits | None = None) -> Iterator[OpenedFolder]:
    """Yield a folder as it is, or a temporary one that holds what the archive has, removed at the end.

    Raises:
        SourceRefused: neither; or damaged, encrypted, or larger than the limits.
        SourceUnavailable: the disk does not take what comes out.
    """
    if path.is_dir():
        yield OpenedFolder(path)
        return
    if not is_archive(path):
        raise SourceRefused(f"{path}: neither a folder nor a zip, tar or tar.gz. Give the folder or archive itself.")
    with tempfile.TemporaryDirectory(prefix="leanote-") as target:
        yield OpenedFolder(Path(target), _unpack(path, Path(target), limits or Limits()))


def is_archive(path: Path) -> bool:
    """Whether a file is a zip, a tar or gzipped, by its first bytes and not by its name."""
    start = _start(path)
    return start.startswith((*_ZIP, _GZIP)) or start[_TAR] == b"ustar"


def _start(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        return b""  # a pipe, which may never give anything
    try:
        with path.open("rb") as stream:
            return stream.read(512)
    except OSError as error:
        raise SourceRefused(f"{path}: {error.strerror}. Check the name of the source.") from error


def _unpack(path: Path, target: Path, limits: Limits) -> tuple[Problem, ...]:
    unpacking = Unpacking(path, target, limits)
    unpack = unpack_zip if _start(path).startswith(_ZIP) else unpack_tar
    try:
        unpack(path, unpacking)
    except OSError as error:
        reason = error.strerror or error
        raise SourceUnavailable(f"{path.name}: cannot be unpacked: {reason}. Check space and rights.") from error
    if unpacking.problems and not unpacking.files:
        first = unpacking.problems[0]
        raise SourceRefused(f"{path.name}: nothing in it can be used. {first.where}: {first.message}.")
    return tuple(unpacking.problems)
