"""Pictures and attachments -> files in the `assets` folder; and where the links of one note lead.

The same bytes under the same name are written once; a picture's name is ours, so that of pictures any will do. A file
that is known, and still there, is not asked for again. A file of another's making is never replaced: ours gets another
name. An attachment that would be a note of the vault by its name is none: it gets `.txt` behind it.
"""

import posixpath
import re
from collections.abc import Mapping

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import FileKind, FileRef, LeanoteSource, NoteListing
from vault_sync.leanote.file_names import folded, free_name, safe_file_name, safe_name
from vault_sync.leanote.pictures import picture_extension
from vault_sync.leanote.write.import_state import ImportState
from vault_sync.leanote.write.note_file import digest
from vault_sync.leanote.write.vault_writer import VaultWriter
from vault_sync.worktree import NOTE_SUFFIXES

_OBJECT_ID = re.compile(r"[0-9a-f]{24}")
_CLASH = re.compile(r" \([1-9][0-9]{0,8}\)(?=\.[^.]*\Z|\Z)")
_DIGITS = 24  # of a digest, as the name of a picture without one


class AssetFolder:
    """The folder of one import; paths are relative to the vault."""

    def __init__(self, folder: str, writer: VaultWriter, state: ImportState) -> None:
        self._folder = folder
        self._writer = writer
        self._state = state
        self._used = {folded(name) for name in writer.names_in(folder)}
        self._places: dict[tuple[str, str], str] = {}  # a content, and what counts of its name -> the path
        for path, content in state.assets.items():
            self._note(content, path)

    def find(self, ref: FileRef) -> str | None:
        """Return the path of a file that came in before and is still there."""
        if not _OBJECT_ID.fullmatch(ref.id):
            return None  # a name in an export, which another export may give to another file
        path = self._state.files.get(_key(ref))
        return path if path and not self._writer.is_free(path) else None

    def keep(self, ref: FileRef, data: bytes) -> str:
        """Write a file of the source, unless its bytes are there; return its path."""
        name = _name_of(ref, data)
        is_picture = ref.kind is FileKind.IMAGE
        path = self._put(name, data, _extension(name) if is_picture else folded(name))
        if _OBJECT_ID.fullmatch(ref.id) and self._state.files.get(_key(ref)) != path:
            self._state.keep_file(_key(ref), path)
        return path

    def keep_inline(self, data: bytes) -> str | None:
        """Write a picture that stood in a body; return its path, None when it is none."""
        extension = picture_extension(data)
        return self._put(f"{digest(data)[:_DIGITS]}.{extension}", data, f".{extension}") if extension else None

    def _put(self, name: str, data: bytes, kind: str) -> str:
        """Return where the bytes lie under a name of the kind: the name itself, or any with the same extension."""
        content = digest(data)
        for place in (self._places.get((content, kind)), f"{self._folder}/{name}"):
            if place and self._is_there(place, content):
                path = place
                break
        else:
            path = self._numbered(name, content) or self._write(name, data)
        if self._state.assets.get(path) != content:
            self._state.keep_asset(path, content)
        self._note(content, path)
        return path

    def _note(self, content: str, path: str) -> None:
        name = posixpath.basename(path)
        for kind in (folded(_CLASH.sub("", name)), _extension(name)):
            self._places.setdefault((content, kind), path)

    def _numbered(self, name: str, content: str) -> str:
        """Return the path with a mark of a clash that holds the bytes though the state does not know it, or empty."""
        stem, extension = _split(name)
        number = 2
        while folded(f"{stem} ({number}){extension}") in self._used:
            path = f"{self._folder}/{stem} ({number}){extension}"
            if path not in self._state.assets and self._is_there(path, content):
                return path
            number += 1
        return ""

    def _is_there(self, path: str, content: str) -> bool:
        return self._writer.digest(path) == content

    def _write(self, name: str, data: bytes) -> str:
        stem, extension = _split(name)
        path = f"{self._folder}/{free_name(stem, self._used, extension)}{extension}"
        self._writer.write(path, data)
        self._state.keep_pending(path, "file")
        return path


class NoteTargets:
    """Where the links of one note lead, seen from its place; it gathers what was used on the way."""

    def __init__(
        self, source: LeanoteSource, note: NoteListing, path: str, folder: AssetFolder, links: Mapping[str, str]
    ) -> None:
        self._source = source
        self._note = note
        self._home = posixpath.dirname(path)
        self._folder = folder
        self._links = links
        self._listed = {(ref.kind, ref.id): ref for ref in note.files}
        self.assets: dict[str, None] = {}  # in the order of their use
        self.linked: dict[str, str] = {}
        self.unreadable: dict[str, str] = {}
        self.absent: set[str] = set()  # ids of files that the source does not have, for now

    def file(self, ref: FileRef) -> str | None:
        """Return the path of a file as seen from the note, None when the source does not have it."""
        known = self._listed.get((ref.kind, ref.id), ref)
        path = self._folder.find(known)
        if path is None:
            try:
                data = self._source.file(known, self._note)
            except NoteUnreadable as error:
                self.unreadable[known.title or known.id] = str(error)
                return None
            path = self._folder.keep(known, data) if data is not None else None
        if path is None and (known.kind is FileKind.IMAGE or _OBJECT_ID.fullmatch(known.id)):
            self.absent.add(known.id)
        return self._from_note(path)

    def inline(self, data: bytes) -> str | None:
        """Return the path of a picture that stood in the body, None when it is none."""
        return self._from_note(self._folder.keep_inline(data))

    def note(self, note_id: str) -> str | None:
        """Return the path of another note in the vault, without its suffix."""
        self.linked[note_id] = self._links.get(note_id, "")
        return self.linked[note_id] or None

    def _from_note(self, path: str | None) -> str | None:
        if path is None:
            return None
        self.assets[path] = None
        return posixpath.relpath(path, self._home or ".")


def _key(ref: FileRef) -> str:
    return f"{ref.kind}:{ref.id}"


def _name_of(ref: FileRef, data: bytes) -> str:
    """Return the name of a file: an attachment's own, a picture's id; the same whatever the source tells of it."""
    name = _own_name(ref, data)
    return f"{name}.txt" if name.lower().endswith(NOTE_SUFFIXES) else name


def _own_name(ref: FileRef, data: bytes) -> str:
    own = safe_file_name(posixpath.basename((ref.title or ref.id).replace("\\", "/")))
    if ref.kind is FileKind.ATTACHMENT and ref.title:
        return own
    extension = picture_extension(data)
    if not _OBJECT_ID.fullmatch(ref.id):
        stem = safe_name(own.rpartition(".")[0] or own)
        return f"{stem}.{extension}" if extension else own
    extension = extension or own.rpartition(".")[2].lower() if "." in own or extension else "bin"
    return f"{ref.id}.{extension}"


def _split(name: str) -> tuple[str, str]:
    """Return a name's stem, and its extension with the dot; empty without one."""
    stem, dot, extension = name.rpartition(".")
    return (stem, dot + extension) if dot else (name, "")


def _extension(name: str) -> str:
    return _split(name)[1].lower()
