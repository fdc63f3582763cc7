"""A Leanote account in memory that a test changes between two imports; it is the port itself, without any format."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Lock

from graphrag.errors import NoteUnreadable, SourceUnavailable
from vault_sync.leanote.account import FileRef, Notebook, NoteListing, Problem

_START = datetime(2023, 6, 2, 12, 0, tzinfo=UTC)


def note_id(number: int) -> str:
    """Return an id that has the form of Leanote's."""
    return f"65f0a1b2c3d4e5f6{number:08x}"


class MemorySource:
    """The account; `bodies_read` and `files_read` tell what was asked for, `fail_after` lets it break down."""

    def __init__(self, label: str = "notes.example.org") -> None:
        self.label = label
        self.is_whole = True
        self.has_ids = True
        self.usn = 0
        self.books: dict[str, Notebook] = {}
        self.listings: dict[str, NoteListing] = {}
        self.bodies: dict[str, str] = {}
        self.data: dict[str, bytes] = {}
        self.troubles: list[Problem] = []
        self.unreadable: set[str] = set()
        self.bodies_read: list[str] = []
        self.files_read: list[str] = []
        self.fail_after: int | None = None
        self.has_checkpoint = True
        self._reading = Lock()

    def add_notebook(self, title: str, parent: str = "") -> str:
        """Add a notebook; return its id."""
        book = Notebook(note_id(0xB000 + len(self.books)), title, parent)
        self.books[book.id] = book
        self.usn += 1
        return book.id

    def rename_notebook(self, id_: str, title: str) -> None:
        """Give a notebook another title; its notes are not touched."""
        self.books[id_] = replace(self.books[id_], title=title)
        self.usn += 1

    def add_note(self, title: str, body: str = "正文\n", notebook: str = "", **values: object) -> str:
        """Add a note; return its id."""
        id_ = note_id(len(self.listings) + 1)
        self.bodies[id_] = body
        listing = NoteListing(id_, title, notebook, (), _START, _START, is_markdown=True, revision="")
        self.listings[id_] = replace(listing, **values)  # type: ignore[arg-type]
        self._touch(id_)
        return id_

    def change(self, id_: str, body: str | None = None, **values: object) -> None:
        """Change a note's body, or what is listed of it."""
        if body is not None:
            self.bodies[id_] = body
        self.listings[id_] = replace(self.listings[id_], **values)  # type: ignore[arg-type]
        self._touch(id_)

    def drop(self, id_: str) -> None:
        """Make a note vanish without a trace."""
        del self.listings[id_]
        self.usn += 1

    def _touch(self, id_: str) -> None:
        self.usn += 1
        moment = _START + timedelta(hours=self.usn)
        changed = replace(self.listings[id_], usn=self.usn, revision=f"r{self.usn}", updated=moment)
        self.listings[id_] = changed

    def checkpoint(self) -> str:
        """Return a word for the present state."""
        return f"usn {self.usn}" if self.has_checkpoint else ""

    def notebooks(self) -> Sequence[Notebook]:
        """Return the notebooks."""
        return list(self.books.values())

    def notes(self) -> Iterator[NoteListing]:
        """Yield the notes, the last ones first."""
        yield from reversed(list(self.listings.values()))

    def body(self, note: NoteListing) -> str:
        """Return a body, unless it is to fail."""
        with self._reading:
            if self.fail_after is not None and len(self.bodies_read) >= self.fail_after:
                raise SourceUnavailable(f"{self.label}: does not answer.")
            if note.id in self.unreadable:
                raise NoteUnreadable(f"{note.title}: damaged.")
            self.bodies_read.append(note.id)
        return self.bodies[note.id]

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return a file."""
        self.files_read.append(ref.id)
        return self.data.get(ref.id)

    def problems(self) -> Sequence[Problem]:
        """Return the troubles that the test made."""
        return self.troubles

    def close(self) -> None:
        """Do nothing: there is nothing to give up."""
