"""Snapshots of earlier commits: one that is kept, else one built beside the index from that commit's tree.

What is built starts as a copy of the present snapshot, so only the notes that differ are read; their vectors come
from the embedding cache where the text was ever embedded. A note that is private today stays out of the past, too.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport, Manifest
from graphrag.errors import SnapshotConflict, StoreError, VaultError
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.note_versions import NoteVersions, check_revision
from graphrag.vault.parts import PAST_FOLDER, Parts
from vault_sync.compare import departures, follow, is_note_file
from vault_sync.repository import Repository, nfc

_HIDDEN = "left out: the note is private today"


def open_past(parts: Parts, revision: str, progress: Progress) -> tuple[SnapshotReaders, IndexReport | None]:
    """Open the snapshot of a commit, tag, branch or date; the report is that of building it, None for a kept one.

    Raises:
        VaultError: the vault has no Git history, or nothing of that name in it.
    """
    repository = parts.repository
    if repository is None:
        raise VaultError(f"{parts.vault}: not in a Git repository, so there is no past to ask.")
    check_revision(parts, revision)
    commit = repository.resolve(revision)
    hidden = _hidden_paths(parts, repository, commit)
    if kept := _find_kept(parts, commit):
        return parts.readers(kept, is_past=True, withheld=hidden.keys()), None
    past = parts.at(commit)
    try:
        made = _make(past, parts, hidden, progress)
    except SnapshotConflict:
        raise
    except StoreError:  # a damaged one of an earlier time costs no more than making it anew
        shutil.rmtree(past.snapshot_dir, ignore_errors=True)
        made = _make(parts.at(commit), parts, hidden, progress)
    _prune(parts, keep=commit)
    return made


def forget_past(parts: Parts) -> None:
    """Delete all snapshots of earlier commits."""
    shutil.rmtree(parts.index_dir / PAST_FOLDER, ignore_errors=True)


def _make(
    past: Parts, present: Parts, hidden: Mapping[str, str], progress: Progress
) -> tuple[SnapshotReaders, IndexReport]:
    if past.snapshots.current() is None and _can_start_from(present):
        past.snapshots.copy_from(present.snapshots)
    report = past.indexer(hidden).run(False, progress)
    readers = past.open_readers()
    assert readers is not None  # the run published one
    return readers, report


def _find_kept(parts: Parts, commit: str) -> Manifest | None:
    if not parts.limit.is_empty:
        return None  # what has left the limit since would still count in it
    wanted = parts.fingerprints()
    for manifest in parts.snapshots.retained(parts.settings.index.keep_snapshots):
        is_whole = manifest.embedded == 1.0 and not manifest.fingerprints.differences(wanted)
        if manifest.commit == commit and not manifest.worktree and is_whole:
            return manifest
    return None


def _can_start_from(parts: Parts) -> bool:
    current = parts.snapshots.current()
    return current is not None and not current.fingerprints.differences(parts.fingerprints())


def _hidden_paths(parts: Parts, repository: Repository, commit: str) -> Mapping[str, str]:
    """Return the notes of a commit that are private or left out today, under whatever name they go now."""
    current = parts.snapshots.current()
    left_out = {*current.left_out} if current else set()
    left_out |= _outside_today(parts, repository, current)
    left = departures(repository, commit, "HEAD")
    departed = {nfc(departure.name) for departure in left}
    versions = NoteVersions(parts, repository)
    hidden = {}
    for file in repository.tree(commit):
        if not is_note_file(file.mode, file.name):
            continue
        path, last_blob = follow(file.path, left) if file.path in departed else (file.path, "")
        is_withheld = path in left_out or versions.ignored(path) or versions.went_private(path)
        if is_withheld or (last_blob and versions.withheld_today(path, last_blob)):
            hidden[file.path] = _HIDDEN
    return hidden


def _outside_today(parts: Parts, repository: Repository, current: Manifest | None) -> set[str]:
    """Return the notes of the present commit that lie outside the limit."""
    if parts.limit.is_empty:
        return set()
    inside = {file.path for file in parts.source().scan(current).files}
    return {file.path for file in repository.tree("HEAD")} - inside


def _prune(parts: Parts, keep: str) -> None:
    """Delete the oldest snapshots of the past beyond the setting's number, never the one just opened."""
    folders = [folder for folder in (parts.index_dir / PAST_FOLDER).iterdir() if folder.name != keep]
    folders.sort(key=_made, reverse=True)
    for folder in folders[parts.settings.index.keep_past - 1 :]:
        shutil.rmtree(folder)


def _made(folder: Path) -> float:
    return folder.stat().st_mtime
