"""How far the vault is ahead of a snapshot. Asked with every search, so it runs Git itself: the library that drives Git
elsewhere takes longer to import than Git takes to answer."""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from graphrag.domain.snapshot import Lag, Manifest
from vault_sync.commit_diff import is_note_file
from vault_sync.conflict_copies import find_copies
from vault_sync.repository import ENVIRONMENT, NO_PROGRAMS, find_repository, forget_other_repositories, nfc
from vault_sync.worktree import FileRules, is_content, is_note_name, is_unicode

_SECONDS = 10.0  # a status that takes longer, as on a sleeping network disk, is not waited for
_MOST_READ = 100  # files that are looked into; of more, the rest counts as notes

StaysOut = Callable[[str, bytes], bool]  # whether a file of this path and content is no note of the index


def measure_lag(vault: Path, manifest: Manifest, rules: FileRules, stays_out: StaysOut) -> Lag | None:
    """Return how far the vault is ahead, None when it cannot be told in a few seconds.

    Without Git, or when the snapshot holds saved files too, a note counts as changed if its file is newer than the
    snapshot and holds something else. A file that the snapshot has no note of counts only if it would become one.
    """
    try:
        status = _status(vault) if manifest.commit else None
    except (OSError, subprocess.SubprocessError):
        return None

    def newer() -> int:
        return _count(_newer(vault, manifest, rules), manifest, lambda path: (vault / path).read_bytes(), stays_out)

    if status is None:
        return Lag(0, newer(), 0)
    head, unsaved = status
    if not head:  # a branch without a commit yet
        return Lag(0, newer(), 0)
    commits, notes = _behind(vault, manifest, rules, head, stays_out) if head != manifest.commit else (0, 0)
    if manifest.worktree:
        return Lag(commits, max(notes, newer()), 0)
    changed = {path for path in unsaved if not rules.reason_to_ignore(path)}
    if changed:
        known = changed | manifest.files.keys()
        changed -= find_copies(known, lambda path: (vault / path).read_bytes(), changed).keys()
    return Lag(commits, notes, _count(changed, manifest, lambda path: (vault / path).read_bytes(), stays_out))


def _count(paths: Iterable[str], manifest: Manifest, read: Callable[[str], bytes], stays_out: StaysOut) -> int:
    """Return how many of the files that differ are notes, or were: a note that is to stay out from now on counts."""
    count, looked = 0, 0
    for path in paths:
        if path not in manifest.notes and looked < _MOST_READ:
            looked += 1
            count += not _is_out(path, read, stays_out)
        else:
            count += 1
    return count


def _is_out(path: str, read: Callable[[str], bytes], stays_out: StaysOut) -> bool:
    """Whether a file stays out of the index; one that is gone, and had no note, does."""
    try:
        return stays_out(path, read(path))
    except FileNotFoundError:
        return True
    except OSError:
        return False  # an index run will say what is wrong with it


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


def _behind(vault: Path, manifest: Manifest, rules: FileRules, head: str, stays_out: StaysOut) -> tuple[int, int]:
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
    for copy in find_copies(blobs, lambda path: repository.read(blobs[path])):
        del blobs[copy]
    known = {path: entry.content_hash for path, entry in manifest.files.items()}
    changed = [path for path in blobs.keys() | known.keys() if blobs.get(path) != known.get(path)]

    def read(path: str) -> bytes:
        if path not in blobs:
            raise FileNotFoundError(path)
        return repository.read(blobs[path])

    return int(counted), _count(changed, manifest, read, stays_out)


def _newer(vault: Path, manifest: Manifest, rules: FileRules) -> set[str]:
    """Return the files that came, went, or were written since the snapshot was made."""
    made = manifest.created.timestamp()
    known = manifest.files
    seen: set[str] = set()
    changed: set[str] = set()
    for path, status in _note_files(str(vault), ""):
        if not rules.reason_to_skip(path, status.st_size):
            seen.add(path)
            # A copied vault has new times and the old texts.
            is_new = path not in known
            if is_new or (status.st_mtime > made and not _holds(vault / path, known[path].content_hash)):
                changed.add(path)
    copies = find_copies(seen, lambda path: (vault / path).read_bytes(), changed - known.keys()).keys()
    return (changed | (known.keys() - seen)) - copies


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
