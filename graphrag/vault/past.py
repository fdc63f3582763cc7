"""A commit, tag, branch or date -> a snapshot of that state; and the versions of notes that may be shown.

A kept snapshot is opened; else one is built beside the index from a copy of the present one. Only differing notes are
read, and vectors come from the embedding cache. A note that is private today stays out (`NoteVersions`).
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from graphrag.domain.history import ChangeKind, NoteChange, NoteRevision
from graphrag.domain.note import Diagnostic, Note, Severity
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport, Manifest, NoteFile
from graphrag.errors import SnapshotConflict, StoreError, VaultError
from graphrag.language.dates import NoSuchDay
from graphrag.language.periods import last_moment
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.stores.failures import writing
from graphrag.stores.index_folder import CURRENT
from graphrag.stores.snapshot_folder import remove_index
from graphrag.vault.resources import PAST_FOLDER, Parts
from vault_sync.commit import CommitSource
from vault_sync.commit_diff import departures, follow, is_note_file
from vault_sync.repository import Repository, TreeFile, nfc
from vault_sync.worktree import NOTE_SUFFIXES, blob_id, is_note_name

_OWN_NAME = re.compile(r"[0-9a-f]{7,40}|HEAD")  # of a commit

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
        from graphrag.ingest.prepare import read_note  # it needs the parser, which a search does without

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
        VaultError: the revision is not the name of a commit, of at least 7 digits.
    """
    if not (parts.limit.is_empty or _OWN_NAME.fullmatch(revision)):
        raise VaultError(f"'{revision}' is no commit, branch, tag or date (YYYY-MM-DD) of this vault.")


def commit_of(parts: Parts, repository: Repository, revision: str) -> str:
    """Return the commit that a revision names, or the last one by the end of a time: 2024-05, 上周五, 3 days ago.

    Raises:
        VaultError: there is none, or no such day is in the calendar.
    """
    is_name = parts.limit.is_empty or _OWN_NAME.fullmatch(revision)
    if is_name and (commit := repository.find(revision)):
        return commit
    try:
        end = last_moment(revision, datetime.now())
    except NoSuchDay as error:
        raise VaultError(f"'{revision}' is no day: the calendar has no {error}. Write it like 2024-06-16.") from error
    if end is None:
        raise VaultError(f"'{revision}' is no commit, branch, tag or date (YYYY-MM-DD) of this vault.")
    return repository.commit_by(end)


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


def own_commits(repository: Repository, start: str, until: str, notes: Iterable[NoteChange]) -> list[str]:
    """Return the commits between two states that touched one of these notes, newest first; merges do not count."""
    paths = {path for note in notes for path in (note.path, note.previous_path) if path}
    if not paths:
        return []
    log = ("log", "--format=%x00%H", "--name-only", "-z", "--relative", "--no-renames", "--no-merges", "--no-ext-diff")
    listed = repository.run(*log, f"{start}..{until}" if start else until, "--", ".")
    return [commit for commit, names in _commits(listed) if not paths.isdisjoint(map(nfc, names))]


def parent_of(repository: Repository, commit: str) -> str:
    """Return the commit before another, empty before the first."""
    return repository.ask("rev-parse", "--verify", "-q", f"{commit}^") or ""


def own_revisions(
    revisions: Iterable[NoteRevision], versions: NoteVersions, repository: Repository
) -> Iterator[NoteRevision]:
    """Yield the revisions, newest first, back to where the note came within the limit.

    A commit's message is left out: it speaks of whatever the commit touched.
    """
    for revision in revisions:
        is_removal = revision.kind is ChangeKind.REMOVED
        if not _is_told(repository, versions, f"{revision.commit}{'^' if is_removal else ''}", revision.path):
            return
        told = replace(revision, subject="")
        if revision.previous_path and not _is_told(repository, versions, f"{revision.commit}^", revision.previous_path):
            yield replace(told, kind=ChangeKind.ADDED, previous_path="")
            return
        yield told


def _is_told(repository: Repository, versions: NoteVersions, commit: str, path: str) -> bool:
    """Whether a note lay within the limit at a commit."""
    blob = repository.ask("rev-parse", "--verify", "-q", f"{commit}:./{path}")
    return blob is not None and not versions.is_withheld(path, blob)


def _commits(log: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each commit with the names that it touched; an empty part stands between two commits."""
    for entry in log.strip("\0").split("\0\0") if log else ():
        commit, *names = entry.split("\0")
        yield commit, [name.removeprefix("\n") for name in names]


_HIDDEN = "left out: the note is private today"


def open_past(parts: Parts, revision: str, progress: Progress) -> tuple[SnapshotReaders, IndexReport | None]:
    """Open the snapshot of a commit, tag, branch or date; the report is that of building it, None for a kept one.

    Raises:
        VaultError: the vault has no Git history, or nothing of that name in it.
    """
    repository = parts.repository
    if repository is None:
        raise VaultError(f"{parts.vault}: not in a Git repository, so there is no past to ask.")
    commit = commit_of(parts, repository, revision)
    hidden = _hidden_paths(parts, repository, commit)
    if kept := _find_kept(parts, commit):
        return parts.readers(kept, is_past=True, withheld=hidden.keys()), None
    forget_unfinished_past(parts)
    past = parts.at(commit)
    try:
        made = _make(past, parts, hidden, progress)
    except SnapshotConflict:
        raise
    except StoreError:  # a damaged one of an earlier time costs no more than making it anew
        shutil.rmtree(past.snapshot_dir, ignore_errors=True)
        made = _make(parts.at(commit), parts, hidden, progress)
    _prune(parts, keep=commit)
    return made


def forget_past(parts: Parts) -> None:
    """Delete all snapshots of earlier commits."""
    shutil.rmtree(parts.index_dir / PAST_FOLDER, ignore_errors=True)


def forget_unfinished_past(parts: Parts) -> None:
    """Delete what is left of snapshots of earlier commits that were never finished, unless one is being made."""
    folder = parts.index_dir / PAST_FOLDER
    with writing(folder):
        for place in folder.iterdir() if folder.is_dir() else ():
            if not (place / CURRENT).exists():
                remove_index(place)


def _make(
    past: Parts, present: Parts, hidden: Mapping[str, str], progress: Progress
) -> tuple[SnapshotReaders, IndexReport]:
    if past.snapshots.current() is None and _can_start_from(present):
        past.snapshots.copy_from(present.snapshots)
    report = past.indexer(hidden).run(False, progress)
    readers = past.open_readers()
    assert readers is not None  # the run published one
    return readers, report


def _find_kept(parts: Parts, commit: str) -> Manifest | None:
    if not parts.limit.is_empty:
        return None  # what has left the limit since would still count in it
    for manifest in parts.snapshots.retained(parts.settings.index.keep_snapshots):
        is_whole = manifest.embedded == 1.0 and not manifest.fingerprints.differences(parts.fingerprints(manifest))
        if manifest.commit == commit and not manifest.worktree and is_whole:
            return manifest
    return None


def _can_start_from(parts: Parts) -> bool:
    current = parts.snapshots.current()
    return current is not None and not current.fingerprints.differences(parts.fingerprints(current))


def _hidden_paths(parts: Parts, repository: Repository, commit: str) -> Mapping[str, str]:
    """Return the notes of a commit that are private or left out today, under whatever name they go now."""
    current = parts.snapshots.current()
    left_out = {*current.left_out} if current else set()
    left_out |= _outside_today(parts, repository, current)
    left = departures(repository, commit, "HEAD")
    departed = {nfc(departure.name) for departure in left}
    versions = NoteVersions(parts, repository)
    hidden = {}
    for file in repository.tree(commit):
        if not is_note_file(file.mode, file.name):
            continue
        path, last_blob = follow(file.path, left) if file.path in departed else (file.path, "")
        is_withheld = path in left_out or versions.ignored(path) or versions.went_private(path)
        if is_withheld or (last_blob and versions.withheld_today(path, last_blob)):
            hidden[file.path] = _HIDDEN
    return hidden


def _outside_today(parts: Parts, repository: Repository, current: Manifest | None) -> set[str]:
    """Return the notes of the present commit that lie outside the limit."""
    if parts.limit.is_empty:
        return set()
    inside = {file.path for file in parts.source().scan(current).files}
    return {file.path for file in repository.tree("HEAD")} - inside


def _prune(parts: Parts, keep: str) -> None:
    """Delete the oldest snapshots of the past beyond the setting's number, never the one just opened."""
    folders = [folder for folder in (parts.index_dir / PAST_FOLDER).iterdir() if folder.name != keep]
    folders.sort(key=_made, reverse=True)
    for folder in folders[parts.settings.index.keep_past - 1 :]:
        shutil.rmtree(folder)


def _made(folder: Path) -> float:
    return folder.stat().st_mtime
