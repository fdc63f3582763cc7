"""Plans of questions asked of a vault whose notes have these names."""

from collections.abc import Collection, Mapping
from datetime import date, datetime

from graphrag.answers.answerer import Answerer, OnText
from graphrag.domain.query import NO_FILTERS, Answer, Filters, Question, Route
from graphrag.retrieve.pipeline import StageClock
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.understand.filters import read_question
from graphrag.understand.plan import NoteNames, QueryPlan, understand


class NamedNotesOf:
    """The names of a vault, each with the path of its note."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = {name.casefold(): path for name, path in paths.items()}

    def notes_called(self, name: str) -> frozenset[str]:
        path = self._paths.get(name.strip().casefold())
        return frozenset({path}) if path else frozenset()

    def notes_of(self, day: date) -> frozenset[str]:
        return frozenset(path for name, path in self._paths.items() if name == day.isoformat())


def plan_of(text: str, paths: Mapping[str, str] | None = None, now: datetime | None = None) -> QueryPlan:
    """Return the plan of a question without filters."""
    names: NoteNames = NamedNotesOf(paths or {})
    return understand(Question(text, text, NO_FILTERS), names, now)


def choose_route(text: str, called: Collection[str] = ()) -> Route:
    """Return the route of a question that is the name of these notes, or of none."""
    return plan_of(text, dict.fromkeys([text] if called else [], "a.md")).route


def plan_for(readers: SnapshotReaders, text: str, filters: Filters = NO_FILTERS) -> QueryPlan:
    """Return the plan of a question to a snapshot; filters may stand inside it."""
    return understand(read_question(text, filters), readers)


def answer_by(answerer: Answerer, plan: QueryPlan, on_text: OnText | None = None) -> Answer:
    """Return the answer to a plan that the vault has one for."""
    answer = answerer.answer(plan, StageClock(), on_text)
    assert answer is not None
    return answer
