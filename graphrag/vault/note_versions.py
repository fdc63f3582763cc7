"""Versions of notes, past and present, that may be shown: a note that is kept private is withheld in every version."""

import re
from collections.abc import Iterator
from functools import cached_property

from graphrag.domain.note import Diagnostic, Note, Severity
from graphrag.domain.snapshot import NoteFile
from graphrag.errors import VaultError
from graphrag.ingest.prepare import read_note
from graphrag.vault.parts import Parts
from vault_sync.commit import CommitSource
from vault_sync.compare import is_note_file
from vault_sync.file_rules import NOTE_SUFFIXES, is_note_name
from vault_sync.repository import Repository, TreeFile, nfc
from vault_sync.worktree import blob_id

_TOLD = re.compile(r"[0-9a-f]{7,40}|\d{4}-[\d:T -]{1,20}|\d{1,4}[dw]|HEAD")  # a commit's own name, or a time

Version = Note | Diagnostic  # the diagnostic says why the note is withheld, or cannot be read


class NoteVersions:
    """Reads notes of one vault by path and blob, and as they lie on disk."""

    def __init__(self, parts: Parts, repository: Repository | None) -> None:
        self._parts = parts
        self._repository = repository
        self._rules = parts.rules
        self._worktree = parts.worktree

    def ignored(self, path: str) -> Diagnostic | None:
        """Return why the vault's own rules leave a path out, None when they do not."""
        reason = self._rules.reason_to_ignore(path)
        return Diagnostic(path, 0, Severity.SKIPPED, reason) if reason else None

    def committed(self, path: str, blob: str) -> Version:
        """Return a note as a blob holds it."""
        assert self._repository is not None  # a blob comes from one
        file = NoteFile(path, blob, 0, None, None)
        try:
            data = CommitSource(self._parts.vault, self._repository, "", self._rules).read(file)
        except OSError as error:
            return Diagnostic(path, 0, Severity.ERROR, f"cannot be read: {error}")
        return self._parse(path, data)

    def is_withheld(self, path: str, blob: str) -> bool:
        """Whether a note as a blob holds it must not be shown, or cannot be read."""
        return isinstance(self.committed(path, blob), Diagnostic)

    def saved(self, path: str) -> Version | None:
        """Return a note as it lies on disk, None when there is no such file."""
        data = self._worktree.present(path)
        return None if data is None else self._parse(path, data)

    def withheld_today(self, path: str, last_blob: str, fit: str = "") -> Diagnostic | None:
        """Return why a note must not be shown as of today, None when it may.

        Today's versions are those on disk and in the present commit, for a note that is in neither the last there
        was. The blob `fit` was looked at before, maybe under another path, on which a limit depends.
        """
        fit = fit if self._parts.limit.is_empty else ""
        found = (version for version in self._today(path, last_blob, fit) if isinstance(version, Diagnostic))
        return self.ignored(path) or self.went_private(path) or next(found, None)

    def went_private(self, path: str) -> Diagnostic | None:
        """Return why a note of the present commit that is missing on disk must not be shown, None when it may.

        A new file that holds most of its lines, and is private, is what became of it.
        """
        if path not in self._head or self._worktree.has(path) or not self._new_private:
            return None
        version = self.committed(path, self._head[path])
        lines = _lines(version.text) if isinstance(version, Note) else set()
        moved = any(2 * len(lines & other) >= len(lines) for other in self._new_private)
        return Diagnostic(path, 0, Severity.SKIPPED, "moved, and private now") if moved else None

    def _today(self, path: str, last_blob: str, fit: str) -> Iterator[Version]:
        saved = self._worktree.present(path)
        head = self._head.get(path, "")
        if saved is not None and blob_id(saved) not in (fit, head):
            yield self._parse(path, saved)
        blob = head or (last_blob if saved is None else "")
        if blob and blob != fit:
            yield self.committed(path, blob)

    def _parse(self, path: str, data: bytes) -> Version:
        if withheld := self.ignored(path):
            return withheld
        if reason := self._rules.reason_of_size(len(data)):
            return Diagnostic(path, 0, Severity.SKIPPED, reason)
        return read_note(path, data, self._parts.note_rule)

    @cached_property
    def _new_private(self) -> list[set[str]]:
        """The lines of each private note on disk that the present commit does not hold."""
        new = self._worktree.look()[0].keys() - self._head.keys()
        found = ((path, self._worktree.present(path) or b"") for path in sorted(new))
        private = (data for path, data in found if isinstance(self._parse(path, data), Diagnostic))
        return [_lines(data.decode("utf-8", "replace")) for data in private]

    @cached_property
    def _head(self) -> dict[str, str]:
        """The blobs of the present commit by path."""
        commit = self._repository.head() if self._repository else ""
        if not self._repository or not commit:
            return {}
        return {file.path: file.blob for file in self._repository.tree(commit)}


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def history_of(parts: Parts) -> Repository:
    """Return the repository that holds the vault's history.

    Raises:
        VaultError: there is none, or it has no commit yet.
    """
    repository = parts.repository
    if repository is None:
        raise VaultError(f"{parts.vault}: not in a Git repository, so it has no history. Run: git init")
    if not repository.head():
        raise VaultError(f"{parts.vault}: nothing is committed yet, so it has no history. Run: git commit")
    return repository


def check_revision(parts: Parts, revision: str) -> None:
    """Let a limited part know no names of branches or words of commit messages: they may tell of other notes.

    Raises:
        VaultError: the revision is neither the name of a commit, of at least 7 digits, nor a time.
    """
    if not (parts.limit.is_empty or _TOLD.fullmatch(revision)):
        raise VaultError(f"'{revision}' is no commit, branch, tag or date (YYYY-MM-DD) of this vault.")


def withheld_error(name: str, reason: Diagnostic) -> VaultError:
    """Return the refusal to show a note under the name that was asked for: its name today may be private, too."""
    return VaultError(f"'{name}' {'is private: ' if reason.severity is Severity.SKIPPED else ''}{reason.message}")


def typed_path(name: str) -> str:
    """Return a note's name as typed, taken for its path."""
    return nfc(name.strip()).removeprefix("./").strip("[]")


def path_forms(path: str) -> tuple[str, ...]:
    """Return the paths that a typed one may mean: its suffix may be left out."""
    return (path,) if is_note_name(path) else tuple(path + suffix for suffix in NOTE_SUFFIXES)


def find_file(repository: Repository, commit: str, path: str) -> TreeFile | None:
    """Return the note file that a commit holds at a typed path."""
    files = {file.path: file for file in repository.tree(commit) if is_note_file(file.mode, file.name)}
    return next((files[form] for form in path_forms(path) if form in files), None)
