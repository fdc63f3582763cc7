"""The shape of a folder of Markdown -> which exporter made it, and what its paths tell of notes and notebooks.

Known shapes: Leanote4MD, its fork and leanote2md need no rule of their own beyond their header; LeanoteMD,
leanote-downloader and leanote2local do. Looks at names only, and at LeanoteMD's tree of notebooks.
"""

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import Notebook, Problem
from vault_sync.leanote.sources.export_text import decode_text, folder_levels, object_id
from vault_sync.leanote.sources.folder_files import FolderFiles

NOTE_SUFFIXES = (".md", ".markdown", ".txt")
_TREE = "dirtrees.json"
_VNOTE = "_vnote.json"
_MAX_TREE_BYTES = 4 * 2**20
_NAME_WITH_ID = re.compile(r"(?:(.*)_)?([0-9a-f]{24})", re.IGNORECASE | re.DOTALL)
_UNSAFE = re.compile(r"[\\:*?\"<>|：＊？＂＜＞｜＼\-_\s]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a folder's shape tells."""

    exporter: str
    root: str = ""  # notebooks begin below it
    file_folders: frozenset[str] = frozenset()  # hold pictures and attachments, never notes
    attachments: str = ""  # the folder beside a note that holds attachments by their own names
    has_headers: bool = True  # else what looks like one is a note's own text
    is_text_rich: bool = False  # `.txt` is rich text, whatever it starts with
    is_dated_by_files: bool = False  # a fork of leanote2md gives a file the time when its note was made
    is_joined: bool = False  # file names hold the notebooks, joined by `__`
    top_folder: str = ""  # stands for the notebook above it
    notebooks: tuple[Notebook, ...] = ()
    notebook_ids: Mapping[str, str] = field(default_factory=dict)  # by `joined` levels

    def is_note(self, path: str) -> bool:
        """Whether a note may lie at a path."""
        inside = not self.root or path.startswith(f"{self.root}/")
        folder = posixpath.basename(posixpath.dirname(path))
        return inside and path.lower().endswith(NOTE_SUFFIXES) and folder not in self.file_folders

    def levels(self, path: str) -> tuple[str, ...]:
        """Return the titles of the notebooks above a note, from the root."""
        folders = folder_levels(posixpath.relpath(path, self.root) if self.root else path)
        if self.is_joined:
            folders = (*folders, *_stem(path).split("__")[:-1])
        return tuple(folder for folder in folders if folder != self.top_folder)

    def name(self, path: str) -> tuple[str, str]:
        """Return the title and the id that a file's name holds; either may be empty."""
        stem = _stem(path).split("__")[-1] if self.is_joined else _stem(path)
        found = _NAME_WITH_ID.fullmatch(stem)
        return (found[1] or "", found[2].lower()) if found else (stem, "")


def recognised_layout(files: FolderFiles, problems: list[Problem]) -> Layout:
    """Return the layout of a folder; a tree of notebooks that cannot be read becomes a problem."""
    by_name = {posixpath.basename(path): path for path in sorted(files.paths, key=_depth, reverse=True)}
    if tree := by_name.get(_TREE):
        return _leanote_md(files, tree, problems)
    if config := by_name.get(_VNOTE):
        pictures = frozenset({"_v_images", "_v_attachments", "_tp_images"})
        return Layout("leanote2local", posixpath.dirname(config), pictures, has_headers=False, top_folder="_unhandled")
    folders = sorted({posixpath.dirname(path) for path in files.paths}, key=_depth)
    for folder in folders:
        home = posixpath.dirname(folder)
        if posixpath.basename(folder) == "_images" and _has_joined_names(files, home):
            return Layout("leanote-downloader", home, frozenset({"_images"}), has_headers=False, is_joined=True)
    if any(path.startswith("images/") and files.with_id(path) == path for path in files.paths):
        return Layout("leanote2md", is_dated_by_files=True)
    return Layout("Markdown")


def joined(levels: Sequence[str]) -> str:
    """Return levels as one word, equal for a title and the folder that an exporter made of it."""
    return "/".join(_UNSAFE.sub("", level) for level in levels)


def _leanote_md(files: FolderFiles, path: str, problems: list[Problem]) -> Layout:
    found: tuple[tuple[Notebook, ...], dict[str, str]] = ((), {})
    try:
        found = _tree(json.loads(decode_text(files.read(path, _MAX_TREE_BYTES), path)[0]))
    except (NoteUnreadable, ValueError, RecursionError) as error:
        problems.append(Problem(path, f"not read as JSON ({error}); notebooks are taken from the folders"))
    return Layout(
        "LeanoteMD",
        posixpath.dirname(path),
        frozenset({"images", "attach"}),
        "attach",
        has_headers=False,
        is_text_rich=True,
        notebooks=found[0],
        notebook_ids=found[1],
    )


def _tree(content: object) -> tuple[tuple[Notebook, ...], dict[str, str]]:
    """Return the notebooks of a tree and their ids by joined levels; of two with one name the first is meant."""
    notebooks: dict[str, Notebook] = {}
    ids: dict[str, str] = {}
    waiting: list[tuple[object, str, tuple[str, ...]]] = [(content, "", ())]
    while waiting:
        entries, parent, above = waiting.pop()
        for position, entry in enumerate(entries if isinstance(entries, list) else ()):
            if not isinstance(entry, dict) or not (found := object_id(entry.get("id"))) or found in notebooks:
                continue
            title = str(entry.get("title") or "")
            notebooks[found] = Notebook(found, title, parent, position)
            for written in (title, title.replace("/", "-")):
                ids.setdefault(joined((*above, written)), found)
            waiting.append((entry.get("child"), found, (*above, title)))
    return tuple(notebooks.values()), ids


def _has_joined_names(files: FolderFiles, folder: str) -> bool:
    notes = [path for path in files.paths if posixpath.dirname(path) == folder and path.lower().endswith(".md")]
    return any("__" in _stem(path) for path in notes)


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path
