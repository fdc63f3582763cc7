"""Notes that Leanote no longer has, and files that no note uses any more -> the trash folder, or nothing.

Only what the import wrote, and nobody changed since, is ever moved or deleted.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from posixpath import basename, splitext

from graphrag.errors import VaultError
from vault_sync.leanote.account import NoteListing
from vault_sync.leanote.file_names import folded, free_name
from vault_sync.leanote.write.git_commit import REMOVED, UPDATED
from vault_sync.leanote.write.import_plan import TRASH, ConflictPolicy, ImportOptions, ImportPlan, TrashPolicy
from vault_sync.leanote.write.import_report import Findings, Item
from vault_sync.leanote.write.import_state import ImportState, NoteState
from vault_sync.leanote.write.note_file import digest, moment_word
from vault_sync.leanote.write.vault_writer import VaultWriter

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*(\r?\n)(.*?)^---[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_LINE = "rag: false"
_NO = ("false", "no", "off", "n", "0", "否")
_YES = ("true", "yes", "on", "y", "1", "是")
_PROPERTY = re.compile(r"^[\"']?(\w+)[\"']?[ \t]*[:：][ \t]*[\"']?([^\s\"']*)", re.MULTILINE)
_HEAD_OF_OTHER_FORM = re.compile(r"\s*(?:[-\u2010-\u2015\u2212\u2500\ufe58\uff0d]{2,}|\w+[:：])")


def hide_edited(note_ids: Collection[str], state: ImportState, writer: VaultWriter, findings: Findings) -> None:
    """See to it that the files of these notes are kept from answers; those in the trash are so already."""
    for note_id in note_ids:
        note = state.notes.get(note_id)
        if note is None or note.path.startswith(f"{TRASH}/"):
            continue
        try:
            _hide(note, state, writer, findings)
        except VaultError as error:
            findings.warnings.append(Item(note.path, f"it is not kept from answers: {error}"))


def _hide(note: NoteState, state: ImportState, writer: VaultWriter, findings: Findings) -> None:
    if writer.is_free(note.path) or writer.is_rewritten(note.path):
        return
    data = writer.read(note.path)
    hidden = with_privacy(data) if data is not None else None
    if data is None or hidden is None:
        message = f"its notebook is private, but its front matter is not as expected: write `{_LINE}` into it"
        findings.warnings.append(Item(note.path, message))
    elif hidden != data:
        writer.write(note.path, hidden)
        state.keep_pending(note.path, UPDATED)
        if digest(data) == note.digest:
            state.keep_note(replace(note, digest=digest(hidden)))
        findings.made_private.append(Item(note.path, f"its notebook is private; `{_LINE}` was added to it"))


def with_privacy(data: bytes) -> bytes | None:
    """Return a note's file with the line that keeps it from answers, as it is if it has one, None if unsure."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    front = _FRONT_MATTER.match(text)
    if front is None:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        rest = text.removeprefix(mark)
        return None if _HEAD_OF_OTHER_FORM.match(rest) else f"{mark}---\n{_LINE}\n---\n{rest}".encode()
    start, end = front.span(2)
    with_line = f"{text[start:end]}{_LINE}{front.group(1)}"
    before, after = _values(text[start:end]), _values(with_line)
    if before is not None and _is_private(before):
        return data
    is_sure = before is not None and "rag" not in before and after is not None and _is_private(after)
    if not is_sure or (_is_yaml(text[start:end]) and not _is_yaml(with_line)):
        return None
    return (text[:start] + with_line + text[end:]).encode()


def is_hidden(data: bytes) -> bool:
    """Whether a note's file says that it is kept from answers."""
    return with_privacy(data) == data


def _values(front: str) -> dict[str, str] | None:
    """Return the properties as text, by key in lower case; None if they are none.

    What is not YAML is read line by line, as the indexer does.
    """
    import yaml

    try:
        loaded = yaml.load(front, Loader=yaml.BaseLoader)  # every value stays text
    except (yaml.YAMLError, RecursionError):
        loaded = dict(_PROPERTY.findall(front))
    if loaded is None:
        return {}
    return {str(key).lower(): str(value).lower() for key, value in loaded.items()} if isinstance(loaded, dict) else None


def _is_yaml(front: str) -> bool:
    import yaml

    try:
        yaml.load(front, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return False
    return True


def _is_private(values: dict[str, str]) -> bool:
    return values.get("rag", "") in _NO or values.get("private", "") in _YES


OLDER = "the source has an older version; --theirs takes it"
_MANY = 10  # notes, of which more than half may not go at once


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
            if before and not before.is_gone and is_older(note, before, self._options):
                self._findings.skipped.append(Item(before.path, OLDER))
            elif before and not before.is_gone:
                # remembered as it is in the trash, so that an older source does not bring it back
                seen = replace(before, usn=note.usn, updated=moment_word(note.updated))
                self._try_to_remove(seen, "deleted at Leanote" if note.is_deleted else "in Leanote's trash")
            else:
                self._skip(note)
        if is_whole:
            for before in self._unlisted(plan):
                self._try_to_remove(before, "no longer at Leanote")

    def remove_assets(self) -> None:
        """Remove files that we wrote, that are unchanged, and that no note of the vault uses or names."""
        used = {path for note in self._state.notes.values() for path in note.assets}
        unused = [path for path in self._state.assets if path not in used]
        named = self._writer.mentions({basename(path) for path in unused}, unused) if unused else set()
        for path in unused:
            if basename(path) in named:
                continue
            try:
                if self._writer.digest(path) == self._state.assets[path]:
                    self._remove_asset(path)
            except VaultError as error:
                self._findings.fail(path, error)
            else:
                self._state.forget_asset(path)

    def _remove_asset(self, path: str) -> None:
        reason = "no note uses it any more"
        match self._options.trash:
            case TrashPolicy.KEEP:
                self._findings.removed_files.append(Item(path, f"{reason}; kept"))
            case TrashPolicy.DELETE:
                self._state.keep_pending(path, "file")
                self._writer.remove(path)
                self._findings.removed_files.append(Item(path, f"{reason}; file deleted"))
            case TrashPolicy.MOVE:
                moved = self._move_to_trash(path, "file")
                self._findings.removed_files.append(Item(path, f"{reason}; moved to {moved}"))

    def _unlisted(self, plan: ImportPlan) -> list[NoteState]:
        """Return the account's notes that it no longer lists, as far as they are to go.

        A listing without most of what it had is a server in trouble, or another account that goes by the same name. A
        note that is newer than all that is listed cannot be gone: the listing is older.
        """
        listing = (*(note.listing for note in plan.wanted), *plan.removed, *plan.left_out)
        listed = {note.id for note in listing}
        notes = [note for note in self._state.notes.values() if note.account == self._options.account]
        missing = [note for note in notes if note.id not in listed and not note.is_gone]
        if missing and self._are_too_many(missing, notes):
            return []
        last = max((note.usn for note in listing), default=0)
        newer = [note for note in missing if last and note.usn > last]
        self._findings.skipped += [Item(note.path, OLDER) for note in newer]
        return [note for note in missing if note not in newer]

    def _are_too_many(self, missing: Sequence[NoteState], notes: Sequence[NoteState]) -> bool:
        """Whether so many notes are missing that they stay; if so, say it."""
        if len(missing) == len(notes):
            message = f"it has none of the {len(missing):,} notes that came in before; none of them was removed"
        elif len(notes) >= _MANY and 2 * len(missing) > len(notes) and not self._options.removes_many:
            message = (
                f"it lacks {len(missing):,} of the {len(notes):,} notes that came in before; none of them was removed. "
                "If they are to go, say so: --trash move, or --trash delete"
            )
        else:
            return False
        self._findings.warnings.append(Item("the source's listing", message))
        return True

    def _try_to_remove(self, note: NoteState, reason: str) -> None:
        try:
            self._remove(note, reason)
        except VaultError as error:
            self._findings.failures.append(Item(note.path, f"{reason}, but {error}"))

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
        if self._options.trash is TrashPolicy.DELETE:
            self._state.keep_pending(note.path, REMOVED)
            self._writer.remove(note.path)
            self._state.forget_note(note.id)
            self._findings.removed.append(Item(note.path, f"{reason}; file deleted"))
            return
        path = self._move_to_trash(note.path, REMOVED)
        self._state.keep_note(replace(note, path=path, planned=path, is_gone=True))
        self._findings.removed.append(Item(note.path, f"{reason}; moved to {path}"))

    def _move_to_trash(self, old: str, what: str) -> str:
        """Move a file into the trash folder, under its own name or a free one; return its path there."""
        used = {folded(name) for name in self._writer.names_in(TRASH)}
        stem, suffix = splitext(basename(old))
        new = f"{TRASH}/{free_name(stem, used, suffix)}{suffix}"
        self._state.keep_pending(old, what)
        self._writer.move(old, new)
        self._state.keep_pending(new, "file")
        return new

    def _skip(self, note: NoteListing) -> None:
        reason = "deleted at Leanote" if note.is_deleted else "in Leanote's trash"
        self._findings.skipped.append(Item(note.title or note.id, reason))


def is_older(note: NoteListing, before: NoteState, options: ImportOptions) -> bool:
    """Whether a source has an older version than the one that came in; `--theirs` takes it all the same."""
    if options.conflicts is ConflictPolicy.THEIRS:
        return False
    if note.usn and before.usn:
        return note.usn < before.usn
    updated = moment_word(note.updated)
    return bool(updated and before.updated) and updated < before.updated


def skip_left_out(notes: Iterable[NoteListing], state: ImportState, findings: Findings) -> None:
    """Report the notes of excluded notebooks; files of earlier runs are left to the user."""
    for note in notes:
        before = state.notes.get(note.id)
        stays = f"; {before.path} came in before and stays" if before and not before.is_gone else ""
        findings.skipped.append(Item(note.title or note.id, f"its notebook is left out{stays}"))
