"""A vault's Git history -> the commit it stands at, and when each file was first and last committed."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from graphrag.errors import VaultError

_RECORD = "\x01"


@dataclass(frozen=True, slots=True)
class History:
    """`commit` is empty outside Git and before the first commit; `dates` holds author dates (first, last) by path."""

    commit: str = ""
    is_dirty: bool = True  # whether the folder differs from the commit
    dates: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict)


def read_history(vault: Path) -> History:
    """Return the history of the files below `vault`, which may be a folder inside a larger repository.

    Raises:
        VaultError: there is a repository, and Git cannot read it.
    """
    import git

    try:
        repository = git.Repo(vault, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        return History()
    except git.GitError as error:
        raise VaultError(f"{vault}: Git cannot open the repository: {_first_line(error)}") from error
    with repository:
        if repository.bare or not repository.head.is_valid():
            return History()
        try:
            commit = repository.head.commit.hexsha
            command = git.Git(str(vault))
            is_dirty = bool(command.status("--porcelain", "-z", "--", "."))
            log = command.log(
                f"--format={_RECORD}%aI", "--name-only", "-z", "--no-renames", "--relative", "--", "."
            )
        except (git.GitError, ValueError) as error:
            raise VaultError(f"{vault}: Git cannot read the history: {_first_line(error)}") from error
    return History(commit, is_dirty, _dates(log))


def _dates(log: str) -> dict[str, tuple[datetime, datetime]]:
    dates: dict[str, tuple[datetime, datetime]] = {}
    for record in log.split(_RECORD)[1:]:
        stamp, _, names = record.partition("\0")
        moment = datetime.fromisoformat(stamp.strip())
        for name in names.lstrip("\n").split("\0"):
            if name := name.strip("\n"):
                path = unicodedata.normalize("NFC", name)
                last = dates[path][1] if path in dates else moment
                dates[path] = (moment, last)
    return dates


def _first_line(error: Exception) -> str:
    stderr = str(getattr(error, "stderr", "") or error).strip().strip("'")
    return stderr.splitlines()[-1] if stderr else type(error).__name__
