"""What every source of Leanote notes gives, whatever it is read from: the terms, and the port.

A source is read in this order: notebooks, the listing of all notes, then the body and the files of those that are
wanted. It never writes, never follows a path or an address out of what it was given, and holds one body at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class FileKind(StrEnum):
    """The two kinds of files; their ids may coincide."""

    IMAGE = "image"
    ATTACHMENT = "attachment"


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file that belongs to a note, or that its body names."""

    id: str  # 24 lower-case hex digits; in exports without ids, what the body's link names it by
    kind: FileKind
    title: str = ""  # its original name; empty where the source does not tell


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook as it stands in the source; its parent may be missing, deleted, or form a cycle."""

    id: str
    title: str
    parent: str = ""  # a notebook's id, empty for a root
    position: int = 0  # among its siblings
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class NoteListing:
    """A note without its body.

    `revision` is equal when neither the body nor anything listed here has changed; it is compared, never parsed.
    """

    id: str  # 24 lower-case hex digits; in exports without ids, derived from what stays the same
    title: str  # may be empty
    notebook: str  # a notebook's id; empty, or one that does not exist, when it is in none
    tags: tuple[str, ...]  # without blanks and doubles
    created: datetime | None  # with a time zone; None when the source does not tell
    updated: datetime | None
    is_markdown: bool  # else HTML
    revision: str
    usn: int = 0
    url: str = ""  # where the original opens in a browser; empty when the source does not tell
    is_blog: bool = False
    is_trash: bool = False
    is_deleted: bool = False
    files: tuple[FileRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something of the source that could not be read."""

    where: str  # a note's title, a file's name, an entry of an archive
    message: str


class LeanoteSource(Protocol):
    """Where notes come from; used by one thread at a time, except that `body` and `file` may be called by several."""

    @property
    def label(self) -> str:
        """A short name for messages, without any secret: a host, a file name."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether it lists the whole account, so that a note it no longer lists is gone."""
        ...

    @property
    def has_ids(self) -> bool:
        """Whether ids are Leanote's own, and not made by us."""
        ...

    def checkpoint(self) -> str:
        """Return a word that is the same as long as nothing in the source has changed; empty when it cannot tell.

        Raises:
            SourceRefused, SourceUnavailable: as from every method.
        """
        ...

    def notebooks(self) -> Sequence[Notebook]:
        """Return all notebooks, in no order."""
        ...

    def notes(self) -> Iterator[NoteListing]:
        """Yield every note once, those in the trash and deleted ones too, as far as the source knows them."""
        ...

    def body(self, note: NoteListing) -> str:
        """Return a note's text as stored: Markdown or HTML.

        Raises:
            NoteUnreadable: it cannot be read.
        """
        ...

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file, None when the source does not have it.

        Raises:
            NoteUnreadable: it cannot be read, or is larger than what may be taken in.
        """
        ...

    def problems(self) -> Sequence[Problem]:
        """Return what could not be read so far."""
        ...

    def close(self) -> None:
        """Give up connections and temporary files."""
        ...
