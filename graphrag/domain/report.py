"""What the commands that look around return: one dataclass per view."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from graphrag.domain.graph import (
    Entity,
    EntityKind,
    Facet,
    InferredNeighbor,
    MentionNeighbor,
    Neighbor,
    NoteSummary,
    Relation,
    SimilarNeighbor,
    TagNeighbor,
    TermNeighbor,
)
from graphrag.domain.note import Chunk, Diagnostic
from graphrag.domain.ontology import Explanation, OntologyReport, Place
from graphrag.domain.query import Candidate, Stage


class Progress(Protocol):
    """Told how far a long step is."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Report `done` of `total` in a named step; called often, and cheap."""


@dataclass(frozen=True, slots=True)
class NoteView:
    """One note as indexed."""

    note: NoteSummary
    chunks: tuple[Chunk, ...]
    outgoing: tuple[Relation, ...]
    backlinks: tuple[Relation, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class NotePage:
    """One note to be read: as indexed, and its text as the vault has it now."""

    view: NoteView
    text: str
    body_line: int  # 1-based line on which the body starts, after any front matter
    targets: Mapping[str, str]  # what its links name, as written -> path of the note that is meant


@dataclass(frozen=True, slots=True)
class NoteList:
    """Some of the notes that filters let through, newest first, and what there is to narrow them by.

    `total` and the facets count all of them as indexed; what the vault no longer holds is not among `notes`.
    """

    total: int
    notes: tuple[NoteSummary, ...]
    tags: tuple[Facet, ...]
    categories: tuple[Facet, ...]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What lies around an entity, by the kind of reason; `omitted` counts the linked entities that the limit left out.

    Weights compare within one kind.
    """

    center: Entity
    max_hops: int
    neighbors: tuple[Neighbor, ...]  # along links, those that name a relation among them
    omitted: int
    inferred: tuple[InferredNeighbor, ...]
    mentions: tuple[MentionNeighbor, ...]  # of notes that no link joins with it
    shared_tags: tuple[TagNeighbor, ...]
    shared_terms: tuple[TermNeighbor, ...]
    similar: tuple[SimilarNeighbor, ...]


@dataclass(frozen=True, slots=True)
class PathView:
    """A chain of relations from one entity to another; empty when nothing connects them within the hops allowed."""

    start: str
    end: str
    relations: tuple[Relation, ...]
    titles: Mapping[str, str]  # entity id -> title, for every entity on the way


@dataclass(frozen=True, slots=True)
class OverviewEntity:
    """An entity of the whole graph; `degree` counts what it is joined with, shown or not."""

    id: str
    kind: EntityKind
    title: str
    degree: int
    group: int  # of those that hang together; 0 is the largest


@dataclass(frozen=True, slots=True)
class OverviewEdge:
    """What joins two entities."""

    source: str
    target: str
    kind: str
    name: str  # the property of a typed link; empty otherwise


@dataclass(frozen=True, slots=True)
class GraphOverview:
    """The best-connected entities of a vault, best first, and what joins them."""

    nodes: tuple[OverviewEntity, ...]
    edges: tuple[OverviewEdge, ...]


@dataclass(frozen=True, slots=True)
class FactView:
    """How the notes stand to a fact, with the names and the lines that its proofs speak of."""

    explanation: Explanation
    titles: Mapping[str, str]  # entity, class or property -> the name to show
    lines: Mapping[Place, str]  # what stands there


@dataclass(frozen=True, slots=True)
class OntologyView:
    """What is to be mended in an ontology and in the notes that use it, with names and lines as in `FactView`."""

    report: OntologyReport
    titles: Mapping[str, str]
    lines: Mapping[Place, str]

    @property
    def is_broken(self) -> bool:
        """Whether a file does not say what it should, or the notes contradict it."""
        return bool(self.report.problems or self.report.conflicts)


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """What one cleaning rule did to a note."""

    rule: str
    edits: int
    removed_characters: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A note before and after cleaning."""

    path: str
    before: str
    after: str
    effects: tuple[RuleEffect, ...]  # of the rules that changed something, in order


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where a note was lost on the way to the results. `stage` is None when it is among them."""

    note: str
    stage: Stage | None
    rank: int | None  # best rank among the results, 1-based, when it is among them
    detail: str  # one sentence
    best: Candidate | None  # the note's best chunk, when a list held one


@dataclass(frozen=True, slots=True)
class Calibration:
    """The confidence below which a vault's questions are not answered, and what it was found by."""

    min_confidence: float
    embedder: str  # whose vectors the confidence rests on
    pairs: int  # questions that were asked with the note that answers them, and without it
    answered: float  # share of those with their note that are answered
    refused: float  # share of those without it that are refused
    answered_before: float  # likewise with the threshold of before
    refused_before: float


class WatcherState(StrEnum):
    """What a watcher is doing."""

    IDLE = "idle"
    INDEXING = "indexing"
    WAITING = "waiting for the vault"
    FAILING = "failing"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What a watcher last said of itself."""

    pid: int
    host: str
    started: datetime
    beat: datetime  # when it said this
    state: WatcherState
    last_event: datetime | None  # when the vault was last seen to change
    last_commit: str  # that was indexed; empty without Git
    last_error: str  # of the last run, empty when it went well
    events: int  # seen since, and not indexed yet
    chunks: int  # not embedded yet


@dataclass(frozen=True, slots=True)
class Watcher:
    """A watcher's last heartbeat, and whether the watcher still lives."""

    is_alive: bool
    heartbeat: Heartbeat


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """Which snapshot answers, and how much it holds."""

    generation: int
    commit: str
    notes: int
    chunks: int
    links: int
    topics: int
    tags: int
    embedded: float
    embedder: str
    vault: str  # its folder's name


@dataclass(frozen=True, slots=True)
class Status:
    """What is indexed, what is not and why."""

    vault: str
    index_dir: str
    generation: int
    commit: str
    worktree: bool
    created: str  # ISO time of the snapshot
    notes: int
    chunks: int
    embedded: float
    embedder: str
    links: int
    topics: int
    tags: int
    pending: Mapping[str, int]  # added, changed, deleted notes that the snapshot does not reflect yet
    stale: tuple[str, ...]  # parts whose fingerprint differs, so that the next index rebuilds
    full_embedder: str  # that `index --full` would take in the place of `embedder`; empty: the same
    disk_bytes: int
    vault_bytes: int
    skipped: tuple[Diagnostic, ...]
    failed: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    watcher: Watcher | None = None  # None when none ever ran


class CheckState(StrEnum):
    """Outcome of one doctor check."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `doctor`: what was looked at, what was found, and what to do about it."""

    name: str
    state: CheckState
    found: str
    advice: str  # empty when all is well
