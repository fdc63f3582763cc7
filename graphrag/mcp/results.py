"""What the tools return: few fields, short texts, and for every statement the lines that it stands on.

`ref` names lines of a note in one version; `graphrag open` and `get_note` take it.
"""

from dataclasses import dataclass

from graphrag.domain.query import Flag, SourceConflict


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
class Told:
    """An answer made of the notes alone, or a plain statement that there is none."""

    status: str  # answered, direct, no_hit, low_relevance or not_in_notes
    route: str
    answer: str
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
class Counted:
    """A tag or category with the number of notes that bear it or one below it."""

    name: str
    notes: int


@dataclass(frozen=True, slots=True)
class Listing:
    """Some notes, newest first, out of `total`; the facets count all of them."""

    total: int
    notes: tuple[ListedNote, ...]
    tags: tuple[Counted, ...] = ()
    categories: tuple[Counted, ...] = ()


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
