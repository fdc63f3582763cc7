"""What the read path makes of one question: a plan, candidates, a context, an answer."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from urllib.parse import quote

from graphrag.domain.note import Chunk
from graphrag.domain.snapshot import Lag
from graphrag.errors import QuestionError


def fold_name(name: str) -> str:
    """Return the form under which names are compared: case folded, without '#' and outer slashes."""
    return "/".join(_parts(name)).casefold()


def with_parents(name: str) -> list[str]:
    """Return the name after all of its parents, outermost first; nothing for an empty name."""
    parts = _parts(name)
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def folded_with_parents(names: Iterable[str]) -> list[str]:
    """Return the distinct folded names and parents of several names."""
    return list(dict.fromkeys(fold_name(level) for name in names for level in with_parents(name)))


def _parts(name: str) -> list[str]:
    return [part for raw in name.strip().removeprefix("#").split("/") if (part := raw.strip())]


_AROUND = " \t/\"'“”‘’「」『』"


def folder_name(written: str) -> str:
    """Return a folder or a note's path as compared: without quotes, `./` before it and outer slashes."""
    return unicodedata.normalize("NFC", written).strip(_AROUND).removeprefix("./").strip(_AROUND)


def is_below(note: str, folder: str) -> bool:
    """Whether a note is this one, or lies in this folder or in one below it; the empty folder is the vault."""
    return not folder or note == folder or note.startswith(f"{folder}/")


def find_folder(written: str, notes: Collection[str]) -> str | None:
    """Return the folder or note that is meant: by its path from the vault's root, else by its last parts if unique.

    None when there is none, or several. Case makes a difference only where two paths differ in nothing else.
    """
    name = folder_name(written)
    if name in notes:
        return name
    folders = {note[: found.start()] for note in notes for found in re.finditer("/", note)}
    if not name or name in folders:
        return name
    folded = name.casefold()
    whole = [place for place in folders if place.casefold() == folded]
    found = whole or [place for place in (*folders, *notes) if place.casefold().endswith(f"/{folded}")]
    return found[0] if len(found) == 1 else None


class WordKind(StrEnum):
    """What a term is."""

    IDENTIFIER = "identifier"  # a product, a command, a number: what people write in Latin letters inside Chinese
    NOUN = "noun"  # names a thing or a person; what ends a doubt about the subject
    VERB = "verb"
    ENGLISH = "english"  # an ordinary word of an English sentence
    OTHER = "other"
    UNKNOWN = "unknown"  # in no dictionary: two characters that only happen to stand side by side, more often than not


@dataclass(frozen=True, slots=True)
class WordSense:
    """A term with its kind; `rarity` is how seldom people write it, from 0 to 1, on a logarithmic scale."""

    term: str
    kind: WordKind
    rarity: float


class Route(StrEnum):
    """How a question is answered."""

    DIRECT = "direct"  # without retrieval: a greeting, thanks, arithmetic
    LOOKUP = "lookup"  # an exact title or identifier
    HYBRID = "hybrid"
    RELATION = "relation"
    LIST = "list"
    OVERVIEW = "overview"
    MULTI_HOP = "multi_hop"


class AskedFor(StrEnum):
    """What an answer has to give."""

    FACT = "fact"
    PERSON = "person"
    TIME = "time"
    NUMBER = "number"
    PLACE = "place"
    REASON = "reason"
    STEPS = "steps"
    COMPARISON = "comparison"
    DEFINITION = "definition"
    LIST = "list"
    YES_NO = "yes_no"


@dataclass(frozen=True, slots=True)
class Filters:
    """Restrictions on the notes that a search may return: values of one kind are alternatives, kinds combine.

    Raises:
        QuestionError: they end before they begin, so that no note can match.
    """

    tags: tuple[str, ...] = ()  # a parent matches its children
    categories: tuple[str, ...] = ()  # likewise
    paths: tuple[str, ...] = ()  # folder prefixes or one note's path
    since: date | None = None  # last change on this day or later
    until: date | None = None  # last change on this day or earlier
    types: tuple[str, ...] = ()  # values of the `type` property

    def __post_init__(self) -> None:
        if self.since and self.until and self.since > self.until:
            raise QuestionError(f"since {self.since} is later than until {self.until}: no note can match.")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is restricted."""
        return self == Filters()

    @classmethod
    def named(
        cls,
        tags: Iterable[str] = (),
        categories: Iterable[str] = (),
        paths: Iterable[str] = (),
        since: date | None = None,
        until: date | None = None,
        types: Iterable[str] = (),
    ) -> "Filters":
        """Return the filters that a caller names, the names in the form in which they are compared.

        Raises:
            QuestionError: a name is empty, or they end before they begin.
        """
        return cls(
            tags=_filled("tag", (_filter_name(tag.lstrip("#")) for tag in tags)),
            categories=_filled("category", map(_filter_name, categories)),
            paths=_filled("path", map(folder_name, paths)),
            since=since,
            until=until,
            types=_filled("type", map(_filter_name, types)),
        )

    def located(self, notes: Collection[str]) -> "Filters":
        """Return the filters with each path as the folder or note of a vault that it means."""
        paths = tuple(find_folder(path, notes) or folder_name(path) for path in self.paths)
        return replace(self, paths=paths) if paths else self


def is_between(day: date | None, since: date | None, until: date | None) -> bool:
    """Whether a day lies in a period that may be open at either end; an unknown day lies in none."""
    return day is not None and (since or date.min) <= day <= (until or date.max)


def _filter_name(written: str) -> str:
    return unicodedata.normalize("NFC", written).strip().rstrip("/")


def _filled(kind: str, names: Iterable[str]) -> tuple[str, ...]:
    found = tuple(names)
    if not all(found):
        raise QuestionError(f"a {kind} to filter by is empty. Give a name, or leave it out.")
    return found


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked, and without the filters that were written inside it."""

    asked: str
    text: str
    filters: Filters


@dataclass(frozen=True, slots=True)
class PlanView:
    """How a question was understood: `readings` are the routes that are tried, in their order."""

    route: Route
    readings: tuple[Route, ...]
    asked_for: AskedFor
    since: date | None  # first and last day of the period that it names
    until: date | None
    notes: tuple[str, ...]  # paths of the notes that it names
    filters: Filters
    sure: float | None = None  # the probability of the route, where the trained router and no rule decided


@dataclass(frozen=True, slots=True)
class FullTextHit:
    """A chunk found by words. `score` is BM25; `terms` are the query's terms that the chunk holds."""

    chunk: Chunk
    score: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk found by meaning; `similarity` is the cosine."""

    chunk_id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class WeightHit:
    """A chunk found by the weights of its tokens; `score` is the sum of the products over those it shares."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class GraphHop:
    """One step of the way along which a chunk's note was reached."""

    source: str
    target: str
    kind: str
    name: str
    is_backlink: bool


@dataclass(frozen=True, slots=True)
class Why:
    """The reasons for a candidate: its rank in each list (1-based), or None where the list does not hold it."""

    full_text_rank: int | None = None
    full_text_score: float | None = None
    terms: tuple[str, ...] = ()
    vector_rank: int | None = None
    similarity: float | None = None
    walk_rank: int | None = None  # among the passages that the walk along the graph reached
    graph_path: tuple[GraphHop, ...] = ()
    rerank: float | None = None  # the reranker's score; None where it did not read the chunk
    sparse_rank: int | None = None  # by the token weights of an embedder that has them
    sparse_score: float | None = None


@dataclass(frozen=True, slots=True)
class BestLine:
    """What a passage says nearest to a question, as people read it, and the line of the note where it begins."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with the score that ranks it; scores of one request compare, those of two do not."""

    chunk: Chunk
    score: float
    why: Why
    best_lines: tuple[BestLine, ...] = ()  # in their order in the note, where results are for people to read


class Stage(StrEnum):
    """Where a chunk can leave the read path, in order."""

    CANDIDATES = "candidates"  # in neither list
    GONE = "gone"  # the vault no longer holds it
    PER_NOTE_CAP = "per_note_cap"  # its note already gave its share
    NEAR_DUPLICATE = "near_duplicate"  # says what a better one says
    RELEVANCE_FLOOR = "relevance_floor"
    TOP_K = "top_k"  # below the last result


class GoneReason(StrEnum):
    """Why the vault no longer holds a passage of the snapshot."""

    NOTE = "its note is no longer in the vault, or left out now"
    PRIVATE = "its note is private now"
    CHANGED = "its note no longer says this"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that is not among the results, with the stage that dropped it."""

    candidate: Candidate
    stage: Stage
    detail: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Milliseconds by stage, in the order in which the stages ran."""

    milliseconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SnapshotRef:
    """Which snapshot a result comes from; `embedded` is the share of chunks that have a vector."""

    generation: int
    commit: str
    worktree: bool  # whether it holds changes that are in no commit
    embedded: float
    behind: Lag | None = None  # how far the vault is ahead; None when it was not asked, or the past was


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well the best candidates cover a question; the basis of a refusal.

    `coverage` is the share of the question's term weight (inverse document frequency) that one chunk holds at best;
    `similarity` is the highest cosine, None without vectors; `confidence` is the probability that the notes hold the
    answer, from 0 to 1, where half of all questions have one.
    """

    coverage: float
    similarity: float | None
    confidence: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The candidates that survived, best first, with what the read path knows about them."""

    question: Question
    route: Route
    snapshot: SnapshotRef
    candidates: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    evidence: Evidence
    terms: tuple[str, ...]
    trace: Trace
    notice: str = ""  # that a model could not be used, what to do, and what took its place


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """One numbered source in front of the answerer; `key` is the N of `[来源N]`."""

    key: int
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Context:
    """The blocks an answer may use, within the token budget."""

    blocks: tuple[ContextBlock, ...]
    tokens: int  # estimated


class AnswerStatus(StrEnum):
    """How an answer came about, or why there is none."""

    ANSWERED = "answered"
    DIRECT = "direct"
    NO_HIT = "no_hit"  # nothing matched, or the filters let nothing through
    LOW_RELEVANCE = "low_relevance"  # what was found is too far from the question
    NOT_IN_NOTES = "not_in_notes"  # passages were found, and the answer is not in them


@dataclass(frozen=True, slots=True)
class Citation:
    """A source of an answer: the lines of a note, and the words there that carry the answer."""

    key: int
    note: str
    title: str
    heading: tuple[str, ...]
    lines: tuple[int, int]  # 1-based, inclusive
    commit: str
    changed: str  # ISO time of the last change of its lines, by their author; empty when it is in no commit
    url: str  # obsidian://open?…
    quote: str
    ref: str  # names the lines and their version for `graphrag open`
    origin: str = ""  # the address that the note was taken from, where its front matter names one


class FlagReason(StrEnum):
    """Why a sentence of an answer is not to be relied on."""

    NUMBER = "number"  # a number, unit, date or time of day that its sources do not give
    NAME = "name"  # a person, product or place that they do not name
    IDENTIFIER = "identifier"  # a piece of code, a version, path, error code or flag that is not in them
    NEGATION = "negation"  # it denies what they say, or says what they deny
    NO_SUPPORT = "no_support"  # they say nothing like it


@dataclass(frozen=True, slots=True)
class Flag:
    """What is wrong with a sentence that a chat model wrote; `detail` names the number, name or words of the source."""

    sentence: str
    reason: FlagReason
    detail: str


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """What one source says of a disputed thing; `date` is the day of it as far as known, else empty."""

    value: str
    key: int  # of its citation
    date: str  # ISO


@dataclass(frozen=True, slots=True)
class SourceConflict:
    """Sources that disagree on one thing, the newer side first."""

    subject: str
    sides: tuple[ConflictSide, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or a plain statement that there is none. `model` is "extractive" when no chat model wrote it."""

    question: str
    route: Route
    status: AnswerStatus
    answer: str  # with marks [N] that name citations by key
    model: str
    citations: tuple[Citation, ...]
    snapshot: SnapshotRef | None  # None when nothing was retrieved
    conflict: bool
    trace: Trace
    sub_questions: tuple[str, ...] = ()  # what else was searched for, where the answer takes several facts
    notice: str = ""  # e.g. that no chat model could be reached, and what to do
    flags: tuple[Flag, ...] = ()  # of sentences that are marked or were dropped
    conflicts: tuple[SourceConflict, ...] = ()  # what `conflict` is about
    plan: PlanView | None = None  # how the question was understood
    is_sure: bool = True  # False: sentences of the notes come near the question, and may not answer it


_SHORT = 7  # digits of a commit
_LINES = re.compile(r"(?P<note>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reference:
    """A note, or some of its lines, in one version."""

    note: str  # path, title or alias
    lines: tuple[int, int] | None = None  # 1-based, inclusive; None for the whole note
    revision: str = ""  # anything that names a commit; empty for the version that is indexed

    def __str__(self) -> str:
        first, last = self.lines or (0, 0)
        span = "" if self.lines is None else f":{first}-{last}" if last != first else f":{first}"
        return f"{self.note}{span}{'@' if self.revision else ''}{self.revision}"


def committed_version(snapshot: SnapshotRef) -> str:
    """Return the short commit whose lines a snapshot holds, empty when it holds changes that are in no commit."""
    return "" if snapshot.worktree else snapshot.commit[:_SHORT]


def readings(text: str) -> Iterator[Reference]:
    """Yield what a text may refer to, the longest name first: a name may itself hold ':' and '@'."""
    ends = [len(text), *(found.start() for found in reversed(list(re.finditer("@", text))))]
    for end in ends:
        place, revision = text[:end], text[end + 1 :]
        if not place or (end < len(text) and not revision):
            continue
        yield Reference(place, None, revision)
        if found := _LINES.fullmatch(place):
            first = int(found["first"])
            yield Reference(found["note"], (first, int(found["last"] or first)), revision)


def note_url(vault_name: str, note: str, heading: str = "") -> str:
    """Return the address that opens a note, at a heading if one is given, in Obsidian."""
    file = note.removesuffix(".md") + (f"#{heading}" if heading else "")
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(file, safe='')}"
