"""One note with its body -> its file in the vault, or a conflict. It decides which version stays, and remembers it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from vault_sync.leanote.account import FileKind, LeanoteSource, NoteListing
from vault_sync.leanote.convert.body import Converted, convert
from vault_sync.leanote.convert.link_writer import encoded_path
from vault_sync.leanote.write.git_commit import NEW, UPDATED
from vault_sync.leanote.write.import_plan import SUFFIX, ConflictPolicy, ImportOptions
from vault_sync.leanote.write.import_report import Findings, Item
from vault_sync.leanote.write.import_state import ImportState, NoteState
from vault_sync.leanote.write.note_assets import AssetFolder, NoteTargets
from vault_sync.leanote.write.note_file import (
    Head,
    compose,
    content_digest,
    digest,
    is_same_but_counters,
    moment_word,
    one_line,
)
from vault_sync.leanote.write.placement import PlacedNote
from vault_sync.leanote.write.vault_writer import VaultWriter

ATTACHMENTS = "附件"


@dataclass(frozen=True, slots=True)
class _Version:
    """What Leanote has now, ready to be written."""

    note: NoteListing
    text: str
    head: Head
    data: bytes
    state: NoteState  # as it will be once the data lies in the vault


class NoteImport:
    """Writes the notes of one run."""

    def __init__(
        self,
        source: LeanoteSource,
        writer: VaultWriter,
        state: ImportState,
        assets: AssetFolder,
        links: Mapping[str, str],
        options: ImportOptions,
        findings: Findings,
    ) -> None:
        self._source = source
        self._writer = writer
        self._state = state
        self._assets = assets
        self._links = links
        self._options = options
        self._findings = findings

    def is_due(self, placed: PlacedNote) -> bool:
        """Whether a note's body is wanted: it, its place, or a note it links to changed, or a conflict is decided."""
        before = placed.before
        if before is None or before.is_gone or before.has_gaps or before.revision != placed.planned.revision:
            return True
        is_decided = bool(before.copy) and self._options.conflicts is not ConflictPolicy.BOTH
        has_other_links = any(self._links.get(note_id, "") != link for note_id, link in before.links.items())
        return is_decided or has_other_links or self._writer.is_unfinished(before.path)

    def take(self, placed: PlacedNote, body: str) -> None:
        """Bring one note's file up to date.

        Raises:
            VaultError: its place, or that of one of its files, cannot be written to.
        """
        self._writer.check(placed.path)
        version = self._read(placed, body)
        before = placed.before
        if before is None:
            self._write(version, NEW)
            self._findings.imported.append(Item(placed.path))
            return
        found = self._writer.digest(placed.path)
        if found == version.state.digest:
            self._finish(version, before)
            self._findings.unchanged += 1
        elif found and self._is_untouched(found, version, before):
            self._update(version, before)
        elif found and before.content_digest == version.state.content_digest and not before.copy:
            self._keep_ours(version, before)  # only counters and places differ at Leanote
            self._findings.unchanged += 1
        else:
            self._settle(version, before, is_there=bool(found))

    def _read(self, placed: PlacedNote, body: str) -> _Version:
        note, planned = placed.planned.listing, placed.planned
        targets = NoteTargets(self._source, note, placed.path, self._assets, self._links)
        converted = convert(note, body, targets)
        attachments, absent = self._attachments(placed, converted, targets)
        text = converted.text + attachments
        self._report(placed.path, text, converted, (*converted.missing, *absent), targets)
        head = Head(planned.notebook, planned.is_private, "", self._source.has_ids, self._options.zone)
        data = compose(note, head, text)
        state = NoteState(
            id=note.id,
            account=self._options.account,
            path=placed.path,
            planned=_planned(placed),
            revision=planned.revision,
            digest=digest(data),
            content_digest=content_digest(note, text),
            assets=tuple(targets.assets),
            links=targets.linked,
            has_gaps=bool(targets.absent or targets.unreadable),
            usn=note.usn,
            updated=moment_word(note.updated),
        )
        return _Version(note, text, head, data, state)

    def _is_untouched(self, found: str, version: _Version, before: NoteState) -> bool:
        """Whether the file is as the import wrote it; where that is not remembered, it must look like it."""
        if found == before.digest or self._writer.is_unfinished(version.state.path):
            return True
        data = None if before.digest else self._writer.read(version.state.path)
        return data is not None and is_same_but_counters(data, version.data)

    def _attachments(self, placed: PlacedNote, converted: Converted, targets: NoteTargets) -> tuple[str, list[str]]:
        """Return a list of the attachments that the body does not name, and the names of those that are missing."""
        lines, absent = [], []
        for ref in placed.planned.listing.files:
            if ref.kind is not FileKind.ATTACHMENT or ref.id in converted.named:
                continue
            path = targets.file(ref)
            name = ref.title or ref.id
            if path is None:
                absent.append(name)
            else:
                lines.append(f"- {_file_link(name, path)}\n")
        gap = "\n" if converted.text else ""
        return (f"{gap}## {ATTACHMENTS}\n\n{''.join(lines)}" if lines else ""), absent

    def _report(self, path: str, text: str, converted: Converted, missing: Sequence[str], targets: NoteTargets) -> None:
        if not text.strip():
            self._findings.empty.append(Item(path))
        self._findings.missing_files += [Item(path, link) for link in missing]
        self._findings.unresolved_links += [Item(path, link) for link in converted.unresolved]
        self._findings.warnings += [Item(path, message) for message in converted.warnings]
        self._findings.warnings += [Item(path, f"{name}: {reason}") for name, reason in targets.unreadable.items()]

    def _write(self, version: _Version, what: str) -> None:
        self._writer.write(version.state.path, version.data)
        self._state.keep_pending(version.state.path, what)
        self._state.keep_note(version.state)

    def _update(self, version: _Version, before: NoteState) -> None:
        self._write(version, UPDATED)
        self._drop_copy(before)
        self._findings.updated.append(Item(version.state.path))

    def _finish(self, version: _Version, before: NoteState) -> None:
        """Remember that the vault holds Leanote's version; a run that was cut short may have written it."""
        if version.state.digest != before.digest:
            self._state.keep_pending(version.state.path, UPDATED if before.digest else NEW)
        self._drop_copy(before)
        self._state.keep_note(version.state)

    def _keep_ours(self, version: _Version, before: NoteState) -> None:
        """Remember Leanote's version as seen, and the vault's as the user's own."""
        assets = tuple(dict.fromkeys((*before.assets, *version.state.assets)))
        kept = replace(version.state, digest=before.digest, assets=assets)
        self._state.keep_note(kept)

    def _settle(self, version: _Version, before: NoteState, is_there: bool) -> None:
        """Decide between the vault's version, which may be that there is none, and Leanote's."""
        path = version.state.path
        done = "changed" if is_there else "deleted"
        match self._options.conflicts:
            case ConflictPolicy.THEIRS:
                self._update(version, before)
                self._findings.conflicts.append(Item(path, f"{done} here and changed at Leanote: Leanote's was taken"))
            case ConflictPolicy.OURS:
                self._drop_copy(before)
                self._keep_ours(version, before)
                self._findings.conflicts.append(Item(path, f"{done} here and changed at Leanote: yours stays"))
            case ConflictPolicy.BOTH:
                copy = self._write_copy(version, before)
                self._findings.conflicts.append(
                    Item(path, f"{done} here and changed at Leanote: yours stays, Leanote's is {copy}")
                )

    def _write_copy(self, version: _Version, before: NoteState) -> str:
        """Write Leanote's version beside the note, in place of an older one that is unchanged; return its path."""
        data = compose(version.note, replace(version.head, copy_of=version.state.path), version.text)
        is_ours = bool(before.copy) and self._writer.digest(before.copy) == before.copy_digest
        copy = before.copy if is_ours else self._free_copy(version, digest(data))
        if self._writer.digest(copy) != digest(data):
            self._writer.write(copy, data)
            self._state.keep_pending(copy, NEW)
        assets = tuple(dict.fromkeys((*before.assets, *version.state.assets)))
        kept = replace(version.state, digest=before.digest, assets=assets, copy=copy, copy_digest=digest(data))
        self._state.keep_note(kept)
        return copy

    def _free_copy(self, version: _Version, content: str) -> str:
        """Return the path of a copy: the note's own with the day of Leanote's version; an equal one is used again."""
        day = (version.note.updated or datetime.now(UTC)).astimezone(self._options.zone).date()
        stem = f"{version.state.path.removesuffix(SUFFIX)} (Leanote {day})"
        number, path = 1, f"{stem}{SUFFIX}"
        while self._writer.digest(path) not in ("", content):
            number += 1
            path = f"{stem} {number}{SUFFIX}"
        return path

    def _drop_copy(self, before: NoteState) -> None:
        """Remove the copy that an earlier conflict left, unless the user made something of it."""
        if before.copy and self._writer.digest(before.copy) == before.copy_digest:
            self._writer.remove(before.copy)
            self._state.keep_pending(before.copy, "file")


def _planned(placed: PlacedNote) -> str:
    """Return what counts as the import's own choice of place; a place that the user chose differs from it."""
    before = placed.before
    is_users = before is not None and (not before.digest or before.path != before.planned)
    return placed.planned.path if is_users else placed.path


def _file_link(name: str, path: str) -> str:
    shown = re.sub(r"([\\\[\]`*_<>|])", r"\\\1", one_line(name))
    return f"[{shown}]({encoded_path(path)})"
