"""A citation -> its lines: `open_passage` for `graphrag open`, `NoteLines` for the sources of an answer.

Lines that the vault no longer holds, and lines of private notes, are not given.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from graphrag.domain.history import Passage
from graphrag.domain.note import Diagnostic, Note
from graphrag.domain.ontology import Place
from graphrag.domain.query import Reference, note_url, readings
from graphrag.domain.snapshot import Manifest
from graphrag.errors import NoteNotFound, VaultError
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.note_names import find_note, matching_notes
from graphrag.vault.past import (
    NoteVersions,
    Version,
    commit_of,
    find_file,
    history_of,
    path_forms,
    typed_path,
    withheld_error,
)
from graphrag.vault.resources import Parts
from vault_sync.commit import has_notes_at_head
from vault_sync.commit_diff import departures, follow, line_date, trace_back
from vault_sync.repository import Repository, TreeFile
from vault_sync.worktree import blob_id


@dataclass(frozen=True, slots=True)
class _File:
    """The file that a citation names."""

    path: str
    blob: str
    commit: str  # empty for the file on disk


def open_passage(parts: Parts, text: str) -> Passage:
    """Return the passage that a citation names: `note.md:12-20@3f2a91c`, or less of it.

    Without a commit it is the indexed one, or the file on disk where the index follows saved files.

    Raises:
        NoteNotFound: no note is called so, or several are.
        VaultError: the note is private, or has not so many lines; there is no such commit.
    """
    manifest = parts.snapshots.current()
    missing = NoteNotFound("the citation is empty. Write it like note.md:12-20@3f2a91c")
    for reference in readings(text.strip()):
        try:
            file = _find(parts, manifest, reference)
        except NoteNotFound as error:
            missing = error
        else:
            return _passage(parts, file, reference)
    raise missing


def _find(parts: Parts, manifest: Manifest | None, reference: Reference) -> _File:
    name, typed = reference.note, typed_path(reference.note)
    indexed = find_note(name, manifest) if manifest and matching_notes(name, manifest.notes) else ""
    is_known = bool(indexed) or any(_present(parts, form) is not None for form in path_forms(typed))
    commit = _commit(parts, manifest, reference.revision, is_known)
    if not commit:
        for path in (*path_forms(typed), indexed):
            if (data := _present(parts, path)) is not None:
                return _File(path, blob_id(data), "")
    elif found := _file_at(history_of(parts), commit, typed, indexed):
        file = _File(found.path, found.blob, commit)
        if parts.limit.is_empty or _is_told(parts, file):
            return file
    if manifest and not indexed:
        find_note(name, manifest)  # says why, and which names are near
    raise NoteNotFound(f"there is no note '{indexed or typed}' {f'at {commit[:7]}' if commit else 'on disk'}.")


def _present(parts: Parts, path: str) -> bytes | None:
    """Return the bytes at a path on disk, None when there are none that a limited part may tell of."""
    data = parts.worktree.present(path)
    is_told = data is None or parts.limit.is_empty or _is_told(parts, _File(path, blob_id(data), ""))
    return data if is_told else None


def _is_told(parts: Parts, file: _File) -> bool:
    """Whether a limited part may tell that there is such a note."""
    try:
        _fit_to_show(NoteVersions(parts, parts.repository), parts.repository, file)
    except VaultError:
        return False
    return True


def _commit(parts: Parts, manifest: Manifest | None, revision: str, is_known: bool) -> str:
    """Return the commit that is meant, empty for the files on disk; `is_known` tells whether the name before it is."""
    if revision:
        try:
            return commit_of(parts, history_of(parts), revision)
        except VaultError as error:
            if is_known:
                raise
            raise NoteNotFound(f"no note is called so, and {error}") from error
    if manifest:
        return "" if manifest.worktree else manifest.commit
    repository = None if parts.settings.index.worktree else parts.repository
    return repository.head() if repository and has_notes_at_head(repository) else ""


def _file_at(repository: Repository, commit: str, typed: str, indexed: str) -> TreeFile | None:
    """Return the file of a note at a commit, where it may have had another path."""
    file = find_file(repository, commit, typed)
    if file or not indexed:
        return file
    former = trace_back(indexed, departures(repository, commit, "HEAD"))
    return find_file(repository, commit, indexed) or find_file(repository, commit, former)


def _passage(parts: Parts, file: _File, reference: Reference) -> Passage:
    versions = NoteVersions(parts, parts.repository)
    note, path_now = _fit_to_show(versions, parts.repository, file)
    lines = _lines(note)
    first, last = reference.lines or (1, max(len(lines), 1))
    if reference.lines and not 1 <= first <= last <= len(lines):
        raise VaultError(f"'{file.path}' has the lines 1 to {len(lines)} in that version, not {first} to {last}.")
    saved = versions.saved(path_now)
    now = _lines(saved) if isinstance(saved, Note) else None
    cited = lines[first - 1 : last]
    is_current = now is not None and cited == (now[first - 1 : last] if reference.lines else now)
    heading = _heading(note, first) if reference.lines else ()
    return Passage(
        note=file.path,
        title=note.title,
        heading=heading,
        commit=file.commit,
        lines=(first, last),
        text="\n".join(cited),
        changed=_changed(parts.repository, file, first, last) if cited else None,
        note_now="" if now is None else path_now,
        is_current=is_current,
        url=note_url(parts.vault.name, path_now, "".join(heading[-1:])) if is_current else "",
    )


def _fit_to_show(versions: NoteVersions, repository: Repository | None, file: _File) -> tuple[Note, str]:
    """Return the note and its path today.

    Raises:
        VaultError: it is private in that version or today, or not text.
    """
    path_now, last_blob = file.path, ""
    version = versions.committed(file.path, file.blob) if file.commit else versions.saved(file.path)
    if repository and file.commit and isinstance(version, Note):
        path_now, last_blob = follow(file.path, departures(repository, file.commit, "HEAD"))
        version = versions.withheld_today(path_now, last_blob, fit=file.blob) or version
    if version is None:
        raise VaultError(f"'{file.path}' was deleted just now.")
    if isinstance(version, Diagnostic):
        raise withheld_error(file.path, version)
    return version, path_now


def _lines(note: Note) -> list[str]:
    lines = note.text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _changed(repository: Repository | None, file: _File, first: int, last: int) -> datetime | None:
    commit = file.commit or (repository.head() if repository else "")
    return line_date(repository, commit, file.path, file.blob, first, last) if repository and commit else None


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One line with where it stands."""

    place: Place
    title: str
    heading: tuple[str, ...]
    text: str


ReadNote = tuple[Note, frozenset[str]]  # with the lines that it has now
_KEPT_NOTES = 500


class KeptNotes:
    """Notes of one snapshot that were read lately; safe to use from several threads."""

    def __init__(self) -> None:
        self._notes: OrderedDict[str, ReadNote] = OrderedDict()
        self._changing = Lock()

    def get(self, path: str, read: Callable[[], ReadNote | None]) -> ReadNote | None:
        """Return a note, read if it is not there."""
        with self._changing:
            if path in self._notes:
                self._notes.move_to_end(path)
                return self._notes[path]
        if (found := read()) is not None:
            with self._changing:
                self._notes[path] = found
                if len(self._notes) > _KEPT_NOTES:
                    self._notes.popitem(last=False)
        return found


class NoteLines:
    """Looks lines up for one request; each note is read once. `files` are ontology files, which hold lines, too.

    `kept` holds notes that lie on disk as the snapshot has them, for all requests to it.
    """

    def __init__(
        self,
        parts: Parts,
        readers: SnapshotReaders,
        files: Mapping[str, str],
        is_past: bool,
        kept: "KeptNotes | None" = None,
    ) -> None:
        self._readers = readers
        self._files = files
        self._is_past = is_past
        self._kept = kept or KeptNotes()
        self._versions = NoteVersions(parts, parts.repository)
        self._notes: dict[str, ReadNote | None] = {}

    def find(self, place: Place) -> NoteLine | None:
        """Return the line at a place, None when it must not be shown."""
        if place.path in self._files:
            lines = self._files[place.path].split("\n")
            return NoteLine(place, place.path, (), _line(lines, place.line).strip())
        if (found := self._look_up(place.path)) is None:
            return None
        note, held = found
        text = _line(note.text.split("\n"), place.line)
        is_held = self._is_past or text.strip() in held
        return NoteLine(place, note.title, _heading(note, place.line), text.strip()) if is_held else None

    def find_first(self, path: str, lines: tuple[int, int], is_wanted: Callable[[str], bool]) -> NoteLine | None:
        """Return the first of a note's lines (1-based, inclusive) that is wanted and may be shown."""
        if (found := self._look_up(path)) is None:
            return None
        texts = found[0].text.split("\n")[lines[0] - 1 : lines[1]]
        wanted = (Place(path, number) for number, text in enumerate(texts, lines[0]) if is_wanted(text))
        return next((line for place in wanted if (line := self.find(place))), None)

    def is_shown(self, path: str) -> bool:
        """Whether a note may be named."""
        return self._readers.present.is_unchanged(path) or self._look_up(path) is not None

    def _look_up(self, path: str) -> ReadNote | None:
        if path not in self._notes:
            self._notes[path] = self._read(path)
        return self._notes[path]

    def _read(self, path: str) -> ReadNote | None:
        """Return a note as the snapshot has it, and the lines that it has now; None when it must not be shown."""
        if self._readers.present.is_unchanged(path):
            return self._kept.get(path, lambda: _note_and_lines(self._versions.saved(path), None))
        manifest = self._readers.manifest
        entry = manifest.notes.get(path)
        if entry is None or self._readers.present.is_gone(path) or manifest.worktree or not manifest.commit:
            return None
        if self._versions.withheld_today(path, entry.content_hash):
            return None
        return _note_and_lines(self._versions.committed(path, entry.content_hash), self._versions.saved(path))


def _note_and_lines(indexed: Version | None, saved: Version | None) -> ReadNote | None:
    if not isinstance(indexed, Note):
        return None
    now = saved if isinstance(saved, Note) else indexed
    return indexed, frozenset(line.strip() for line in now.text.split("\n"))


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _heading(note: Note, line: int) -> tuple[str, ...]:
    spans = ((section.heading, section.span) for section in note.sections)
    return next((heading for heading, span in spans if span.first_line <= line <= span.last_line), ())
