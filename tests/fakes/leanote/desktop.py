"""The account as the desktop app exports it: one file a note, and what the app loses on the way."""

import base64
import json
import re
from collections.abc import Collection, Iterator
from datetime import datetime
from hashlib import md5
from pathlib import Path
from typing import Any

from tests.fakes.leanote.records import SITE, ZONE, FakeAccount, FakeFile, FakeNote, Kind
from tests.fakes.leanote.served import served_body

EXPORTED = "2024-03-13 10:00:00"
_UNSAFE = re.compile(r"[/#$!^*'\s\"%&()+,:;<>=?@|\\]+|-{2,}")
_OWN = rf"(?<![\w.])(?:{re.escape(SITE)}|leanote:/|http://127\.0\.0\.1:8912)?/(?:api/)?"
_LINK = re.compile(
    rf"{_OWN}(?:file/(?P<image>getImage|outputImage)\?fileId|file/getAttach\?fileId|attach/download\?attachId)"
    r"=(?P<id>[0-9a-f]{24})"
)
_IMAGE_TAG = re.compile(
    rf"!\[[^\]\n]*\]\({_LINK.pattern}[^)]*\)|<img\b[^>]*{_LINK.pattern.replace('P<', 'P<tag_')}[^>]*>"
)
_DROPPED_TAGS = re.compile(
    r"<(style|script)\b.*?</\1>|</?(?:iframe|input|button|form|select|textarea|legend|wbr|pinit)\b[^>]*>", re.S
)
_DROPPED_ATTRIBUTES = re.compile(r"""\s(?:id|on\w+|data-[\w-]+|clear|target)=(?:"[^"]*"|'[^']*')""")


def local_id(kind: Kind, file_id: str) -> str:
    """Return the id that the app on this computer has given a file."""
    return md5(f"local {kind} {file_id}".encode(), usedforsecurity=False).hexdigest()[:24]


def exported_notes(account: FakeAccount) -> list[FakeNote]:
    """Return the notes that the app shows outside its trash."""
    return [note for note in account.notes.values() if not note.is_trash and not note.is_deleted]


def write_desktop(account: FakeAccount, folder: Path, unopened: Collection[str] = ()) -> dict[str, Path]:
    """Write every note flat into a folder and return the files by note; `unopened` were never opened in the app."""
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        path = free_path(folder, safe_name(note.title), ".leanote")
        export = {
            "exportDate": EXPORTED,
            "app": "leanote.desktop.app.win32",
            "appVersion": "2.7.0",
            "apiVersion": "0.1",
            "notes": [desktop_json(account, note, note.id not in unopened)],
        }
        path.write_text(json.dumps(export, ensure_ascii=False, indent=2), encoding="utf-8")
        written[note.id] = path
    return written


def desktop_json(account: FakeAccount, note: FakeNote, is_opened: bool = True) -> dict[str, Any]:
    """Return the object of one note."""
    body = desktop_body(account, note) if is_opened else ""
    files = [_file_json(file) for file in _files(account, note, body)]
    shown = {"title": note.title, "content": body, "tags": note.tags, "author": account.email}
    flag = {"isMarkdown": True} if note.is_markdown else {}
    times = {"createdTime": local_time(note.created), "updatedTime": local_time(note.updated)}
    return {**shown, **flag, **times, "files": files}


def desktop_body(account: FakeAccount, note: FakeNote) -> str:
    """Return a body with the app's links; an image whose file is missing goes with its whole link."""
    body = served_body(note)
    if not note.is_markdown:
        body = _DROPPED_ATTRIBUTES.sub("", _DROPPED_TAGS.sub("", body))
    return _LINK.sub(_local_link, _IMAGE_TAG.sub(lambda tag: tag[0] if _has_image(account, tag) else "", body))


def safe_name(title: str) -> str:
    """Return the name that the app gives a file."""
    name = re.sub("-{2,}", "-", _UNSAFE.sub("-", title)).removesuffix("-")
    return (name or "无标题")[:60]  # what the disk takes; the app itself does not cut


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """Return a path with a number when the name is taken."""
    path, number = folder / f"{name}{suffix}", 2
    while path.exists():
        path, number = folder / f"{name}-{number}{suffix}", number + 1
    return path


def local_time(moment: datetime | None) -> str:
    """Return a time without its zone; the moment of the export when the note has none."""
    if moment is None or moment.year < 1000:
        return EXPORTED
    return moment.astimezone(ZONE).strftime("%Y-%m-%d %H:%M:%S")


def _has_image(account: FakeAccount, tag: re.Match[str]) -> bool:
    if not (tag["image"] or tag["tag_image"]):
        return True
    file = account.files.get(("image", tag["id"] or tag["tag_id"]))
    return file is not None and file.data is not None


def _local_link(link: re.Match[str]) -> str:
    if link["image"]:
        return f"leanote://file/getImage?fileId={local_id('image', link['id'])}"
    return f"leanote://file/getAttach?fileId={local_id('attachment', link['id'])}"


def _files(account: FakeAccount, note: FakeNote, body: str) -> Iterator[FakeFile]:
    """Yield the images of the body and all attachments; nothing at all when the body holds no link to any."""
    if "leanote://file/" not in body:
        return
    for file in account.files.values():
        is_named = file.kind == "image" and local_id("image", file.id) in body
        if file.data is not None and (is_named or (file.kind == "attachment" and file.note == note.id)):
            yield file


def _file_json(file: FakeFile) -> dict[str, Any]:
    data = file.data or b""
    return {
        "base64": base64.b64encode(data).decode(),
        "md5": md5(data, usedforsecurity=False).hexdigest(),
        "type": file.name.rpartition(".")[2],
        "title": file.title,
        "createdTime": local_time(file.created),
        **({"isAttach": True} if file.kind == "attachment" else {}),
        "fileId": local_id(file.kind, file.id),
    }
