"""A Leanote account as its database holds it, and what its owner can do to it between two imports."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from hashlib import md5
from typing import Literal
from urllib.parse import quote

Kind = Literal["image", "attachment"]

USER_ID = "65f0a1b2c3d4e5f600000001"
SITE = "http://localhost:9000"
ZONE = timezone(timedelta(hours=8))

_FILE_ID = re.compile(r"(fileId|attachId)=([0-9a-fA-F]{24})")
_STEP = timedelta(days=3, hours=19, minutes=7, milliseconds=340)


def make_id(number: int) -> str:
    """Return an object id whose time is that of the account's user."""
    return f"65f0a1b2c3d4e5f6{number:08x}"


@dataclass(slots=True)
class FakeFile:
    """A row of `files` or `attachs`; without bytes its file is gone from the disk."""

    id: str
    kind: Kind
    note: str  # of an attachment
    title: str
    type: str  # as the row has it: "" for images, an extension for attachments
    name: str  # the stored name, whose extension may lie
    path: str
    data: bytes | None
    created: datetime


@dataclass(slots=True)
class FakeNotebook:
    """A row of `notebooks`."""

    id: str
    title: str
    parent: str | None  # None: the field is absent
    position: int
    usn: int
    created: datetime | None
    updated: datetime | None
    is_blog: bool = False
    is_deleted: bool = False


@dataclass(slots=True)
class FakeNote:
    """A row of `notes`, with its row of `note_contents`."""

    id: str
    notebook: str
    title: str
    body: str | None  # None: the row is missing
    tags: list[str] | None
    is_markdown: bool
    usn: int  # 0: the field is absent, as in very old rows
    created: datetime | None
    updated: datetime | None
    is_blog: bool = False
    is_trash: bool = False
    is_deleted: bool = False
    images: list[str] = field(default_factory=list)  # ids, as found in the body when it was last saved
    attachments: list[str] = field(default_factory=list)  # ids; may name rows that are gone

    @property
    def url_title(self) -> str:
        return quote(self.title)


@dataclass(slots=True)
class FakeAccount:
    """All that one user has. Every change moves the counter and the clock, as the server's do."""

    user_id: str = USER_ID
    username: str = "lin"
    email: str = "lin@example.org"
    password: str = "山高水长-7"
    usn: int = 0
    now: datetime = datetime(2019, 3, 1, 8, 0, 0, 120_000, tzinfo=ZONE)
    notebooks: dict[str, FakeNotebook] = field(default_factory=dict)
    notes: dict[str, FakeNote] = field(default_factory=dict)
    files: dict[tuple[Kind, str], FakeFile] = field(default_factory=dict)
    uploads: dict[str, bytes] = field(default_factory=dict)  # old pictures without a row, by path from the root
    keys: dict[str, str] = field(default_factory=dict)  # short names of notebooks and notes -> ids, for tests
    _last_number: int = 0x0F

    def add_notebook(self, title: str, parent: str | None = "", key: str = "") -> FakeNotebook:
        book = FakeNotebook(self.next_id(), title, parent, -1, self.tick(), self.now, self.now)
        self.notebooks[book.id] = book
        self.keys[key or title] = book.id
        return book

    def rename_notebook(self, notebook_id: str, title: str) -> None:
        self._touch_notebook(notebook_id).title = title

    def move_notebook(self, notebook_id: str, parent: str) -> None:
        self._touch_notebook(notebook_id).parent = parent

    def delete_notebook(self, notebook_id: str, by_api: bool = False) -> None:
        """Set the flag, as the web does, or remove the row, as the API does; its notes stay either way."""
        if by_api:
            del self.notebooks[notebook_id]
        else:
            self._touch_notebook(notebook_id).is_deleted = True

    def publish_notebook(self, notebook_id: str) -> None:
        """Publish a notebook, which gives all its notes one Usn."""
        self._touch_notebook(notebook_id).is_blog = True
        usn = self.tick()
        for note in self.notes.values():
            if note.notebook == notebook_id:
                note.usn, note.is_blog = usn, True

    def add_note(
        self, title: str, body: str | None, notebook: str, *, is_markdown: bool = True, tags: list[str] | None = None
    ) -> FakeNote:
        note = FakeNote(self.next_id(), notebook, title, body, tags, is_markdown, self.tick(), self.now, self.now)
        note.images = self.images_in(body or "")
        self.notes[note.id] = note
        return note

    def edit(self, note_id: str, body: str) -> None:
        note = self._touch_note(note_id)
        note.body, note.images = body, self.images_in(body)

    def rename(self, note_id: str, title: str) -> None:
        self._touch_note(note_id).title = title

    def retag(self, note_id: str, tags: list[str]) -> None:
        self._touch_note(note_id).tags = tags

    def move(self, note_id: str, notebook_id: str) -> None:
        self._touch_note(note_id).notebook = notebook_id

    def trash(self, note_id: str) -> None:
        self._touch_note(note_id).is_trash = True

    def restore(self, note_id: str) -> None:
        self._touch_note(note_id).is_trash = False

    def delete(self, note_id: str) -> None:
        """Delete a note for good: the body and the attachments go, the row goes on to list them."""
        note = self._touch_note(note_id)
        note.is_trash = note.is_deleted = True
        note.body = None
        for file_id in note.attachments:
            self.files.pop(("attachment", file_id), None)

    def add_image(self, title: str, data: bytes | None, file_id: str = "", extension: str = "png") -> FakeFile:
        return self._add_file("image", "", title, data, extension, file_id)

    def attach(self, note_id: str, title: str, data: bytes | None, file_id: str = "") -> FakeFile:
        extension = title.rpartition(".")[2].lower() if "." in title else ""
        file = self._add_file("attachment", note_id, title, data, extension, file_id)
        self._touch_note(note_id).attachments.append(file.id)
        return file

    def images_in(self, body: str) -> list[str]:
        """Return the ids of the account's own images that a body names, as the server lists them on saving."""
        found = dict.fromkeys(file_id.lower() for name, file_id in _FILE_ID.findall(body) if name == "fileId")
        return [file_id for file_id in found if ("image", file_id) in self.files]

    def next_id(self) -> str:
        self._last_number += 1
        return make_id(self._last_number)

    def tick(self) -> int:
        self.usn += 1
        self.now += _STEP
        return self.usn

    def _add_file(
        self, kind: Kind, note: str, title: str, data: bytes | None, extension: str, file_id: str
    ) -> FakeFile:
        number = file_id or self.next_id()
        stem = md5(f"{kind}{number}".encode(), usedforsecurity=False).hexdigest()
        name = f"{stem}.{extension}" if extension else stem
        type_ = "" if kind == "image" else extension
        file = FakeFile(number, kind, note, title, type_, name, self._path(kind, stem, name), data, self.now)
        self.files[kind, number] = file
        return file

    def _path(self, kind: Kind, stem: str, name: str) -> str:
        """Return where the server keeps a file: folders by the sums of the characters of the user's id and the name."""
        user_sum, name_sum = sum(map(ord, self.user_id)) % 1000, sum(map(ord, stem)) % 100
        return f"files/{user_sum}/{self.user_id}/{name_sum}/{'images' if kind == 'image' else 'attachs'}/{name}"

    def _touch_note(self, note_id: str) -> FakeNote:
        note = self.notes[note_id]
        note.usn, note.updated = self.tick(), self.now
        return note

    def _touch_notebook(self, notebook_id: str) -> FakeNotebook:
        book = self.notebooks[notebook_id]
        book.usn, book.updated = self.tick(), self.now
        return book


def unix(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp())
