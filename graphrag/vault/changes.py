"""Two states of a vault -> its changed notes with their sections and links; one note -> its revisions.

No index is needed. A note that is private, ignored or unreadable in one of the states, or today, is only counted.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NoReturn

from graphrag.domain.history import ChangeKind, LinkChange, NoteChange, NoteRevision, SectionChange, VaultChanges
from graphrag.domain.note import BlockKind, Diagnostic, Note, Section
from graphrag.errors import NoteNotFound, VaultError
from graphrag.language.dates import NoSuchDay
from graphrag.language.periods import read_period
from graphrag.vault.note_names import find_note, matching_notes
from graphrag.vault.past import (
    NoteVersions,
    check_revision,
    find_file,
    history_of,
    own_commits,
    own_revisions,
    parent_of,
    path_forms,
    typed_path,
    withheld_error,
)
from graphrag.vault.resources import Parts
from vault_sync.commit_diff import (
    Departure,
    FileChange,
    changed_files,
    departures,
    follow,
    read_revisions,
    state_before,
)
from vault_sync.repository import Repository, nfc


@dataclass(frozen=True, slots=True)
class _Part:
    """A section; blank lines around its heading and its text say nothing."""

    heading: tuple[str, ...]
    line: int
    head: str  # the heading as written
    body: str


_Pairs = list[tuple[_Part, _Part]]


def section_changes(old: Note | None, new: Note | None) -> tuple[SectionChange, ...]:
    """Return the sections that came, went, changed or were renamed, in the order of their lines."""
    was, now = _parts(old), _parts(new)
    _, before, after = _paired(was, now, lambda part: (part.heading, part.head, part.body))
    changed, before, after = _paired(before, after, lambda part: part.heading)
    moved, before, after = _paired(before, after, lambda part: part.body)
    changes = [SectionChange(ChangeKind.CHANGED, part.heading, (), part.line) for _, part in changed]
    changes += _renamed(moved, {part.heading for part in was}, {part.heading for part in now})
    changes += [SectionChange(ChangeKind.ADDED, part.heading, (), part.line) for part in after]
    changes += [SectionChange(ChangeKind.REMOVED, part.heading, (), part.line) for part in before]
    return tuple(sorted(changes, key=lambda change: change.line))


def link_changes(old: Note | None, new: Note | None) -> tuple[LinkChange, ...]:
    """Return the links that came or went, each once and where it stands first, in the order of their lines."""
    before, after = _links(old), _links(new)
    changes = [LinkChange(ChangeKind.ADDED, *link, line) for link, line in after.items() if link not in before]
    changes += [LinkChange(ChangeKind.REMOVED, *link, line) for link, line in before.items() if link not in after]
    return tuple(sorted(changes, key=lambda change: change.line))


def is_front_matter_changed(old: Note | None, new: Note | None) -> bool:
    """Whether the lines above the body differ between two versions that there are."""
    return old is not None and new is not None and _front_matter(old) != _front_matter(new)


def _front_matter(note: Note) -> str:
    return "\n".join(note.text.split("\n")[: note.body_line - 1]).strip()


def _parts(note: Note | None) -> list[_Part]:
    return [_part(note.text, section) for section in note.sections] if note else []


def _part(text: str, section: Section) -> _Part:
    span, first = section.span, section.blocks[0] if section.blocks else None
    body = first.span.end if first and first.kind is BlockKind.HEADING else span.start
    return _Part(section.heading, span.first_line, text[span.start : body].strip(), text[body : span.end].strip())


def _paired(
    before: Iterable[_Part], after: Iterable[_Part], key: Callable[[_Part], Hashable]
) -> tuple[_Pairs, list[_Part], list[_Part]]:
    """Return the parts of equal key in pairs, in order, and the rest of both sides; an empty text pairs with none."""
    waiting: dict[Hashable, list[_Part]] = defaultdict(list)
    for part in before:
        waiting[key(part)].append(part)
    pairs: _Pairs = []
    left: list[_Part] = []
    for part in after:
        if key(part) != "" and waiting[key(part)]:
            pairs.append((waiting[key(part)].pop(0), part))
        else:
            left.append(part)
    return pairs, [part for parts in waiting.values() for part in parts], left


def _renamed(
    moved: _Pairs, headings_before: set[tuple[str, ...]], headings_now: set[tuple[str, ...]]
) -> list[SectionChange]:
    """Return the sections with a new heading; one that only stands below a renamed heading is as it was."""
    return [
        SectionChange(ChangeKind.RENAMED, part.heading, old.heading, part.line)
        for old, part in moved
        if old.heading[-1:] != part.heading[-1:]
        or old.heading[:-1] in headings_now
        or part.heading[:-1] in headings_before
    ]


def _links(note: Note | None) -> dict[tuple[str, str], int]:
    """Return each link to another note with the line on which it stands first."""
    links: dict[tuple[str, str], int] = {}
    for link in note.links if note else ():
        if link.target:
            links.setdefault((link.target, link.relation), link.line)
    return links


DEFAULT_SINCE = "7d"


def changes_since(parts: Parts, since: str, now: datetime) -> VaultChanges:
    """Return how the present commit differs from an earlier state.

    `since` is a time, which counts from the start of its first day (2024-06, 7d, 上周), or a commit, tag or branch.

    Raises:
        VaultError: the vault has no history, nothing of that name is in it, or no such day is in the calendar.
    """
    repository = history_of(parts)
    day = _first_day(since, now.date())
    if day is None:
        check_revision(parts, since)
    until = repository.head()
    start = state_before(repository, day or since)
    versions = NoteVersions(parts, repository)
    files = changed_files(repository, start, until)
    left = departures(repository, start, until) if start and any(not file.after for file in files) else []
    is_limited = not parts.limit.is_empty
    changes = tuple(change for file in files if (change := _note_change(file, versions, left, is_limited)))
    if is_limited:
        own = own_commits(repository, start, until, changes)
        first, last = (parent_of(repository, own[-1]), own[0]) if own else ("", "")
        return VaultChanges(first, last, len(own), changes, left_out=0)
    commits = repository.run("rev-list", "--count", f"{start}..{until}" if start else until, "--", ".")
    return VaultChanges(start, until, int(commits), changes, len(files) - len(changes))


def _first_day(since: str, today: date) -> date | None:
    """Return the first day of what is a time, None for the name of a revision."""
    try:
        period = read_period(since, today)
    except NoSuchDay as error:
        raise VaultError(f"'{since}' is no day: the calendar has no {error}. Write it like 2024-06-16.") from error
    return period.first if period else None


def note_log(parts: Parts, name: str) -> list[NoteRevision]:
    """Return the commits that touched a note, newest first; a path that once existed names the note, too.

    Raises:
        VaultError: the vault has no history, or the note is private.
        NoteNotFound: no note is or was called so, or several are.
    """
    repository = history_of(parts)
    path, git_name, last_blob = _locate(parts, repository, name)
    versions = NoteVersions(parts, repository)
    if withheld := versions.withheld_today(path, last_blob):
        if not parts.limit.is_empty:
            _refuse(parts, name)
        raise withheld_error(name, withheld)
    revisions = read_revisions(repository, git_name)
    if not parts.limit.is_empty:
        revisions = [*own_revisions(revisions, versions, repository)]
    if not revisions:
        raise VaultError(f"no commit touched '{path}' since this shallow clone begins. Run: git fetch --unshallow")
    return revisions


def _note_change(
    file: FileChange, versions: NoteVersions, left: Sequence[Departure], is_limited: bool
) -> NoteChange | None:
    """Return how a note differs, None when it must not be shown; what comes within a limit is new there."""
    new = versions.committed(file.path, file.after) if file.after else None
    if file.before == file.after and not is_limited:  # a folder that was renamed holds many: their text is read once
        old = versions.ignored(file.previous_path) or new
    else:
        old = versions.committed(file.previous_path or file.path, file.before) if file.before else None
    # A note that is gone may have been made private before it was deleted, or live on where it is private.
    path, last_blob = (file.path, "") if file.after else follow(file.path, left)
    withheld = versions.withheld_today(path, last_blob, fit=file.after or file.before)
    if is_limited and new is not None and isinstance(old, Diagnostic):
        file, old = FileChange(ChangeKind.ADDED, file.path, "", "", file.after), None
    if withheld or isinstance(old, Diagnostic) or isinstance(new, Diagnostic):
        return None
    shown = new or old
    assert shown is not None  # a change has a side
    return NoteChange(
        kind=file.kind,
        path=file.path,
        previous_path=file.previous_path,
        title=shown.title,
        front_matter=is_front_matter_changed(old, new),
        sections=section_changes(old, new),
        links=link_changes(old, new),
    )


def _locate(parts: Parts, repository: Repository, name: str) -> tuple[str, str, str]:
    """Return a note's last path, the name of that path in Git, and what it said last where it left one."""
    manifest = parts.snapshots.current()
    path = find_note(name, manifest) if manifest and matching_notes(name, manifest.notes) else typed_path(name)
    if file := find_file(repository, "HEAD", path):
        return file.path, file.name, ""
    left = departures(repository, "", "HEAD")
    names = {nfc(departure.name): position for position, departure in enumerate(left)}
    former = next((known for known in path_forms(path) if known in names), None)
    if former is None:
        if manifest:
            path = find_note(name, manifest)  # else it says why, and which names are near
            raise VaultError(f"'{path}' is in no commit yet, so it has no history.")
        _refuse(parts, name)
    departure = left[names[former]]
    if not parts.limit.is_empty and NoteVersions(parts, repository).is_withheld(former, departure.blob):
        _refuse(parts, name)  # under that name it lay outside
    path, last_blob = follow(former, left[names[former] :])
    file = find_file(repository, "HEAD", path)
    git_names = [departure.name for departure in left if nfc(departure.name) == path]
    return path, file.name if file else git_names[-1], last_blob


def _refuse(parts: Parts, name: str) -> NoReturn:
    """Say that no note has or had this name, with the names near it where there is an index."""
    if manifest := parts.snapshots.current():
        find_note(name, manifest)
    raise NoteNotFound(f"no note is or was called '{typed_path(name)}'. Give its path in the vault.")
