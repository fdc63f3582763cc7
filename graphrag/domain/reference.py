"""A place in a note as a person copies it: `note.md:12-20@3f2a91c`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from graphrag.domain.query import SnapshotRef

_SHORT = 7  # digits of a commit
_LINES = re.compile(r"(?P<note>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reference:
    """A note, or some of its lines, in one version."""

    note: str  # path, title or alias
    lines: tuple[int, int] | None = None  # 1-based, inclusive; None for the whole note
    revision: str = ""  # anything that names a commit; empty for the version that is indexed

    def __str__(self) -> str:
        first, last = self.lines or (0, 0)
        span = "" if self.lines is None else f":{first}-{last}" if last != first else f":{first}"
        return f"{self.note}{span}{'@' if self.revision else ''}{self.revision}"


def committed_version(snapshot: SnapshotRef) -> str:
    """Return the short commit whose lines a snapshot holds, empty when it holds changes that are in no commit."""
    return "" if snapshot.worktree else snapshot.commit[:_SHORT]


def readings(text: str) -> Iterator[Reference]:
    """Yield what a text may refer to, the longest name first: a name may itself hold ':' and '@'."""
    ends = [len(text), *(found.start() for found in reversed(list(re.finditer("@", text))))]
    for end in ends:
        place, revision = text[:end], text[end + 1 :]
        if not place or (end < len(text) and not revision):
            continue
        yield Reference(place, None, revision)
        if found := _LINES.fullmatch(place):
            first = int(found["first"])
            yield Reference(found["note"], (first, int(found["last"] or first)), revision)


def note_url(vault_name: str, note: str, heading: str = "") -> str:
    """Return the address that opens a note, at a heading if one is given, in Obsidian."""
    file = note.removesuffix(".md") + (f"#{heading}" if heading else "")
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(file, safe='')}"
