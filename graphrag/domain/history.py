"""How a vault changed: revisions of one note, and the difference between two states in notes, sections and links."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ChangeKind(StrEnum):
    """What became of a note, a section or a link."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    RENAMED = "renamed"  # a note that was moved, changed a little or not at all


@dataclass(frozen=True, slots=True)
class NoteRevision:
    """One commit that touched a note."""

    commit: str
    date: datetime  # the author's
    author: str
    subject: str  # first line of the message
    kind: ChangeKind
    path: str  # in that commit; the one before it on a removal
    previous_path: str  # empty unless renamed
    lines_added: int
    lines_removed: int


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section that came, went, says something else, or says the same under another heading."""

    kind: ChangeKind
    heading: tuple[str, ...]  # empty before the first heading
    previous_heading: tuple[str, ...]  # empty unless renamed
    line: int  # 1-based, in the newer version; in the older one for a removal


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A link that came or went."""

    kind: ChangeKind
    target: str  # as written
    relation: str  # of a typed link, else empty
    line: int  # 1-based, in the newer version; in the older one for a removal


@dataclass(frozen=True, slots=True)
class NoteChange:
    """How one note differs between two states."""

    kind: ChangeKind
    path: str
    previous_path: str  # empty unless renamed
    title: str
    front_matter: bool  # whether that differs
    sections: tuple[SectionChange, ...]
    links: tuple[LinkChange, ...]


@dataclass(frozen=True, slots=True)
class VaultChanges:
    """The difference between two states of a vault."""

    since: str  # commit; empty for the state before the first one
    until: str  # commit
    commits: int  # that lie between them and touched the vault
    notes: tuple[NoteChange, ...]  # by path
    left_out: int  # notes that differ and are not shown: private, ignored or unreadable in one of the states, or today


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a note in exactly the version that a citation names."""

    note: str  # its path in that version
    title: str
    heading: tuple[str, ...]  # that the first line stands under; empty for a whole note
    commit: str  # empty for the file as it lies on disk
    lines: tuple[int, int]  # 1-based, inclusive
    text: str
    changed: datetime | None  # last change of the lines, by their author; None when they are in no commit
    note_now: str  # its path today; empty when it is gone
    is_current: bool  # whether the file on disk says the same at these lines
    url: str  # obsidian://open?…; empty unless it is current
