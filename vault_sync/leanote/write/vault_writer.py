"""Bytes -> files of a vault, each whole or not at all. It never leaves the vault, and follows no symbolic link.

Paths are relative to the vault, with `/`. A file is written beside its place and renamed onto it, so that whatever
ends the program leaves the old or the new content. In a trial run nothing is written, but all answers are as if it was.
"""

import json
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from graphrag.errors import VaultError
from vault_sync.leanote.file_names import folded
from vault_sync.leanote.write.note_file import HEAD_BYTES, digest, id_in
from vault_sync.repository import nfc

ASSETS = "assets"  # the folder of pictures and attachments; no notebook's folder is called so
_LARGEST_TEXT = 64 * 2**20
_START = 8192  # bytes that tell a text from other files


def notes_by_id(vault: Path) -> dict[str, list[str]]:
    """Return the paths of all notes whose front matter names an id, by that id.

    Attachments do not count, whatever they say of themselves, nor does what lies in the trash.
    """
    found: dict[str, list[str]] = {}
    for location in _files(vault, passed_over=ASSETS):
        if location.name.lower().endswith(".md") and (note_id := _read_id(location)):
            found.setdefault(note_id, []).append(nfc(location.relative_to(vault).as_posix()))
    return found


def named_in_texts(vault: Path, names: Collection[str], passed_over: Collection[str]) -> set[str]:
    """Return those names that some text of the vault holds: a note, a canvas, a page, whatever is no binary file.

    `passed_over` are paths that are not looked into. A text that cannot be read may name any of them.
    """
    wanted = {folded(name): name for name in names}
    found: set[str] = set()
    for location in _files(vault):
        if nfc(location.relative_to(vault).as_posix()) in passed_over:
            continue
        text = _read_text(location)
        if text is None:
            return set(names)
        found |= {name for form, name in wanted.items() if form in text}
    return found


def _read_id(location: Path) -> str:
    try:
        with location.open("rb") as file:
            return id_in(file.read(HEAD_BYTES))
    except PermissionError:  # the user's own; what we wrote can be read
        return ""


def _read_text(location: Path) -> str | None:
    """Return a file's text in every way that a name may be written in it, empty for a binary file; None if unread."""
    try:
        with location.open("rb") as file:
            data = file.read(_START)
            if b"\0" in data:
                return ""
            data += file.read(_LARGEST_TEXT)
    except PermissionError:
        return None
    if len(data) > _LARGEST_TEXT:
        return None
    text = data.decode("utf-8", "replace")
    forms = [text, unquote(text)] if "%" in text else [text]
    if location.suffix.lower() in (".canvas", ".json"):
        forms.append(_plain_json(text))
    return folded("\n".join(forms))


def _plain_json(text: str) -> str:
    """Return JSON with its letters in plain sight; what is no JSON names only what can be seen in it."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _files(vault: Path, passed_over: str = "") -> Iterator[Path]:
    """Yield the regular files below a folder in order; a folder called `passed_over` is left out with all in it."""
    for parent, folders, files in os.walk(vault):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and folded(name) != passed_over)
        for name in sorted(files):
            location = Path(parent, name)
            if not name.startswith(".") and location.is_file() and not location.is_symlink():
                yield location


_UNFINISHED = ".graphrag-import-"  # with a name of its own for each path, so that the next try replaces a leftover
_HIDDEN_BUT_OURS = ".trash"  # where Obsidian, too, puts what it deletes


class VaultWriter:
    """Writes into one vault.

    Raises:
        VaultError: from every method that takes a path: it leads out of the vault or through a symbolic link, a file
            is in the way of its folder, or the system does not permit it. Other paths may well do.
        OSError: the disk is full, or fails.
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
        return digest(_bytes_of(location, path)) if stat.S_ISREG(kind) else "not a regular file"

    def read(self, path: str) -> bytes | None:
        """Return a file's content as it is on the disk, None when no regular file is there."""
        location = self._locate(path)
        kind = _kind(location)
        return _bytes_of(location, path) if kind is not None and stat.S_ISREG(kind) else None

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

    def check(self, path: str) -> None:
        """Raise a VaultError unless a file may be written at a path."""
        _check_place(self._locate(path), path)

    def is_rewritten(self, path: str) -> bool:
        """Whether a trial run would have changed the file by now, so that the disk does not show what it will hold."""
        return self._trial is not None and path in self._trial

    def write(self, path: str, data: bytes) -> None:
        """Put a file in its place, with the folders on the way; a file that is there is replaced."""
        location = self._locate(path)
        _check_place(location, path)
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
        _check_place(source, old)
        _check_place(target, new)
        if self._trial is not None:
            self._trial |= {new: self.digest(old), old: ""}
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        self._remove_empty(source.parent)

    def remove(self, path: str) -> None:
        """Delete a file, if it is there; folders that this leaves empty are removed."""
        location = self._locate(path)
        _check_place(location, path)
        if self._trial is not None:
            self._trial[path] = ""
            return
        location.unlink(missing_ok=True)
        self._remove_empty(location.parent)

    def names_in(self, folder: str) -> list[str]:
        """Return the names that are taken in a folder, in the form of ours.

        None are in a folder that is not there, or that cannot be used: whoever writes there is told why.
        """
        try:
            location = self._locate(f"{folder}/x" if folder else "x").parent
            return [nfc(entry.name) for entry in location.iterdir()] if location.is_dir() else []
        except (VaultError, PermissionError):
            return []

    def check_folder(self, folder: str) -> None:
        """Raise a VaultError unless files may be written below a folder."""
        location = self._locate(f"{folder}/x" if folder else "x").parent
        if location.exists() and not location.is_dir():
            raise VaultError(f"{folder}: a file, not a folder. Name another one with --into.")
        _check_place(location / "x", folder or str(self._vault))

    def find_ids(self) -> dict[str, list[str]]:
        """Return the paths of all notes whose front matter names an id, by that id; those in the trash do not count."""
        return notes_by_id(self._vault)

    def mentions(self, names: Collection[str], passed_over: Collection[str] = ()) -> set[str]:
        """Return those names that some text of the vault holds; `passed_over` are paths that are not looked into."""
        return named_in_texts(self._vault, names, {*passed_over, *(self._trial or ())})

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


def _kind(location: Path) -> int | None:
    try:
        return location.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise VaultError(
            f"{location}: not accessible: {error.strerror}. Mend its permissions, and import again."
        ) from error


def _bytes_of(location: Path, path: str) -> bytes:
    try:
        return location.read_bytes()
    except PermissionError as error:
        raise VaultError(
            f"{path}: cannot be read: {error.strerror}. Mend its permissions, and import again."
        ) from error


def _check_place(location: Path, path: str) -> None:
    """Raise a VaultError unless a file may be put at a place, or taken from it, as far as can be told beforehand."""
    folder = location.parent
    while _kind(folder) is None and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise VaultError(f"{path}: {folder.name} is a file, not a folder. Move it away, and import again.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise VaultError(f"{path}: nothing may be written into {folder}. Mend its permissions, and import again.")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
