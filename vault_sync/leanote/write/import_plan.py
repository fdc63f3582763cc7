"""Notebooks, listing and state -> which notes are wanted, and where each is to lie. Reads names in the vault only.

Places are known before any body is read, so that a link finds a note that comes later in the same run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from posixpath import basename

from graphrag.errors import SourceRefused
from vault_sync.leanote.account import Notebook, NoteListing
from vault_sync.leanote.file_names import UNTITLED, NameEntry, assign_names, folded, notebook_folders, notebook_titles
from vault_sync.leanote.write.import_state import AccountState, NoteState
from vault_sync.leanote.write.note_file import digest, one_line
from vault_sync.leanote.write.vault_writer import ASSETS, VaultWriter

SUFFIX = ".md"
TRASH = ".trash"  # in the vault's own folder
_NAMES_SHOWN = 20


class TrashPolicy(StrEnum):
    """What becomes of a note's file when the note was removed at Leanote."""

    MOVE = "move"  # into the folder `.trash` of the vault, which Obsidian uses, too
    DELETE = "delete"
    KEEP = "keep"


class ConflictPolicy(StrEnum):
    """Which version stays when a note was changed both in the vault and at Leanote."""

    BOTH = "both"  # the vault's in its place, Leanote's beside it
    THEIRS = "theirs"
    OURS = "ours"


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user chose."""

    account: str  # names the account in the state; the same in each run
    into: str | None = None  # folder of the vault; None for where the last run put it, at first the vault itself
    exclude: tuple[str, ...] | None = None  # notebooks by title or path, with all below them; None as in the last run
    private: tuple[str, ...] | None = None
    trash: TrashPolicy = TrashPolicy.MOVE
    removes_many: bool = False  # whether most of the notes may go at once
    conflicts: ConflictPolicy = ConflictPolicy.BOTH
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class PlannedNote:
    """A note that is to be in the vault."""

    listing: NoteListing
    path: str  # where it is to lie, relative to the vault
    notebook: str
    is_private: bool

    @property
    def revision(self) -> str:
        """What is equal as long as the file need not be written anew for reasons of its own."""
        parts = (self.listing.revision, self.path, self.notebook, str(self.is_private))
        return digest("\0".join(parts).encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """Every note of the listing, by what is to become of it."""

    wanted: tuple[PlannedNote, ...]  # in the order of their ids
    removed: tuple[NoteListing, ...]  # in the trash, or deleted
    left_out: tuple[NoteListing, ...]  # of notebooks that are excluded
    private: frozenset[str]  # the ids of all notes of private notebooks, whatever is to become of them
    folders: Mapping[str, str]  # a notebook's id -> its folder


def plan_import(
    notebooks: Sequence[Notebook],
    notes: Sequence[NoteListing],
    states: Mapping[str, NoteState],
    known: AccountState,
    writer: VaultWriter,
) -> ImportPlan:
    """Return where each note of a listing is to lie; `known` tells the folder, and the notebooks chosen by now.

    Raises:
        SourceRefused: an option names a notebook that is not there.
    """
    folders = notebook_folders(notebooks, known.folders, reserved=(ASSETS,))
    titles = joined_titles(notebooks)
    excluded = _named(known.exclude, "--exclude", notebooks, titles)
    private = _named(known.private, "--private", notebooks, titles)
    wanted: list[NoteListing] = []
    removed: list[NoteListing] = []
    left_out: list[NoteListing] = []
    for note in notes:
        is_removed, is_out = note.is_deleted or note.is_trash, note.notebook in excluded
        (removed if is_removed else left_out if is_out else wanted).append(note)
    paths = _paths(wanted, folders, states, known.into, writer)
    planned = (
        PlannedNote(note, paths[note.id], titles.get(note.notebook, ""), note.notebook in private) for note in wanted
    )
    secrets = frozenset(note.id for note in notes if note.notebook in private)
    return ImportPlan(tuple(planned), tuple(removed), tuple(left_out), secrets, folders)


def joined_titles(notebooks: Sequence[Notebook]) -> dict[str, str]:
    """Return the titles from the root down to each notebook, as one path."""
    return {id_: _joined(chain) for id_, chain in notebook_titles(notebooks).items()}


def _joined(titles: Sequence[str]) -> str:
    """Return a notebook's titles from the root as one path."""
    return "/".join(one_line(title).replace("/", "／") or UNTITLED for title in titles)


def _named(
    names: Sequence[str], option: str, notebooks: Sequence[Notebook], titles: Mapping[str, str]
) -> frozenset[str]:
    """Return the ids of the notebooks that an option names by title or path, with all below them.

    A private notebook must not come in because of a slip of the pen, or because its parent was deleted.
    """
    found: set[str] = set()
    for name in names:
        wanted = folded(name.strip().strip("/"))
        here = {
            notebook.id
            for notebook in notebooks
            if wanted in (folded(notebook.title.strip()), folded(titles.get(notebook.id, "")))
        }
        if not here or not wanted:
            known = ", ".join(sorted(set(titles.values()))[:_NAMES_SHOWN]) or "none"
            raise SourceRefused(
                f"{option} {name}: no notebook is called so. There are: {known}. "
                f"Give {option} anew, or {option} '' for none."
            )
        found |= here
    parents = {notebook.id: notebook.parent for notebook in notebooks}
    return frozenset(notebook.id for notebook in notebooks if not found.isdisjoint(_line_of(notebook.id, parents)))


def _line_of(id_: str, parents: Mapping[str, str]) -> set[str]:
    """Return a notebook's id and those of all above it."""
    line: set[str] = set()
    while id_ in parents and id_ not in line:
        line.add(id_)
        id_ = parents[id_]
    return line


def _paths(
    notes: Sequence[NoteListing],
    folders: Mapping[str, str],
    states: Mapping[str, NoteState],
    into: str,
    writer: VaultWriter,
) -> dict[str, str]:
    """Return each note's path; a name that another file has already is left to it."""
    by_folder: dict[str, list[NoteListing]] = {}
    for note in notes:
        folder = "/".join(part for part in (into, folders.get(note.notebook, "")) if part)
        by_folder.setdefault(folder, []).append(note)
    in_place = {state.path for state in states.values() if state.path == state.planned}
    paths: dict[str, str] = {}
    for folder, members in by_folder.items():
        start = f"{folder}/" if folder else ""
        taken = [name for name in writer.names_in(folder) if start + name not in in_place]
        entries = [NameEntry(note.id, note.title, _name_before(states.get(note.id))) for note in members]
        names = assign_names(entries, taken, SUFFIX)
        paths |= {id_: f"{start}{name}{SUFFIX}" for id_, name in names.items()}
    return paths


def _name_before(state: NoteState | None) -> str:
    return basename(state.planned).removesuffix(SUFFIX) if state else ""
