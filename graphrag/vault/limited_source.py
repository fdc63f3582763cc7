"""A vault and a limit -> a source of notes that names only the notes within the limit.

The index made from it equals that of a vault without the other notes. Its commit and generation change only when a note
within the limit is added, removed or changed.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from graphrag.domain.note import Note
from graphrag.domain.ports import VaultSource
from graphrag.domain.snapshot import LeftOut, Manifest, NoteFile, VaultState, find_changes
from graphrag.ingest.note_rule import NoteRule
from graphrag.ingest.prepare import read_note
from graphrag.stores.limited_index import OutsideFile, OutsideNotes
from vault_sync.commit_diff import is_note_file
from vault_sync.repository import Repository


class LimitedSource:
    """The notes of another source that a rule lets in; with `remembers`, the next scan need not read the others.

    What cannot be read, or is left out for another reason, is not spoken of either: nobody knows on which side it is.
    """

    def __init__(
        self,
        whole: VaultSource,
        rule: NoteRule,
        memory: OutsideFile,
        find_repository: Callable[[], Repository | None],
        remembers: bool,
    ) -> None:
        self._whole = whole
        self._rule = rule
        self._memory = memory
        self._find_repository = find_repository
        self._remembers = remembers

    def read(self, file: NoteFile) -> bytes:
        """Return a file's bytes."""
        return self._whole.read(file)

    def scan(self, base: Manifest | None = None) -> VaultState:
        """Return the files within the limit, at the commit of `base` as long as none of them differs from it."""
        known = self._memory.load(self._rule.fingerprint)
        whole = self._whole.scan(_with_dates(base, known) if base else None)
        inside = tuple(file for file in whole.files if self._is_inside(file, base, known))
        paths = {file.path for file in inside}
        outside = {file.path: LeftOut(file.content_hash, file.dates) for file in whole.files if file.path not in paths}
        repository = self._find_repository() if whole.commit else None
        is_ahead = whole.worktree and (repository is None or self._differs(whole, inside, repository))
        state = VaultState(inside, whole.commit, is_ahead, (), _withdrawn(base, whole, paths, outside, known))
        same = base if base and _stands_at(base, state, repository) else None
        if self._remembers:
            self._remember(known, replace(known, commit=whole.commit, snapshot=_moment(same), files=outside))
        return replace(state, commit=same.commit) if same else state

    def _remember(self, known: OutsideNotes, found: OutsideNotes) -> None:
        if found != known:
            self._memory.save(found)

    def _is_inside(self, file: NoteFile, base: Manifest | None, known: OutsideNotes) -> bool:
        entry = base.notes.get(file.path) if base else None
        if entry and entry.content_hash == file.content_hash:
            return True
        seen = known.files.get(file.path)
        return not (seen and seen.content_hash == file.content_hash) and self._lets_in(
            file.path, partial(self._whole.read, file)
        )

    def _lets_in(self, path: str, read: Callable[[], bytes]) -> bool:
        try:
            return isinstance(read_note(path, read(), self._rule), Note)
        except OSError:
            return False

    def _differs(self, whole: VaultState, inside: tuple[NoteFile, ...], repository: Repository) -> bool:
        """Whether files within the limit hold what is in no commit, or are gone."""
        tree = [file for file in repository.tree(whole.commit) if is_note_file(file.mode, file.name)]
        blobs = {file.path: file.blob for file in tree}
        if any(blobs.get(file.path) != file.content_hash for file in inside):
            return True
        on_disk = {file.path for file in whole.files}
        gone = ((file.path, file.blob) for file in tree if file.path not in on_disk)
        return any(self._lets_in(path, partial(repository.read, blob)) for path, blob in gone)


def _with_dates(base: Manifest, known: OutsideNotes) -> Manifest:
    """Return a manifest with what is known of the other files' dates, where it is known for the same commit."""
    is_later = known.snapshot == _moment(base)  # it was found to reflect that commit, too
    if not is_later and known.commit != base.commit:
        return base
    return replace(base, commit=known.commit, left_out={**known.files, **base.left_out})


def _moment(manifest: Manifest | None) -> str:
    """Return what tells a snapshot from others."""
    return manifest.created.isoformat() if manifest else ""


def _stands_at(base: Manifest, state: VaultState, repository: Repository | None) -> bool:
    """Whether a snapshot reflects a state though the commit is another."""
    if base.worktree != state.worktree or state.withdrawn or not find_changes(base, state).is_empty:
        return False
    if base.commit == state.commit:
        return True
    return bool(base.commit) and repository is not None and repository.is_ancestor(base.commit, state.commit)


def _withdrawn(
    base: Manifest | None, whole: VaultState, inside: set[str], outside: dict[str, LeftOut], known: OutsideNotes
) -> frozenset[str]:
    """Return the notes of a snapshot that were within the limit and lie outside, or may have moved there."""
    gone = {*base.notes} - inside if base else set()
    has_arrivals = bool(outside.keys() - known.files.keys())
    there = {file.path for file in whole.files} | {item.path for item in whole.skipped}
    return frozenset(path for path in gone if has_arrivals or path in there)
