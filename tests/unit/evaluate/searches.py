"""Search results made by hand, with only what a test is about."""

from collections.abc import Mapping, Sequence

from graphrag.domain.note import Chunk
from graphrag.domain.query import (
    Candidate,
    Evidence,
    Filters,
    Question,
    Route,
    SearchResult,
    SnapshotRef,
    Trace,
    Why,
)
from graphrag.evaluate.cases import Case, Target
from tests.fakes.notes import make_chunk, make_note

SNAPSHOT = SnapshotRef(1, "", True, 1.0)


def make_case(id_: str, *relevant: str, kind: str = "term", evidence: Sequence[str] = (), heading: str = "") -> Case:
    targets = tuple(Target(note, heading) for note in relevant)
    return Case(id_, kind, f"问题 {id_}", targets, "", tuple(evidence), Filters(), None)


def make_route_case(id_: str, route: Route) -> Case:
    return Case(id_, "route", f"问题 {id_}", None, "", (), Filters(), route)


def chunks_of(*notes: str) -> list[Chunk]:
    """Return one chunk a name, in order; its text names the note and its heading its place."""
    return [make_chunk(make_note(note), place, f"{note} 的内容") for place, note in enumerate(notes)]


def make_result(text: str, chunks: Sequence[Chunk], milliseconds: Mapping[str, float] | None = None) -> SearchResult:
    return SearchResult(
        question=Question(text, text, Filters()),
        route=Route.HYBRID,
        snapshot=SNAPSHOT,
        candidates=tuple(Candidate(chunk, 1.0, Why()) for chunk in chunks),
        dropped=(),
        evidence=Evidence(0.5, None, 0.5),
        terms=(),
        trace=Trace(milliseconds or {}),
    )
