"""Files that an import wrote, moved or removed -> one commit of the vault's repository, with these files alone.

What the user has staged stays staged and out of it. Hooks run as for any commit. Nothing is pushed.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from graphrag.errors import VaultError
from vault_sync.repository import NO_PROGRAMS, find_repository, nfc

NEW, UPDATED, MOVED, REMOVED = "new", "updated", "moved", "removed"
_COUNTED = (NEW, UPDATED, MOVED, REMOVED)
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_NAMES = 100  # listed in a message
_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


def commit_import(vault: Path, pending: Mapping[str, str], label: str) -> str:
    """Commit the paths that an import changed (path -> what became of it); return the commit.

    It is empty when there was nothing to commit: Git ignores the files, or holds them as they are.

    Raises:
        VaultError: the vault is in no repository, a merge or rebase is under way, or Git or a hook refuses.
    """
    repository = find_repository(vault)
    if repository is None:
        raise VaultError(f"{vault}: not in a Git repository, so nothing was committed.")
    if repository.is_rewriting() or any((repository.git_dir / name).exists() for name in _UNDER_WAY):
        raise VaultError(
            f"{vault}: a merge or rebase is under way, so nothing was committed. End it, and import again."
        )
    paths = _known_to_git(vault, pending)
    if paths:
        _run(vault, "add", "--all", *_FROM_STDIN, paths=paths)
        paths &= _split(_run(vault, "diff", "--cached", "--relative", "--name-only", "--no-renames", "-z"))
    if not paths:
        return ""
    committed = {nfc(path) for path in paths}
    message = _message({path: what for path, what in pending.items() if nfc(path) in committed}, label)
    _run(vault, "commit", "--quiet", "--only", "-m", message, *_FROM_STDIN, paths=paths)
    return repository.head()


def _known_to_git(vault: Path, pending: Collection[str]) -> set[str]:
    """Return those paths that Git tracks or may track, in the form that it knows them by."""
    listed = _split(_run(vault, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
    wanted = {nfc(path) for path in pending}
    return {path for path in listed if nfc(path) in wanted}


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
        raise VaultError(f"{vault}: the files are there, but not committed: {reason}")
    return os.fsdecode(done.stdout)


def _split(listed: str) -> set[str]:
    return {path for path in listed.split("\0") if path}
