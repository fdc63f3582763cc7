"""A folder, zip, tar or tar.gz -> a folder that can be read; an archive is unpacked into a temporary one.

What an archive says of itself is not believed: bytes are counted as they come out. Links, devices and names that lead
out of the target become problems and the rest is unpacked; what is too large, encrypted or cut short is refused whole.
Archives in archives stay closed.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graphrag.errors import SourceRefused, SourceUnavailable
from vault_sync.leanote.account import Problem
from vault_sync.leanote.sources.tar_archive import unpack_tar
from vault_sync.leanote.sources.unpacking import Limits, Unpacking
from vault_sync.leanote.sources.zip_archive import unpack_zip

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
