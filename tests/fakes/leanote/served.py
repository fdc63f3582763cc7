"""Rows of the account -> the JSON objects that the Open API shows of them."""

import re
from datetime import datetime
from typing import Any
from urllib.parse import quote

from tests.fakes.leanote.records import SITE, FakeAccount, FakeNote, FakeNotebook

_UNSET = "0001-01-01T00:00:00Z"
_ID = "[0-9a-fA-F]{24}"
_HOST = rf"(?:{re.escape(SITE)})?"
_IMAGE = rf"{_HOST}/(?:api/file/getImage|file/outputImage)\?fileId=({_ID})"
_ATTACH = rf"{_HOST}/attach/download\?attachId=({_ID})"


def notebook_json(book: FakeNotebook, user_id: str) -> dict[str, Any]:
    return {
        "NotebookId": book.id,
        "UserId": user_id,
        "ParentNotebookId": book.parent or "",
        "Seq": book.position,
        "Title": book.title,
        "UrlTitle": quote(book.title),
        "IsBlog": book.is_blog,
        "CreatedTime": time_text(book.created),
        "UpdatedTime": time_text(book.updated),
        "Usn": book.usn,
        "IsDeleted": book.is_deleted,
    }


def note_json(account: FakeAccount, note: FakeNote, content: str = "") -> dict[str, Any]:
    return {
        "NoteId": note.id,
        "NotebookId": note.notebook,
        "UserId": account.user_id,
        "Title": note.title,
        "Desc": "",
        "Tags": note.tags,
        "Abstract": "",
        "Content": content,
        "IsMarkdown": note.is_markdown,
        "IsBlog": note.is_blog,
        "IsTrash": note.is_trash,
        "IsDeleted": note.is_deleted,
        "Usn": note.usn,
        "Files": [_file_json(account, note, file_id) for file_id in (*note.images, *note.attachments)],
        "CreatedTime": time_text(note.created),
        "UpdatedTime": time_text(note.updated),
        "PublicTime": time_text(note.created),
    }


def empty_note_json() -> dict[str, Any]:
    """Return what the server says of a note that it does not have."""
    texts = dict.fromkeys(("NoteId", "NotebookId", "UserId", "Title", "Desc", "Abstract", "Content"), "")
    times = dict.fromkeys(("CreatedTime", "UpdatedTime", "PublicTime"), _UNSET)
    flags = dict.fromkeys(("IsMarkdown", "IsBlog", "IsTrash", "IsDeleted"), False)
    return {**texts, **times, **flags, "Tags": None, "Usn": 0, "Files": None}


def served_body(note: FakeNote) -> str:
    """Return a note's text with the links that the server rewrites on reading."""
    body = note.body or ""
    for pattern, action in ((_IMAGE, "getImage"), (_ATTACH, "getAttach")):
        served = rf"{SITE}/api/file/{action}?fileId=\2"
        if note.is_markdown:
            body = re.sub(rf"(!?\[[^\]\n]*\]\(){pattern}(?=\))", rf"\1{served}", body)
        else:
            tag = r"(<img\b[^>]*?\ssrc=[\"']?" if action == "getImage" else r"(<a\b[^>]*?\shref=[\"']?"
            body = re.sub(rf"{tag}){pattern}", rf"\1{served}", body)
    return body


def time_text(moment: datetime | None) -> str:
    """Return RFC 3339 as the server writes it: its own offset, the fraction without trailing zeros."""
    if moment is None:
        return _UNSET
    base = moment.strftime("%m-%dT%H:%M:%S")
    fraction = f".{moment.microsecond:06d}".rstrip("0").rstrip(".")
    offset = moment.strftime("%z")
    return f"{moment.year:04d}-{base}{fraction}{'Z' if offset == '+0000' else offset[:3] + ':' + offset[3:]}"


def _file_json(account: FakeAccount, note: FakeNote, file_id: str) -> dict[str, Any]:
    is_attachment = file_id in note.attachments
    row = account.files.get(("attachment", file_id)) if is_attachment else None
    return {
        "FileId": file_id,
        "LocalFileId": "",
        "Type": row.type if row else "",
        "Title": row.title if row else "",
        "HasBody": False,
        "IsAttach": is_attachment,
    }
