"""search_notes, ask_notes, save_answer: a question -> passages, an answer, an answer as a new note."""

from collections import OrderedDict
from difflib import get_close_matches
from threading import Lock
from typing import TYPE_CHECKING

from graphrag.domain.query import Answer, AnswerStatus, Candidate, Citation, Filters, SnapshotRef
from graphrag.domain.reference import Reference, committed_version
from graphrag.errors import QuestionError
from graphrag.mcp.arguments import AskArguments, SaveArguments, SearchArguments
from graphrag.mcp.results import Passage, Passages, Saved, Source, Told
from graphrag.mcp.words import excerpt, heading_path, one_line, shorten

if TYPE_CHECKING:
    from graphrag.app import App

_SHOWN = 300  # characters of a passage
_QUOTED = 160  # of the words that a citation rests on
_REMEMBERED = 32


def search_notes(app: "App", arguments: SearchArguments) -> Passages:
    """Return the passages that fit best, each by its beginning and the place to read on."""
    filters = arguments.filter.filters()
    found = app.search(arguments.query, filters, arguments.limit)
    if not found.candidates:
        check_passing(app, arguments.query, filters)
    results = tuple(_passage(candidate, found.snapshot) for candidate in found.candidates)
    return Passages(results, one_line(f"{found.notice} {_lag(found.snapshot)}"))


def ask_notes(app: "App", arguments: AskArguments) -> Told:
    """Return what the notes answer, with the sources of each statement."""
    return told(answer_of(app, arguments))


def answer_of(app: "App", arguments: AskArguments) -> Answer:
    """Return the facade's answer.

    Raises:
        QuestionError: no note passes the filters.
    """
    filters = arguments.filter.filters()
    answer = app.ask(arguments.question, filters, lambda piece: None)  # a model that streams can be stopped
    if answer.status is AnswerStatus.NO_HIT:
        check_passing(app, arguments.question, filters)
    return answer


def told(answer: Answer) -> Told:
    """Return an answer as a tool tells it."""
    return Told(
        status=answer.status,
        route=answer.route,
        answer=answer.answer,
        citations=tuple(_source(citation) for citation in answer.citations),
        conflict=answer.conflict,
        conflicts=answer.conflicts,
        flags=answer.flags,
        model=answer.model,
        notice=one_line(f"{answer.notice} {_lag(answer.snapshot)}"),
    )


def check_passing(app: "App", question: str, filters: Filters) -> None:
    """Refuse a filter that no note passes, with names like those that nothing bears.

    Raises:
        QuestionError: no note passes.
    """
    if filters.is_empty or app.passing(question, filters):
        return
    known = (("tag", filters.tags, app.tags()), ("category", filters.categories, app.categories()))
    unknown = [
        f"No {kind} is called '{name}'{_like(name, [facet.name for facet in facets])}."
        for kind, names, facets in known
        for name in names
        if name.casefold() not in {facet.name.casefold() for facet in facets}
    ]
    hint = "list_notes without a filter counts the tags and categories; since and until leave out notes without a date."
    raise QuestionError(" ".join(["no note passes the filter.", *unknown, hint]))


class RememberedAnswers:
    """The last answers of a session, so that what is saved is what was read."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._changing = Lock()

    def ask_notes(self, app: "App", arguments: AskArguments) -> Told:
        """Answer, and keep the answer for a while."""
        return told(self._keep(arguments, answer_of(app, arguments)))

    def save_answer(self, app: "App", arguments: SaveArguments) -> Saved:
        """Write the answer to a question as a new note; it is asked if it was not asked lately."""
        with self._changing:
            known = self._answers.get(_key(arguments))
        answer = known or self._keep(arguments, answer_of(app, arguments))
        return Saved(answer.status, app.save_answer(answer, arguments.name) or "")

    def _keep(self, arguments: AskArguments, answer: Answer) -> Answer:
        with self._changing:
            self._answers[_key(arguments)] = answer
            while len(self._answers) > _REMEMBERED:
                self._answers.popitem(last=False)
        return answer


def _key(arguments: AskArguments) -> str:
    return f"{arguments.question}\n{arguments.filter.model_dump_json()}"


def _like(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f"; like it: {', '.join(near)}" if near else ""


def _passage(candidate: Candidate, snapshot: SnapshotRef) -> Passage:
    chunk = candidate.chunk
    lines = (chunk.span.first_line, chunk.span.last_line)
    return Passage(
        ref=str(Reference(chunk.note, lines, committed_version(snapshot))),
        note=chunk.note,
        lines=lines,
        heading=heading_path(chunk.title, chunk.heading),
        text=excerpt(chunk.text, candidate.why.terms, _SHOWN),
        score=round(candidate.score, 4),
    )


def _source(citation: Citation) -> Source:
    return Source(
        key=citation.key,
        ref=citation.ref,
        note=citation.note,
        lines=citation.lines,
        quote=shorten(one_line(citation.quote), _QUOTED),
        url=citation.url,
        heading=heading_path(citation.title, citation.heading),
        changed=citation.changed[:10],
    )


def _lag(snapshot: SnapshotRef | None) -> str:
    """Return that the index is not up to date, empty when it is or nobody knows."""
    lag = snapshot.behind if snapshot else None
    if lag is None or lag.is_zero:
        return ""
    return f"Notes that changed since they were indexed: {lag.notes}. `graphrag index` takes them in."
