"""The text of one `.enex` file that the desktop app wrote -> the notes in it.

The app does not escape titles and tags, so these are mended before the XML is parsed; entities and everything outside
the file are refused by the parser. Bodies are cut out as text, as Markdown stands in them as it was written.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.sources.export_text import clean_tags

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
