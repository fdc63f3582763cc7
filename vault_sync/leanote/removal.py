"""Notes that Leanote no longer has, and files that no note uses any more -> the trash folder, or nothing.

Only what the import wrote, and nobody changed since, is ever moved or deleted.
"""

from collections.abc import Iterable
from dataclasses import replace
from posixpath import basename

from vault_sync.leanote.account import NoteListing
from vault_sync.leanote.git_commit import REMOVED
from vault_sync.leanote.import_plan import SUFFIX, TRASH, ConflictPolicy, ImportOptions, ImportPlan, TrashPolicy
from vault_sync.leanote.import_report import Findings, Item
from vault_sync.leanote.import_state import ImportState, NoteState
from vault_sync.leanote.names import free_name
from vault_sync.leanote.vault_writer import VaultWriter


class Removal:
    """Deals with what is gone."""

    def __init__(self, state: ImportState, writer: VaultWriter, findings: Findings, options: ImportOptions) -> None:
        self._state = state
        self._writer = writer
        self._findings = findings
        self._options = options

    def remove_notes(self, plan: ImportPlan, is_whole: bool) -> None:
        """Remove what is in the trash or deleted at Leanote and, if the listing is whole, what it no longer lists."""
        for note in plan.removed:
            before = self._state.notes.get(note.id)
            if before and not before.is_gone:
                self._remove(before, "deleted at Leanote" if note.is_deleted else "in Leanote's trash")
            else:
                self._skip(note)
        if is_whole:
            for before in self._unlisted(plan):
                self._remove(before, "no longer at Leanote")

    def remove_assets(self) -> None:
        """Remove files that we wrote, that are unchanged, and that no note of the vault uses or names."""
        used = {path for note in self._state.notes.values() for path in note.assets}
        unused = [path for path in self._state.assets if path not in used]
        named = self._writer.mentions({basename(path) for path in unused}) if unused else set()
        for path in unused:
            if basename(path) in named:
                continue
            if self._writer.digest(path) == self._state.assets[path]:
                self._writer.remove(path)
                self._state.keep_pending(path, "file")
            self._state.forget_asset(path)

    def _unlisted(self, plan: ImportPlan) -> list[NoteState]:
        """Return the account's notes that it no longer lists; none if it lists none of those it had.

        That is a server in trouble, or another account that goes by the same name.
        """
        listed = {note.listing.id for note in plan.wanted} | {note.id for note in (*plan.removed, *plan.left_out)}
        notes = [note for note in self._state.notes.values() if note.account == self._options.account]
        missing = [note for note in notes if note.id not in listed and not note.is_gone]
        if missing and len(missing) == len(notes):
            message = f"it has none of the {len(missing):,} notes that came in before; none of them was removed"
            self._findings.warnings.append(Item("the source's listing", message))
            return []
        return missing

    def _remove(self, note: NoteState, reason: str) -> None:
        found = self._writer.digest(note.path)
        is_edited = bool(found) and found != note.digest
        if is_edited and self._options.conflicts is not ConflictPolicy.THEIRS:
            self._findings.conflicts.append(Item(note.path, f"{reason}, but changed here: kept"))
            self._state.keep_note(replace(note, is_gone=True))
        elif not found:
            self._state.forget_note(note.id)
        elif self._options.trash is TrashPolicy.KEEP:
            self._findings.removed.append(Item(note.path, f"{reason}; kept"))
            self._state.keep_note(replace(note, is_gone=True))
        else:
            self._take_away(note, reason)

    def _take_away(self, note: NoteState, reason: str) -> None:
        self._state.keep_pending(note.path, REMOVED)
        if self._options.trash is TrashPolicy.DELETE:
            self._writer.remove(note.path)
            self._state.forget_note(note.id)
            self._findings.removed.append(Item(note.path, f"{reason}; file deleted"))
            return
        used = {name.casefold() for name in self._writer.names_in(TRASH)}
        path = f"{TRASH}/{free_name(basename(note.path).removesuffix(SUFFIX), used, SUFFIX)}{SUFFIX}"
        self._writer.move(note.path, path)
        self._state.keep_pending(path, "file")
        self._state.keep_note(replace(note, path=path, planned=path, is_gone=True))
        self._findings.removed.append(Item(note.path, f"{reason}; moved to {path}"))

    def _skip(self, note: NoteListing) -> None:
        reason = "deleted at Leanote" if note.is_deleted else "in Leanote's trash"
        self._findings.skipped.append(Item(note.title or note.id, reason))


def skip_left_out(notes: Iterable[NoteListing], state: ImportState, findings: Findings) -> None:
    """Report the notes of excluded notebooks; files of earlier runs are left to the user."""
    for note in notes:
        before = state.notes.get(note.id)
        stays = f"; {before.path} came in before and stays" if before and not before.is_gone else ""
        findings.skipped.append(Item(note.title or note.id, f"its notebook is left out{stays}"))
