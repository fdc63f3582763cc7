"""How far the vault is ahead of a snapshot. Asked with every search, so it runs Git itself: the library that drives Git
elsewhere takes longer to import than Git takes to answer."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from graphrag.domain.snapshot import Lag, Manifest
from vault_sync.compare import is_note_file
from vault_sync.file_rules import FileRules, is_note_name, is_unicode
from vault_sync.repository import ENVIRONMENT, NO_PROGRAMS, find_repository, forget_other_repositories, nfc
from vault_sync.worktree import is_content

_SECONDS = 10.0  # a status that takes longer, as on a sleeping network disk, is not waited for


def measure_lag(vault: Path, manifest: Manifest, rules: FileRules) -> Lag | None:
    """Return how far the vault is ahead, None when it cannot be told in a few seconds.

    Without Git, or when the snapshot holds saved files too, a note counts as changed if its file is newer than the
    snapshot and holds something else.
    """
    try:
        status = _status(vault) if manifest.commit else None
    except (OSError, subprocess.SubprocessError):
        return None
    if status is None:
        return Lag(0, _newer(vault, manifest, rules), 0)
    head, unsaved = status
    if not head:  # a branch without a commit yet
        return Lag(0, _newer(vault, manifest, rules), 0)
    commits, notes = _behind(vault, manifest, rules, head) if head != manifest.commit else (0, 0)
    if manifest.worktree:
        return Lag(commits, max(notes, _newer(vault, manifest, rules)), 0)
    return Lag(commits, notes, sum(not rules.reason_to_ignore(path) for path in unsaved))


def _status(vault: Path) -> tuple[str, set[str]] | None:
    """Return the commit that is checked out and the notes that differ from it, None outside Git."""
    forget_other_repositories()
    arguments = ("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--", ".")
    done = subprocess.run(
        ["git", *NO_PROGRAMS, *arguments],
        cwd=vault,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode:
        return None
    head, prefix = "", _prefix(vault)
    changed: set[str] = set()
    for entry in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
        if entry.startswith("# branch.oid "):
            head = entry.removeprefix("# branch.oid ").removeprefix("(initial)")
        elif entry[:2] in ("1 ", "u ", "? "):
            name = entry.split(" ", {"1": 8, "u": 10, "?": 1}[entry[0]])[-1].removeprefix(prefix)
            if is_note_name(name):
                changed.add(nfc(name))
    return head, changed


def _prefix(vault: Path) -> str:
    """Return the vault's path inside its repository: a status names files from the repository's top."""
    for folder in (vault, *vault.parents):
        if (folder / ".git").exists():
            inside = vault.relative_to(folder).as_posix()
            return "" if inside == "." else f"{inside}/"
    return ""


def _behind(vault: Path, manifest: Manifest, rules: FileRules, head: str) -> tuple[int, int]:
    """Return how many commits came since, and how many notes differ, by the trees and whatever became of the branch."""
    repository = find_repository(vault)
    if repository is None:
        return 0, 0
    counted = repository.ask("rev-list", "--count", f"{manifest.commit}..{head}") or "0"
    blobs = {
        file.path: file.blob
        for file in repository.tree(head)
        if is_note_file(file.mode, file.name) and not rules.reason_to_skip(file.path, file.size)
    }
    known = {path: entry.content_hash for path, entry in manifest.files.items()}
    return int(counted), sum(blobs.get(path) != known.get(path) for path in blobs.keys() | known.keys())


def _newer(vault: Path, manifest: Manifest, rules: FileRules) -> int:
    """Return how many notes came, went, or were written since the snapshot was made."""
    made = manifest.created.timestamp()
    known = manifest.files
    seen: set[str] = set()
    changed = 0
    for path, status in _note_files(str(vault), ""):
        if not rules.reason_to_skip(path, status.st_size):
            seen.add(path)
            # A copied vault has new times and the old texts.
            changed += path not in known or (
                status.st_mtime > made and not _holds(vault / path, known[path].content_hash)
            )
    return changed + len(known.keys() - seen)


def _holds(file: Path, blob: str) -> bool:
    try:
        return is_content(file.read_bytes(), blob)
    except OSError:
        return False


def _note_files(folder: str, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield each note file's path with its size and times."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir():
                yield from _note_files(entry.path, f"{path}/")
            elif is_note_name(path) and is_unicode(path):
                yield nfc(path), entry.stat()
