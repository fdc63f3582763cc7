"""Files that an import wrote, moved or removed -> one commit of the vault's repository, with these files alone.

What the user has staged stays staged and out of it, even if it is another version of such a file. Hooks run as for any
commit. Nothing is pushed.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphrag.errors import VaultError
from vault_sync.repository import NO_PROGRAMS, find_repository, nfc

NEW, UPDATED, MOVED, REMOVED = "new", "updated", "moved", "removed"
_COUNTED = (NEW, UPDATED, MOVED, REMOVED)
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_LOCK = "index.lock"
_NAMES = 100  # listed in a message
_STAGED = ("diff", "--cached", "--relative", "--name-only", "--no-renames", "-z")
_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


@dataclass(frozen=True, slots=True)
class Committed:
    """What came of it."""

    commit: str  # empty when there was nothing to commit: Git ignores the files, or holds them as they are
    left_out: frozenset[str] = frozenset()  # paths of which the user has staged another version


def commit_import(vault: Path, pending: Mapping[str, str], label: str) -> Committed:
    """Commit the paths that an import changed (path -> what became of it).

    Raises:
        VaultError: the vault is in no repository, a merge or rebase is under way, or Git or a hook refuses; then
            nothing is staged that was not before.
    """
    repository = find_repository(vault)
    if repository is None:
        raise VaultError(f"{vault}: not in a Git repository, so nothing was committed.")
    if repository.is_rewriting() or any((repository.git_dir / name).exists() for name in _UNDER_WAY):
        raise VaultError(
            f"{vault}: a merge or rebase is under way, so nothing was committed. End it, and import again."
        )
    known = _known_to_git(vault, pending)
    staged = known & _split(_run(vault, *_STAGED))
    left_out = staged & _differing_from_disk(vault)
    paths = known - left_out
    by_us = paths - staged
    try:
        committed = _commit(vault, paths, pending, label)
    except VaultError:
        if by_us:
            _run(vault, "reset", "--quiet", *_FROM_STDIN, paths=by_us)
        raise
    return Committed(repository.head() if committed else "", frozenset(_ours(left_out, pending)))


def _commit(vault: Path, paths: set[str], pending: Mapping[str, str], label: str) -> bool:
    """Commit what differs among these paths; whether anything did."""
    if paths:
        _run(vault, "add", "--all", *_FROM_STDIN, paths=paths)
        paths = paths & _split(_run(vault, *_STAGED))
    if paths:
        message = _message({path: pending[path] for path in _ours(paths, pending)}, label)
        _run(vault, "commit", "--quiet", "--only", "-m", message, *_FROM_STDIN, paths=paths)
    return bool(paths)


def _ours(paths: Collection[str], pending: Collection[str]) -> set[str]:
    """Return those pending paths that Git knows by these names."""
    known = {nfc(path) for path in paths}
    return {path for path in pending if nfc(path) in known}


def _differing_from_disk(vault: Path) -> set[str]:
    """Return the paths whose staged version, which may be that there is none, is not that on the disk."""
    changed = _run(vault, "diff", "--relative", "--name-only", "--no-renames", "-z")
    untracked = _run(vault, "ls-files", "-z", "--others", "--exclude-standard")
    return _split(changed) | _split(untracked)


def _known_to_git(vault: Path, pending: Collection[str]) -> set[str]:
    """Return those paths that Git tracks or may track, in the form that it knows them by."""
    listed = _split(_run(vault, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    wanted = {nfc(path) for path in pending}
    return {path for path in listed | _split(_run(vault, *_STAGED)) if nfc(path) in wanted}


def _message(changes: Mapping[str, str], label: str) -> str:
    counts = Counter(changes.values())
    words = [f"{counts[what]:,} {what}" for what in _COUNTED if counts[what]] or ["files"]
    lines = [f"{what}: {path}" for what in _COUNTED for path in sorted(changes) if changes[path] == what]
    more = [f"and {len(lines) - _NAMES:,} more"] if len(lines) > _NAMES else []
    subject = f"Import from Leanote ({' '.join(label.split())}): {', '.join(words)}"
    return "\n".join([subject, "", *lines[:_NAMES], *more])


def _run(vault: Path, *arguments: str, paths: Collection[str] = ()) -> str:
    """Return what a Git command prints; `paths` go to its input."""
    command = ["git", "-C", str(vault), *NO_PROGRAMS, *arguments]
    text = b"\0".join(os.fsencode(f":(literal){path}") for path in sorted(paths))  # a note may be called `*.md`
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    if done.returncode:
        said = os.fsdecode(done.stderr or done.stdout).strip().splitlines()
        reason = said[-1] if said else f"git {arguments[0]} ended with {done.returncode}"
        if any(_LOCK in line for line in said):
            reason = f"another Git command is at work. If none is, remove {_LOCK} from .git, and import again."
        raise VaultError(f"{vault}: the files are there, but not committed: {reason}")
    return os.fsdecode(done.stdout)


def _split(listed: str) -> set[str]:
    return {path for path in listed.split("\0") if path}
