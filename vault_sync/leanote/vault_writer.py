"""Bytes -> files of a vault, each whole or not at all. It never leaves the vault, and follows no symbolic link.

Paths are relative to the vault, with `/`. A file is written beside its place and renamed onto it, so that whatever
ends the program leaves the old or the new content. In a trial run nothing is written, but all answers are as if it was.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from graphrag.errors import VaultError
from vault_sync.leanote.note_file import HEAD_BYTES, digest, id_in
from vault_sync.repository import nfc

_UNFINISHED = ".graphrag-import-"  # with a name of its own for each path, so that the next try replaces a leftover
_HIDDEN_BUT_OURS = ".trash"  # where Obsidian, too, puts what it deletes


class VaultWriter:
    """Writes into one vault.

    Raises:
        VaultError: from every method that takes a path: it leads out of the vault, or through a symbolic link.
        OSError: the system refuses.
    """

    def __init__(self, vault: Path, is_trial: bool = False) -> None:
        self._vault = vault
        self._trial: dict[str, str] | None = {} if is_trial else None  # path -> digest that it would have, or empty

    def digest(self, path: str) -> str:
        """Return the digest of a file's content, empty when nothing is there; a link or a folder has one of its own."""
        location = self._locate(path)
        if self._trial is not None and path in self._trial:
            return self._trial[path]
        kind = _kind(location)
        if kind is None:
            return ""
        return digest(location.read_bytes()) if stat.S_ISREG(kind) else "not a regular file"

    def is_free(self, path: str) -> bool:
        """Whether nothing lies at a path."""
        location = self._locate(path)
        if self._trial is not None and path in self._trial:
            return not self._trial[path]
        return _kind(location) is None

    def is_unfinished(self, path: str) -> bool:
        """Whether the file is empty: no note is, but a power cut may leave one so."""
        location = self._locate(path)
        kind = _kind(location)
        return kind is not None and stat.S_ISREG(kind) and location.stat().st_size == 0

    def write(self, path: str, data: bytes) -> None:
        """Put a file in its place, with the folders on the way; a file that is there is replaced."""
        location = self._locate(path)
        if self._trial is not None:
            self._trial[path] = digest(data)
            return
        if not location.parent.is_dir():
            location.parent.mkdir(parents=True, exist_ok=True)
        unfinished = location.with_name(_UNFINISHED + sha256(path.encode()).hexdigest()[:12])
        with suppress(FileNotFoundError):
            unfinished.unlink()
        try:
            with unfinished.open("xb") as file:  # never through a link that lies in wait
                file.write(data)
            unfinished.replace(location)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise

    def move(self, old: str, new: str) -> None:
        """Rename a file; folders that this leaves empty are removed.

        Raises:
            VaultError: another file lies at the new path.
        """
        source, target = self._locate(old), self._locate(new)
        if not (self.is_free(new) or _is_same(source, target)):  # the same, where case does not count
            raise VaultError(f"{new}: another file is in the way of {old}. Move it, and import again.")
        if self._trial is not None:
            self._trial |= {new: self.digest(old), old: ""}
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        self._remove_empty(source.parent)

    def remove(self, path: str) -> None:
        """Delete a file, if it is there; folders that this leaves empty are removed."""
        location = self._locate(path)
        if self._trial is not None:
            self._trial[path] = ""
            return
        location.unlink(missing_ok=True)
        self._remove_empty(location.parent)

    def names_in(self, folder: str) -> list[str]:
        """Return the names that are taken in a folder, in the form of ours; none when it is not there."""
        location = self._locate(f"{folder}/x" if folder else "x").parent
        return [nfc(entry.name) for entry in location.iterdir()] if location.is_dir() else []

    def check_folder(self, folder: str) -> None:
        """Raise a VaultError unless files may be written below a folder."""
        location = self._locate(f"{folder}/x" if folder else "x").parent
        if location.exists() and not location.is_dir():
            raise VaultError(f"{folder}: a file, not a folder. Name another one with --into.")

    def find_ids(self) -> dict[str, list[str]]:
        """Return the paths of all notes whose front matter names an id, by that id; those in the trash do not count."""
        found: dict[str, list[str]] = {}
        for location in _walk(self._vault):
            if note_id := self._read_id(location):
                found.setdefault(note_id, []).append(nfc(location.relative_to(self._vault).as_posix()))
        return found

    def mentions(self, names: set[str]) -> set[str]:
        """Return those names that some note of the vault has in its text."""
        found: set[str] = set()
        for location in _walk(self._vault):
            try:
                text = location.read_text(encoding="utf-8", errors="replace")
            except PermissionError:  # it may name any of them
                return names
            found |= {name for name in names - found if name in text or quote(name) in text}
        return found

    def _read_id(self, location: Path) -> str:
        try:
            with location.open("rb") as file:
                return id_in(file.read(HEAD_BYTES))
        except PermissionError:  # the user's own; what we wrote can be read
            return ""

    def _locate(self, path: str) -> Path:
        """Return where a path leads."""
        parts = path.split("/")
        if not path or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
            raise VaultError(f"{path!r} leads out of the vault; it was not written.")
        if any(part.startswith(".") for part in (parts if parts[0] != _HIDDEN_BUT_OURS else parts[1:])):
            raise VaultError(f"{path!r} has a hidden name; it was not written.")
        location = self._vault
        for part in parts[:-1]:
            location /= part
            if location.is_symlink():
                raise VaultError(f"{location}: a symbolic link. Nothing is written through it; put a folder there.")
        return self._vault / path

    def _remove_empty(self, folder: Path) -> None:
        while folder != self._vault:
            try:
                folder.rmdir()
            except OSError:  # it still holds something
                return
            folder = folder.parent


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder in order; links are not followed, hidden folders left out."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            location = Path(parent, name)
            is_note = name.lower().endswith(".md") and not name.startswith(".")
            if is_note and location.is_file() and not location.is_symlink():
                yield location


def _kind(location: Path) -> int | None:
    try:
        return location.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
