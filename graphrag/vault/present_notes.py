"""Passages of a snapshot -> which of them the vault still holds, and why not the others.

A passage of a deleted, rewritten or newly private note is not shown.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from graphrag.domain.note import Chunk, Note
from graphrag.domain.query import GoneReason
from graphrag.domain.snapshot import Manifest
from graphrag.ingest.note_rule import NoteRule
from vault_sync.worktree import FileState, WorktreeSource, is_content


@dataclass(frozen=True, slots=True)
class _Now:
    """What a note of the snapshot is now."""

    is_same: bool  # as the snapshot holds it
    text: str | None  # cleaned, of another one; None where it is private

    @property
    def is_private(self) -> bool:
        return not self.is_same and self.text is None


class PresentPassages:
    """Compares passages with the files on disk; of a snapshot of the past, only what is private now is kept back."""

    def __init__(
        self,
        open_source: Callable[[], WorktreeSource],
        manifest: Manifest,
        rule: NoteRule,
        is_past: bool = False,
        withheld: Collection[str] = (),
    ) -> None:
        self._open_source = open_source
        self._manifest = manifest
        self._rule = rule
        self._is_past = is_past
        self._withheld = withheld  # notes of the past that are private today under another name
        self._known: dict[str, tuple[FileState, _Now]] = {}

    def look(self) -> Callable[[Chunk], str]:
        """Return a function that says why a chunk must not be shown, empty when it may; it looks at each note once."""
        source = self._open_source()  # with the ignore file as it is now
        tests: dict[str, Callable[[Chunk], str]] = {}

        def why_gone(chunk: Chunk) -> str:
            if chunk.note not in tests:
                tests[chunk.note] = self._test_of(chunk.note, source)
            return tests[chunk.note](chunk)

        return why_gone

    def is_gone(self, path: str) -> bool:
        """Whether a note must not be shown: it is no longer in the vault, left out now, or private now."""
        if path in self._withheld:
            return True
        now = self._now(path, self._open_source())
        return not self._is_past if now is None else now.is_private

    def is_unchanged(self, path: str) -> bool:
        """Whether a note lies on disk as it was indexed, and thus is as public as it was."""
        now = self._now(path, self._open_source()) if path in self._manifest.notes else None
        return now is not None and now.is_same

    def compare(self) -> tuple[frozenset[str], frozenset[tuple[str, object]]]:
        """Return the notes that lie on disk as they were indexed, and every other one with the state of its file."""
        source, begun = self._open_source(), time.time_ns()
        same: set[str] = set()
        others: set[tuple[str, object]] = set()
        for path in self._manifest.notes:
            now = self._now(path, source)
            if now is not None and now.is_same:
                same.add(path)
                continue
            state = source.state(path)
            # The same state may stand for another text where it is too fresh to tell.
            others.add((path, state if state is None or state.is_settled(begun) else begun))
        return frozenset(same), frozenset(others)

    def _test_of(self, path: str, source: WorktreeSource) -> Callable[[Chunk], str]:
        """Return the function that says why a chunk of a note must not be shown, empty when it may."""
        if path in self._withheld:
            return lambda chunk: GoneReason.PRIVATE
        now = self._now(path, source)
        if now is None:
            return lambda chunk: "" if self._is_past else GoneReason.NOTE
        if now.is_private:
            return lambda chunk: GoneReason.PRIVATE
        text = now.text
        if text is None or self._is_past:
            return lambda chunk: ""
        return lambda chunk: "" if _is_held(chunk, text) else GoneReason.CHANGED

    def _now(self, path: str, source: WorktreeSource) -> "_Now | None":
        """Return what a note is now, None when the vault holds it no more; a file is read when its state is another."""
        state = source.state(path)
        known = self._known.get(path)
        if state is not None and known is not None and known[0] == state:
            return known[1]
        begun = time.time_ns()
        data = source.present(path)
        if data is None:
            return None
        if is_content(data, self._manifest.notes[path].content_hash):
            now = _Now(is_same=True, text=None)
        else:
            now = _Now(is_same=False, text=self._text_now(path, data))
        if state is not None and state.is_settled(begun) and source.state(path) == state:
            self._known[path] = state, now
        return now

    def _text_now(self, path: str, data: bytes) -> str | None:
        """Return the cleaned text of a note as it is now, None when it is private."""
        from graphrag.ingest.clean import clean_note
        from graphrag.ingest.prepare import read_note

        note = read_note(path, data, self._rule)
        return clean_note(note).mapped.text if isinstance(note, Note) else None


def is_left_out(rule: NoteRule, path: str, data: bytes) -> bool:
    """Whether a file of this content is no note of the index: its author keeps it out, or it cannot be read."""
    from graphrag.ingest.prepare import read_note

    return not isinstance(read_note(path, data, rule), Note)


def _is_held(chunk: Chunk, text: str) -> bool:
    """Whether every line of a chunk stands in a text; where chunks begin and end may have moved."""
    return all(line.strip() in text for line in chunk.text.splitlines())
