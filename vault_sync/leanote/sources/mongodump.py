"""A folder with a mongodump of Leanote, and the server's files -> one user's notebooks, notes and files.

Only the collections of notebooks, notes, bodies, files and the users' names are opened: never those with secrets.
"""

import os
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from graphrag.errors import NoteUnreadable, SourceRefused
from vault_sync.leanote.account import FileKind, FileRef, Notebook, NoteListing, Problem
from vault_sync.leanote.pictures import picture_extension
from vault_sync.leanote.sources.dump_files import BodyStore, Collection, StoredFiles, open_collection
from vault_sync.leanote.sources.rows import listing_of, notebook_of, read_id, read_text, upload_path

_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class _User:
    id: str
    names: frozenset[str]  # that it answers to, in lower case
    shown: str


def choose_user(users: Collection, notes: Collection, wanted: str | None) -> str:
    """Return the id of the user that is wanted, or else of the only one with notes; empty when nobody has any.

    Raises:
        SourceRefused: nobody answers to the name, or several have notes and none is named.
    """
    counts = Counter(read_id(document.fields.get("UserId")) for document in notes.documents())
    counts.pop("", None)
    known = {user.id: user for document in users.documents() if (user := _read_user(document.fields)).id}
    known |= {user_id: _User(user_id, frozenset(), user_id) for user_id in counts if user_id not in known}
    if wanted:
        name = wanted.strip().lower()
        found = [user.id for user in known.values() if name in (user.id, *user.names)]
        if len(found) != 1:
            raise SourceRefused(f"{users.path.parent}: no user {wanted!r} in this dump. {_listed(known, counts)}")
        return found[0]
    if len(counts) > 1:
        raise SourceRefused(f"{users.path.parent}: holds the notes of several users. {_listed(known, counts)}")
    return next(iter(counts), "")


def _read_user(fields: dict[str, object]) -> _User:
    user_id = read_id(fields.get("_id"))
    names = [read_text(fields.get(name)) for name in ("UsernameRaw", "Username", "Email")]
    shown = next((name for name in names if name), user_id)
    return _User(user_id, frozenset(name.lower() for name in names if name), shown)


def _listed(known: dict[str, _User], counts: Counter[str]) -> str:
    """Return the users who have notes, in one line."""
    users = [f"{known[user_id].shown} ({count:,})" for user_id, count in counts.most_common(_MOST_NAMES)]
    more = f" and {len(counts) - _MOST_NAMES:,} more" if len(counts) > _MOST_NAMES else ""
    return f"Name one of: {', '.join(users)}{more}." if users else "It has no notes at all."


Fields = Mapping[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FileRow:
    """Where a row of `files` or `attachs` says that its file lies, and whose it is."""

    path: str
    name: str  # its last part, or the file in the folder that the path is
    title: str  # its original name
    owner: str  # the user of an image, the note of an attachment


def read_file_row(fields: Fields, owner_field: str) -> FileRow:
    """Return what a row of `files` or `attachs` tells."""
    path = read_text(fields.get("Path"))
    name = read_text(fields.get("Name")) or path.rpartition("/")[2]
    return FileRow(path, name, read_text(fields.get("Title")), read_id(fields.get(owner_field)))


def read_notebook(fields: Fields) -> Notebook:
    """Return a notebook."""
    return notebook_of(fields, "_id")


def read_listing(fields: Fields, files: Sequence[FileRef], site: str, checksum: int) -> NoteListing:
    """Return a note with its files; the check sum is of its body's row."""
    times = (_time_text(fields.get("CreatedTime")), _time_text(fields.get("UpdatedTime")))
    return listing_of(fields, read_id(fields.get("_id")), times, site, files, checksum)


def _time_text(value: object) -> str:
    """Return a date of the database as RFC 3339; empty when it is none, or of a year that no calendar has."""
    from bson.datetime_ms import DatetimeMS

    if not isinstance(value, DatetimeMS):
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=int(value))).isoformat()
    except OverflowError:
        return ""


_NOTES = ("notes.bson", "notes.bson.gz")
_MOST_FOLDERS = 100_000


def find_database(folder: Path) -> Path:
    """Return the folder that holds `notes.bson`, the nearest to the top.

    Raises:
        SourceRefused: there is none, or several at one height.
    """
    found = _databases(folder)
    if not found:
        raise SourceRefused(f"{folder}: no notes.bson in it. Name the folder that mongodump wrote.")
    if len(found) > 1:
        names = ", ".join(str(place.relative_to(folder)) for place in found[:10])
        raise SourceRefused(f"{folder}: holds several dumps ({names}). Name the folder of one of them.")
    return found[0]


def file_roots(folder: Path, database: Path) -> list[Path]:
    """Return the folders, from the database's up to the given one, that have the server's files in them."""
    around = [database, *database.parents]
    within = around[: around.index(folder) + 1]
    return [place for place in within if has_files(place)]


def find_server_files(given: Path) -> Path | None:
    """Return the folder around a dump or an archive when the server's files lie beside it, else None."""
    place = given.resolve().parent
    return place if has_files(place) else None


def _databases(folder: Path) -> list[Path]:
    """Return the folders with notes at the lowest depth that has any."""
    level, seen = [folder], 0
    while level and seen < _MOST_FOLDERS:
        if found := [place for place in level if _has_notes(place)]:
            return found
        seen += len(level)
        level = [below for place in level for below in _folders_in(place)]
    return []


def _has_notes(place: Path) -> bool:
    return any((place / name).is_file() for name in _NOTES)


def has_files(place: Path) -> bool:
    """Whether a folder is a server's root: pictures and attachments lie below it."""
    return any(path.is_dir() and not path.is_symlink() for path in (place / "files", place / "public" / "upload"))


def _folders_in(place: Path) -> list[Path]:
    try:
        with os.scandir(place) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError as error:
        raise SourceRefused(f"{place}: cannot be listed: {error.strerror}. Check its permissions.") from error


_FILE_BYTES = 512 * 2**20
_READ = ("notebooks", "notes", "note_contents", "files", "attachs", "note_images")


class MongodumpSource:
    """One user's account in a dump.

    `files` is the server's root folder, or what is left of it, when that is not in the dump's own; `user` a name, an
    e-mail address or an id; `site` the address that the server had; `label` what to call the
    source, when the folder is a temporary one.

    Raises:
        SourceRefused: it is no dump, or of several users of whom none is named.
    """

    has_ids = True

    def __init__(
        self,
        folder: Path,
        files: Path | None = None,
        user: str | None = None,
        *,
        site: str = "",
        label: str = "",
        file_bytes: int = _FILE_BYTES,
    ) -> None:
        self._label = label or folder.resolve().name
        self._site = site
        self._lock = threading.Lock()
        self._problems: dict[Problem, None] = {}
        self._database = find_database(folder)
        self._notes = open_collection(self._database, "notes", self._report)
        users = open_collection(self._database, "users", self._report)
        self._user = choose_user(users, self._notes, user)
        self._rows = {
            FileKind.IMAGE: self._file_rows("files", "UserId"),
            FileKind.ATTACHMENT: self._file_rows("attachs", "NoteId"),
        }
        roots = file_roots(folder, self._database)
        self._roots = [*([files] if files else []), *roots]
        searched = [
            *([files] if files and not has_files(files) else []),
            *(root / name for root in self._roots for name in ("files", "public/upload")),
        ]
        self._stored = StoredFiles(self._roots, searched, file_bytes)
        self._bodies = BodyStore(self._database, self._report)

    @property
    def label(self) -> str:
        """The name of the folder, or what was given for it."""
        return self._label

    @property
    def is_whole(self) -> bool:
        """Whether all notes of the dump could be read."""
        return not self._notes.is_damaged

    def checkpoint(self) -> str:
        """Return a digest of the collections, and of the names of the server's files."""
        digest = sha256(repr((self._user, self._site, sorted(self._stored.names()))).encode("utf-8", "replace"))
        for name in _READ:
            path = open_collection(self._database, name, self._report).path
            if path.is_file():
                with path.open("rb") as stream:
                    while piece := stream.read(2**20):
                        digest.update(piece)
            digest.update(name.encode())
        return digest.hexdigest()[:32]

    def notebooks(self) -> Sequence[Notebook]:
        """Return the user's notebooks, deleted ones too."""
        documents = open_collection(self._database, "notebooks", self._report).documents()
        books = [read_notebook(document.fields) for document in documents if self._is_users(document.fields)]
        return list({book.id: book for book in books if book.id}.values())

    def notes(self) -> Iterator[NoteListing]:
        """Yield the user's notes once each, in the order of the dump."""
        refs = self._refs_by_note()
        seen: set[str] = set()
        for document in self._notes.documents():
            note_id = read_id(document.fields.get("_id"))
            if not note_id:
                self._notes.is_damaged = True
                self._report(Problem("notes", f"the row at byte {document.offset:,} has no id and was left out"))
            elif self._is_users(document.fields) and note_id not in seen:
                seen.add(note_id)
                checksum = self._bodies.checksum(note_id)
                yield read_listing(document.fields, refs.get(note_id, ()), self._site, checksum)

    def body(self, note: NoteListing) -> str:
        """Return a note's text as stored; empty when the dump has no row for it.

        Raises:
            NoteUnreadable: the row may be in a part of the dump that is damaged.
        """
        return self._bodies.text(note.id)

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file, None when there is no row or no file for it.

        Raises:
            NoteUnreadable: its path leads out of the files, it is too large, or an image that is none.
        """
        row = self._rows[ref.kind].get(ref.id)
        if row is None and (path := upload_path(ref.id)):
            row = FileRow(path, path.rpartition("/")[2], "", "")
        if row is None:
            return None
        if not self._roots:
            self._report(Problem(self.label, "no files/ and no public/upload/: pictures and attachments are left out"))
        data = self._stored.read(row.path, row.name)
        if ref.kind is FileKind.ATTACHMENT or data is None:
            return data
        if data and not picture_extension(data):
            raise NoteUnreadable(f"{row.title or ref.id}: what lies there is not a picture.")
        return data or None  # the server shows an empty picture like one that it does not have

    def problems(self) -> Sequence[Problem]:
        """Return what could not be read so far."""
        return tuple(self._problems)

    def close(self) -> None:
        """Close the bodies, and remove their temporary file."""
        self._bodies.close()

    def _file_rows(self, name: str, owner_field: str) -> dict[str, FileRow]:
        documents = open_collection(self._database, name, self._report).documents()
        rows = {
            read_id(document.fields.get("_id")): read_file_row(document.fields, owner_field) for document in documents
        }
        rows.pop("", None)
        return rows

    def _refs_by_note(self) -> dict[str, list[FileRef]]:
        """Return each note's files as the server lists them: its own user's images, and all attachments.

        Images have no title here, since the Open API tells none, and the vault should not depend on the source.
        """
        refs: dict[str, list[FileRef]] = defaultdict(list)
        images = self._rows[FileKind.IMAGE]
        for document in open_collection(self._database, "note_images", self._report).documents():
            image_id = read_id(document.fields.get("ImageId"))
            if image_id in images and images[image_id].owner == self._user:
                refs[read_id(document.fields.get("NoteId"))].append(FileRef(image_id, FileKind.IMAGE))
        for file_id, row in self._rows[FileKind.ATTACHMENT].items():
            refs[row.owner].append(FileRef(file_id, FileKind.ATTACHMENT, row.title))
        return refs

    def _is_users(self, fields: dict[str, object]) -> bool:
        return read_id(fields.get("UserId")) == self._user

    def _report(self, problem: Problem) -> None:
        with self._lock:
            self._problems[problem] = None
