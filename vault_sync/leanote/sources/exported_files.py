"""A link of an exported note -> the file that it means, among those of the export.

By Leanote's id in the link or in a file's name, by the link's path, or, where an exporter stores attachments under
their own names and leaves the links as they were, by the link's text. Only names files that the folder was found to
hold, so that no link leads out of it.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from html import unescape

from vault_sync.leanote.account import FileKind, FileRef, Problem
from vault_sync.leanote.sources.export_ids import object_id
from vault_sync.leanote.sources.exporters import Layout
from vault_sync.leanote.sources.folder_files import FolderFiles

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
