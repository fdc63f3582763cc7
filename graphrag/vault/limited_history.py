"""What a limited part of a vault tells of its history: of each commit no more than its own notes have of it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from graphrag.domain.history import ChangeKind, NoteChange, NoteRevision
from graphrag.vault.note_versions import NoteVersions
from vault_sync.repository import Repository, nfc


def own_commits(repository: Repository, start: str, until: str, notes: Iterable[NoteChange]) -> list[str]:
    """Return the commits between two states that touched one of these notes, newest first; merges do not count."""
    paths = {path for note in notes for path in (note.path, note.previous_path) if path}
    if not paths:
        return []
    log = ("log", "--format=%x00%H", "--name-only", "-z", "--relative", "--no-renames", "--no-merges", "--no-ext-diff")
    listed = repository.run(*log, f"{start}..{until}" if start else until, "--", ".")
    return [commit for commit, names in _commits(listed) if not paths.isdisjoint(map(nfc, names))]


def parent_of(repository: Repository, commit: str) -> str:
    """Return the commit before another, empty before the first."""
    return repository.ask("rev-parse", "--verify", "-q", f"{commit}^") or ""


def own_revisions(
    revisions: Iterable[NoteRevision], versions: NoteVersions, repository: Repository
) -> Iterator[NoteRevision]:
    """Yield the revisions, newest first, back to where the note came within the limit.

    A commit's message is left out: it speaks of whatever the commit touched.
    """
    for revision in revisions:
        is_removal = revision.kind is ChangeKind.REMOVED
        if not _is_told(repository, versions, f"{revision.commit}{'^' if is_removal else ''}", revision.path):
            return
        told = replace(revision, subject="")
        if revision.previous_path and not _is_told(repository, versions, f"{revision.commit}^", revision.previous_path):
            yield replace(told, kind=ChangeKind.ADDED, previous_path="")
            return
        yield told


def _is_told(repository: Repository, versions: NoteVersions, commit: str, path: str) -> bool:
    """Whether a note lay within the limit at a commit."""
    blob = repository.ask("rev-parse", "--verify", "-q", f"{commit}:./{path}")
    return blob is not None and not versions.is_withheld(path, blob)


def _commits(log: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each commit with the names that it touched; an empty part stands between two commits."""
    for entry in log.strip("\0").split("\0\0") if log else ():
        commit, *names = entry.split("\0")
        yield commit, [name.removeprefix("\n") for name in names]
