"""JSON beside exported notes -> what it says of each: a file a note, or one that lists the notes of a folder.

`<name>.json` and `<name>.md.json` are of the note `<name>.md`; `metadata.json`, `notes.json` or `index.json` list the
notes of their folder and those below, each told by its file, its id or its title. Nothing else in JSON is looked at.
"""

import json
import posixpath
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import Problem
from vault_sync.leanote.sources.export_text import decode_text, object_id
from vault_sync.leanote.sources.folder_files import FolderFiles
from vault_sync.leanote.sources.note_header import NoteDetails, details_of, plain_key

_LISTS = ("metadata.json", "notes.json", "index.json")
_FILE_KEYS = frozenset({"file", "filename", "path", "filepath"})
_MAX_JSON_BYTES = 16 * 2**20


class Sidecars:
    """The JSON of a folder of notes; what of it cannot be read stands in `problems`."""

    def __init__(self, files: FolderFiles) -> None:
        self.problems: list[Problem] = []
        self._files = files
        self._paths = frozenset(files.paths)
        self._list = cache(self._read_list)

    def details(self, path: str, title: str) -> NoteDetails | None:
        """Return what JSON says of the note at a path, whose file is called by a title; None when nothing does."""
        stem = posixpath.splitext(path)[0]
        for beside in (f"{stem}.json", f"{path}.json"):
            if beside in self._paths and posixpath.basename(beside) not in _LISTS:
                values = self._read(beside)
                if isinstance(values, dict):
                    return details_of(values)
        return self._listed(path, title)

    def _listed(self, path: str, title: str) -> NoteDetails | None:
        folder = posixpath.dirname(path)
        while True:
            for name in _LISTS:
                entries = self._list(posixpath.join(folder, name))
                below = posixpath.relpath(path, folder or ".")
                for key in (f"file:{below}", f"file:{posixpath.basename(path)}", _id_key(path), f"title:{title}"):
                    if key in entries:
                        return entries[key]
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _read_list(self, path: str) -> Mapping[str, NoteDetails]:
        """Return the notes that a file lists by all that may tell them apart; a title that two share tells neither."""
        entries: dict[str, NoteDetails] = {}
        if path not in self._paths:
            return entries
        doubles: set[str] = set()
        for name, values in _entries(self._read(path)):
            details = details_of(values)
            for key in _keys(name, values, details):
                if key in entries:
                    doubles.add(key)
                entries[key] = details
        return {key: details for key, details in entries.items() if key not in doubles}

    def _read(self, path: str) -> object:
        try:
            return json.loads(decode_text(self._files.read(path, _MAX_JSON_BYTES), path)[0])
        except (NoteUnreadable, ValueError, RecursionError) as error:
            self.problems.append(Problem(path, f"not read as JSON ({error}); its notes come without what it says"))
            return None


def _entries(content: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a list, of `notes` in an object, or of an object by file name."""
    if isinstance(content, dict) and isinstance(content.get("notes"), (list, dict)):
        content = content["notes"]
    named = (
        content.items()
        if isinstance(content, dict)
        else (("", entry) for entry in content or ())
        if isinstance(content, list)
        else ()
    )
    for name, entry in named:
        if isinstance(entry, dict):
            yield name, entry


def _keys(name: str, values: Mapping[str, object], details: NoteDetails) -> Iterator[str]:
    if name:
        yield f"file:{name}"
    for key, value in values.items():
        if plain_key(key) in _FILE_KEYS and isinstance(value, str):
            yield f"file:{posixpath.normpath(value)}"
    if details.id or object_id(name):
        yield f"id:{details.id or object_id(name)}"
    if details.title:
        yield f"title:{details.title}"


def _id_key(path: str) -> str:
    return f"id:{object_id(posixpath.splitext(posixpath.basename(path))[0][-24:])}"
