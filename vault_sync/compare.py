"""Two commits of a vault -> the note files that differ, with what was moved; and where notes went that are gone.

Only the trees and Git's own rename detection are asked. A copy is an addition: only what left its path was moved.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from graphrag.domain.history import ChangeKind, NoteRevision
from graphrag.errors import VaultError
from vault_sync.repository import Repository, nfc
from vault_sync.worktree import is_note_name, is_unicode


def line_date(repository: Repository, commit: str, path: str, blob: str, first: int, last: int) -> datetime | None:
    """Return the author date of the last change of some lines (1-based, inclusive).

    None when the note at the commit is not the blob that the lines were counted in: then they are in no commit yet.
    """
    name = find_name(repository, commit, path)
    if name is None or repository.ask("rev-parse", "--verify", "-q", f"{commit}:./{name}") != blob:
        return None
    # Only a line end splits what Git prints: the note's own lines, each after a tab, may hold other separators.
    told = repository.ask("blame", "--porcelain", "-L", f"{first},{last}", commit, "--", name)
    if told is None:  # Git counts other line ends than ours
        return None
    lines = told.split("\n")
    times = [line.removeprefix("author-time ") for line in lines if line.startswith("author-time ")]
    zones = [line.removeprefix("author-tz ") for line in lines if line.startswith("author-tz ")]
    moments = [_authored_at(int(seconds), zone) for seconds, zone in zip(times, zones, strict=True)]
    return max(moments, default=None)


def find_name(repository: Repository, commit: str, path: str) -> str | None:
    """Return the name under which a commit holds a note, which may be in another Unicode form, or None."""
    if repository.ask("rev-parse", "--verify", "-q", f"{commit}:./{path}"):
        return path
    return next((file.name for file in repository.tree(commit) if file.path == path), None)


def _authored_at(seconds: int, zone: str) -> datetime:
    offset = datetime.strptime(zone, "%z").tzinfo
    return datetime.fromtimestamp(seconds, offset)


# What a user's settings say about colours, drivers, paths and renames must not reach the parser. Beyond so many files
# on both sides only equal ones are paired: comparing all with all would take minutes.
RAW = ("--raw", "-z", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", "-M", "-l1000")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A note file that differs between two commits; a blob is empty on the side that does not hold the file."""

    kind: ChangeKind
    path: str
    previous_path: str  # empty unless renamed
    before: str  # blob
    after: str  # blob


@dataclass(frozen=True, slots=True)
class Departure:
    """A note file that left its path in some commit, being moved or deleted."""

    name: str  # that it left, as Git keeps it
    moved_to: str  # empty when it was deleted
    blob: str  # what it said last under the old name


@dataclass(frozen=True, slots=True)
class FileSide:
    """A note file on one side of a difference; `name` is its path as Git keeps it."""

    name: str
    blob: str

    @property
    def path(self) -> str:
        """The path in the form that notes are known by."""
        return nfc(self.name)


FilePair = tuple[FileSide | None, FileSide | None]  # None where that side holds no note file


def state_before(repository: Repository, since: date | str) -> str:
    """Return the commit of the state at the start of a day, or that a revision names.

    Empty for the state before the first commit.

    Raises:
        VaultError: there is no such revision, or a shallow clone does not reach back to it.
    """
    if isinstance(since, str):
        return repository.resolve(since)
    try:
        seconds = int(datetime(since.year, since.month, since.day).timestamp()) - 1  # Git counts that very second in
    except (ValueError, OverflowError, OSError):  # before the first moment that the machine knows
        seconds = 0
    # What a merge brought in later was not yet there, whatever the date of its commits.
    found = seconds > 0 and repository.ask("rev-list", "-1", "--first-parent", f"--min-age={seconds}", "HEAD")
    if not found and repository.boundary:
        raise VaultError(
            f"this shallow clone does not reach back to {since}. Give a later date, or run: git fetch --unshallow"
        )
    return found or ""


def changed_files(repository: Repository, older: str, newer: str) -> list[FileChange]:
    """Return the note files that differ between two commits, by path; `older` is empty for the state before the first.

    A note that was moved in one commit and rewritten in another counts as renamed.
    """
    if not older:
        added = (
            FileSide(file.name, file.blob) for file in repository.tree(newer) if is_note_file(file.mode, file.name)
        )
        return sorted((change for side in added if (change := _change(None, side))), key=lambda change: change.path)
    tokens = iter(repository.run("diff", *RAW, older, newer, "--", ".").split("\0"))
    pairs = [pair for head in tokens if head for pair in read_pair(head, tokens)]
    if any(after is None for _, after in pairs):
        pairs = _joined(pairs, departures(repository, older, newer))
    return sorted((change for pair in pairs if (change := _change(*pair))), key=lambda change: change.path)


def departures(repository: Repository, older: str, newer: str) -> list[Departure]:
    """Return what left its path in the commits after `older` (empty: in all) up to `newer`, in that order."""
    revisions = f"{older}..{newer}" if older else newer
    log = ("log", "--no-follow", "--reverse", "--topo-order", "--format=", "--diff-filter=RD")
    tokens = iter(repository.run(*log, *RAW, revisions, "--", ".").split("\0"))
    pairs = (pair for head in tokens if head.strip("\n") for pair in read_pair(head, tokens))
    return [Departure(old.name, new.name if new else "", old.blob) for old, new in pairs if old]


def follow(path: str, left: Sequence[Departure]) -> tuple[str, str]:
    """Return a note's last path after these departures, and what it said when it last left one, empty if it never did.

    A note that was deleted keeps its path, since it may have come back.
    """
    blob = ""
    for departure in left:
        if nfc(departure.name) == path:
            path, blob = nfc(departure.moved_to) or path, departure.blob
    return path, blob


def trace_back(path: str, left: Sequence[Departure]) -> str:
    """Return the path that a note had before these departures."""
    for departure in reversed(left):
        if departure.moved_to and nfc(departure.moved_to) == path:
            path = nfc(departure.name)
    return path


def read_pair(head: str, tokens: Iterator[str]) -> Iterator[FilePair]:
    """Yield the two sides of an entry in Git's raw form, of which `head` was read, unless neither is a note file."""
    mode_before, mode_after, before, after, status = head.lstrip("\n:").split()
    name = next(tokens)
    new_name = next(tokens) if status[0] in "RC" else name
    old = FileSide(name, before) if status[0] not in "AC" and is_note_file(mode_before, name) else None
    new = FileSide(new_name, after) if status[0] != "D" and is_note_file(mode_after, new_name) else None
    if old or new:
        yield old, new


def is_note_file(mode: str, name: str) -> bool:
    """Whether a tree's entry may be a note: an ordinary file, neither link nor submodule, and named like one."""
    return mode.startswith("100") and is_note_name(name) and is_unicode(name)


def _change(old: FileSide | None, new: FileSide | None) -> FileChange | None:
    """Return how one side became the other, None when only the Unicode form of the name or the file's mode did."""
    if old is None:
        return FileChange(ChangeKind.ADDED, new.path, "", "", new.blob) if new else None
    if new is None:
        return FileChange(ChangeKind.REMOVED, old.path, "", old.blob, "")
    if old.path != new.path:
        return FileChange(ChangeKind.RENAMED, new.path, old.path, old.blob, new.blob)
    return FileChange(ChangeKind.CHANGED, new.path, "", old.blob, new.blob) if old.blob != new.blob else None


def _joined(pairs: list[FilePair], left: Sequence[Departure]) -> list[FilePair]:
    """Return the pairs with each removed file joined to the added one that it became on the way."""
    added = {new.path: new for old, new in pairs if old is None and new}
    joined: dict[FileSide, FileSide] = {}
    for old, new in pairs:
        if old and new is None and (became := added.pop(follow(old.path, left)[0], None)):
            joined[old] = became
    taken = set(joined.values())
    return [(old, joined.get(old, new) if old else new) for old, new in pairs if old or new not in taken]


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
