"""A folder, or one file, given as a source -> its files, each known by its path below that folder.

A file is only ever opened by a path found here, so no link in a note can lead out of the folder. Symbolic links are
reported and not followed; what Git, editors and Macs leave behind is passed over.
"""

import hashlib
import os
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol

from graphrag.errors import NoteUnreadable, SourceRefused, SourceUnavailable
from vault_sync.leanote.account import Notebook, NoteListing, Problem
from vault_sync.leanote.sources.export_text import folder_levels, notebooks_of

MAX_FILE_BYTES = 256 * 2**20  # Leanote takes no upload as large
_MAX_FILES = 500_000
# Not every hidden name: a note or a notebook may be called `.net`.
_RESIDUE = frozenset({"__MACOSX", ".DS_Store", ".git", ".svn", ".hg", ".obsidian", ".trash", ".idea", ".vscode"})
_MAC_FORK = "._"
_OBJECT_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])")


class FolderFiles:
    """The files below a folder, read once; `paths` are sorted and POSIX, `problems` what was passed over and why."""

    def __init__(self, root: Path, only: str = "") -> None:
        """Read the folder; `only` is the one file in it that was given, taken with the folder of its pictures.

        Raises:
            SourceRefused: the folder cannot be listed, or holds far more than an export.
        """
        self.root = root
        self.problems: list[Problem] = []
        self.paths = tuple(sorted(self._walk(only)))
        self._known = frozenset(self.paths)
        self._by_name = {_folded(path): path for path in reversed(self.paths)}
        self._by_id: dict[str, str] = {}
        for path in reversed(self.paths):
            for found in _OBJECT_ID.findall(posixpath.basename(path).lower()):
                self._by_id[found] = path

    def read(self, path: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """Return the bytes of one of `paths`.

        Raises:
            NoteUnreadable: it is larger than the limit, or the disk does not give it.
        """
        try:
            with (self.root / path).open("rb") as stream:
                data = stream.read(limit + 1)
        except OSError as error:
            raise NoteUnreadable(f"{path}: cannot be read: {error.strerror}.") from error
        if len(data) > limit:
            raise NoteUnreadable(f"{path}: larger than {limit:,} bytes, which is not read.")
        return data

    def find(self, path: str) -> str | None:
        """Return the file at a path, also when case or Unicode form differ; None when nothing below the folder is."""
        wanted = posixpath.normpath(path)
        return wanted if wanted in self._known else self._by_name.get(_folded(wanted))

    def with_id(self, name: str) -> str | None:
        """Return the file whose name holds the object id that stands in a name or path."""
        ids = _OBJECT_ID.findall(name.lower())
        return self._by_id.get(ids[-1]) if ids else None

    def changed(self, path: str) -> datetime:
        """Return when one of `paths` was last written to.

        Raises:
            SourceUnavailable: it is gone.
        """
        return datetime.fromtimestamp(self._status(path).st_mtime, UTC)

    def checkpoint(self) -> str:
        """Return a word that changes when a file is added, removed, or written to.

        Raises:
            SourceUnavailable: a file is gone since the folder was read.
        """
        state = hashlib.sha256()
        for path in self.paths:
            status = self._status(path)
            state.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
        return state.hexdigest()[:32]

    def _status(self, path: str) -> os.stat_result:
        try:
            return (self.root / path).stat()
        except OSError as error:
            raise SourceUnavailable(f"{path}: {error.strerror}; the folder is changing. Import again later.") from error

    def _walk(self, only: str) -> Iterator[str]:
        folders = [""]
        count = 0
        while folders:
            folder = folders.pop()
            for entry in self._entries(folder):
                path = posixpath.join(folder, entry.name)
                if only and not folder and not _belongs(entry.name, only):
                    continue
                if self._is_passed_over(entry, path):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                    continue
                count += 1
                if count > _MAX_FILES:
                    raise SourceRefused(f"{self.root}: more than {_MAX_FILES:,} files. Give the folder of the export.")
                yield path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / folder) as entries:
                return list(entries)
        except OSError as error:
            if not folder:
                raise SourceRefused(f"{self.root}: cannot be listed: {error.strerror}.") from error
            self.problems.append(Problem(folder, f"cannot be listed: {error.strerror}"))
            return []

    def _is_passed_over(self, entry: os.DirEntry[str], path: str) -> bool:
        if entry.name in _RESIDUE or entry.name.startswith(_MAC_FORK):
            return True
        reason = _reason_to_pass_over(entry)
        if reason:
            self.problems.append(Problem(path.encode(errors="replace").decode(), reason))
        return bool(reason)


def given(source: Path) -> FolderFiles:
    """Return the files of a folder, or the one file given with the folder of its pictures.

    Raises:
        SourceRefused: there is no such thing, or it cannot be listed.
    """
    if source.is_dir():
        return FolderFiles(source)
    if not source.exists():
        raise SourceRefused(f"{source}: no such file or folder. Check the name of the source.")
    return FolderFiles(source.parent, source.name)


class LocatedNote(Protocol):
    """A note of an export, and the file that holds it."""

    @property
    def path(self) -> str:
        """Below the folder."""
        ...

    @property
    def listing(self) -> NoteListing:
        """What is known of it without its body."""
        ...


class FolderSource:
    """What the sources share that read a folder of exported files; the app exports what was selected."""

    is_whole = False

    def __init__(self, source: Path) -> None:
        """Take a folder, or one file with the folder of its pictures beside it.

        Raises:
            SourceRefused: there is no such thing.
        """
        self._files = given(source)
        self._problems: list[Problem] = []
        self.label = source.name

    @cached_property
    def _notes(self) -> Mapping[str, LocatedNote]:
        """The notes by id."""
        raise NotImplementedError

    def checkpoint(self) -> str:
        """Return a word that changes when a file does."""
        return self._files.checkpoint()

    def notebooks(self) -> Sequence[Notebook]:
        """Return the folders that hold notes, and those above them."""
        return notebooks_of(folder_levels(found.path) for found in self._notes.values())

    def notes(self) -> Iterator[NoteListing]:
        """Yield every note once."""
        yield from (found.listing for found in self._notes.values())

    def problems(self) -> Sequence[Problem]:
        """Return what could not be read so far."""
        return (*self._files.problems, *self._problems)

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _reason_to_pass_over(entry: os.DirEntry[str]) -> str:
    try:
        entry.name.encode()
    except UnicodeEncodeError:
        return "its name is not Unicode; rename it"
    if entry.is_symlink():
        return "a symbolic link is not followed"
    if not (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)):
        return "not a regular file"
    return ""


def _belongs(name: str, only: str) -> bool:
    return name == only or name.startswith(f"{Path(only).stem}_files")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
