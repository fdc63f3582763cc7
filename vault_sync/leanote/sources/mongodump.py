"""A folder with a mongodump of Leanote, and the server's files -> one user's notebooks, notes and files.

Only the collections of notebooks, notes, bodies, files and the users' names are opened: never those with secrets.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef, Notebook, NoteListing, Problem
from vault_sync.leanote.pictures import picture_extension
from vault_sync.leanote.sources.body_store import BodyStore
from vault_sync.leanote.sources.bson_stream import open_collection
from vault_sync.leanote.sources.dump_folder import file_roots, find_database, has_files
from vault_sync.leanote.sources.dump_rows import FileRow, read_file_row, read_listing, read_notebook
from vault_sync.leanote.sources.dump_users import choose_user
from vault_sync.leanote.sources.rows import read_id, upload_path
from vault_sync.leanote.sources.stored_files import StoredFiles

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
