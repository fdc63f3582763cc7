"""Writes the account as a server's owner has it: a mongodump, and beside it the files of the server."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bson
from bson import Int64, ObjectId

from tests.fakes.leanote.records import FakeAccount, FakeFile, FakeNote, FakeNotebook, make_id

OTHER_USER_ID = "65f0a1b2c3d4e5f600000002"


def write_mongodump(
    account: FakeAccount,
    folder: Path,
    *,
    is_packed: bool = False,
    with_files: bool = True,
    with_other_user: bool = False,
) -> Path:
    """Write `leanote/*.bson` into a folder, and `files/` and `public/upload/` beside it; return the folder."""
    collections = _collections(account)
    if with_other_user:
        collections["users"].append(_user(OTHER_USER_ID, "Wang", "wang@example.org"))
        collections["notes"].append({"_id": _oid(make_id(0xEE00)), "UserId": _oid(OTHER_USER_ID), "Title": "别人的"})
    database = folder / "leanote"
    database.mkdir(parents=True, exist_ok=True)
    for name, rows in collections.items():
        write_collection(database, name, rows, is_packed)
    if with_files:
        _write_files(account, folder)
    return folder


def write_collection(database: Path, name: str, rows: Iterable[dict[str, Any]], is_packed: bool = False) -> None:
    data = b"".join(bson.encode(row) for row in rows)
    path = database / f"{name}.bson{'.gz' if is_packed else ''}"
    path.write_bytes(gzip.compress(data, mtime=0) if is_packed else data)


def _collections(account: FakeAccount) -> dict[str, list[dict[str, Any]]]:
    notes = list(account.notes.values())
    images = [file for file in account.files.values() if file.kind == "image"]
    attachments = [file for file in account.files.values() if file.kind == "attachment"]
    return {
        "users": [_user(account.user_id, account.username.title(), account.email)],
        "notebooks": [_notebook(book, account.user_id) for book in account.notebooks.values()],
        "notes": [_note(note, account.user_id) for note in notes],
        "note_contents": [_content(note, account.user_id) for note in notes if note.body is not None],
        "files": [_image(file, account.user_id) for file in images],
        "attachs": [_attachment(file, account.user_id) for file in attachments],
        "note_images": [{"NoteId": _oid(note.id), "ImageId": _oid(image)} for note in notes for image in note.images],
        "sessions": [{"Token": "must-not-be-read"}],
        "configs": [],
    }


def _user(user_id: str, name: str, email: str) -> dict[str, Any]:
    return {
        "_id": _oid(user_id),
        "Email": email,
        "Username": name.lower(),
        "UsernameRaw": name,
        "Pwd": "$2a$10$must-not-be-read",
    }


def _notebook(book: FakeNotebook, user_id: str) -> dict[str, Any]:
    row = {"_id": _oid(book.id), "UserId": _oid(user_id), "Seq": book.position, "Title": book.title, "Usn": book.usn}
    if book.parent is not None:  # a root has the empty text, or nothing at all
        row["ParentNotebookId"] = _oid(book.parent) if book.parent else ""
    if book.is_deleted or book.is_blog:
        row |= {"IsDeleted": book.is_deleted, "IsBlog": book.is_blog}
    return _with_times(row, book)


def _note(note: FakeNote, user_id: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "_id": _oid(note.id),
        "UserId": _oid(user_id),
        "NotebookId": _oid(note.notebook) if note.notebook else "",
        "Title": note.title,
        "Desc": "",
        "UrlTitle": note.url_title,
        "AttachNum": Int64(len(note.attachments)),
        "IsTrash": note.is_trash,
        "IsDeleted": note.is_deleted,
    }
    if note.tags is not None:
        row["Tags"] = note.tags
    if note.is_markdown:
        row["IsMarkdown"] = True
    if note.is_blog:
        row["IsBlog"] = True
    if note.usn:  # the shell writes doubles, old servers int32, drivers either
        row["Usn"] = (float, int, Int64)[note.usn % 3](note.usn)
    return _with_times(row, note)


def _content(note: FakeNote, user_id: str) -> dict[str, Any]:
    row = {"_id": _oid(note.id), "UserId": _oid(user_id), "Content": note.body, "Abstract": "<p>摘要</p>"}
    return _with_times(row, note)


def _image(file: FakeFile, user_id: str) -> dict[str, Any]:
    row = _file(file)
    row["UserId"] = _oid(user_id)
    return row


def _attachment(file: FakeFile, user_id: str) -> dict[str, Any]:
    return {**_file(file), "NoteId": _oid(file.note), "UploadUserId": _oid(user_id)}


def _file(file: FakeFile) -> dict[str, Any]:
    return {
        "_id": _oid(file.id),
        "Name": file.name,
        "Title": file.title,
        "Size": Int64(len(file.data or b"")),
        "Type": file.type,
        "Path": f"/{file.path}" if int(file.id, 16) % 2 else file.path,
        "CreatedTime": file.created,
    }


def _with_times(row: dict[str, Any], item: FakeNote | FakeNotebook) -> dict[str, Any]:
    times = {"CreatedTime": item.created, "UpdatedTime": item.updated}
    return row | {name: moment for name, moment in times.items() if moment is not None}


def _write_files(account: FakeAccount, folder: Path) -> None:
    stored = {file.path: file.data for file in account.files.values() if file.data is not None}
    for path, data in {**stored, **account.uploads}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def _oid(text: str) -> ObjectId:
    return ObjectId(text)
