"""The target of one archive: takes its entries one by one and counts what really comes out.

An entry that is unsafe or damaged becomes a problem; an archive that is too large is refused. Never writes outside.
"""

import os
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from graphrag.errors import SourceRefused
from vault_sync.leanote.account import Problem
from vault_sync.leanote.sources.archive_names import UnsafeName, printable, safe_parts

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
