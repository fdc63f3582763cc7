"""What a note links to -> links that Obsidian follows, and an account of what was named, missing and unresolved.

Files become Markdown links relative to the note, notes become wikilinks. What is not Leanote's is left to the caller.
"""

import re
from typing import Protocol
from urllib.parse import quote

from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.links import FileLink, NoteLink, parse_leanote_address
from vault_sync.leanote.pictures import is_data_address, picture_in

_ENCODED = re.compile(r"[\x00-\x20\x7f\s%#?<>()\[\]\\|\"^`{}:*$]")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|~~|==|`+)|</?(?:b|i|u|del|mark|sub|sup)>|\A_+|_+\Z")
_BRACKETS = str.maketrans("[]|", "［］｜")
_SHOWN = 200  # characters of an address in a report


class Targets(Protocol):
    """Where the links of one note lead, as seen from that note."""

    def file(self, ref: FileRef) -> str | None:
        """Return the path of a file relative to the note (POSIX, not percent-encoded), None when there is none."""
        ...

    def inline(self, data: bytes) -> str | None:
        """Return the path of a picture that stood in the body itself, relative to the note; None when it is refused."""
        ...

    def note(self, note_id: str) -> str | None:
        """Return what goes between `[[` and `]]` to name another note, None when it is not in the vault.

        `note_id` is 24 hex digits, or, from the address of a blog, the title that stands there.
        """
        ...


class LinkWriter:
    """Writes the links of one note, and remembers what became of them."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self.named: set[str] = set()
        self.missing: dict[str, None] = {}  # dicts keep the order, and each once
        self.unresolved: dict[str, None] = {}
        self.warnings: dict[str, None] = {}

    def warn(self, message: str) -> None:
        """Remember a warning, once."""
        self.warnings[message] = None

    def miss(self, address: str) -> None:
        """Remember that nothing can be had from an address."""
        self.missing[_short(address)] = None

    def picture(self, address: str, alt: str, width: str = "", in_table: bool = False) -> str | None:
        """Return the Markdown of a picture, None when its address is neither Leanote's nor holds the picture itself.

        `alt` is Markdown, and stands in for a picture that is missing.
        """
        if is_data_address(address):
            return self._inline_picture(address, alt, width, in_table)
        found = parse_leanote_address(address, is_embedded=True)
        if isinstance(found, NoteLink):
            return self._note_link(found, address, alt, in_table)
        if found is None:
            return None
        path = self._path(found, address)
        if path is not None:
            return picture_markdown(path, alt, width, in_table)
        return None if found.is_path else f"（缺图：{alt or found.ref.id}）"

    def link(self, address: str, text: str, in_table: bool = False) -> str | None:
        """Return the Markdown of a link, None when its address is not Leanote's, or is to stay as it is.

        `text` is Markdown; an empty one is replaced by a name.
        """
        found = parse_leanote_address(address)
        if isinstance(found, NoteLink):
            return self._note_link(found, address, text, in_table)
        if found is None:
            return None
        path = self._path(found, address)
        if path is not None:
            return f"[{text or path.rpartition('/')[2]}]({encoded_path(path)})"
        if found.is_path:
            return None
        what = "缺图" if found.ref.kind is FileKind.IMAGE else "缺附件"
        return f"（{what}：{text or found.ref.id}）"

    def resource(self, ref: FileRef, alt: str, width: str = "") -> str:
        """Return the Markdown of a file that the note carries with it and names by its id alone."""
        path = self._targets.file(ref)
        if path is None:
            self.missing[ref.id] = None
            return f"（缺文件：{alt or ref.id}）"
        self.named.add(ref.id)
        if ref.kind is FileKind.IMAGE:
            return picture_markdown(path, alt, width)
        return f"[{alt or path.rpartition('/')[2]}]({encoded_path(path)})"

    def _path(self, found: FileLink, address: str) -> str | None:
        path = self._targets.file(found.ref)
        if path is not None:
            self.named.add(found.ref.id)
        elif not found.is_path or found.ref.kind is FileKind.IMAGE:
            self.missing[_short(address)] = None
        return path

    def _note_link(self, found: NoteLink, address: str, text: str, in_table: bool) -> str | None:
        target = self._targets.note(found.note)
        if target is None:
            self.unresolved[_short(address)] = None
            return text or None if found.is_files else None
        return wikilink(target, "" if text == address else text, in_table)

    def _inline_picture(self, address: str, alt: str, width: str, in_table: bool) -> str:
        data = picture_in(address)
        path = self._targets.inline(data) if data else None
        if path is None:
            self.missing[_short(address)] = None
            return f"（缺图：{alt}）" if alt else "（缺图）"
        return picture_markdown(path, alt, width, in_table)


def picture_markdown(path: str, alt: str, width: str = "", in_table: bool = False) -> str:
    """Return an embedded picture; a width in pixels is told in Obsidian's way."""
    bar = "\\|" if in_table else "|"
    return f"![{alt}{bar}{width}]({encoded_path(path)})" if width else f"![{alt}]({encoded_path(path)})"


def wikilink(target: str, text: str = "", in_table: bool = False) -> str:
    """Return a link to a note; the text may hold anything, as far as a wikilink can show it."""
    plain = re.sub(r"\\(?=[^\w\s])", "", _EMPHASIS.sub("", text))
    shown = " ".join(plain.translate(_BRACKETS).split())
    if not shown or shown == target:
        return f"[[{target}]]"
    return f"[[{target}{chr(92) if in_table else ''}|{shown}]]"


def encoded_path(path: str) -> str:
    """Return a path as it stands in a Markdown link; letters of every script stay readable."""
    return _ENCODED.sub(lambda found: quote(found.group(), safe=""), path)


def _short(address: str) -> str:
    return address if len(address) <= _SHOWN else address[: _SHOWN - 1] + "…"
