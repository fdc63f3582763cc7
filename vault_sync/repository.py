"""Git's view of a vault, which may be a folder inside a larger repository. It reads, and never writes or fetches.

Every listing is NUL-separated and every setting that changes Git's output or runs a program is switched off, so that
neither a file name nor a user's or a vault's own configuration can mislead it.
"""

import os
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from threading import Lock

from graphrag.errors import VaultError

ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # a vault may lie on a read-only disk
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not reach for the network
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",  # a note may be called `*.md`
    "LC_ALL": "C",
}
# A hook or an alias of another repository exports these; they would lead Git there.
_ASTRAY = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"),
    *("GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"),
)
NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false")
_SUBMODULE = "160000"
_OTHER_OWNER = "dubious ownership"
_UNDER_WAY = ("rebase-merge", "rebase-apply", "sequencer")


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a commit's tree; `name` is its path as Git keeps it, relative to the vault."""

    name: str
    blob: str
    size: int  # bytes
    mode: str

    @property
    def path(self) -> str:
        """The path in the form that notes are known by."""
        return nfc(self.name)


class Repository:
    """The repository that a vault lies in; made by `find_repository`.

    Raises:
        VaultError: from every method: Git cannot read what it is asked for.
    """

    def __init__(self, vault: Path) -> None:
        import git

        forget_other_repositories()
        self._vault = vault
        self._reading = Lock()
        self._git = git.Git(vault)  # in a string, a ~ or a $ would be expanded
        # In a folder that is gone, the library would run Git in the present one, which may be another repository.
        self._command = ("git", "-C", str(vault), *NO_PROGRAMS)
        self._git.update_environment(**ENVIRONMENT)

    def run(self, *arguments: str, given: str = "") -> str:
        """Return what a Git command prints that reads `given` from its standard input."""
        import git

        command = [*self._command, *arguments]
        try:
            with tempfile.TemporaryFile() if given else nullcontext() as lines:
                if lines:
                    lines.write(given.encode())
                    lines.seek(0)
                return str(self._git.execute(command, istream=lines, strip_newline_in_stdout=False))
        except (git.GitError, ValueError) as error:
            if _OTHER_OWNER in str(getattr(error, "stderr", "")):
                raise VaultError(
                    f"{self._vault}: the repository belongs to another user, so Git does not read it. "
                    f"If you trust it, run: git config --global --add safe.directory '{self._vault}'"
                ) from error
            raise VaultError(f"{self._vault}: Git cannot read the history: {reason_of(error)}") from error

    def ask(self, *arguments: str) -> str | None:
        """Return the one line that a Git command prints, None when it fails."""
        command = [*self._command, *arguments]
        status, output, _ = self._git.execute(command, with_extended_output=True, with_exceptions=False)
        return str(output).strip() if status == 0 else None

    def head(self) -> str:
        """Return the commit that is checked out, empty before the first one."""
        return self.ask("rev-parse", "--verify", "-q", "HEAD") or ""

    def resolve(self, revision: str) -> str:
        """Return the commit that a revision (commit, tag, branch) names.

        Raises:
            VaultError: it names none.
        """
        if not (name := self.find(revision)):
            raise VaultError(f"'{revision}' is no commit, branch, tag or date (YYYY-MM-DD) of this vault.")
        return name

    def find(self, revision: str) -> str:
        """Return the commit that a revision names, empty for none."""
        is_option = revision.startswith("-")
        return "" if is_option else self.ask("rev-parse", "--verify", "-q", f"{revision}^{{commit}}") or ""

    def commit_by(self, moment: datetime) -> str:
        """Return the last commit of the present branch by a moment of local time.

        Raises:
            VaultError: there is none so early.
        """
        moment = min(moment, datetime.now())
        found = self.ask("rev-list", "-1", "--first-parent", f"--before={moment:%Y-%m-%dT%H:%M:%S}", "HEAD")
        if not found and self.boundary:
            raise VaultError(f"this shallow clone does not reach back to {moment:%Y-%m-%d}. Run: git fetch --unshallow")
        if not found:
            raise VaultError(f"the vault has no commit from {moment:%Y-%m-%d} or earlier.")
        return found

    def tree(self, commit: str) -> list[TreeFile]:
        """Return the files below the vault at a commit, submodules left out."""
        return [entry for entry in self._entries(commit) if entry.mode != _SUBMODULE]

    def submodules(self, commit: str) -> list[str]:
        """Return the paths below the vault at which a commit holds another repository."""
        return [entry.path for entry in self._entries(commit) if entry.mode == _SUBMODULE]

    def _entries(self, commit: str) -> Iterator[TreeFile]:
        listed = self.run("ls-tree", "-r", "-z", "--long", commit, "--", ".")
        return (_tree_file(entry) for entry in listed.split("\0") if entry)

    def not_checked_out(self) -> frozenset[str]:
        """Return the names of the files below the vault that a sparse checkout leaves off the disk."""
        if self.ask("config", "--type=bool", "core.sparseCheckout") != "true":
            return frozenset()
        listed = self.run("ls-files", "-t", "-z", "--", ".").split("\0")
        return frozenset(entry[2:] for entry in listed if entry.startswith("S "))

    def read(self, blob: str) -> bytes:
        """Return the bytes of a blob.

        Raises:
            OSError: the repository does not hold it, as a partial clone may not.
        """
        try:
            with self._reading:  # of one process that gives them out one after the other
                return bytes(self._git.get_object_data(blob)[3])
        except ValueError as error:
            raise OSError(f"Git does not hold it: {reason_of(error)}") from error

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether a commit is the other or lies in its past; a commit that is gone does not."""
        return self.ask("merge-base", "--is-ancestor", older, newer) is not None

    def is_rewriting(self) -> bool:
        """Whether a rebase, or a cherry-pick of several commits, is under way: more commits are about to come."""
        return any((self.git_dir / name).exists() for name in _UNDER_WAY)

    @cached_property
    def boundary(self) -> frozenset[str]:
        """The commits at which a shallow clone ends: Git shows all their files as added there."""
        file = self._vault / (self.ask("rev-parse", "--git-path", "shallow") or "shallow")
        return frozenset(file.read_text(encoding="ascii").split()) if file.is_file() else frozenset()

    @cached_property
    def common_dir(self) -> Path:
        """The folder of the repository's own data, shared by all its worktrees."""
        return (self._vault / self.run("rev-parse", "--git-common-dir").strip()).resolve()

    @cached_property
    def git_dir(self) -> Path:
        """The folder of this worktree's HEAD."""
        return (self._vault / self.run("rev-parse", "--git-dir").strip()).resolve()


def find_repository(vault: Path) -> Repository | None:
    """Return the repository whose working files the vault's are, None where there is none or no Git on this machine.

    Raises:
        VaultError: there is one, and Git cannot open it.
    """
    try:
        import git
    except ImportError:  # GitPython's answer to a missing program
        return None
    repository = Repository(vault)
    try:
        is_inside = repository.run("rev-parse", "--is-inside-work-tree").strip()
    except VaultError as error:
        if isinstance(error.__cause__, git.GitCommandError) and "not a git repository" in str(error.__cause__.stderr):
            return None
        raise
    return repository if is_inside == "true" else None


def forget_other_repositories() -> None:
    """Drop from this process's environment what names another repository than the vault's own."""
    for name in _ASTRAY:
        os.environ.pop(name, None)


def nfc(name: str) -> str:
    """Return a name in the form that notes are known by."""
    return unicodedata.normalize("NFC", name)


def reason_of(error: Exception) -> str:
    """Return the last line of what Git said."""
    stderr = str(getattr(error, "stderr", "") or error).strip().strip("'")
    return stderr.splitlines()[-1] if stderr else type(error).__name__


def _tree_file(entry: str) -> TreeFile:
    head, name = entry.split("\t", 1)
    mode, _, blob, size = head.split()
    return TreeFile(name, blob, int(size) if size != "-" else 0, mode)
