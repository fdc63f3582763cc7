"""A plan, and where the notes lie -> where each note will lie by the end of the run; files are moved, none is written.

A file that the user moved stays where the user put it, and so does one that the user edited.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from graphrag.errors import VaultError
from vault_sync.leanote.file_names import folded
from vault_sync.leanote.write.git_commit import MOVED
from vault_sync.leanote.write.import_plan import SUFFIX, TRASH, ImportOptions, PlannedNote
from vault_sync.leanote.write.import_report import Findings, Item
from vault_sync.leanote.write.import_state import ImportState, NoteState
from vault_sync.leanote.write.removal import is_older
from vault_sync.leanote.write.vault_writer import VaultWriter


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A note with its final place; `before` is what is known of its file, None when it has none yet."""

    planned: PlannedNote
    path: str
    before: NoteState | None
    is_older: bool = False  # the source has an older version than what came in, which stays as it is


def find_moved(state: ImportState, writer: VaultWriter, account: str, listed: Collection[str]) -> None:
    """Bring the state's paths of listed notes up to date with what the user moved, and take in those it does not know.

    The vault is searched only if a file is missing or the account's last run was cut short.
    """
    notes = [note for note_id in listed if (note := state.notes.get(note_id))]
    missing = [note for note in notes if not note.is_gone and _is_missing(note, writer)]
    known = state.accounts.get(account)
    if not missing and known and known.is_complete:
        return
    found = writer.find_ids()
    places = {note.path for note in state.notes.values()} - {note.path for note in missing}
    for note in missing:
        if path := _choose(found.get(note.id, []), note.planned, places):
            state.keep_note(replace(note, path=path))
    for note_id in found.keys() & set(listed) - state.notes.keys():
        if path := _choose(found[note_id], "", places):
            # What it was like when it was written is not known, so it counts as edited unless it equals the new one.
            state.keep_note(NoteState(note_id, account, path, path, revision="", digest=""))


def _is_missing(note: NoteState, writer: VaultWriter) -> bool:
    try:
        return writer.is_free(note.path)
    except VaultError:  # its folder cannot be used; placing the note tells why
        return False


def _choose(paths: list[str], planned: str, places: set[str]) -> str:
    """Return the likeliest of the paths that hold a note's id, empty when none is left."""
    free = [path for path in paths if path not in places]
    return planned if planned in free else next(iter(free), "")


class Placement:
    """Moves what Leanote moved."""

    def __init__(self, state: ImportState, writer: VaultWriter, findings: Findings, options: ImportOptions) -> None:
        self._state = state
        self._writer = writer
        self._findings = findings
        self._options = options
        self._occupants = {note.path: note.id for note in state.notes.values()}
        self._promised: set[str] = set()  # places of files that are yet to be written

    def place(self, wanted: tuple[PlannedNote, ...]) -> list[PlacedNote]:
        """Return every wanted note with its place; one whose place cannot be used is a failure."""
        plans: Mapping[str, PlannedNote] = {note.listing.id: note for note in wanted}
        placed: list[PlacedNote] = []
        for note in wanted:
            try:
                placed.append(self._place(note, plans))
            except VaultError as error:
                self._findings.fail(note.path, error)
        return placed

    def _place(self, note: PlannedNote, plans: Mapping[str, PlannedNote]) -> PlacedNote:
        before = self._known(note.listing.id)
        if before is None:
            path = self._free(note.path, plans)
            self._promised.add(path)
            return PlacedNote(note, path, None)
        if is_older(note.listing, before, self._options):
            return PlacedNote(note, before.path, before, is_older=True)
        if before.path == before.planned and before.planned != note.path and self._is_unedited(before):
            is_same = folded(before.path) == folded(note.path)  # some file systems hold the new name for taken
            before = self._move(before, note.path if is_same else self._free(note.path, plans))
        return PlacedNote(note, before.path, before)

    def _known(self, note_id: str) -> NoteState | None:
        """Return what is known of a note; one that came back after the trash was emptied is a new one."""
        before = self._state.notes.get(note_id)
        is_in_trash = before is not None and before.is_gone and before.path.startswith(f"{TRASH}/")
        if before and is_in_trash and not self._is_unedited(before):
            self._state.forget_note(note_id)
            return None
        return before

    def _is_unedited(self, note: NoteState) -> bool:
        return bool(note.digest) and self._writer.digest(note.path) == note.digest

    def _move(self, note: NoteState, path: str, is_final: bool = True) -> NoteState:
        if note.path == path:
            return note
        self._writer.move(note.path, path)
        self._state.keep_pending(note.path, "file")
        self._state.keep_pending(path, MOVED)
        moved = replace(note, path=path, planned=path)
        self._state.keep_note(moved)
        self._occupants.pop(note.path, None)
        self._occupants[path] = note.id
        if is_final:
            self._findings.moved.append(Item(path, f"from {note.path}"))
        return moved

    def _free(self, path: str, plans: Mapping[str, PlannedNote]) -> str:
        """Return the path, made free of a note that is about to leave it, or the next one that nothing lies at."""
        occupant = self._state.notes.get(self._occupants.get(path, ""))
        plan = plans.get(occupant.id) if occupant else None
        if occupant and plan and plan.path != path and occupant.planned == path and self._is_unedited(occupant):
            self._move(occupant, self._next_free(path), is_final=False)
        return self._next_free(path)

    def _next_free(self, path: str) -> str:
        stem, number, chosen = path.removesuffix(SUFFIX), 1, path
        while chosen in self._promised or not self._writer.is_free(chosen):
            number += 1
            chosen = f"{stem} ({number}){SUFFIX}"
        return chosen
