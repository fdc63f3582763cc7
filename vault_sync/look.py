"""A vault seen from outside -> one number that changes when the index may have to. It knows nothing of the index.

Where Git holds the notes that is the commit that is checked out, else, or on demand, the saved files by name, time and
size: no file is read.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from graphrag.errors import VaultError
from vault_sync.commit import has_notes_at_head
from vault_sync.file_rules import IGNORE_FILE, is_note_name
from vault_sync.repository import Repository, find_repository

_HEAD_FILES = ("HEAD", "packed-refs")
_REF_FOLDERS = ("refs", "reftable")
_LOCK = ".lock"


class Place(NamedTuple):
    """A folder in which changes are to be noticed."""

    path: Path
    is_recursive: bool


class VaultLook:
    """Looks at one vault again and again; `wants_files` follows saved files even where Git holds the notes.

    `besides` are names of other files in the vault's folder that count, too.
    """

    def __init__(self, vault: Path, wants_files: bool, besides: tuple[str, ...] = ()) -> None:
        self._vault = vault
        self._wants_files = wants_files
        self._besides = (IGNORE_FILE, *besides)
        self._repository: Repository | None = None
        self._git_dirs: tuple[Path, ...] = ()
        self._judged = ""  # the commit that `_follows_files` was found for
        self._follows_files = True

    def take(self) -> int | None:
        """Return a number that stays the same as long as nothing changed, None while the vault is not there."""
        if not self._is_there():
            return None
        try:
            head = self._head()
        except VaultError as error:
            return hash(str(error))  # for the index to report; when Git recovers, this changes
        besides = tuple(_stat(self._vault / name) for name in self._besides)
        files = frozenset(_files(self._vault, "")) if self._follows_files else None
        return hash((head, besides, files))

    def places(self) -> list[Place]:
        """Return the folders to watch, as of the last look.

        The vault's parent stands last. There the vault itself is seen to come and go, and when the system allows no
        more watches, that one fails, while a recursive one may leave out folders in silence.
        """
        places = [Place(self._vault, True)] if self._follows_files else []
        for folder in self._git_dirs:
            places += [Place(folder / name, True) for name in _REF_FOLDERS]
            places.append(Place(folder, False))
        places.append(Place(self._vault.parent, False))
        return [place for place in places if place.path.is_dir()]

    def concerns(self, path: Path, is_folder: bool) -> bool:
        """Whether a change at a path may mean another look; the index's own files and Git's locks never do."""
        if path == self._vault:
            return True
        for folder in self._git_dirs:
            if path.is_relative_to(folder):
                parts = path.relative_to(folder).parts
                return bool(parts) and not path.name.endswith(_LOCK) and _is_of_refs(parts)
        if not self._follows_files or not path.is_relative_to(self._vault):
            return False
        name = path.relative_to(self._vault)
        is_hidden = any(part.startswith(".") for part in name.parts)
        return not is_hidden and (is_folder or is_note_name(path.name))

    def _is_there(self) -> bool:
        """Whether the vault can be listed and is not the empty place where a disk is mounted."""
        try:
            with os.scandir(self._vault) as entries:
                return any(entries) and all(folder.is_dir() for folder in self._git_dirs)
        except OSError:
            return False

    def _head(self) -> str:
        """Return the commit that is checked out, and find out what the index follows there."""
        if self._repository is None:
            self._repository = find_repository(self._vault)
            if self._repository:
                self._git_dirs = tuple(dict.fromkeys((self._repository.git_dir, self._repository.common_dir)))
        head = self._repository.head() if self._repository else ""
        if head != self._judged:
            is_committed = self._repository is not None and has_notes_at_head(self._repository)
            self._judged, self._follows_files = head, self._wants_files or not is_committed
        return head


def _is_of_refs(parts: tuple[str, ...]) -> bool:
    return parts[0] in _REF_FOLDERS or (len(parts) == 1 and parts[0] in _HEAD_FILES)


def _files(folder: Path | str, prefix: str) -> Iterator[tuple[str, tuple[int, int, int] | None]]:
    """Yield each note file with what tells its versions apart; what vanishes meanwhile is left out."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        path = prefix + entry.name
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if is_note_name(path):
            yield path, _stat(entry)
        elif entry.is_dir():
            yield from _files(entry.path, f"{path}/")


def _stat(file: Path | os.DirEntry[str]) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size
