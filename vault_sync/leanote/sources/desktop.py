"""`.leanote` files of the desktop app, one or a folder of them -> a source of notes.

Folders are notebooks. Reads a file when a note of it is asked for and keeps the last one, never more; writes nothing.
"""

import base64
import binascii
import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cached_property
from pathlib import Path

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef, NoteListing, Problem
from vault_sync.leanote.sources.export_text import (
    clean_tags,
    decode_text,
    derived_id,
    folder_levels,
    notebook_id,
    parse_time,
    revision_of,
    starts_with_tag,
)
from vault_sync.leanote.sources.folder_files import MAX_FILE_BYTES, FolderSource

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


DESKTOP_SUFFIX = ".leanote"
MAX_EXPORT_BYTES = 160 * 2**20  # a file of 100 MB, the most that a server takes as set up, is 134 MB in base64
NO_BODY = "its text was not on the computer that exported it; open the note in the app and export it again"


@dataclass(frozen=True, slots=True)
class _Found:
    """A note, and where it stands; its body and files are left in the file."""

    path: str
    position: int
    identity: tuple[str, str]  # author and time of creation; the latter is empty when the app did not know it
    exported: str
    listing: NoteListing  # its id is given later


class DesktopSource(FolderSource):
    """Notes that the desktop app exported.

    The files hold no ids of notes. A note is known again by its author and the second in which it was made, so that
    a new title or another folder does not double it. Where several notes of one reading share these, the first by
    title goes by them alone and the others by their title too; where the app did not know when a note was made, the
    title and the folder have to do. The same title and second of one author is one note exported twice: the later
    export counts. An export made in another time zone gives other seconds, and so other ids.
    """

    has_ids = False

    def __init__(self, source: Path, zone: tzinfo | None = None) -> None:
        """Take a file or a folder; `zone` is where the app ran, by default that of this machine.

        Raises:
            SourceRefused: there is no such file or folder.
        """
        super().__init__(source)
        self._zone = zone
        self._lock = threading.Lock()
        self._last: tuple[str, tuple[DesktopNote, ...]] = ("", ())

    def body(self, note: NoteListing) -> str:
        """Return a note's text; empty where the app had none to export.

        Raises:
            NoteUnreadable: its file is gone or has changed since it was listed.
        """
        return self._note(note).content

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file, None when the note's export does not hold it.

        Raises:
            NoteUnreadable: it is damaged or too large.
        """
        file = next((file for file in self._note(note).files if _is_named(file, ref)), None)
        if file is None or not file.base64:
            return None
        name = f"{note.title}: {file.ref.title or file.ref.id}"
        data = decoded_file(file, name)
        changed = Problem(name, "its bytes are not those that the app exported; look whether it opens")
        if not is_as_exported(file, data) and changed not in self._problems:
            self._problems.append(changed)
        return data

    def close(self) -> None:
        """Forget the file read last."""
        self._last = ("", ())

    def _note(self, note: NoteListing) -> DesktopNote:
        place = self._notes[note.id]
        notes = self._load(place.path)
        found = notes[place.position] if place.position < len(notes) else None
        if found is None or _revision(place.path, found) != note.revision:
            raise NoteUnreadable(f"{place.path}: has changed since it was listed. Import again.")
        return found

    @cached_property
    def _notes(self) -> dict[str, _Found]:
        found: list[_Found] = []
        for path in self._files.paths:
            if path.lower().endswith(DESKTOP_SUFFIX):
                found += self._read(path)
        return dict(_with_ids(self._without_older(found)))

    def _read(self, path: str) -> list[_Found]:
        try:
            notes = self._load(path)
        except NoteUnreadable as error:
            self._problems.append(Problem(path, str(error)))
            return []
        for note in notes:
            if not note.content:
                self._problems.append(Problem(note.title or path, NO_BODY))
        return [self._found(path, position, note) for position, note in enumerate(notes)]

    def _found(self, path: str, position: int, note: DesktopNote) -> _Found:
        listing = NoteListing(
            id="",
            title=note.title,
            notebook=notebook_id(folder_levels(path)),
            tags=note.tags,
            created=parse_time(note.created, self._zone),
            updated=parse_time(note.updated, self._zone),
            is_markdown=note.is_markdown,
            revision=_revision(path, note),
            files=tuple(dict.fromkeys(file.ref for file in note.files)),
        )
        identity = (note.author, note.created if listing.created else "")
        return _Found(path, position, identity, note.exported, listing)

    def _without_older(self, found: list[_Found]) -> list[_Found]:
        """Leave out earlier exports of a note; the app adds `-2` to a file's name rather than replace it."""
        latest: dict[tuple[str, ...], _Found] = {}
        for number, note in enumerate(sorted(found, key=lambda note: (note.exported, note.path, note.position))):
            key = (*note.identity, note.listing.title) if note.identity[1] else (str(number),)
            if older := latest.pop(key, None):
                self._problems.append(Problem(older.path, f"an earlier export of the note in {note.path}; left out"))
            latest[key] = note
        return list(latest.values())

    def _load(self, path: str) -> tuple[DesktopNote, ...]:
        with self._lock:
            if self._last[0] != path:
                self._last = (path, parse_desktop_file(self._files.read(path, MAX_EXPORT_BYTES), path))
            return self._last[1]


def _with_ids(found: list[_Found]) -> Iterator[tuple[str, _Found]]:
    """Yield notes with their ids, as the docstring of the source says."""
    groups: dict[tuple[str, ...], list[_Found]] = defaultdict(list)
    for note in sorted(found, key=lambda note: (note.listing.title, note.path, note.position)):
        place = () if note.identity[1] else (note.listing.title, note.listing.notebook)
        groups[(*note.identity, *place)].append(note)
    for key, notes in groups.items():
        for number, note in enumerate(notes):
            told_apart = note.listing.title if note.identity[1] else str(number)
            made = derived_id("desktop", *key, *((told_apart,) if number else ()))
            yield made, replace(note, listing=replace(note.listing, id=made))


def _is_named(file: DesktopFile, ref: FileRef) -> bool:
    return (file.ref.id, file.ref.kind) == (ref.id, ref.kind)


def _revision(path: str, note: DesktopNote) -> str:
    files = tuple((file.ref, file.md5 or len(file.base64)) for file in note.files)
    times = (note.created, note.updated)
    return revision_of(folder_levels(path), note.title, note.content, note.tags, note.is_markdown, times, files)
