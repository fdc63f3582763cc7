"""The shapes at the doors: `--json`, HTTP with its OpenAPI description, and what requests by HTTP and MCP hold.

A dataclass of the domain is its own shape, with its fields as keys. A class stands here only where the documented JSON
differs from the fields; it reads them from the domain's object by path.
"""

import dataclasses
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import PurePath
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from graphrag.domain.ontology import Axiom, Conflict, Fact, FactStatus, Place, ProofTree, Term, UnknownName
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    AskedFor,
    Candidate,
    Citation,
    Filters,
    Flag,
    GraphHop,
    Route,
    SearchResult,
    SnapshotRef,
    SourceConflict,
    Stage,
    Why,
)
from graphrag.domain.report import FactView, IndexSummary, NoteView, OntologyView
from graphrag.understand.filters import first_day_given, last_day_given

Json = dict[str, object]


def dump(value: object) -> str:
    """Return a value as JSON text, characters outside ASCII kept."""
    return json.dumps(to_jsonable(value), ensure_ascii=False, indent=2)


def dump_line(value: object) -> bytes:
    """Return a value as JSON on one line; lone surrogates, which UTF-8 does not know, become `?`."""
    text = json.dumps(to_jsonable(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace")


def to_jsonable(value: object) -> Any:
    """Return dataclasses and shapes as objects and everything inside them as what JSON knows."""
    # pydantic's own JSON has other moments (Z for +00:00), and no keys that are dataclasses.
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_jsonable(getattr(value, item.name)) for item in dataclasses.fields(value)}
    match value:
        case BaseModel():
            return {name: to_jsonable(item) for name, item in value}
        case Enum():
            return value.value
        case date():  # a datetime is one
            return value.isoformat()
        case PurePath():
            return value.as_posix()
        case Mapping():
            return {str(key): to_jsonable(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [to_jsonable(item) for item in value]
    return value


QUESTION_CHARACTERS = 2_000
NAME_CHARACTERS = 1_000
_MOST_VALUES = 20


def _clean(text: str) -> str:
    """Return text in the form in which it is compared; lone surrogates and NUL are taken by no engine."""
    replaced = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    return unicodedata.normalize("NFC", replaced).strip()


def _full(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


_WORDS = WithJsonSchema({"type": "string"})  # a day in any way that a question may name it
FirstDay = Annotated[date, BeforeValidator(first_day_given), _WORDS]
LastDay = Annotated[date, BeforeValidator(last_day_given), _WORDS]
Text = Annotated[str, AfterValidator(_clean)]
Name = Annotated[Text, Field(min_length=1, max_length=NAME_CHARACTERS), AfterValidator(_full)]
Question = Annotated[Text, Field(min_length=1, max_length=QUESTION_CHARACTERS), AfterValidator(_full)]
Names = Annotated[tuple[Name, ...], Field(max_length=_MOST_VALUES)]


class Shape(BaseModel):
    """A reply or a part of one, read from the attributes of the domain's object."""

    model_config = ConfigDict(from_attributes=True)


def _at(*path: str) -> Any:
    """Return a field that stands elsewhere in the domain's object."""
    return Field(validation_alias=AliasPath(*path))


class FilterShape(BaseModel):
    """Only these notes: of one kind one value has to fit, of all kinds given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tags: Names = Field((), description="with one of these tags, or one below it")
    categories: Names = Field((), description="of one of these categories, or one below it")
    paths: Names = Field((), description="in one of these folders, or these notes")
    since: FirstDay | None = Field(None, description="last changed on this day or later: 2024-06-16, 7d, 上周")
    until: LastDay | None = Field(None, description="last changed on this day or earlier")
    types: Names = Field((), description="whose `type` has one of these values")

    def filters(self) -> Filters:
        """Return them as the facade takes them.

        Raises:
            QuestionError: no note can match.
        """
        return Filters.named(**{name: getattr(self, name) for name in FilterShape.model_fields})


class FullTextShape(Shape):
    """Why a passage is in the list of words."""

    rank: int = _at("full_text_rank")
    score: float | None = _at("full_text_score")
    terms: list[str]


class VectorShape(Shape):
    """Why a passage is in the list of meanings."""

    rank: int = _at("vector_rank")
    similarity: float | None


class SparseShape(Shape):
    """Why a passage is in the list of weighted tokens."""

    rank: int = _at("sparse_rank")
    score: float | None = _at("sparse_score")


class WalkShape(Shape):
    """How a passage was reached along the graph."""

    rank: int | None = _at("walk_rank")
    path: list[GraphHop] = _at("graph_path")


class WhyShape(Shape):
    """The reasons for a passage, by the list that holds it."""

    full_text: FullTextShape | None
    vector: VectorShape | None
    sparse: SparseShape | None
    graph: WalkShape | None
    rerank: float | None

    @model_validator(mode="before")
    @classmethod
    def _by_list(cls, why: Why) -> Json:
        return {
            "full_text": None if why.full_text_rank is None else why,
            "vector": None if why.vector_rank is None else why,
            "sparse": None if why.sparse_rank is None else why,
            "graph": why if why.walk_rank or why.graph_path else None,
            "rerank": why.rerank,
        }


class _RankShape(Shape):
    rank: int


class _DropShape(Shape):
    stage: Stage
    detail: str


class PassageShape(Shape):
    """A passage of a note."""

    note: str = _at("candidate", "chunk", "note")
    title: str = _at("candidate", "chunk", "title")
    heading: list[str] = _at("candidate", "chunk", "heading")
    lines: Annotated[list[int], BeforeValidator(lambda span: [span.first_line, span.last_line])] = Field(
        validation_alias=AliasPath("candidate", "chunk", "span"), min_length=2, max_length=2
    )
    chunk_id: str = _at("candidate", "chunk", "id")
    score: float = _at("candidate", "score")
    text: str = _at("candidate", "chunk", "text")
    why: WhyShape = _at("candidate", "why")


class BestLineShape(Shape):
    """What a passage says nearest to the question, as people read it; `line` is where it begins in the note."""

    line: int
    text: str


class ResultShape(PassageShape, _RankShape):
    """A passage that was found."""

    best_lines: list[BestLineShape] = _at("candidate", "best_lines")


class DroppedShape(PassageShape, _DropShape):
    """A passage that was dropped on the way."""


class _Ranked(NamedTuple):
    rank: int
    candidate: Candidate


def _ranked(candidates: Iterable[Candidate]) -> list[_Ranked]:
    return [_Ranked(rank, candidate) for rank, candidate in enumerate(candidates, 1)]


class SearchShape(Shape):
    """The best passages for a question; `dropped` is there on demand."""

    snapshot: SnapshotRef
    question: str = _at("question", "asked")
    route: Route
    confidence: float = _at("evidence", "confidence")
    results: Annotated[list[ResultShape], BeforeValidator(_ranked)] = _at("candidates")
    notice: str
    trace: Mapping[str, float] = _at("trace", "milliseconds")
    dropped: list[DroppedShape] | None = None


class PlanShape(Shape):
    """How a question was understood; `readings` are the routes that were tried, in their order.

    `sure` is the probability of the route, null where a rule decided.
    """

    route: Route
    readings: list[Route]
    asked_for: AskedFor
    since: date | None
    until: date | None
    notes: list[str]
    filters: Filters
    sure: float | None = None


class AnswerShape(Shape):
    """An answer, or a plain statement that there is none."""

    question: str
    route: Route
    status: AnswerStatus
    answer: str
    sure: bool = _at("is_sure")
    model: str
    citations: list[Citation]
    snapshot: SnapshotRef | None
    conflict: bool
    conflicts: list[SourceConflict]
    flags: list[Flag]
    sub_questions: list[str]
    notice: str
    plan: PlanShape | None
    trace: Mapping[str, float] = _at("trace", "milliseconds")


def search_json(result: SearchResult, with_dropped: bool) -> Json:
    """Return the shape of `search --json`."""
    return SearchShape.model_validate(result).model_dump(exclude=None if with_dropped else {"dropped"})


def answer_json(answer: Answer) -> Json:
    """Return the shape of `ask --json`."""
    return AnswerShape.model_validate(answer).model_dump()


class HealthShape(Shape):
    """Whether there is anything to ask."""

    status: Literal["ok", "no index"]


class IndexingShape(Shape):
    """How far an index run of this server is."""

    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class StatusShape(IndexSummary):
    """Which snapshot answers, and how much it holds; whoever may see all of it is told all that `status` tells."""

    indexing: IndexingShape | None


@dataclass(frozen=True, slots=True)
class NoteShape(NoteView):
    """One note as indexed, and as a page."""

    html: Annotated[
        str, Field(description="sanitised; blocks have data-line and data-end, internal links are #/note/<path>")
    ]
    markdown_url: str
    obsidian_url: str


class ListedNote(Shape):
    """A note in a list."""

    path: str
    title: str
    tags: list[str]
    category: str
    updated: datetime | None


class NotesShape(Shape):
    """Some notes, newest first, and how many there are."""

    total: int
    notes: list[ListedNote]


class FactShape(Shape):
    """How the notes stand to a fact; proofs are trees of facts and rules."""

    fact: Json
    status: FactStatus
    proof: Json | None
    conflicts: list[Json]


def fact_json(view: FactView) -> Json:
    """Return the shape of `explain --json`."""
    explanation, proofs = view.explanation, _Proofs(view.titles, view.lines)
    return {
        "fact": proofs.fact(explanation.fact),
        "status": explanation.status,
        "proof": proofs.tree(explanation.proof) if explanation.proof else None,
        "conflicts": proofs.conflicts(explanation.conflicts),
    }


def ontology_json(view: OntologyView) -> Json:
    """Return the shape of `ontology check --json`."""
    report, proofs = view.report, _Proofs(view.titles, view.lines)
    return {
        "problems": report.problems,
        "conflicts": proofs.conflicts(report.conflicts),
        "unknown_relations": [_unknown(name) for name in report.unknown_relations],
        "unknown_types": [_unknown(name) for name in report.unknown_types],
        "unused_properties": [_term(term) for term in report.unused_properties],
        "empty_classes": [_term(term) for term in report.empty_classes],
    }


class _Proofs:
    def __init__(self, titles: Mapping[str, str], lines: Mapping[Place, str]) -> None:
        self._titles = titles
        self._lines = lines

    def fact(self, fact: Fact) -> Json:
        return {**fact._asdict(), "names": [self._titles.get(part, part) for part in fact]}

    def tree(self, tree: ProofTree) -> Json:
        if isinstance(tree.origin, Place):
            return {"fact": self.fact(tree.fact), "place": tree.origin, "line": self._lines.get(tree.origin, "")}
        premises = [self.tree(premise) for premise in tree.premises]
        return {"fact": self.fact(tree.fact), "rule": self._rule(tree.origin.axiom), "premises": premises}

    def conflicts(self, conflicts: Iterable[Conflict]) -> list[Json]:
        return [
            {"rule": self._rule(item.violation.axiom), "proofs": [self.tree(proof) for proof in item.proofs]}
            for item in conflicts
        ]

    def _rule(self, axiom: Axiom) -> Json:
        return {
            "kind": axiom.kind,
            "terms": axiom.terms,
            "names": [self._titles.get(term, term) for term in axiom.terms],
            "place": axiom.place,
        }


def _unknown(name: UnknownName) -> Json:
    used = name.used
    return {"name": used.name, "count": used.count, "place": used.place, "suggestions": name.suggestions}


def _term(term: Term) -> Json:
    return {"iri": term.iri, "name": term.label("en"), "place": term.place}
