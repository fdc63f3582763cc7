"""`.enex` files of the desktop app, one or a folder of them -> a source of notes.

Times in them are those of the export and are not taken. Keeps the file read last in memory, never more.
"""

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileRef, Notebook, NoteListing, Problem
from vault_sync.leanote.sources.evernote_file import EvernoteNote, parse_evernote_file
from vault_sync.leanote.sources.export_ids import derived_id, folder_levels, notebook_id, notebooks_of, revision_of
from vault_sync.leanote.sources.export_text import decode_text
from vault_sync.leanote.sources.folder_files import given

EVERNOTE_SUFFIX = ".enex"
MAX_EVERNOTE_BYTES = 160 * 2**20  # as of a .leanote file
NO_TIMES = "the times in Evernote files of Leanote are those of the export; the notes come without times"
EATEN_DOLLARS = "the app turns `$$` into `$` in Evernote files; check its formulas, or export the note as .leanote"


class EvernoteSource:
    """Notes as Evernote files. Each is known by the path of its file and its place in it."""

    is_whole = False
    has_ids = False

    def __init__(self, source: Path) -> None:
        """Take a file or a folder.

        Raises:
            SourceRefused: there is no such thing.
        """
        self._files = given(source)
        self._problems: list[Problem] = []
        self._lock = threading.Lock()
        self._last: tuple[str, tuple[EvernoteNote, ...]] = ("", ())
        self.label = source.name

    def checkpoint(self) -> str:
        """Return a word that changes when a file does."""
        return self._files.checkpoint()

    def notebooks(self) -> Sequence[Notebook]:
        """Return the folders that hold notes, and those above them."""
        return notebooks_of(folder_levels(path) for path, _, _ in self._notes.values())

    def notes(self) -> Iterator[NoteListing]:
        """Yield every note once."""
        yield from (listing for _, _, listing in self._notes.values())

    def body(self, note: NoteListing) -> str:
        """Return a note's text: Markdown as it was written, or HTML.

        Raises:
            NoteUnreadable: its file is gone, or has changed since it was listed.
        """
        return self._note(note).body

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file by the sum that the body names it by, None when it is not in the note."""
        return next((data for found, data in self._note(note).files if found.id == ref.id), None)

    def problems(self) -> Sequence[Problem]:
        """Return what could not be read so far."""
        return (*self._files.problems, *self._problems)

    def close(self) -> None:
        """Forget the file read last."""
        self._last = ("", ())

    @cached_property
    def _notes(self) -> dict[str, tuple[str, int, NoteListing]]:
        notes: dict[str, tuple[str, int, NoteListing]] = {}
        for path in self._files.paths:
            if path.lower().endswith(EVERNOTE_SUFFIX):
                for position, listing in self._read(path):
                    notes[listing.id] = (path, position, listing)
        if notes:
            self._problems.append(Problem(self.label, NO_TIMES))
        return notes

    def _read(self, path: str) -> list[tuple[int, NoteListing]]:
        try:
            notes = self._load(path)
        except NoteUnreadable as error:
            self._problems.append(Problem(path, str(error)))
            return []
        for note in notes:
            if note.is_markdown and "$" in note.body:
                self._problems.append(Problem(note.title or path, EATEN_DOLLARS))
        return [(position, _listing(path, position, note)) for position, note in enumerate(notes)]

    def _note(self, listing: NoteListing) -> EvernoteNote:
        path, position, _ = self._notes[listing.id]
        notes = self._load(path)
        if position >= len(notes) or _listing(path, position, notes[position]) != listing:
            raise NoteUnreadable(f"{path}: has changed since it was listed. Import again.")
        return notes[position]

    def _load(self, path: str) -> tuple[EvernoteNote, ...]:
        with self._lock:
            if self._last[0] != path:
                text, _ = decode_text(self._files.read(path, MAX_EVERNOTE_BYTES), path)
                self._last = (path, parse_evernote_file(text, path))
            return self._last[1]


def _listing(path: str, position: int, note: EvernoteNote) -> NoteListing:
    levels = folder_levels(path)
    files = tuple(ref for ref, _ in note.files)
    return NoteListing(
        id=derived_id("evernote", path, *((str(position),) if position else ())),
        title=note.title,
        notebook=notebook_id(levels),
        tags=note.tags,
        created=None,
        updated=None,
        is_markdown=note.is_markdown,
        revision=revision_of(levels, note.title, note.tags, note.is_markdown, note.body, files),
        files=files,
    )
