"""What the tools return: few fields, short texts, and for every statement the lines that it stands on.

`ref` names lines of a note in one version; `graphrag open` and `get_note` take it.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from mcp_types import (
    Annotations,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from graphrag.domain.graph import Facet, NoteSummary
from graphrag.domain.query import NO_FILTERS, Flag, SourceConflict
from graphrag.errors import NoteNotFound
from graphrag.language.shown import shown_text

if TYPE_CHECKING:
    from graphrag.app import App


_SCHEME = "note:///"
_LISTED = 20
MARKDOWN = "text/markdown"


def note_uri(path: str) -> str:
    """Return the address of a note."""
    return _SCHEME + quote(path)


def recent_notes(app: "App") -> list[Resource]:
    """Return the notes that changed last."""
    return [_resource(note) for note in app.notes(NO_FILTERS, limit=_LISTED).notes]


def note_template() -> ResourceTemplate:
    """Return how the address of any note is made."""
    return ResourceTemplate(
        name="note",
        title="A note of the vault",
        uri_template=f"{_SCHEME}{{+path}}",
        description="The Markdown of a note; the path is the one that tools call `note`.",
        mime_type=MARKDOWN,
    )


def read_note(app: "App", uri: str) -> ReadResourceResult:
    """Return a note's text in the version that is indexed.

    Raises:
        NoteNotFound: the address is none of a note.
    """
    if not uri.startswith(_SCHEME):
        raise NoteNotFound(f"'{uri}' is not the address of a note. They look like {_SCHEME}folder/name.md")
    passage = app.open_citation(unquote(uri.removeprefix(_SCHEME)).replace("\0", " "))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MARKDOWN, text=passage.text)])


def _resource(note: NoteSummary) -> Resource:
    moment = note.updated or note.created
    return Resource(
        uri=note_uri(note.path),
        name=note.path,
        title=note.title,
        mime_type=MARKDOWN,
        annotations=Annotations(last_modified=moment.isoformat()) if moment else None,
    )


_ELLIPSIS = "…"
_LEAD = 40  # characters before the first term


def one_line(text: str) -> str:
    """Return text with every stretch of white space as one space."""
    return " ".join(text.split())


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text, at most so many characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + _ELLIPSIS


def excerpt(text: str, terms: Collection[str], length: int) -> str:
    """Return a stretch of a passage that holds one of the terms, in one line of at most so many characters."""
    flat = one_line(shown_text(text))
    found = re.search("|".join(map(re.escape, sorted(terms, key=len, reverse=True))), flat, re.IGNORECASE)
    start = max(found.start() - _LEAD, 0) if found and terms and found.end() > length else 0
    return shorten(flat[start:] if not start else _ELLIPSIS + flat[start:], length)


def heading_path(title: str, heading: Sequence[str]) -> str:
    """Return a title and the headings below it as one line."""
    return one_line(" › ".join([title, *(name for name in heading if name != title)]))


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a note that fits the query."""

    ref: str
    note: str
    lines: tuple[int, int]
    heading: str
    text: str  # the beginning of what fits
    score: float


@dataclass(frozen=True, slots=True)
class Passages:
    """The best passages, best first."""

    results: tuple[Passage, ...]
    notice: str = ""  # what could not be used, or is out of date


@dataclass(frozen=True, slots=True)
class Source:
    """A source of an answer; `key` is the N of the mark [N] in it."""

    key: int
    ref: str
    note: str
    lines: tuple[int, int]
    quote: str
    url: str  # opens the note in Obsidian
    heading: str = ""
    changed: str = ""  # day of the last change of these lines


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """An answer made of the notes alone, or a plain statement that there is none."""

    status: str  # answered, direct, no_hit, low_relevance or not_in_notes
    route: str
    answer: str
    sure: bool = True  # false: the lines come near the question, and may not answer it
    citations: tuple[Source, ...] = ()
    conflict: bool = False  # whether sources contradict one another
    conflicts: tuple[SourceConflict, ...] = ()  # on what, and what each side says
    flags: tuple[Flag, ...] = ()  # sentences that are not to be relied on
    model: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of an answer that was to be saved."""

    status: str
    note: str = ""  # path of the new note; empty where the notes gave no answer


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a note, or one to it."""

    note: str  # path of a note, or the name of a topic that has none
    relation: str = ""  # where the link names one


@dataclass(frozen=True, slots=True)
class NoteText:
    """Some lines of a note, and what is known of it; `rest` is the ref of the lines that follow them."""

    note: str
    title: str
    ref: str
    lines: tuple[int, int]
    text: str
    rest: str = ""
    url: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    updated: str = ""
    links: tuple[Link, ...] = ()
    backlinks: tuple[Link, ...] = ()
    is_current: bool = True  # whether the note says the same today


@dataclass(frozen=True, slots=True)
class Related:
    """Something near a note, and why."""

    name: str  # path of a note, a topic, or a #tag
    kind: str
    why: str
    title: str = ""  # where it differs from the name
    ref: str = ""  # the line that says so


@dataclass(frozen=True, slots=True)
class Surrounding:
    """What lies around a note; `omitted` counts linked entities beyond the limit."""

    center: str
    kind: str
    related: tuple[Related, ...]
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One statement on the way: written at `ref`, or following from those before it by a rule of the ontology."""

    statement: str  # empty for a rule that the statements before it break
    ref: str = ""
    line: str = ""  # what stands there
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """How two things hang together."""

    status: str  # asserted, inferred, contradicted, unknown; connected or unconnected where no relation was given
    statement: str
    steps: tuple[Step, ...] = ()
    against: tuple[Step, ...] = ()  # what contradicts it
    omitted: int = 0  # first steps of a long proof


@dataclass(frozen=True, slots=True)
class ListedNote:
    """A note by its names."""

    note: str
    title: str
    updated: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Some notes, newest first, out of `total`; the facets count all of them."""

    total: int
    notes: tuple[ListedNote, ...]
    tags: tuple[Facet, ...] = ()
    categories: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a query, each with the values of `columns`; `is_cut`: there are more, or longer values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ChangedNote:
    """A note that was added, changed, removed or renamed."""

    note: str
    kind: str
    title: str
    previous: str = ""  # path before it was renamed
    sections: tuple[str, ...] = ()  # headings of the sections that differ


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in the vault; `total` counts the notes that may be shown."""

    total: int
    commits: int
    notes: tuple[ChangedNote, ...]
