"""A folder of Markdown that an exporter wrote -> a source of notes.

Folders are notebooks, the header is cut off, files are found by the id in a link or by its path. One note is in memory
at a time; nothing outside the folder is read, and nothing is written.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo
from functools import cached_property
from html import unescape
from pathlib import Path

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef, Notebook, NoteListing, Problem
from vault_sync.leanote.sources.export_text import (
    GUESSED_ENCODING,
    decode_text,
    derived_id,
    has_markup,
    is_rich_text,
    notebook_id,
    notebooks_of,
    object_id,
    parse_time,
    revision_of,
    starts_with_tag,
)
from vault_sync.leanote.sources.exporters import Layout, joined, recognised_layout
from vault_sync.leanote.sources.folder_files import FolderFiles, FolderSource
from vault_sync.leanote.sources.note_header import NAMES, NoteDetails, split_header
from vault_sync.leanote.sources.sidecars import Sidecars

_PICTURE_FOLDERS = ("images", "_images", "_tp_images")
_ADDRESS = r"(?:file/getAttach|attach/download)\?[^\s()\"'<>]{0,200}?(?:fileId|attachId)=([0-9a-f]{24})"
_MARKDOWN = re.compile(rf"\[([^\[\]\n]{{1,300}})\]\([^\s()]{{0,300}}?{_ADDRESS}", re.IGNORECASE)
_HTML = re.compile(rf"<a\b[^<>]{{0,600}}?{_ADDRESS}[^<>]{{0,600}}>([^<>]{{1,300}})</a>", re.IGNORECASE)


class ExportedFiles:
    """The pictures and attachments of a folder of notes, as the notes name them."""

    def __init__(self, files: FolderFiles, layout: Layout) -> None:
        self._files = files
        self._layout = layout

    def attachments(self, note: str, body: str) -> dict[str, str]:
        """Return the attachments beside the note at a path that its body links by their names, by the links' ids."""
        if not self._layout.attachments:
            return {}
        folder = posixpath.join(posixpath.dirname(note), self._layout.attachments)
        located = {
            made_of: self._files.find(posixpath.join(folder, posixpath.basename(text)))
            for made_of, text in linked_attachments(body).items()
        }
        return {made_of: file for made_of, file in located.items() if file}

    def unnamed(self, named: Iterable[str]) -> list[Problem]:
        """Return a problem for each attachment that is not among those that notes name."""
        known = frozenset(named)
        return [
            Problem(path, "no note links this attachment; left out, copy it by hand")
            for path in self._files.paths
            if self._is_attachment(path) and path not in known
        ]

    def locate(self, ref: FileRef, note: str, attachments: Mapping[str, str]) -> str | None:
        """Return the file that the note at a path means, None when there is none; another note is no file."""
        if ref.kind is FileKind.ATTACHMENT and ref.id in attachments:
            return attachments[ref.id]
        path = self._files.with_id(ref.id) if object_id(ref.id) else self._by_path(ref.id, note)
        if path is None or self._layout.is_note(path):
            return None
        is_picture = posixpath.basename(posixpath.dirname(path)) in _PICTURE_FOLDERS
        # An attachment may have the id of a picture.
        return None if is_picture and ref.kind is FileKind.ATTACHMENT and object_id(ref.id) else path

    def _is_attachment(self, path: str) -> bool:
        folder = posixpath.basename(posixpath.dirname(path))
        return bool(folder) and folder == self._layout.attachments

    def _by_path(self, link: str, note: str) -> str | None:
        """Return the file that a link means, seen from the note's folder or one above it; else by the id in it."""
        folder = posixpath.dirname(note)
        while True:
            if path := self._files.find(posixpath.join(folder, link.lstrip("/"))):
                return path
            if not folder:
                return self._files.with_id(posixpath.basename(link))
            folder = posixpath.dirname(folder)


def linked_attachments(body: str) -> dict[str, str]:
    """Return the texts of links to attachments by the id, the first where there are several; in linear time."""
    found: dict[str, str] = {}
    for text, made_of in _MARKDOWN.findall(body):
        found.setdefault(made_of.lower(), text.strip())
    for made_of, text in _HTML.findall(body):
        found.setdefault(made_of.lower(), unescape(text).strip())
    return found


MAX_NOTE_BYTES = 16 * 2**20
_WRITTEN_AT_ONCE = timedelta(days=2)
NO_NOTE = "plain text that no exporter has marked as a note; left out, rename it to .md to take it in"


@dataclass(frozen=True, slots=True)
class _Found:
    """A note and where it lies; `attachments` are the files it names by an id that no file name holds."""

    path: str
    levels: tuple[str, ...]
    has_header: bool
    has_own_id: bool
    listing: NoteListing
    attachments: dict[str, str]


class MarkdownExportSource(FolderSource):
    """Notes as Markdown files.

    A note's id is Leanote's own where a header, JSON or the file's name shows it. Else it is made of the file's path
    below the folder, so that a note that is renamed or moved between two exports comes in as a new one.
    """

    is_whole = False  # exporters leave notes out: those in the trash, those without Markdown, or all but the blog

    def __init__(self, source: Path, zone: tzinfo | None = None) -> None:
        """Take a folder or one file; `zone` is that of times without one, by default this machine's.

        Raises:
            SourceRefused: there is no such folder.
        """
        super().__init__(source)
        self._zone = zone
        self._sidecars = Sidecars(self._files)

    @property
    def has_ids(self) -> bool:
        """Whether every note shows Leanote's own id."""
        return bool(self._notes) and all(found.has_own_id for found in self._notes.values())

    def notebooks(self) -> Sequence[Notebook]:
        """Return the exporter's own tree of notebooks, and those that only the folders or headers of notes tell of."""
        known = {book.id for book in self._layout.notebooks}
        others = (found.levels for found in self._notes.values() if found.listing.notebook not in known)
        return (*self._layout.notebooks, *notebooks_of(others))

    def body(self, note: NoteListing) -> str:
        """Return a note's text without its header.

        Raises:
            NoteUnreadable: its file is gone.
        """
        found = self._notes[note.id]
        text, _ = self._text(found.path)
        return split_header(text)[1] if found.has_header else text

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file, None when the folder does not hold it.

        Raises:
            NoteUnreadable: it cannot be read, or is too large.
        """
        found = self._notes[note.id]
        path = self._exported.locate(ref, found.path, found.attachments)
        return None if path is None else self._files.read(path)

    def problems(self) -> Sequence[Problem]:
        """Return what could not be read so far."""
        return (*self._files.problems, *self._sidecars.problems, *self._problems)

    @cached_property
    def _layout(self) -> Layout:
        return recognised_layout(self._files, self._problems)

    @cached_property
    def _exported(self) -> ExportedFiles:
        return ExportedFiles(self._files, self._layout)

    @cached_property
    def _notes(self) -> dict[str, _Found]:
        notes: dict[str, _Found] = {}
        for path in filter(self._layout.is_note, self._files.paths):
            try:
                found = self._found(path)
            except NoteUnreadable as error:
                self._problems.append(Problem(path, str(error)))
                continue
            if found is not None and found.listing.id in notes:
                self._problems.append(
                    Problem(path, f"has the id of {notes[found.listing.id].path}; taken as a new note")
                )
                found = replace(found, has_own_id=False, listing=replace(found.listing, id=_path_id(path)))
            if found is not None:
                notes[found.listing.id] = found
        self._problems += self._exported.unnamed(
            file for found in notes.values() for file in found.attachments.values()
        )
        return self._dated_by_files(notes) if self._layout.is_dated_by_files else notes

    def _found(self, path: str) -> _Found | None:
        text, is_guessed = self._text(path)
        title, own_id = self._layout.name(path)
        details = self._sidecars.details(path, title)
        header, body = self._split(path, text, details)
        if not self._is_note(path, body, body is not text or details is not None):
            self._problems.append(Problem(path, NO_NOTE))
            return None
        if is_guessed:
            self._problems.append(Problem(path, GUESSED_ENCODING))
        told = _merged(details or NoteDetails(), header)
        told = replace(told, id=told.id or own_id, title=title if told.title is None else told.title)
        return self._listed(path, body, told, has_header=body is not text)

    def _split(self, path: str, text: str, details: NoteDetails | None) -> tuple[NoteDetails, str]:
        """Return header and text; what looks like a header, but has another title than JSON gives, is text."""
        if not self._layout.has_headers:
            return NoteDetails(), text
        header, body = split_header(text, posixpath.splitext(posixpath.basename(path))[0])
        is_own_text = (
            details is not None and None not in (details.title, header.title) and details.title != header.title
        )
        return (NoteDetails(), text) if is_own_text else (header, body)

    def _listed(self, path: str, body: str, told: NoteDetails, has_header: bool) -> _Found:
        levels = told.notebook or self._layout.levels(path)
        attachments = self._exported.attachments(path, body)
        is_rich = self._is_rich(path, body)
        listing = NoteListing(
            id=told.id or _path_id(path),
            title=told.title or "",
            notebook=self._layout.notebook_ids.get(joined(levels)) or notebook_id(levels),
            tags=told.tags,
            created=parse_time(told.created, self._zone),
            updated=parse_time(told.updated, self._zone),
            is_markdown=not is_rich if told.is_markdown is None else told.is_markdown,
            revision=revision_of(told, levels, body, sorted(attachments)),
            usn=told.usn,
            url=told.url,
            is_blog=told.is_blog,
            is_trash=told.is_trash,
            is_deleted=told.is_deleted,
            files=tuple(
                FileRef(made_of, FileKind.ATTACHMENT, posixpath.basename(file)) for made_of, file in attachments.items()
            ),
        )
        return _Found(path, levels, has_header, bool(told.id), listing, attachments)

    def _is_note(self, path: str, body: str, is_told: bool) -> bool:
        is_text = path.lower().endswith(".txt")
        return not is_text or is_told or self._layout.is_text_rich or starts_with_tag(body)

    def _is_rich(self, path: str, body: str) -> bool:
        if path.lower().endswith(".txt"):
            return self._layout.is_text_rich or has_markup(body)
        return is_rich_text(body)

    def _text(self, path: str) -> tuple[str, bool]:
        return decode_text(self._files.read(path, MAX_NOTE_BYTES), path)

    def _dated_by_files(self, notes: dict[str, _Found]) -> dict[str, _Found]:
        """Date notes by their files where nothing else does; files that were all written at once tell nothing."""
        times = {found.path: self._files.changed(found.path) for found in notes.values()}
        is_dated = any(found.listing.created for found in notes.values())
        if is_dated or not times or max(times.values()) - min(times.values()) < _WRITTEN_AT_ONCE:
            return notes
        self._problems.append(Problem(self.label, "no header tells when notes were made; the times of their files do"))
        return {
            made_of: replace(found, listing=replace(found.listing, created=times[found.path]))
            for made_of, found in notes.items()
        }


def has_note_text(files: FolderFiles, path: str) -> bool:
    """Whether a file is Markdown, or text that an exporter has marked as a note; text that cannot be read is none."""
    if not path.lower().endswith(".txt"):
        return True
    try:
        text, _ = decode_text(files.read(path, MAX_NOTE_BYTES), path)
    except NoteUnreadable:
        return False
    return starts_with_tag(text) or split_header(text)[1] is not text


def _path_id(path: str) -> str:
    return derived_id("markdown", unicodedata.normalize("NFC", path))  # a Mac gives the same name in another form


def _merged(first: NoteDetails, second: NoteDetails) -> NoteDetails:
    """Return what the first tells, and where it is silent the second."""
    silent = NoteDetails()
    said = {name: value for name in NAMES if (value := getattr(first, name)) != getattr(silent, name)}
    return replace(second, **said)
