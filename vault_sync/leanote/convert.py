"""A note's body as Leanote stores it -> Markdown that Obsidian shows the same way.

Files that the body names are asked for as they are met; nothing here reads or writes a file.
"""

from dataclasses import dataclass
from typing import Protocol

from vault_sync.leanote.account import FileRef


class Targets(Protocol):
    """Where the links of one note lead, as seen from that note."""

    def file(self, ref: FileRef) -> str | None:
        """Return the path of a file relative to the note (POSIX, not percent-encoded), None when there is none."""
        ...

    def inline(self, data: bytes) -> str | None:
        """Return the path of a picture that stood in the body itself, relative to the note; None when it is refused."""
        ...

    def note(self, note_id: str) -> str | None:
        """Return what goes between `[[` and `]]` to name another note, None when it is not in the vault."""
        ...


@dataclass(frozen=True, slots=True)
class Converted:
    """The Markdown of a body, without front matter; it ends with one newline, or is empty."""

    text: str
    named: frozenset[str]  # ids of the files that it names
    missing: tuple[str, ...]  # links whose file is not there; kept as text
    unresolved: tuple[str, ...]  # links to notes that are not in the vault; kept as they were
    warnings: tuple[str, ...] = ()
