"""The actions of Leanote's Open API over one account: parameters -> a reply, as the official server gives it."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from tests.fakes.leanote.records import FakeAccount, FakeFile, FakeNote, FakeNotebook, Kind, make_id, unix
from tests.fakes.leanote.served import empty_note_json, note_json, notebook_json, served_body

PAGE = 1000
SYNC_PAGE = 100

_HEX_ID = re.compile(r"[0-9a-fA-F]{24}")
_FIRST_TOKEN = 0x0100_0001
_NOT_LOGGED_IN = {"Ok": False, "Msg": "NOTLOGIN"}
_NO_DATE = datetime(1, 1, 1, tzinfo=UTC)

Row = TypeVar("Row", FakeNote, FakeNotebook)


class Panic(Exception):
    """The server stumbles over an id that is not one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back."""

    body: bytes
    content_type: str = "application/json; charset=utf-8"
    status: int = 200
    disposition: str = ""


@dataclass(slots=True)
class OpenApi:
    """The account, and who is logged in."""

    account: FakeAccount
    tokens: set[str] = field(default_factory=set)
    logins: int = 0

    def call(self, action: str, parameters: dict[str, str], language: str) -> Reply:
        """Answer one request."""
        token = parameters.get("token", "")
        if action in ("file/getImage", "file/getAttach"):
            return self._file(action, parameters.get("fileId", ""), token)
        if action == "auth/login":
            return _json(self._login(parameters, language))
        actions: dict[str, Callable[[dict[str, str]], Any]] = {
            "auth/logout": self._logout,
            "user/info": self._info,
            "user/getSyncState": self._sync_state,
            "notebook/getNotebooks": self._notebooks,
            "notebook/getSyncNotebooks": self._sync_notebooks,
            "note/getSyncNotes": self._sync_notes,
            "note/getNotes": self._notes,
            "note/getTrashNotes": self._trash,
            "note/getNote": self._note,
            "note/getNoteAndContent": self._note_and_content,
            "note/getNoteContent": self._content,
            "tag/getSyncTags": lambda _: [],
        }
        answer = actions.get(action)
        if answer is None:
            return Reply(b"<html>404 page not found</html>", "text/html; charset=utf-8", 404)
        if token not in self.tokens:
            return _json(_NOT_LOGGED_IN)
        try:
            return _json(answer(parameters))
        except Panic:
            return Reply(b"<html><h1>Application error</h1></html>", "text/html; charset=utf-8", 500)

    def upload(self, path: str) -> Reply:
        """Answer for an old picture, which needs no login."""
        data = self.account.uploads.get(f"public{path}")
        return Reply(data, "image/png") if data is not None else Reply(b"<html>404</html>", "text/html", 404)

    def _login(self, parameters: dict[str, str], language: str) -> dict[str, Any]:
        account = self.account
        if parameters.get("email") not in (account.email, account.username) or parameters["pwd"] != account.password:
            is_chinese = not language or language.startswith("zh")
            return {"Ok": False, "Msg": "用户名或密码有误" if is_chinese else "Wrong username or password"}
        token = make_id(_FIRST_TOKEN + self.logins)
        self.logins += 1
        self.tokens.add(token)
        user = {"UserId": account.user_id, "Email": account.email, "Username": account.username}
        return {"Ok": True, "Token": token, **user}

    def _logout(self, parameters: dict[str, str]) -> dict[str, Any]:
        self.tokens.discard(parameters["token"])
        return {"Ok": True, "Msg": ""}

    def _info(self, parameters: dict[str, str]) -> dict[str, Any]:
        account = self.account
        names = {"UserId": account.user_id, "Username": account.username, "Email": account.email}
        return {**names, "Verified": False, "Logo": ""}

    def _sync_state(self, parameters: dict[str, str]) -> dict[str, Any]:
        return {"LastSyncTime": unix(self.account.now), "LastSyncUsn": self.account.usn}

    def _notebooks(self, parameters: dict[str, str]) -> list[Any]:
        books = sorted(self.account.notebooks.values(), key=lambda book: book.usn)
        return [notebook_json(book, self.account.user_id) for book in books]

    def _sync_notebooks(self, parameters: dict[str, str]) -> list[Any]:
        books = _after(list(self.account.notebooks.values()), parameters)
        return [notebook_json(book, self.account.user_id) for book in books]

    def _sync_notes(self, parameters: dict[str, str]) -> list[Any]:
        return [note_json(self.account, note) for note in _after(list(self.account.notes.values()), parameters)]

    def _notes(self, parameters: dict[str, str]) -> Any:
        notebook = parameters.get("notebookId", "")
        if notebook and not _HEX_ID.fullmatch(notebook):
            return {"Ok": False, "Msg": "notebookIdInvalid"}
        notes = [note for note in self.account.notes.values() if not (note.is_trash or note.is_deleted)]
        return self._page([note for note in notes if notebook in ("", note.notebook)], parameters)

    def _trash(self, parameters: dict[str, str]) -> list[Any]:
        notes = self.account.notes.values()
        return self._page([note for note in notes if note.is_trash and not note.is_deleted], parameters)

    def _page(self, notes: list[FakeNote], parameters: dict[str, str]) -> list[Any]:
        start = (max(_integer(parameters, "page"), 1) - 1) * PAGE
        notes.sort(key=lambda note: note.updated or _NO_DATE, reverse=True)
        return [note_json(self.account, note) for note in notes[start : start + PAGE]]

    def _note(self, parameters: dict[str, str]) -> dict[str, Any]:
        note_id = parameters.get("noteId", "")
        if not _HEX_ID.fullmatch(note_id):
            return {"Ok": False, "Msg": "noteIdInvalid"}
        note = self.account.notes.get(note_id)
        return note_json(self.account, note) if note else {"Ok": False, "Msg": "notExists"}

    def _note_and_content(self, parameters: dict[str, str]) -> dict[str, Any]:
        note = self._find(parameters)
        return note_json(self.account, note, served_body(note)) if note else empty_note_json()

    def _content(self, parameters: dict[str, str]) -> dict[str, Any]:
        note = self._find(parameters)
        if note is None or note.body is None:
            return {"NoteId": "", "UserId": "", "Content": ""}
        return {"NoteId": note.id, "UserId": self.account.user_id, "Content": served_body(note)}

    def _find(self, parameters: dict[str, str]) -> FakeNote | None:
        note_id = parameters.get("noteId", "")
        if not _HEX_ID.fullmatch(note_id):
            raise Panic(note_id)
        return self.account.notes.get(note_id)

    def _file(self, action: str, file_id: str, token: str) -> Reply:
        if not _HEX_ID.fullmatch(file_id):
            return Reply(b"<html><h1>Application error</h1></html>", "text/html; charset=utf-8", 500)
        kind: Kind = "image" if action == "file/getImage" else "attachment"
        file = self.account.files.get((kind, file_id))
        if file is None or not (token in self.tokens or self._is_public(file)):
            return Reply(b"" if kind == "image" else b"No Such File", "text/plain; charset=utf-8")
        if file.data is None:
            return Reply(b"<html>open: no such file</html>", "text/html; charset=utf-8", 500)
        if kind == "image":
            return Reply(file.data, "image/png", disposition=f'inline; filename="{file.name}"')
        name = re.sub(r"[\r\n]", " ", file.title)
        return Reply(file.data, "application/octet-stream", disposition=f'attachment; filename="{name}"')

    def _is_public(self, file: FakeFile) -> bool:
        notes = self.account.notes.values()
        return any(note.is_blog and file.id in (*note.images, *note.attachments) for note in notes)


def _after(rows: Sequence[Row], parameters: dict[str, str]) -> list[Row]:
    """Return one page of what has a higher Usn; what shares the last one's Usn may be on no page at all."""
    after, size = _integer(parameters, "afterUsn"), _integer(parameters, "maxEntry") or SYNC_PAGE
    return sorted((row for row in rows if row.usn > after), key=lambda row: row.usn)[:size]


def _integer(parameters: dict[str, str], name: str) -> int:
    text = parameters.get(name, "")
    return int(text) if text.lstrip("-").isdigit() else 0


def _json(value: Any) -> Reply:
    return Reply(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
