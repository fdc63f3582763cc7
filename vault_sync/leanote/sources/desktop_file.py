"""The bytes of one `.leanote` file -> the notes in it, as the desktop app wrote them.

Knows the form only: which note is which, and in what notebook, `desktop.py` decides. Files stay base64 until asked for.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.sources.export_text import clean_tags, decode_text, starts_with_tag
from vault_sync.leanote.sources.folder_files import MAX_FILE_BYTES

MAX_VALUES = 4_000_000  # a list of nothing but lists takes thirty times its length in memory


@dataclass(frozen=True, slots=True)
class DesktopFile:
    """A picture or attachment inside a `.leanote` file."""

    ref: FileRef
    base64: str
    md5: str  # as the app says it; empty when it does not


@dataclass(frozen=True, slots=True)
class DesktopNote:
    """A note of a `.leanote` file; times are local and as written, empty when the app put the export's instead."""

    title: str
    content: str
    tags: tuple[str, ...]
    author: str
    is_markdown: bool
    created: str
    updated: str
    exported: str
    files: tuple[DesktopFile, ...] = ()


def parse_desktop_file(data: bytes, name: str) -> tuple[DesktopNote, ...]:
    """Return the notes of a file; one that is bare HTML, as the app's templates are, is one note of rich text.

    Raises:
        NoteUnreadable: it is neither.
    """
    if sum(data.count(mark) for mark in (b"[", b"{", b",")) > MAX_VALUES:
        raise NoteUnreadable(f"{name}: more than {MAX_VALUES:,} values, which no note has; left out.")
    text, _ = decode_text(data, name)
    if starts_with_tag(text):
        title = name.rpartition("/")[2].rpartition(".")[0]
        return (DesktopNote(title, text, (), "", False, "", "", ""),)
    try:
        export = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoteUnreadable(f"{name}: not JSON ({error}). Export the note again.") from error
    notes = export.get("notes") if isinstance(export, dict) else None
    if not isinstance(notes, list):
        raise NoteUnreadable(f"{name}: no `notes` in it. Give files that Leanote's desktop app exported.")
    exported = _text(export, "exportDate")
    return tuple(_note(note, exported) for note in notes if isinstance(note, dict))


def decoded_file(file: DesktopFile, name: str) -> bytes:
    """Return a file's bytes.

    Raises:
        NoteUnreadable: it is not base64, or larger than what is read.
    """
    if len(file.base64) // 4 * 3 > MAX_FILE_BYTES:
        raise NoteUnreadable(f"{name}: larger than {MAX_FILE_BYTES:,} bytes, which is not read.")
    try:
        return base64.b64decode("".join(file.base64.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise NoteUnreadable(f"{name}: damaged in the export ({error}). Export the note again.") from error


def is_as_exported(file: DesktopFile, data: bytes) -> bool:
    """Whether a file's bytes have the sum that the app gives; a file without one is taken as it is."""
    return file.md5 in ("", hashlib.md5(data, usedforsecurity=False).hexdigest())


def _note(raw: Mapping[str, object], exported: str) -> DesktopNote:
    tags, files = raw.get("tags"), raw.get("files")
    return DesktopNote(
        title=_text(raw, "title").strip(),
        content=_text(raw, "content"),
        tags=clean_tags(tags if isinstance(tags, list) else ()),
        author=_text(raw, "author"),
        is_markdown=raw.get("isMarkdown") is True,
        created=_unless(_text(raw, "createdTime"), exported),
        updated=_unless(_text(raw, "updatedTime"), exported),
        exported=exported,
        files=_files(files if isinstance(files, list) else ()),
    )


def _unless(moment: str, exported: str) -> str:
    """Return a time, but not the moment of the export: the app writes that when it has none."""
    return "" if moment == exported else moment


def _files(raw_files: Sequence[object]) -> tuple[DesktopFile, ...]:
    return tuple(_file(raw) for raw in raw_files if isinstance(raw, dict) and raw.get("fileId"))


def _file(raw: Mapping[str, object]) -> DesktopFile:
    kind = FileKind.ATTACHMENT if raw.get("isAttach") is True else FileKind.IMAGE
    ref = FileRef(_text(raw, "fileId").lower(), kind, _text(raw, "title"))
    return DesktopFile(ref, _text(raw, "base64"), _text(raw, "md5").lower())


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""
