"""Which files of a vault become notes, by name and size alone: the same rules for the disk and for a commit."""

import unicodedata
from functools import cached_property
from pathlib import Path

from pathspec import GitIgnoreSpec

from graphrag.domain.note import Diagnostic, Severity
from graphrag.errors import VaultError

NOTE_SUFFIXES = (".md", ".canvas")
IGNORE_FILE = ".ragignore"
UNREADABLE = "cannot be read"
SYMBOLIC_LINK = "a symbolic link; links are not followed"
NOT_UNICODE = "its name is not valid UTF-8; rename it"
SAME_NAME = "another file has the same name in another Unicode form"


class FileRules:
    """The rules of one vault; `.ragignore` is read from the disk, for a commit too: what it names now stays out."""

    def __init__(self, vault: Path, exclude: tuple[str, ...], max_file_bytes: int) -> None:
        self._vault = vault
        self._exclude = exclude
        self._max_file_bytes = max_file_bytes

    def fresh(self) -> "FileRules":
        """Return the same rules with the ignore file as it is now."""
        return FileRules(self._vault, self._exclude, self._max_file_bytes)

    def reason_to_ignore(self, path: str) -> str:
        """Return why the vault's own rules leave a path out, empty when they do not."""
        return f"left out by {IGNORE_FILE} or [vault] exclude" if self._ignored.match_file(path) else ""

    def reason_to_skip(self, path: str, size: int) -> str:
        """Return why a file of this name and size is left out, empty when it is not."""
        return self.reason_to_ignore(path) or self.reason_of_size(size)

    def reason_of_size(self, size: int) -> str:
        """Return why a file of so many bytes is left out, empty when it is not."""
        return f"larger than [vault] max_file_bytes ({size} bytes)" if size > self._max_file_bytes else ""

    @cached_property
    def _ignored(self) -> GitIgnoreSpec:
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


def is_note_name(name: str) -> bool:
    """Whether a path, by its names alone, may be a note: a known suffix, and nothing hidden on the way."""
    return name.lower().endswith(NOTE_SUFFIXES) and not any(part.startswith(".") for part in name.split("/"))


def is_unicode(name: str) -> bool:
    """Whether a file name read from the system is text."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def skipped(name: str, reason: str) -> Diagnostic:
    """Return the diagnostic of a file that is left out."""
    severity = Severity.ERROR if reason.startswith(UNREADABLE) else Severity.SKIPPED
    return Diagnostic(name.encode("utf-8", "backslashreplace").decode(), 0, severity, reason)
