"""The shapes of replies that are no dataclass of the domain, for the OpenAPI description.

Nothing is checked against them when a reply is sent: it is made by the functions that make `--json`, and tests compare.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from graphrag.domain.graph import NoteSummary, Relation
from graphrag.domain.note import Chunk, Diagnostic
from graphrag.domain.ontology import FactStatus
from graphrag.domain.query import AnswerStatus, Citation, Flag, GraphHop, Route, SnapshotRef, SourceConflict, Stage

Milliseconds = Mapping[str, float]


class HealthShape(BaseModel):
    """Whether there is anything to ask."""

    status: Literal["ok", "no index"]


class IndexingShape(BaseModel):
    """How far an index run of this server is."""

    step: str
    done: int
    total: int


class StatusShape(BaseModel):
    """Which snapshot answers, and how much it holds; whoever may see all of it is told all that `status` tells."""

    generation: int
    commit: str
    notes: int
    chunks: int
    links: int
    topics: int
    tags: int
    embedded: float = Field(description="share of the passages that have a vector")
    embedder: str
    vault: str
    indexing: IndexingShape | None


class FullTextShape(BaseModel):
    """Why a passage is in the list of words."""

    rank: int
    score: float | None
    terms: list[str]


class VectorShape(BaseModel):
    """Why a passage is in the list of meanings."""

    rank: int
    similarity: float | None


class SparseShape(BaseModel):
    """Why a passage is in the list of weighted tokens."""

    rank: int
    score: float | None


class WalkShape(BaseModel):
    """How a passage was reached along the graph."""

    rank: int | None
    path: list[GraphHop]


class WhyShape(BaseModel):
    """The reasons for a passage."""

    full_text: FullTextShape | None
    vector: VectorShape | None
    sparse: SparseShape | None
    graph: WalkShape | None
    rerank: float | None


class PassageShape(BaseModel):
    """A passage of a note."""

    note: str
    title: str
    heading: list[str]
    lines: list[int] = Field(min_length=2, max_length=2)
    chunk_id: str
    score: float
    text: str
    why: WhyShape


class ResultShape(PassageShape):
    """A passage that was found."""

    rank: int


class DroppedShape(PassageShape):
    """A passage that was dropped on the way."""

    stage: Stage
    detail: str


class SearchShape(BaseModel):
    """The best passages for a question."""

    snapshot: SnapshotRef
    question: str
    route: Route
    confidence: float
    results: list[ResultShape]
    notice: str
    trace: Milliseconds
    dropped: list[DroppedShape] | None = None


class AnswerShape(BaseModel):
    """An answer, or a plain statement that there is none."""

    question: str
    route: Route
    status: AnswerStatus
    answer: str
    model: str
    citations: list[Citation]
    snapshot: SnapshotRef | None
    conflict: bool
    conflicts: list[SourceConflict]
    flags: list[Flag]
    sub_questions: list[str]
    notice: str
    trace: Milliseconds


class NoteShape(BaseModel):
    """One note as indexed, and as a page."""

    note: NoteSummary
    chunks: list[Chunk]
    outgoing: list[Relation]
    backlinks: list[Relation]
    diagnostics: list[Diagnostic]
    html: str = Field(description="sanitised; blocks have data-line and data-end, internal links are #/note/<path>")
    markdown_url: str
    obsidian_url: str


class ListedNote(BaseModel):
    """A note in a list."""

    path: str
    title: str
    tags: list[str]
    category: str
    updated: datetime | None


class NotesShape(BaseModel):
    """Some notes, newest first, and how many there are."""

    total: int
    notes: list[ListedNote]


class FactShape(BaseModel):
    """How the notes stand to a fact; proofs are trees of facts and rules."""

    fact: dict[str, Any]
    status: FactStatus
    proof: dict[str, Any] | None
    conflicts: list[dict[str, Any]]
