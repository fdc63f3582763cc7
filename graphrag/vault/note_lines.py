"""Lines of a snapshot's notes, as citations show them: not those that the vault no longer holds or keeps private."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graphrag.domain.note import Chunk, Note
from graphrag.domain.ontology import Place
from graphrag.ingest.clean import clean_note
from graphrag.ingest.mapped_text import MappedText
from graphrag.ingest.structure import LineIndex
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.note_versions import NoteVersions, Version
from graphrag.vault.parts import Parts
from vault_sync.worktree import is_content


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One line with where it stands."""

    place: Place
    title: str
    heading: tuple[str, ...]
    text: str


class NoteLines:
    """Looks lines up for one request; each note is read once. `files` are ontology files, which hold lines, too."""

    def __init__(self, parts: Parts, readers: SnapshotReaders, files: Mapping[str, str], is_past: bool) -> None:
        self._readers = readers
        self._files = files
        self._is_past = is_past
        self._worktree = parts.worktree
        self._versions = NoteVersions(parts, parts.repository)
        self._notes: dict[str, tuple[Note, frozenset[str]] | None] = {}
        self._cleaned: dict[str, MappedText] = {}

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

    def lines_of(self, chunk: Chunk, start: int, end: int) -> tuple[int, int] | None:
        """Return the lines that a stretch of a chunk's text was made of, None when they cannot be told."""
        if (found := self._look_up(chunk.note)) is None:
            return None
        note = found[0]
        mapped = self._cleaned.get(chunk.note) or clean_note(note).mapped
        self._cleaned[chunk.note] = mapped
        first, last = mapped.locate([chunk.span.start, chunk.span.end])
        head = len(chunk.text) - (last - first)  # of a table, repeated before its later rows
        if start < head or chunk.text[head:] != mapped.text[first:last]:
            return None
        span = LineIndex(note.text).span(*mapped.source(first + start - head, first + end - head))
        return span.first_line, span.last_line

    def is_shown(self, path: str) -> bool:
        """Whether a note may be named."""
        return self._is_unchanged(path) or self._look_up(path) is not None

    def _look_up(self, path: str) -> tuple[Note, frozenset[str]] | None:
        if path not in self._notes:
            self._notes[path] = self._read(path)
        return self._notes[path]

    def _read(self, path: str) -> tuple[Note, frozenset[str]] | None:
        """Return a note as the snapshot has it, and the lines that it has now; None when it must not be shown."""
        if self._is_unchanged(path):
            return _note_and_lines(self._versions.saved(path), None)
        manifest = self._readers.manifest
        entry = manifest.notes.get(path)
        if entry is None or self._readers.present.is_gone(path) or manifest.worktree or not manifest.commit:
            return None
        if self._versions.withheld_today(path, entry.content_hash):
            return None
        return _note_and_lines(self._versions.committed(path, entry.content_hash), self._versions.saved(path))

    def _is_unchanged(self, path: str) -> bool:
        """Whether a note lies on disk as it was indexed, and thus is as public as it was."""
        entry, data = self._readers.manifest.notes.get(path), self._worktree.present(path)
        if entry is None or data is None:
            return False
        return is_content(data, entry.content_hash)


def _note_and_lines(indexed: Version | None, saved: Version | None) -> tuple[Note, frozenset[str]] | None:
    if not isinstance(indexed, Note):
        return None
    now = saved if isinstance(saved, Note) else indexed
    return indexed, frozenset(line.strip() for line in now.text.split("\n"))


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _heading(note: Note, line: int) -> tuple[str, ...]:
    spans = ((section.heading, section.span) for section in note.sections)
    return next((heading for heading, span in spans if span.first_line <= line <= span.last_line), ())
