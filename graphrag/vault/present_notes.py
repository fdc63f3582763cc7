"""Passages of a snapshot -> which of them the vault still holds, and why not the others.

A passage of a deleted, rewritten or newly private note is not shown.
"""

from collections.abc import Callable, Collection

from graphrag.domain.note import Chunk, Note
from graphrag.domain.query import GoneReason
from graphrag.domain.snapshot import Manifest
from graphrag.ingest.note_rule import NoteRule
from vault_sync.worktree import WorktreeSource, is_content


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

    def look(self) -> Callable[[Chunk], str]:
        """Return a function that says why a chunk must not be shown, empty when it may; it reads each note once."""
        source = self._open_source()  # with the ignore file as it is now
        tests: dict[str, Callable[[Chunk], str]] = {}

        def why_gone(chunk: Chunk) -> str:
            if chunk.note not in tests:
                tests[chunk.note] = self._test_of(chunk.note, source.present(chunk.note))
            return tests[chunk.note](chunk)

        return why_gone

    def is_gone(self, path: str) -> bool:
        """Whether a note must not be shown: it is no longer in the vault, left out now, or private now."""
        data = self._open_source().present(path)
        if path in self._withheld or data is None:
            return path in self._withheld or not self._is_past
        return not is_content(data, self._manifest.notes[path].content_hash) and self._text_now(path, data) is None

    def _test_of(self, path: str, data: bytes | None) -> Callable[[Chunk], str]:
        """Return the function that says why a chunk of a note must not be shown, empty when it may."""
        if path in self._withheld:
            return lambda chunk: GoneReason.PRIVATE
        if data is None:
            return lambda chunk: "" if self._is_past else GoneReason.NOTE
        if is_content(data, self._manifest.notes[path].content_hash):
            return lambda chunk: ""
        text = self._text_now(path, data)
        if text is None:
            return lambda chunk: GoneReason.PRIVATE
        return lambda chunk: "" if self._is_past or _is_held(chunk, text) else GoneReason.CHANGED

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
