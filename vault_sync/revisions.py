"""One note file -> the commits that touched it, newest first, through the names it had before.

Git's own `--follow` is not used: it takes a note made from a copied template for that template.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.domain.history import ChangeKind, NoteRevision
from vault_sync.compare import RAW, FileSide, read_pair
from vault_sync.repository import Repository, nfc

_FORMAT = "--format=%x00%H%x00%P%x00%aI%x00%an%x00%s%x00"  # no field can hold what parts them
_LOG = ("log", "--no-follow", _FORMAT, "--encoding=UTF-8", "--root", "--diff-merges=separate", "--numstat")
_KINDS = {"A": ChangeKind.ADDED, "D": ChangeKind.REMOVED}


@dataclass(frozen=True, slots=True)
class _Touch:
    """A commit that touched the file, as it differs from one of the commits before it."""

    revision: NoteRevision
    parents: tuple[str, ...]

    @property
    def lines(self) -> int:
        return self.revision.lines_added + self.revision.lines_removed


@dataclass(frozen=True, slots=True)
class _Move:
    """A file that came from another path."""

    origin: FileSide
    lines_added: int
    lines_removed: int


def read_revisions(repository: Repository, name: str) -> list[NoteRevision]:
    """Return the commits of the present branch that touched a file, its name given as Git keeps it.

    Where a shallow clone ends, Git shows every file as added: such a commit is left out.
    """
    found: dict[str, NoteRevision] = {}
    starts: tuple[str, ...] = ("HEAD",)
    while starts:
        touches, starts = _touches(repository, starts, name), ()
        for touch in touches:
            commit = touch.revision.commit
            move = _move(repository, commit, name) if _is_first(touch) else None
            found.setdefault(commit, _moved(touch.revision, move) if move else touch.revision)
            if move:
                starts, name = (touch.parents[0], *_beside(repository, commit, touches)), move.origin.name
                break
    return list(found.values())


def _is_first(touch: _Touch) -> bool:
    """Whether the file's path began with this commit; a merge only takes over what began elsewhere."""
    return touch.revision.kind is ChangeKind.ADDED and len(touch.parents) == 1


def _moved(revision: NoteRevision, move: _Move) -> NoteRevision:
    return replace(
        revision,
        kind=ChangeKind.RENAMED,
        previous_path=move.origin.path,
        lines_added=move.lines_added,
        lines_removed=move.lines_removed,
    )


def _beside(repository: Repository, commit: str, touches: list[_Touch]) -> Iterator[str]:
    """Yield the ends of the branches on which the file kept the name that it had before the commit."""
    for touch in touches:
        if len(touch.parents) > 1:
            yield from (parent for parent in touch.parents if not repository.is_ancestor(commit, parent))


def _touches(repository: Repository, starts: tuple[str, ...], name: str) -> list[_Touch]:
    """Return the commits up to `starts` that touched a file.

    A merge is one that left it unlike all its parents, and shows the parent to which it is most alike.
    """
    log = repository.run("--literal-pathspecs", *_LOG, *RAW, *starts, "--", name)
    shown: dict[str, list[_Touch]] = {}
    for touch in _read_log(iter(log.split("\0")), name):
        shown.setdefault(touch.revision.commit, []).append(touch)
    return [
        min(touches, key=lambda touch: touch.lines)
        for commit, touches in shown.items()
        if commit not in repository.boundary and len(touches) >= len(touches[0].parents)
    ]


def _read_log(tokens: Iterator[str], name: str) -> Iterator[_Touch]:
    """Yield what `_LOG` prints of one file; a commit that shows no difference is passed over."""
    head: tuple[str, ...] = ()
    kind = ChangeKind.CHANGED
    for token in tokens:
        if token.startswith(("\n:", ":")):
            kind = _KINDS.get(token.split()[4], ChangeKind.CHANGED)
            next(tokens)
        elif "\t" in token:
            commit, parents, date, author, subject = head
            added, removed = _counts(token)
            moment = datetime.fromisoformat(date)
            revision = NoteRevision(commit, moment, author, subject, kind, nfc(name), "", added, removed)
            yield _Touch(revision, tuple(parents.split()))
        elif token.strip("\n"):
            head = (token, *(next(tokens) for _ in range(4)))


def _move(repository: Repository, commit: str, name: str) -> _Move | None:
    """Return where a commit that added a file took it from, None when it was new."""
    tokens = iter(repository.run("diff", "--numstat", *RAW, f"{commit}^", commit, "--", ".").split("\0"))
    origin: FileSide | None = None
    for token in tokens:
        if token.startswith(":"):
            for old, new in read_pair(token, tokens):
                if new and new.name == name:
                    origin = old
        elif token.endswith("\t"):  # the names of a moved file follow
            _, new_name = next(tokens), next(tokens)
            if origin and new_name == name:
                return _Move(origin, *_counts(token))
    return None


def _counts(token: str) -> tuple[int, int]:
    """Return the lines added and removed, 0 for what Git takes for no text."""
    added, removed, _ = token.split("\t", 2)
    return (0, 0) if added == "-" else (int(added), int(removed))
