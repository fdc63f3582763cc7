"""The vault's files on disk -> VaultState. Reads only; never follows a link out of the vault."""

import os
import unicodedata
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from pathspec import GitIgnoreSpec

from graphrag.domain.note import Diagnostic, Severity
from graphrag.domain.snapshot import NoteFile, VaultState
from graphrag.errors import VaultError
from vault_sync.history import History, read_history

NOTE_SUFFIXES = (".md", ".canvas")
IGNORE_FILE = ".ragignore"
_UNREADABLE = "cannot be read"


class WorktreeSource:
    """The vault as it lies on disk, with dates from Git where there is a repository."""

    def __init__(self, vault: Path, exclude: tuple[str, ...], max_file_bytes: int) -> None:
        self._vault = vault
        self._exclude = exclude
        self._max_file_bytes = max_file_bytes

    def scan(self) -> VaultState:
        """Return every note file with its hash; what a rule leaves out stands in `skipped` with the rule.

        Raises:
            VaultError: the vault is missing, or not a folder.
        """
        check_vault(self._vault)
        history = read_history(self._vault)
        ignored = self._ignore_rules()
        files: dict[str, NoteFile] = {}
        skipped: list[Diagnostic] = []
        for location in sorted(_walk(self._vault, skipped)):
            path = unicodedata.normalize("NFC", location.relative_to(self._vault).as_posix())
            reason = "another file has the same name in another Unicode form" if path in files else ""
            if not reason and ignored.match_file(path):
                reason = f"left out by {IGNORE_FILE} or [vault] exclude"
            if not reason:
                found = self._note_file(location, path, history)
                if isinstance(found, NoteFile):
                    files[path] = found
                    continue
                reason = found
            skipped.append(Diagnostic(path, 0, _severity(reason), reason))
        return VaultState(tuple(files.values()), history.commit, history.is_dirty, tuple(skipped))

    def read(self, file: NoteFile) -> bytes:
        """Return the file's bytes."""
        return file.location.read_bytes()

    def _note_file(self, location: Path, path: str, history: History) -> NoteFile | str:
        """Return the file, or the reason why it cannot be one."""
        try:
            size = location.stat().st_size
            if size > self._max_file_bytes:
                return f"larger than [vault] max_file_bytes ({size} bytes)"
            data = location.read_bytes()
        except OSError as error:
            return f"{_UNREADABLE}: {error.strerror}"
        created, updated = history.dates.get(path, (None, None))
        return NoteFile(path, location, blake2b(data, digest_size=16).hexdigest(), created, updated)

    def _ignore_rules(self) -> GitIgnoreSpec:
        lines = [*self._exclude, *self._ignore_file()]
        try:
            return GitIgnoreSpec.from_lines(unicodedata.normalize("NFC", line) for line in lines)
        except ValueError as error:
            raise VaultError(f"{IGNORE_FILE} or [vault] exclude: {error}. Mend or remove that line.") from error

    def _ignore_file(self) -> list[str]:
        path = self._vault / IGNORE_FILE
        try:
            return path.read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise VaultError(f"{path}: cannot be read: {error}. Mend or remove it.") from error


def check_vault(vault: Path) -> None:
    """Raise a VaultError unless the path is a folder that can be listed."""
    if not vault.exists():
        raise VaultError(f"{vault}: no such folder. Name your vault with --vault.")
    if not vault.is_dir():
        raise VaultError(f"{vault}: not a folder. Name the folder that holds your notes with --vault.")
    if not os.access(vault, os.R_OK | os.X_OK):
        raise VaultError(f"{vault}: cannot be listed. Check its permissions.")


def _walk(vault: Path, skipped: list[Diagnostic]) -> Iterator[Path]:
    """Yield the vault's note files, hidden ones left out; report what looks like one, or like a folder, and is not."""
    folders = [vault]
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            skipped.append(_skip(folder, vault, f"{_UNREADABLE}: {error.strerror}"))
            continue
        for entry in entries:
            is_note = entry.name.lower().endswith(NOTE_SUFFIXES)
            is_folder = entry.is_dir()
            if entry.name.startswith(".") or not (is_note or is_folder):
                continue
            if reason := _reason_to_skip(entry):
                skipped.append(_skip(Path(entry.path), vault, reason))
            elif is_folder:
                folders.append(Path(entry.path))
            else:
                yield Path(entry.path)


def _reason_to_skip(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "a symbolic link; links are not followed"
    if not _is_unicode(entry.name):
        return "its name is not valid UTF-8; rename it"
    if not (entry.is_dir() or entry.is_file()):
        return "not a regular file"  # reading a pipe would wait for ever
    return ""


def _skip(location: Path, vault: Path, reason: str) -> Diagnostic:
    path = location.relative_to(vault).as_posix().encode("utf-8", "backslashreplace").decode()
    return Diagnostic(path, 0, _severity(reason), reason)


def _severity(reason: str) -> Severity:
    return Severity.ERROR if reason.startswith(_UNREADABLE) else Severity.SKIPPED


def _is_unicode(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
