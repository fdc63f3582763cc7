"""Two versions of a note -> the sections and the links that differ; a version that is None holds nothing."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from graphrag.domain.history import ChangeKind, LinkChange, SectionChange
from graphrag.domain.note import BlockKind, Note, Section


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
