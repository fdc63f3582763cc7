"""A Leanote server's Open API -> notebooks, listings, bodies and files, read one by one and never written.

The login goes to the given host only. What changes on the server during the reading may be listed as it was before.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import TypeVar
from urllib.parse import quote

from graphrag.errors import NoteUnreadable, SourceUnavailable, SyncError
from vault_sync.leanote.account import FileKind, FileRef, Notebook, NoteListing, Problem
from vault_sync.leanote.pictures import picture_extension
from vault_sync.leanote.sources.api_client import Answer, ApiClient, ApiTransport, Credentials, Patience, read_address
from vault_sync.leanote.sources.rows import listing_of, notebook_of, read_id, read_int, read_text, upload_path

_NO_FILE = b"No Such File"


def read_notebook(row: Mapping[str, object]) -> Notebook:
    """Return a notebook from a row that has an id."""
    return notebook_of(row, "NotebookId")


def read_listing(row: Mapping[str, object], site: str) -> NoteListing:
    """Return a note from a row that has an id."""
    times = (read_text(row.get("CreatedTime")), read_text(row.get("UpdatedTime")))
    files = row.get("Files")
    refs = [ref for file in files if (ref := _file_ref(file))] if isinstance(files, list) else []
    return listing_of(row, read_id(row.get("NoteId")), times, site, refs)


def is_missing(answer: Answer, kind: FileKind) -> bool:
    """Whether the server says in its way that it has no such file, or does not show it to who asks."""
    if answer.status == 404:
        return True
    if answer.status != 200 or (answer.body and kind is FileKind.IMAGE):
        return False
    return not answer.is_named and answer.body in (b"", _NO_FILE)


def _file_ref(file: object) -> FileRef | None:
    if not isinstance(file, dict) or not (file_id := read_id(file.get("FileId"))):
        return None
    kind = FileKind.ATTACHMENT if file.get("IsAttach") else FileKind.IMAGE
    return FileRef(file_id, kind, read_text(file.get("Title")))


_PAGE = 1000  # of getNotes and getTrashNotes; the server does not take another
_SYNC_PAGE = 10_000  # notes of one Usn that do not fit on a page would be lost, so pages are as large as can be
_FILE_BYTES = 512 * 1024 * 1024
_FAILURES = 10  # notes that may fail one after the other; a server that fails on all would take hours

Row = TypeVar("Row")


class ApiSource:
    """One user's account on a server.

    `wait` is called with the seconds to wait before a request is tried again.

    Raises:
        SourceRefused: the address cannot be used; later, that the login or the server is not the right one.
        SourceUnavailable: from every method, when the server does not answer.
    """

    has_ids = True

    def __init__(
        self,
        host: str,
        credentials: Credentials,
        *,
        allow_plain_http: bool = False,
        patience: Patience | None = None,
        file_bytes: int = _FILE_BYTES,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = read_address(host, allow_plain_http)
        self._client = ApiClient(self._address, credentials, ApiTransport(self._address, patience or Patience(), wait))
        self._file_bytes = file_bytes
        self._is_whole = True
        self._problems: dict[Problem, None] = {}
        self._failures = 0  # of notes, since the last one that came
        self._lock = threading.Lock()

    @property
    def label(self) -> str:
        """The host, with its port and path where it has them."""
        return self._address.label

    @property
    def is_whole(self) -> bool:
        """Whether all rows that the server listed could be read; known when `notes` has come to its end."""
        return self._is_whole

    def checkpoint(self) -> str:
        """Return the user's counter with the notebooks; empty when the server does not count.

        Deleting a notebook through the API moves no counter, so the notebooks are part of it.
        """
        user, state = self._client.call("user/info"), self._client.call("user/getSyncState")
        usn = read_int(state.get("LastSyncUsn")) if isinstance(state, dict) else 0
        if not isinstance(user, dict) or usn <= 0:
            return ""
        books = sorted(repr(book) for book in self.notebooks())
        digest = sha256("\n".join(books).encode()).hexdigest()[:16]
        return f"{read_id(user.get('UserId'))}-{usn}-{digest}"

    def notebooks(self) -> Sequence[Notebook]:
        """Return all notebooks, deleted ones too."""
        rows = self._client.call_list("notebook/getNotebooks")
        return [book for row in rows if (book := self._read_row(row, "NotebookId", read_notebook))]

    def notes(self) -> Iterator[NoteListing]:
        """Yield every note once.

        Pages of getNotes lack the trash and may shift while they are read; getSyncNotes lacks very old rows and may
        lack what shares a Usn; together they are whole.
        """
        read_row = partial(read_listing, site=self._address.url)
        found: dict[str, NoteListing] = {}
        for rows in (self._pages("note/getNotes", notebookId=""), self._pages("note/getTrashNotes"), self._by_usn()):
            for row in rows:
                if listing := self._read_row(row, "NoteId", read_row):
                    found[listing.id] = listing
        yield from found.values()

    def body(self, note: NoteListing) -> str:
        """Return a note's text, with links as the server writes them on reading.

        Raises:
            NoteUnreadable: the server no longer has the note, or fails on it alone.
        """
        try:
            text = self._body(note)
        except NoteUnreadable as error:
            self._count_failure(str(error))
            raise
        with self._lock:
            self._failures = 0
        return text

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file, None when the server does not have it.

        Raises:
            NoteUnreadable: it is larger than allowed, or an image that is none.
        """
        answer = self._fetch(ref)
        if answer is None or is_missing(answer, ref.kind):
            return None
        if answer.fault:
            self._report(ref, note, f"the server {answer.fault} for it; the file is probably gone from its disk")
            return None
        if not answer.is_whole:
            raise NoteUnreadable(f"{ref.title or ref.id}: larger than {self._file_bytes:,} bytes, which is not read.")
        if answer.status != 200 or not _is_file(answer, ref):
            raise NoteUnreadable(f"{ref.title or ref.id}: the server does not answer with a file ({answer.status}).")
        return answer.body

    def problems(self) -> Sequence[Problem]:
        """Return the rows and files that could not be read so far."""
        return tuple(self._problems)

    def close(self) -> None:
        """Log out, if the login was made here, and close the connections."""
        try:
            self._client.log_out()
        except SyncError as error:
            self._add(Problem("log out", f"the login stays open at the server: {error}"))
        finally:
            self._client.close()

    def _body(self, note: NoteListing) -> str:
        # getNoteContent would answer a note without a body and an unknown one alike.
        try:
            reply = self._client.call("note/getNoteAndContent", refusal=NoteUnreadable, noteId=note.id)
        except SourceUnavailable as error:
            self._client.call("user/getSyncState")  # raises, unless it is this note alone
            raise NoteUnreadable(f"{self.label}: fails on this note alone; look at it in a browser.") from error
        if not isinstance(reply, dict) or read_id(reply.get("NoteId")) != note.id:
            raise NoteUnreadable(f"{self.label}: does not have this note any more.")
        return read_text(reply.get("Content"))

    def _count_failure(self, reason: str) -> None:
        """Raise SourceUnavailable when so many notes failed one after the other that it is not the notes."""
        with self._lock:
            self._failures += 1
            is_too_much = self._failures >= _FAILURES
        if is_too_much:
            raise SourceUnavailable(
                f"{self.label}: {_FAILURES} notes failed one after the other, the last so: {reason}"
                " Look at the log of the server."
            )

    def _fetch(self, ref: FileRef) -> Answer | None:
        """Return the answer for a file; one that looks missing is asked for again if the login had run out."""
        if path := upload_path(ref.id):
            return self._fetch_upload(path)
        if not read_id(ref.id):
            return None
        action = "file/getImage" if ref.kind is FileKind.IMAGE else "file/getAttach"
        answer, token = self._client.fetch(action, ref.id, self._file_bytes)
        if answer.fault or is_missing(answer, ref.kind):
            # A login that ran out looks like a missing file; so does, for a moment, a server in trouble.
            is_new = self._client.has_renewed(token)
            if is_new or answer.fault:
                answer, _ = self._client.fetch(action, ref.id, self._file_bytes)
        return answer

    def _fetch_upload(self, path: str) -> Answer | None:
        if ".." in path.split("/"):
            return None
        answer = self._client.fetch_public(f"/{quote(path)}", self._file_bytes)
        if answer.fault:
            self._client.has_renewed("")  # raises, unless it is this file alone
        return answer

    def _pages(self, action: str, **parameters: str) -> Iterator[object]:
        """Yield the rows of all pages; an old server that knows no pages gives the first one again."""
        seen: set[str] = set()
        page = 1
        while rows := self._client.call_list(action, page=page, **parameters):
            yield from rows
            ids = {read_id(row.get("NoteId")) for row in rows if isinstance(row, dict)}
            if len(rows) < _PAGE or ids <= seen:
                break
            seen |= ids
            page += 1

    def _by_usn(self) -> Iterator[object]:
        """Yield the rows in the order of their counter."""
        after = 0
        while rows := self._client.call_list("note/getSyncNotes", afterUsn=after, maxEntry=_SYNC_PAGE):
            yield from rows
            last = max((read_int(row.get("Usn")) for row in rows if isinstance(row, dict)), default=0)
            if len(rows) < _SYNC_PAGE or last <= after:
                break
            after = last

    def _read_row(self, row: object, id_field: str, read: Callable[[Mapping[str, object]], Row]) -> Row | None:
        if isinstance(row, dict) and read_id(row.get(id_field)):
            return read(row)
        self._is_whole = False
        self._add(Problem(self.label, f"a row without a {id_field} was left out"))
        return None

    def _report(self, ref: FileRef, note: NoteListing, message: str) -> None:
        self._add(Problem(f"{note.title or note.id}: {ref.title or ref.id}", message))

    def _add(self, problem: Problem) -> None:
        with self._lock:
            self._problems[problem] = None


def _is_file(answer: Answer, ref: FileRef) -> bool:
    """Whether an answer is the file, and not a page that a proxy gives in its place."""
    return bool(picture_extension(answer.body)) if ref.kind is FileKind.IMAGE else answer.is_named
