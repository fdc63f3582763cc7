"""The vault's files on disk -> VaultState. Reads only; never follows a link out of the vault."""

import json
import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from graphrag.domain.note import Diagnostic, Severity
from graphrag.domain.snapshot import Manifest, NoteFile, VaultState
from graphrag.errors import VaultError
from vault_sync.conflict_copies import copy_reason, find_copies
from vault_sync.file_dates import Dates, read_dates
from vault_sync.repository import Repository, find_repository, nfc

NOTE_SUFFIXES = (".md", ".canvas")
IGNORE_FILE = ".ragignore"
UNREADABLE = "cannot be read"
SYMBOLIC_LINK = "a symbolic link; links are not followed"
NOT_UNICODE = "its name is not valid UTF-8; rename it"
TEMPLATE = "a template: it lies in the folder that .obsidian names for templates"
_TEMPLATE_FOLDERS = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)
SAME_NAME = "another file has the same name in another Unicode form"
_LFS_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n")
_LFS_POINTER_BYTES = 1024
_GIT_CRYPT = b"\0GITCRYPT\0"
IN_LFS = "its text is in Git LFS and not on this machine. Run: git lfs pull && graphrag index --full"
ENCRYPTED = "its text is encrypted by git-crypt. Run: git-crypt unlock && graphrag index --worktree"


class FileState(NamedTuple):
    """What the system says of a file; where it is another one, the file may hold something else."""

    changed: int  # nanoseconds
    touched: int  # likewise, set by no program
    size: int
    number: int

    def is_settled(self, now: int) -> bool:
        """Whether a write after this moment, in nanoseconds, gives another state, however coarse the disk counts."""
        return max(self.changed, self.touched) + _COARSEST_CLOCK < now


_COARSEST_CLOCK = 2_500_000_000  # nanoseconds; some file systems count in steps of two seconds


def state_of(file: Path) -> FileState | None:
    """Return the state of a file, None where there is none."""
    try:
        found = file.stat()
    except (OSError, ValueError):  # of a name, too, that no file can have
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return FileState(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


class FileRules:
    """The rules of one vault; `.ragignore` is read from the disk, for a commit too: what it names now stays out."""

    def __init__(self, vault: Path, exclude: tuple[str, ...], max_file_bytes: int) -> None:
        self._vault = vault
        self._exclude = exclude
        self._max_file_bytes = max_file_bytes
        self._reasons: dict[str, str] = {}  # of paths that were asked for
        begun, states = time.time_ns(), self._states()
        # What has just been written may be written again without another time.
        self._known = states if all(state is None or state.is_settled(begun) for state in states) else ()

    def _states(self) -> tuple[FileState | None, ...]:
        files = (IGNORE_FILE, *(file for file, _ in _TEMPLATE_FOLDERS))
        return tuple(state_of(self._vault / file) for file in files)

    def fresh(self) -> "FileRules":
        """Return the same rules with the ignore file as it is now: these themselves where no file of rules changed."""
        return self if self._states() == self._known else FileRules(self._vault, self._exclude, self._max_file_bytes)

    def reason_to_ignore(self, path: str) -> str:
        """Return why the vault's own rules leave a path out, empty when they do not."""
        if path not in self._reasons:
            self._reasons[path] = self._find_reason(path)
        return self._reasons[path]

    def _find_reason(self, path: str) -> str:
        found = self._ignored.check_file(path)
        if not found.include:
            return ""
        is_template = found.index is not None and found.index < len(self._templates)
        return TEMPLATE if is_template else f"left out by {IGNORE_FILE} or [vault] exclude"

    def reason_to_skip(self, path: str, size: int) -> str:
        """Return why a file of this name and size is left out, empty when it is not."""
        return self.reason_to_ignore(path) or self.reason_of_size(size)

    def reason_of_size(self, size: int) -> str:
        """Return why a file of so many bytes is left out, empty when it is not."""
        return f"larger than [vault] max_file_bytes ({size} bytes)" if size > self._max_file_bytes else ""

    @cached_property
    def _ignored(self) -> GitIgnoreSpec:
        lines = [*self._templates, *self._exclude, *self._ignore_file()]
        try:
            return GitIgnoreSpec.from_lines(unicodedata.normalize("NFC", line) for line in lines)
        except ValueError as error:
            raise VaultError(f"{IGNORE_FILE} or [vault] exclude: {error}. Mend or remove that line.") from error

    @cached_property
    def _templates(self) -> tuple[str, ...]:
        """The patterns of the folders that Obsidian and Templater take templates from; they come first."""
        folders = (_folder_of(self._vault / file, key) for file, key in _TEMPLATE_FOLDERS)
        return tuple(f"/{_literal(folder)}/" for folder in dict.fromkeys(folders) if folder)

    def _ignore_file(self) -> list[str]:
        path = self._vault / IGNORE_FILE
        try:
            return path.read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise VaultError(f"{path}: cannot be read: {error}. Mend or remove it.") from error


def _folder_of(file: Path, key: str) -> str:
    """Return the folder that a settings file of Obsidian names, empty when it names none, or the vault itself."""
    try:
        settings = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return ""
    folder = settings.get(key) if isinstance(settings, dict) else None
    return folder.strip().strip("/") if isinstance(folder, str) and folder.strip("/. ") else ""


def _literal(name: str) -> str:
    """Return the pattern that matches a name as it is written."""
    return re.sub(r"([\\*?\[\]!# ])", r"\\\1", name)


def is_note_name(name: str) -> bool:
    """Whether a path, by its names alone, may be a note: a known suffix, and nothing hidden on the way."""
    return name.lower().endswith(NOTE_SUFFIXES) and not any(part.startswith(".") for part in name.split("/"))


def is_unicode(name: str) -> bool:
    """Whether a file name read from the system is text."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def skipped(name: str, reason: str) -> Diagnostic:
    """Return the diagnostic of a file that is left out."""
    severity = Severity.ERROR if reason.startswith(UNREADABLE) else Severity.SKIPPED
    return Diagnostic(name.encode("utf-8", "backslashreplace").decode(), 0, severity, reason)


class WorktreeSource:
    """The vault as it lies on disk, with dates from Git where there is a repository."""

    def __init__(self, vault: Path, rules: FileRules) -> None:
        self._vault = vault
        self._rules = rules
        self._plain: dict[str, bool] = {}  # folders

    def scan(self, base: Manifest | None = None) -> VaultState:
        """Return every note file with its hash; what a rule leaves out stands in `skipped` with the rule.

        Raises:
            VaultError: the vault is missing, or not a folder.
        """
        contents, problems = self.look()
        commit, is_dirty, dates = _history(self._vault, base, contents)
        files = [NoteFile(path, *found, *dates.get(path, (None, None))) for path, found in contents.items()]
        return VaultState(tuple(files), commit, is_dirty, problems)

    def look(self) -> tuple[dict[str, tuple[str, int]], tuple[Diagnostic, ...]]:
        """Return the hash and size of every note file by path, without any history, and what a rule leaves out.

        Raises:
            VaultError: the vault is missing, or not a folder.
        """
        check_vault(self._vault)
        self._rules = self._rules.fresh()
        contents: dict[str, tuple[str, int]] = {}
        problems: list[Diagnostic] = []
        for location in sorted(_walk(self._vault, problems)):
            name = location.relative_to(self._vault).as_posix()
            path = nfc(name)
            found = SAME_NAME if path in contents else self._look_at(location, path)
            if isinstance(found, str):
                problems.append(skipped(path, found))
                continue
            contents[path] = found
        for path, original in find_copies(contents, lambda path: _locate(self._vault, path).read_bytes()).items():
            del contents[path]
            problems.append(skipped(path, copy_reason(original)))
        return contents, tuple(problems)

    def read(self, file: NoteFile) -> bytes:
        """Return the file's bytes.

        Raises:
            OSError: it cannot be read, or a program of Git's keeps its text elsewhere.
        """
        return check_text(_locate(self._vault, file.path).read_bytes())

    def has(self, path: str) -> bool:
        """Whether a file lies at a note's path."""
        return _locate(self._vault, path).exists()

    def present(self, path: str) -> bytes | None:
        """Return the bytes that lie at a note's path now, None when the note is gone or a rule leaves it out."""
        try:
            location = self._place_of(path)
            return location.read_bytes() if location and location.is_file() else None
        except (OSError, ValueError):  # of a name, too, that no file can have
            return None

    def state(self, path: str) -> FileState | None:
        """Return what changes with the bytes of a note, None when `present` returns none."""
        if (found := self._plain_state(path)) is not None:
            return None if self._rules.reason_to_ignore(path) else found
        try:
            location = self._place_of(path)
        except (OSError, ValueError):
            return None
        return state_of(location) if location else None

    def _plain_state(self, path: str) -> FileState | None:
        """Return the state of a file that lies where its path says, with no link on the way; None of any other."""
        folder, slash, _ = path.rpartition("/")
        if not is_note_name(path) or not self._is_plain(folder) or (slash and not folder):
            return None
        try:
            found = os.lstat(f"{self._vault}/{path}")
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return FileState(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)

    def _is_plain(self, folder: str) -> bool:
        """Whether a folder lies in the vault with no link on the way; each is looked at once."""
        if not folder:
            return True
        if folder not in self._plain:
            above, slash, _ = folder.rpartition("/")
            try:
                is_folder = stat.S_ISDIR(os.lstat(f"{self._vault}/{folder}").st_mode)
            except (OSError, ValueError):
                is_folder = False
            self._plain[folder] = is_folder and (bool(above) or not slash) and self._is_plain(above)
        return self._plain[folder]

    def _place_of(self, path: str) -> Path | None:
        """Return where a note lies, None where a rule leaves it out."""
        location = _locate(self._vault, path)
        if not is_note_name(path) or _leads_out(location, self._vault) or self._rules.reason_to_ignore(path):
            return None
        return location

    def _look_at(self, location: Path, path: str) -> tuple[str, int] | str:
        """Return the file's hash and size, or the reason why it is left out."""
        if reason := self._rules.reason_to_ignore(path):
            return reason
        try:
            if reason := self._rules.reason_of_size(location.stat().st_size):
                return reason
            data = location.read_bytes()
        except OSError as error:
            return f"{UNREADABLE}: {error.strerror}"
        return blob_id(data), len(data)


def lfs_object(data: bytes) -> str:
    """Return the name of the object that a pointer of Git LFS stands for, empty for any other content."""
    pointer = _LFS_POINTER.match(data) if len(data) <= _LFS_POINTER_BYTES else None
    return pointer.group(1).decode() if pointer else ""


def check_text(data: bytes) -> bytes:
    """Return the content of a file that holds its text itself.

    Raises:
        OSError: Git LFS or git-crypt keeps the text.
    """
    if lfs_object(data):
        raise OSError(IN_LFS)
    if data.startswith(_GIT_CRYPT):
        raise OSError(ENCRYPTED)
    return data


def blob_id(data: bytes) -> str:
    """Return the name that Git gives a file's content, so that a file and its committed form compare."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_content(data: bytes, blob: str) -> bool:
    """Whether a file holds what a blob names, but maybe for the line ends that Git converts."""
    return blob_id(data) == blob or (b"\r\n" in data and blob_id(data.replace(b"\r\n", b"\n")) == blob)


def check_vault(vault: Path) -> None:
    """Raise a VaultError unless the path is a folder that can be listed."""
    if not vault.exists():
        raise VaultError(f"{vault}: no such folder. Name your vault with --vault.")
    if not vault.is_dir():
        raise VaultError(f"{vault}: not a folder. Name the folder that holds your notes with --vault.")
    if not os.access(vault, os.R_OK | os.X_OK):
        raise VaultError(f"{vault}: cannot be listed. Check its permissions.")


def _history(vault: Path, base: Manifest | None, paths: dict[str, tuple[str, int]]) -> tuple[str, bool, Dates]:
    """Return the commit that is checked out, whether the files differ from it, and their dates.

    A repository that has committed none of the vault's files is not the vault's.
    """
    repository = find_repository(vault)
    commit = repository.head() if repository else ""
    if not repository or not commit:
        return "", True, {}
    tracked = {file.path for file in repository.tree(commit)}
    if not tracked:
        return "", True, {}
    dates = read_dates(repository, commit, base, tracked & paths.keys())
    return commit, bool(paths.keys() - tracked) or is_dirty(repository), dates


def is_dirty(repository: Repository) -> bool:
    """Whether the vault's files differ from the commit that is checked out."""
    return bool(repository.run("status", "--porcelain", "-z", "--untracked-files=normal", "--", "."))


def _walk(vault: Path, problems: list[Diagnostic]) -> Iterator[Path]:
    """Yield the vault's note files, hidden ones left out; report what looks like one, or like a folder, and is not."""
    folders = [vault]
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            problems.append(skipped(_relative(folder, vault), f"{UNREADABLE}: {error.strerror}"))
            continue
        for entry in entries:
            is_note = entry.name.lower().endswith(NOTE_SUFFIXES)
            is_folder = entry.is_dir()
            if entry.name.startswith(".") or not (is_note or is_folder):
                continue
            if reason := _reason_to_skip(entry):
                problems.append(skipped(_relative(Path(entry.path), vault), reason))
            elif is_folder:
                folders.append(Path(entry.path))
            else:
                yield Path(entry.path)


def _reason_to_skip(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return SYMBOLIC_LINK
    if not is_unicode(entry.name):
        return NOT_UNICODE
    if not (entry.is_dir() or entry.is_file()):
        return "not a regular file"  # reading a pipe would wait for ever
    return ""


def _leads_out(location: Path, vault: Path) -> bool:
    """Whether a path is not below the vault, or a link stands on the way, which may lead anywhere."""
    if not location.is_relative_to(vault):  # an absolute path
        return True
    steps = (location, *location.parents)
    return any(step.is_symlink() for step in steps[: len(location.relative_to(vault).parts)])


def _locate(vault: Path, path: str) -> Path:
    """Return where a note lies: the disk may know its name, or a folder's, in another Unicode form."""
    location = vault
    for part in () if (vault / path).exists() else Path(path).parts:
        names = [entry.name for entry in location.iterdir()] if location.is_dir() else []
        name = next((name for name in names if nfc(name) == part), part)
        location /= name
    return vault / path if location == vault else location


def _relative(location: Path, vault: Path) -> str:
    return location.relative_to(vault).as_posix()
