"""When the files of a commit were first written and last changed, by the dates of the authors.

Every commit is compared with each of its parents, and each line of commits keeps dates of its own. A merge takes over a
file with its dates from the first parent that holds the same content, as `git log -- FILE` does; a file that no parent
holds so was changed by the merge. A file that is only moved keeps its dates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from graphrag.domain.snapshot import Manifest
from vault_sync.repository import Repository, nfc

Dates: TypeAlias = Mapping[str, tuple[datetime, datetime]]  # path -> (first, last)
_State: TypeAlias = dict[
    str, tuple[datetime, datetime] | None
]  # None: it was there before, and nobody knows since when
_LOG = ("diff-tree", "--stdin", "-r", "-z", "--name-status", "--format=%x00%aI", "--always", "--root", "--relative")
_PLAIN = ("-M100%", "-l0", "--no-ext-diff", "--no-color")


def read_dates(repository: Repository, commit: str, base: Manifest | None, paths: Iterable[str]) -> Dates:
    """Return the dates of the files of a commit, `paths` among them where the history reaches back to them.

    What the base knows spares reading the history before it, unless a file came from where the base saw none.
    """
    known = _known_dates(base) if base else {}
    if base and known and _is_straight(repository, base.commit, commit):
        dates = _certain(_History(repository, base.commit, known).at(commit))
        if all(path in dates for path in paths):
            return dates
    return _certain(_History(repository).at(commit))


def _certain(state: _State) -> Dates:
    return {path: dates for path, dates in state.items() if dates}


def _is_straight(repository: Repository, older: str, newer: str) -> bool:
    """Whether one line of commits without merges leads from the older commit to the newer."""
    if not older or not repository.is_ancestor(older, newer):
        return False
    return not repository.run("rev-list", "--merges", "-1", f"{older}..{newer}").strip()


def _known_dates(base: Manifest) -> _State:
    dates: _State = {}
    for path, entry in base.files.items():
        first, _, last = entry.dates.partition("|")
        if first and last:
            dates[path] = datetime.fromisoformat(first), datetime.fromisoformat(last)
    return dates


@dataclass(slots=True)
class _Difference:
    """How a commit differs from one of its parents."""

    date: datetime
    removed: set[str] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)  # path -> the parent's path of it, empty for a new file

    @property
    def touched(self) -> set[str]:
        """The paths that do not hold what they hold in the parent."""
        return self.removed | self.written.keys()


class _History:
    """The files' dates along the commits that lead to one; `known` are those at the commit `start`, where given."""

    def __init__(self, repository: Repository, start: str = "", known: _State | None = None) -> None:
        self._repository = repository
        self._start = start
        self._states: dict[str, _State] = {start: known or {}}
        self._children: Counter[str] = Counter()

    def at(self, commit: str) -> _State:
        """Return the dates at a commit that comes after the start, or is it."""
        revisions = f"{self._start}..{commit}" if self._start else commit
        listed = self._repository.run("rev-list", "--topo-order", "--reverse", "--parents", revisions)
        commits = [line.split() for line in listed.splitlines()]
        self._children.update(parent for _, *parents in commits for parent in parents)
        differences = self._differences(commits)
        for id_, *parents in commits:
            found = [next(differences) for _ in parents or [""]]
            if id_ in self._repository.boundary:  # all its files seem to be new
                self._states[id_] = {}
            elif len(parents) > 1:
                self._states[id_] = _merged([self._state_of(parent) for parent in parents], found)
            else:
                self._states[id_] = self._changed(self._state_of("".join(parents)), found[0])
        return self._states[commit]

    def _state_of(self, commit: str) -> _State:
        """Return the dates at a parent, to be changed: a copy as long as other children want them, too."""
        self._children[commit] -= 1
        is_last = bool(commit) and self._children[commit] <= 0
        return self._states.pop(commit, {}) if is_last else dict(self._states.get(commit, {}))

    def _changed(self, state: _State, change: _Difference) -> _State:
        before = {path: state[path] for path in (*change.removed, *change.written.values()) if path in state}
        for path in change.removed:
            state.pop(path, None)
        # Without the whole history, a file that was there before may be as old as it.
        unknown = None if self._start else (change.date, change.date)
        for path, origin in change.written.items():
            dates = before.get(origin, unknown) if origin else (change.date, change.date)
            if dates and path == origin:
                dates = min(dates[0], change.date), max(dates[1], change.date)
            state[path] = dates
        return state

    def _differences(self, commits: list[list[str]]) -> Iterator[_Difference]:
        """Yield how each commit differs from each of its parents, in their order; the first ones from no file at all.

        A file name can hold any character but NUL, so nothing else tells the parts apart: an empty part, the date, and
        the changes, of which the first follows a line end.
        """
        pairs = [f"{id_} {parent}".strip() for id_, *parents in commits for parent in parents or [""]]
        told = self._repository.run(*_LOG, *_PLAIN, "--", ".", given="\n".join((*pairs, ""))) if pairs else ""
        parts = iter(told.split("\0")[:-1])
        found: _Difference | None = None
        for part in parts:
            if part:
                assert found is not None  # a date comes first
                _note(found, part.lstrip("\n")[:1], parts)
                continue
            if found:
                yield found
            found = _Difference(datetime.fromisoformat(next(parts)))
        if found:
            yield found


def _note(found: _Difference, letter: str, names: Iterator[str]) -> None:
    """Add a change to a difference: its letter was read, its names come next."""
    path = nfc(next(names))
    if letter == "D":
        found.removed.add(path)
        if path in found.written:  # the same name in another Unicode form
            found.written[path] = path
    elif letter == "R":
        found.removed.add(path)
        found.written[nfc(next(names))] = path
    else:
        found.written[path] = "" if letter == "A" and path not in found.removed else path


def _merged(states: list[_State], changes: list[_Difference]) -> _State:
    """Return the dates at a merge: of each file from the first parent that holds it as the merge does."""
    touched = [change.touched for change in changes]
    merged = states[0]
    for path in touched[0]:
        same = next((state for state, others in zip(states, touched, strict=True) if path not in others), None)
        if same is not None and path in same:
            merged[path] = same[path]
        elif same is None and path in changes[0].written:
            merged[path] = _rewritten(path, states, changes)
        else:
            merged.pop(path, None)
    return merged


def _rewritten(path: str, states: list[_State], changes: list[_Difference]) -> tuple[datetime, datetime] | None:
    """Return the dates of a file that no parent holds so: a parent's where it was only moved, else up to the merge."""
    origins = [(state, change.written.get(path, "")) for state, change in zip(states, changes, strict=True)]
    for state, origin in origins:
        if origin not in ("", path) and state.get(origin):
            return state[origin]
    date = changes[0].date
    known = [dates for state, origin in origins if (dates := state.get(origin))]
    return min([date, *(first for first, _ in known)]), max([date, *(last for _, last in known)])
