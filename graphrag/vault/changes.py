"""How the vault changed: its notes with their sections and links since some state, and the revisions of one note.

Neither needs an index. What is private, ignored or unreadable in one of the two states, or today, is only counted.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NoReturn

from graphrag.domain.history import ChangeKind, NoteChange, NoteRevision, VaultChanges
from graphrag.domain.note import Diagnostic
from graphrag.errors import NoteNotFound, VaultError
from graphrag.vault.difference import is_front_matter_changed, link_changes, section_changes
from graphrag.vault.limited_history import own_commits, own_revisions, parent_of
from graphrag.vault.names import find_note, matching_notes
from graphrag.vault.note_versions import (
    NoteVersions,
    check_revision,
    find_file,
    history_of,
    path_forms,
    typed_path,
    withheld_error,
)
from graphrag.vault.parts import Parts
from vault_sync.compare import Departure, FileChange, changed_files, departures, follow, state_before
from vault_sync.repository import Repository, nfc
from vault_sync.revisions import read_revisions

DEFAULT_SINCE = "7d"


def changes_since(parts: Parts, since: str, now: datetime) -> VaultChanges:
    """Return how the present commit differs from an earlier state.

    `since` is a commit, tag or branch, a day or month (its start), or a duration like `7d` or `2w`.

    Raises:
        VaultError: the vault has no history, or nothing of that name in it.
    """
    repository = history_of(parts)
    check_revision(parts, since)
    until = repository.head()
    start = state_before(repository, since, now)
    versions = NoteVersions(parts, repository)
    files = changed_files(repository, start, until)
    left = departures(repository, start, until) if start and any(not file.after for file in files) else []
    is_limited = not parts.limit.is_empty
    changes = tuple(change for file in files if (change := _note_change(file, versions, left, is_limited)))
    if is_limited:
        own = own_commits(repository, start, until, changes)
        first, last = (parent_of(repository, own[-1]), own[0]) if own else ("", "")
        return VaultChanges(first, last, len(own), changes, left_out=0)
    commits = repository.run("rev-list", "--count", f"{start}..{until}" if start else until, "--", ".")
    return VaultChanges(start, until, int(commits), changes, len(files) - len(changes))


def note_log(parts: Parts, name: str) -> list[NoteRevision]:
    """Return the commits that touched a note, newest first; a path that once existed names the note, too.

    Raises:
        VaultError: the vault has no history, or the note is private.
        NoteNotFound: no note is or was called so, or several are.
    """
    repository = history_of(parts)
    path, git_name, last_blob = _locate(parts, repository, name)
    versions = NoteVersions(parts, repository)
    if withheld := versions.withheld_today(path, last_blob):
        if not parts.limit.is_empty:
            _refuse(parts, name)
        raise withheld_error(name, withheld)
    revisions = read_revisions(repository, git_name)
    if not parts.limit.is_empty:
        revisions = [*own_revisions(revisions, versions, repository)]
    if not revisions:
        raise VaultError(f"no commit touched '{path}' since this shallow clone begins. Run: git fetch --unshallow")
    return revisions


def _note_change(
    file: FileChange, versions: NoteVersions, left: Sequence[Departure], is_limited: bool
) -> NoteChange | None:
    """Return how a note differs, None when it must not be shown; what comes within a limit is new there."""
    new = versions.committed(file.path, file.after) if file.after else None
    if file.before == file.after and not is_limited:  # a folder that was renamed holds many: their text is read once
        old = versions.ignored(file.previous_path) or new
    else:
        old = versions.committed(file.previous_path or file.path, file.before) if file.before else None
    # A note that is gone may have been made private before it was deleted, or live on where it is private.
    path, last_blob = (file.path, "") if file.after else follow(file.path, left)
    withheld = versions.withheld_today(path, last_blob, fit=file.after or file.before)
    if is_limited and new is not None and isinstance(old, Diagnostic):
        file, old = FileChange(ChangeKind.ADDED, file.path, "", "", file.after), None
    if withheld or isinstance(old, Diagnostic) or isinstance(new, Diagnostic):
        return None
    shown = new or old
    assert shown is not None  # a change has a side
    return NoteChange(
        kind=file.kind,
        path=file.path,
        previous_path=file.previous_path,
        title=shown.title,
        front_matter=is_front_matter_changed(old, new),
        sections=section_changes(old, new),
        links=link_changes(old, new),
    )


def _locate(parts: Parts, repository: Repository, name: str) -> tuple[str, str, str]:
    """Return a note's last path, the name of that path in Git, and what it said last where it left one."""
    manifest = parts.snapshots.current()
    path = find_note(name, manifest) if manifest and matching_notes(name, manifest.notes) else typed_path(name)
    if file := find_file(repository, "HEAD", path):
        return file.path, file.name, ""
    left = departures(repository, "", "HEAD")
    names = {nfc(departure.name): position for position, departure in enumerate(left)}
    former = next((known for known in path_forms(path) if known in names), None)
    if former is None:
        if manifest:
            path = find_note(name, manifest)  # else it says why, and which names are near
            raise VaultError(f"'{path}' is in no commit yet, so it has no history.")
        _refuse(parts, name)
    departure = left[names[former]]
    if not parts.limit.is_empty and NoteVersions(parts, repository).is_withheld(former, departure.blob):
        _refuse(parts, name)  # under that name it lay outside
    path, last_blob = follow(former, left[names[former] :])
    file = find_file(repository, "HEAD", path)
    git_names = [departure.name for departure in left if nfc(departure.name) == path]
    return path, file.name if file else git_names[-1], last_blob


def _refuse(parts: Parts, name: str) -> NoReturn:
    """Say that no note has or had this name, with the names near it where there is an index."""
    if manifest := parts.snapshots.current():
        find_note(name, manifest)
    raise NoteNotFound(f"no note is or was called '{typed_path(name)}'. Give its path in the vault.")
