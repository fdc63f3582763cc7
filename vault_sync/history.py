"""A vault's Git history -> the commit it stands at, and when each file was first and last committed."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.errors import VaultError

if TYPE_CHECKING:
    import git


@dataclass(frozen=True, slots=True)
class History:
    """`commit` is empty where Git knows nothing of the folder; `dates` holds author dates (first, last) by path."""

    commit: str = ""
    is_dirty: bool = True  # whether the folder differs from the commit
    dates: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict)


def read_history(vault: Path) -> History:
    """Return the history of the files below `vault`, which may be a folder inside a larger repository.

    A repository that has committed none of them is not the vault's, and without Git on this machine there is none.

    Raises:
        VaultError: there is a repository, and Git cannot read it.
    """
    try:
        import git
    except ImportError:  # GitPython's answer to a missing program
        return History()
    try:
        repository = git.Repo(vault, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        return History()
    except git.GitError as error:
        raise VaultError(f"{vault}: Git cannot open the repository: {_reason(error)}") from error
    with repository:
        command = git.Git(str(vault))
        try:
            commit = "" if repository.bare else _head(command)
            return _read(command, commit) if commit else History()
        except (git.GitError, ValueError) as error:
            raise VaultError(f"{vault}: Git cannot read the history: {_reason(error)}") from error


def _head(command: "git.Git") -> str:
    """Return the commit that is checked out, empty before the first one."""
    status, commit, _ = command.rev_parse("--verify", "-q", "HEAD", with_extended_output=True, with_exceptions=False)
    return str(commit) if status == 0 else ""


def _read(command: "git.Git", commit: str) -> History:
    command.update_environment(GIT_OPTIONAL_LOCKS="0")  # a vault is only read, and may be read-only
    log = command.log(
        *("--format=%x00%aI", "--name-only", "-z", "--no-renames", "--no-show-signature"),
        *("--relative", commit, "--", "."),
    )
    dates = _dates(log)
    if not dates:
        return History()
    is_dirty = bool(command.status("--porcelain", "-z", "--untracked-files=normal", "--", "."))
    return History(commit, is_dirty, dates)


def _dates(log: str) -> dict[str, tuple[datetime, datetime]]:
    dates: dict[str, tuple[datetime, datetime]] = {}
    for moment, name in _entries(log):
        path = unicodedata.normalize("NFC", name)
        last = dates[path][1] if path in dates else moment
        dates[path] = (moment, last)
    return dates


def _entries(log: str) -> Iterator[tuple[datetime, str]]:
    """Yield each commit's date with each name in it.

    A name can hold any character but NUL, so nothing else tells the parts apart: an empty part, a date, and the names,
    the first of them after a line end.
    """
    parts = iter(log.split("\0"))
    moment: datetime | None = None
    for part in parts:
        if not part:
            moment = datetime.fromisoformat(date) if (date := next(parts, "")) else None
            part = next(parts, "").removeprefix("\n")
        if part and moment:
            yield moment, part


def _reason(error: Exception) -> str:
    """Return the last line of what Git said."""
    stderr = str(getattr(error, "stderr", "") or error).strip().strip("'")
    return stderr.splitlines()[-1] if stderr else type(error).__name__
