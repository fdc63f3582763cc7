"""get_note, list_notes, recent_changes: the notes themselves, and what became of them."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.domain.graph import Facet, NoteSummary, Relation
from graphrag.domain.history import NoteChange, Passage
from graphrag.domain.reference import Reference
from graphrag.domain.report import NoteView
from graphrag.errors import NoteNotFound
from graphrag.mcp.arguments import ChangesArguments, ListArguments, NoteArguments
from graphrag.mcp.results import ChangedNote, Changes, Counted, Link, ListedNote, Listing, NoteText
from graphrag.mcp.search_tools import check_passing
from graphrag.mcp.words import heading_path

if TYPE_CHECKING:
    from graphrag.app import App

_LONGEST = 6_000  # characters of a note in one call
_LINKS = 20  # in each direction
_FACETS = 15
_SECTIONS = 5
_SHORT = 7  # digits of a commit


def get_note(app: "App", arguments: NoteArguments) -> NoteText:
    """Return a note, or the lines of it that a ref names; a long one ends early, and says where to go on."""
    passage = app.open_citation(arguments.note)
    text, last = _first_lines(passage)
    view = _view_of(app, passage)
    note = view.note if view else None
    first, end = passage.lines
    return NoteText(
        note=passage.note,
        title=passage.title,
        ref=_ref(passage, first, last),
        lines=(first, last),
        text=text,
        rest=_ref(passage, last + 1, end) if last < end else "",
        url=passage.url,
        category=note.category if note else "",
        tags=note.tags if note else (),
        updated=_day(note.updated or note.created) if note else "",
        links=_links((relation, relation.target) for relation in view.outgoing) if view else (),
        backlinks=_links((relation, relation.source) for relation in view.backlinks) if view else (),
        is_current=passage.is_current,
    )


def list_notes(app: "App", arguments: ListArguments) -> Listing:
    """Return some notes, newest first, and what there is to narrow the list by."""
    filters = arguments.filter.filters()
    listed = app.notes(filters, arguments.words, arguments.limit, arguments.offset)
    if not listed.total:
        check_passing(app, arguments.words or "*", filters)
    first_page = not arguments.offset
    return Listing(
        total=listed.total,
        notes=tuple(map(_listed, listed.notes)),
        tags=_counted(listed.tags) if first_page else (),
        categories=_counted(listed.categories) if first_page else (),
    )


def recent_changes(app: "App", arguments: ChangesArguments) -> Changes:
    """Return the notes that differ from how they were, with the headings of the sections that do."""
    found = app.changes(arguments.since)
    return Changes(len(found.notes), found.commits, tuple(map(_changed, found.notes[: arguments.limit])))


def _first_lines(passage: Passage) -> tuple[str, int]:
    """Return the lines that fit into one call, and the number of the last one; a first line that is too long is cut."""
    lines = passage.text.split("\n")
    taken, length = 0, 0
    for line in lines:
        length += len(line) + 1
        if taken and length > _LONGEST:
            break
        taken += 1
    return "\n".join(lines[:taken])[:_LONGEST], passage.lines[0] + taken - 1


def _view_of(app: "App", passage: Passage) -> NoteView | None:
    """Return what is known of the note today, None when it is gone or not indexed yet."""
    if not passage.note_now:
        return None
    try:
        return app.show(passage.note_now)
    except NoteNotFound:
        return None


def _ref(passage: Passage, first: int, last: int) -> str:
    return str(Reference(passage.note, (first, last), passage.commit[:_SHORT]))


def _links(relations: Iterable[tuple[Relation, str]]) -> tuple[Link, ...]:
    """Return the ends of relations, each once under each name."""
    return tuple(dict.fromkeys(Link(end, relation.name) for relation, end in relations))[:_LINKS]


def _listed(note: NoteSummary) -> ListedNote:
    return ListedNote(note.path, note.title, _day(note.updated or note.created), note.category, note.tags)


def _changed(change: NoteChange) -> ChangedNote:
    sections = dict.fromkeys(heading_path("", section.heading) for section in change.sections if section.heading)
    return ChangedNote(change.path, change.kind, change.title, change.previous_path, tuple(sections)[:_SECTIONS])


def _counted(facets: Iterable[Facet]) -> tuple[Counted, ...]:
    return tuple(Counted(facet.name, facet.notes) for facet in facets)[:_FACETS]


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""
