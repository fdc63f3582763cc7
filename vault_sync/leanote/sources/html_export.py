"""HTML files that the desktop app exported -> a source of notes: title, text and pictures, as nothing else is in them.

The file is cut by its marks and not parsed as a page: Markdown stands in it unescaped, and a parser would change it.
One note is in memory at a time; nothing outside the folder is read.
"""

import posixpath
import re
from functools import cached_property
from html import unescape
from typing import NamedTuple

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef, NoteListing, Problem
from vault_sync.leanote.sources.export_text import (
    GUESSED_ENCODING,
    decode_text,
    derived_id,
    folder_levels,
    notebook_id,
    object_id,
    revision_of,
)
from vault_sync.leanote.sources.folder_files import FolderFiles, FolderSource

HTML_SUFFIXES = (".html", ".htm")
MAX_PAGE_BYTES = 32 * 2**20
EATEN_DOLLARS = "the app turns `$$` into `$` in HTML; check its formulas, or export the note as .leanote"
_MARKDOWN = re.compile(r"<textarea\b[^<>]{0,500}\bid=[\"']leanote-content-markdown[\"'][^<>]{0,500}>", re.IGNORECASE)
_REPEATED = re.compile(r"<pre\b[^<>]{0,500}\bclass=[\"']content-markdown[\"'][^<>]{0,500}>", re.IGNORECASE)
_RICH = re.compile(r"<div\b[^<>]{0,500}\bid=[\"']leanote-content[\"'][^<>]{0,500}>", re.IGNORECASE)
_TITLE = re.compile(
    r"<h1\b[^<>]{0,500}\bid=[\"']leanote-title[\"'][^<>]{0,500}>(.{0,2000}?)</h1>", re.IGNORECASE | re.DOTALL
)
_PAGE_TITLE = re.compile(r"<title>(.{0,2000}?)</title>", re.IGNORECASE | re.DOTALL)
_DIV = re.compile(r"<(/?)div\b", re.IGNORECASE)


class _Page(NamedTuple):
    path: str
    listing: NoteListing


class HtmlExportSource(FolderSource):
    """Notes as HTML files. Each is known by its path, so that a renamed note comes in as a new one."""

    has_ids = False

    def body(self, note: NoteListing) -> str:
        """Return a note's text: Markdown as it was written, or HTML.

        Raises:
            NoteUnreadable: its file is gone, or no longer a note.
        """
        return note_in_page(self._text(self._notes[note.id].path), note.title)[1]

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a picture; None for attachments, which the app does not export as HTML.

        Raises:
            NoteUnreadable: it cannot be read.
        """
        if ref.kind is FileKind.ATTACHMENT and object_id(ref.id):
            return None
        folder = posixpath.dirname(self._notes[note.id].path)
        path = self._files.with_id(ref.id) or self._files.find(posixpath.join(folder, ref.id))
        return None if path is None or path.lower().endswith(HTML_SUFFIXES) else self._files.read(path)

    @cached_property
    def _notes(self) -> dict[str, _Page]:
        notes: dict[str, _Page] = {}
        for path in self._files.paths:
            if not path.lower().endswith(HTML_SUFFIXES):
                continue
            try:
                listing = self._listing(path)
            except NoteUnreadable as error:
                self._problems.append(Problem(path, str(error)))
            else:
                notes[listing.id] = _Page(path, listing)
        return notes

    def _listing(self, path: str) -> NoteListing:
        text = self._text(path)
        title, body, is_markdown = note_in_page(text, path)
        if "$" in body:
            self._problems.append(Problem(title or path, EATEN_DOLLARS))
        levels = folder_levels(path)
        return NoteListing(
            id=derived_id("html", path),
            title=title,
            notebook=notebook_id(levels),
            tags=(),
            created=None,
            updated=None,
            is_markdown=is_markdown,
            revision=revision_of(title, body, levels, is_markdown),
        )

    def _text(self, path: str) -> str:
        text, is_guessed = decode_text(self._files.read(path, MAX_PAGE_BYTES), path)
        found = Problem(path, GUESSED_ENCODING)
        if is_guessed and found not in self._problems:
            self._problems.append(found)
        return text


def is_note_page(text: str) -> bool:
    """Whether a page, or its beginning, is a note that the app exported."""
    return bool(_MARKDOWN.search(text) or _RICH.search(text) or _TITLE.search(text))


def has_note_page(files: FolderFiles, path: str) -> bool:
    """Whether an HTML file is a note that the app exported; one that cannot be read is none."""
    try:
        return is_note_page(decode_text(files.read(path, MAX_PAGE_BYTES), path)[0])
    except NoteUnreadable:
        return False


def note_in_page(text: str, name: str) -> tuple[str, str, bool]:
    """Return title, body, and whether it is Markdown.

    Raises:
        NoteUnreadable: the page is not a note of the app's.
    """
    found_title = _TITLE.search(text) or _PAGE_TITLE.search(text)
    title = " ".join(unescape(found_title[1]).split()) if found_title else ""
    if start := _MARKDOWN.search(text):
        return title, _markdown(text, start.end()), True
    if start := _RICH.search(text):
        return title, text[start.end() : _end_of_div(text, start.end())].strip(), False
    raise NoteUnreadable(f"{name}: not a note that Leanote's desktop app exported; left out.")


def _markdown(text: str, start: int) -> str:
    """Return the text up to the last end of its area: the Markdown itself may hold one."""
    repeated = _REPEATED.search(text, start)
    end = text.rfind("</textarea>", start, repeated.start() if repeated else len(text))
    if end >= 0:
        return text[start:end]
    if repeated and (end := text.rfind("</pre>", repeated.end())) >= 0:
        return text[repeated.end() : end]
    return text[start:]


def _end_of_div(text: str, start: int) -> int:
    depth = 1
    for tag in _DIV.finditer(text, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.start()
    return len(text)
