"""A vault's Git history -> when each of its files was first and last changed, by the authors' dates.

A file that is moved without a change keeps its dates. Where a commit follows what was known before in one line, only
the new commits are read; the result is the same as from the whole history.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from graphrag.domain.snapshot import Manifest
from vault_sync.repository import Repository, nfc

Dates = Mapping[str, tuple[datetime, datetime]]  # path -> (first, last)


@dataclass(frozen=True, slots=True)
class _Commit:
    id: str
    date: datetime
    changes: tuple[tuple[str, ...], ...]  # (letter, path) or (letter, old path, new path)


def read_dates(repository: Repository, commit: str, base: Manifest | None, paths: Iterable[str]) -> Dates:
    """Return the dates of the files `paths` of a commit; what the base knows spares reading the history before it."""
    known = _known_dates(base) if base else {}
    if base and known and _is_straight(repository, base.commit, commit):
        dates = _follow(_commits(repository, f"{base.commit}..{commit}"), known)
        if all(path in dates for path in paths):
            return dates
    return _follow(_commits(repository, commit), {})


def _is_straight(repository: Repository, older: str, newer: str) -> bool:
    """Whether one line of commits without merges leads from the older commit to the newer."""
    if not older or not repository.is_ancestor(older, newer):
        return False
    return not repository.run("rev-list", "--merges", "-1", f"{older}..{newer}").strip()


def _known_dates(base: Manifest) -> Dates:
    dates = {}
    for path, entry in base.files.items():
        first, _, last = entry.dates.partition("|")
        if first and last:
            dates[path] = datetime.fromisoformat(first), datetime.fromisoformat(last)
    return dates


def _follow(commits: Iterable[_Commit], known: Dates) -> Dates:
    """Return the dates after these commits, oldest first."""
    dates = dict(known)
    gone: set[str] = set()  # deleted on one side of a merge; the other side may have kept it
    for commit in commits:
        for letter, *names in commit.changes:
            path = names[-1]
            if letter == "R" and names[0] in dates:
                dates[path] = dates[names[0]]
                gone.add(names[0])
            elif letter == "D":
                gone.add(path)
            elif path in dates and path not in gone:
                first, last = dates[path]
                dates[path] = min(first, commit.date), max(last, commit.date)
            else:
                dates[path] = commit.date, commit.date
            if letter != "D":
                gone.discard(path)
    return dates


def _commits(repository: Repository, revisions: str) -> Iterator[_Commit]:
    """Yield the commits that changed a file of the vault, parents first.

    A file name can hold any character but NUL, so nothing else tells the parts apart: an empty part, the commit with
    its date, and the changes, of which the first follows a line end.
    """
    log = repository.run(
        *("log", "--format=%x00%H %aI", "--name-status", "-z", "-M100%", "-l0", "--no-ext-diff", "--diff-filter=AMDRT"),
        *("--root", "--no-follow", "--no-merges", "--full-history", "--topo-order", "--reverse", "--relative"),
        *(revisions, "--", "."),
    )
    parts = iter(log.split("\0"))
    head = ""
    changes: list[tuple[str, ...]] = []
    for part in parts:
        if not part:
            yield from _commit(repository, head, changes)
            head, changes = next(parts, ""), []
            continue
        letter = part.lstrip("\n")[:1]
        changes.append((letter, *(next(parts) for _ in range(2 if letter in "RC" else 1))))
    yield from _commit(repository, head, changes)


def _commit(repository: Repository, head: str, changes: list[tuple[str, ...]]) -> Iterator[_Commit]:
    """Yield the commit, unless a shallow clone ends with it: then all its files seem to be new."""
    id_, _, date = head.partition(" ")
    if id_ and id_ not in repository.boundary:
        yield _Commit(id_, datetime.fromisoformat(date), tuple((item[0], *map(nfc, item[1:])) for item in changes))
