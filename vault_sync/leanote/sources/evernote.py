"""`.enex` files of the desktop app, one or a folder of them -> a source of notes.

Times in them are those of the export and are not taken. Keeps the file read last in memory, never more.
"""

import base64
import binascii
import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef, NoteListing, Problem
from vault_sync.leanote.sources.export_text import (
    clean_tags,
    decode_text,
    derived_id,
    folder_levels,
    notebook_id,
    revision_of,
)
from vault_sync.leanote.sources.folder_files import FolderSource

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


MAX_TAGS = 200_000  # each takes many times its length in memory
_PLAIN = re.compile(r"<(title|tag)>((?:(?!<\1>).){0,2000}?)</\1>", re.DOTALL)
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NOTE = re.compile(r"<en-note\b[^<>]{0,500}>")
_NOTE_END = "</en-note>"
_TEXT, _TEXT_END = "<![CDATA[", "]]>"
_PRE = re.compile(r"\s*<pre\b[^<>]*>(.*)</pre>\s*", re.DOTALL)
_MEDIA = re.compile(r"<en-media\b([^<>]*?)/?>(?:\s*</en-media>)?")
_HASH = re.compile(r"\bhash=[\"']([0-9a-fA-F]{32})[\"']")
_WIDTH = re.compile(r"\bwidth=[\"'](\d{1,5})(?:px)?[\"']")


@dataclass(frozen=True, slots=True)
class EvernoteNote:
    """A note of an `.enex` file; a file's id is the MD5 of its bytes, by which the body names it."""

    title: str
    tags: tuple[str, ...]
    is_markdown: bool
    body: str
    files: tuple[tuple[FileRef, bytes], ...]


def parse_evernote_file(text: str, name: str) -> tuple[EvernoteNote, ...]:
    """Return the notes of a file.

    Raises:
        NoteUnreadable: it is not XML, defines entities, or has no notes.
    """
    from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

    try:
        root = fromstring(_mended(text, name).encode(errors="replace"), forbid_entities=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise NoteUnreadable(f"{name}: not read as XML ({error}). Export the note as .leanote instead.") from error
    if root.tag != "en-export":
        raise NoteUnreadable(f"{name}: no Evernote export, as it starts with <{root.tag[:40]}>.")
    return tuple(_note(element) for element in root.iter("note"))


def _mended(text: str, name: str) -> str:
    """Return the XML with titles and tags escaped where the app did not, and without what XML cannot hold."""
    parts = list(_parts(re.sub(r"\A\s*<\?xml[^<>]*\?>", "", _NOT_XML.sub("", text))))
    if sum(part.count("<") for part in parts if not part.startswith(_TEXT)) > MAX_TAGS:
        raise NoteUnreadable(f"{name}: more than {MAX_TAGS:,} tags around its notes; left out.")
    return "".join(part if part.startswith(_TEXT) else _PLAIN.sub(_escaped, part) for part in parts)


def _parts(text: str) -> Iterator[str]:
    """Yield XML and what it marks as text in turn; a mark without an end is XML, and so an error later."""
    position = 0
    while (start := text.find(_TEXT, position)) >= 0 and (end := text.find(_TEXT_END, start)) >= 0:
        yield text[position:start]
        position = end + len(_TEXT_END)
        yield text[start:position]
    yield text[position:]


def _escaped(found: re.Match[str]) -> str:
    inner = _BARE_AMPERSAND.sub("&amp;", found[2]).replace("<", "&lt;").replace(">", "&gt;")
    return f"<{found[1]}>{inner}</{found[1]}>"


def _note(element: "Element") -> EvernoteNote:
    is_markdown = element.findtext(".//leaIsMarkdown", "").strip().lower() == "true"
    files = tuple(_files(element))
    inner = _inner(element.findtext("content", ""))
    return EvernoteNote(
        title=element.findtext("title", "").strip(),
        tags=clean_tags(tag.text for tag in element.iter("tag")),
        is_markdown=is_markdown,
        body=_markdown(inner) if is_markdown else _rich_text(inner, {ref.id: ref for ref, _ in files}),
        files=files,
    )


def _inner(content: str) -> str:
    """Return what stands in the `en-note` of a note, up to its last end: the text itself may hold one."""
    start = _NOTE.search(content)
    return content[start.end() : max(content.rfind(_NOTE_END), start.end())] if start else ""


def _markdown(inner: str) -> str:
    found = _PRE.fullmatch(inner)
    source = found[1] if found else inner
    is_escaped = "<" not in source and not _BARE_AMPERSAND.search(source)
    return unescape(source) if is_escaped else source


def _rich_text(inner: str, refs: dict[str, FileRef]) -> str:
    """Return the HTML with a picture or link where Evernote's own tag for a file was."""

    def replaced(media: re.Match[str]) -> str:
        found = _HASH.search(media[1])
        ref = refs.get(found[1].lower()) if found else None
        if ref is None:
            return ""
        if ref.kind is FileKind.ATTACHMENT:
            return f'<a href="{ref.id}">{_shown(ref.title or ref.id)}</a>'
        width = _WIDTH.search(media[1])
        return f'<img src="{ref.id}" alt=""{f" width={chr(34)}{width[1]}{chr(34)}" if width else ""}>'

    return _MEDIA.sub(replaced, inner)


def _shown(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _files(element: "Element") -> Iterator[tuple[FileRef, bytes]]:
    for resource in element.iter("resource"):
        try:
            data = base64.b64decode("".join(resource.findtext("data", "").split()), validate=True)
        except (binascii.Error, ValueError):
            continue  # the body names it by a sum that nothing has: it is reported as missing
        kind = FileKind.IMAGE if resource.findtext("mime", "").startswith("image/") else FileKind.ATTACHMENT
        made_of = hashlib.md5(data, usedforsecurity=False).hexdigest()
        yield FileRef(made_of, kind, resource.findtext(".//file-name", "").strip()), data


EVERNOTE_SUFFIX = ".enex"
MAX_EVERNOTE_BYTES = 160 * 2**20  # as of a .leanote file
NO_TIMES = "the times in Evernote files of Leanote are those of the export; the notes come without times"
EATEN_DOLLARS = "the app turns `$$` into `$` in Evernote files; check its formulas, or export the note as .leanote"


class _Entry(NamedTuple):
    path: str
    position: int
    listing: NoteListing


class EvernoteSource(FolderSource):
    """Notes as Evernote files. Each is known by the path of its file and its place in it."""

    has_ids = False

    def __init__(self, source: Path) -> None:
        """Take a file or a folder, if there is such a thing."""
        super().__init__(source)
        self._lock = threading.Lock()
        self._last: tuple[str, tuple[EvernoteNote, ...]] = ("", ())

    def body(self, note: NoteListing) -> str:
        """Return a note's text: Markdown as it was written, or HTML.

        Raises:
            NoteUnreadable: its file is gone, or has changed since it was listed.
        """
        return self._note(note).body

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        """Return the bytes of a file by the sum that the body names it by, None when it is not in the note."""
        return next((data for found, data in self._note(note).files if found.id == ref.id), None)

    def close(self) -> None:
        """Forget the file read last."""
        self._last = ("", ())

    @cached_property
    def _notes(self) -> dict[str, _Entry]:
        notes: dict[str, _Entry] = {}
        for path in self._files.paths:
            if path.lower().endswith(EVERNOTE_SUFFIX):
                for position, listing in self._read(path):
                    notes[listing.id] = _Entry(path, position, listing)
        if notes:
            self._problems.append(Problem(self.label, NO_TIMES))
        return notes

    def _read(self, path: str) -> list[tuple[int, NoteListing]]:
        try:
            notes = self._load(path)
        except NoteUnreadable as error:
            self._problems.append(Problem(path, str(error)))
            return []
        for note in notes:
            if note.is_markdown and "$" in note.body:
                self._problems.append(Problem(note.title or path, EATEN_DOLLARS))
        return [(position, _listing(path, position, note)) for position, note in enumerate(notes)]

    def _note(self, listing: NoteListing) -> EvernoteNote:
        path, position, _ = self._notes[listing.id]
        notes = self._load(path)
        if position >= len(notes) or _listing(path, position, notes[position]) != listing:
            raise NoteUnreadable(f"{path}: has changed since it was listed. Import again.")
        return notes[position]

    def _load(self, path: str) -> tuple[EvernoteNote, ...]:
        with self._lock:
            if self._last[0] != path:
                text, _ = decode_text(self._files.read(path, MAX_EVERNOTE_BYTES), path)
                self._last = (path, parse_evernote_file(text, path))
            return self._last[1]


def _listing(path: str, position: int, note: EvernoteNote) -> NoteListing:
    levels = folder_levels(path)
    files = tuple(ref for ref, _ in note.files)
    return NoteListing(
        id=derived_id("evernote", path, *((str(position),) if position else ())),
        title=note.title,
        notebook=notebook_id(levels),
        tags=note.tags,
        created=None,
        updated=None,
        is_markdown=note.is_markdown,
        revision=revision_of(levels, note.title, note.tags, note.is_markdown, note.body, files),
        files=files,
    )
