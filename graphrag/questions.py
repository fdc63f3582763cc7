"""A question to an open snapshot -> passages, an answer, where a note was lost, or how well cases are found."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.domain.query import Answer, Filters, Question, Route, SearchResult
from graphrag.domain.report import Progress, WhyNot
from graphrag.names import find_note
from graphrag.open_snapshot import OpenSnapshot, on_newest
from graphrag.retrieve.answer import Answerer
from graphrag.retrieve.filters import read_question
from graphrag.retrieve.modes import SearchMode, policy_of
from graphrag.retrieve.pipeline import Found, SearchPolicy, StageClock, search
from graphrag.retrieve.route import choose_route
from graphrag.retrieve.why_not import explain_absence

if TYPE_CHECKING:
    from graphrag.evaluate.cases import Case
    from graphrag.evaluate.report import Evaluation
    from graphrag.evaluate.run import Search


def find(opened: OpenSnapshot, text: str, filters: Filters, policy: SearchPolicy) -> Found:
    """Return the best passages, and what was dropped on the way."""
    return search(opened.readers, read_question(text, filters), policy, StageClock())


@on_newest
def find_passages(opened: OpenSnapshot, text: str, filters: Filters, top_k: int | None) -> SearchResult:
    """Return the best passages, and how far the vault is ahead of them."""
    with opened.watching_lag() as lag:
        result = find(opened, text, filters, opened.parts.search_policy(top_k)).result
        return replace(result, snapshot=replace(result.snapshot, behind=lag()))


@on_newest
def find_loss(opened: OpenSnapshot, text: str, filters: Filters, note: str) -> WhyNot:
    """Return the stage at which a note was lost on the way to the results."""
    path = find_note(note, opened.readers.manifest)
    found = find(opened, text, filters, opened.parts.search_policy())
    return explain_absence(opened.readers, found, path)


@on_newest
def answer(opened: OpenSnapshot, text: str, filters: Filters, on_text: Callable[[str], None] | None) -> Answer:
    """Return an answer from the graph to a question along relations or for an overview, else from passages."""
    parts, question = opened.parts, read_question(text, filters)
    answerer = Answerer(
        opened.readers, parts.search_policy(), parts.answer_policy(), parts.chat_model, parts.vault.name
    )
    with opened.watching_lag() as lag:
        overview = _answer_overview(opened, question)
        exact, notice = (overview, "") if overview else _answer_from_graph(opened, question)
        found = exact or answerer.answer(question, on_text)
        snapshot = found.snapshot and replace(found.snapshot, behind=lag())
        return replace(found, snapshot=snapshot, notice=found.notice or notice)


def evaluate(
    opened: OpenSnapshot, cases: "Sequence[Case]", modes: Sequence[SearchMode], progress: Progress
) -> "Evaluation":
    """Measure the search on cases, once per mode."""
    from graphrag.evaluate.cases import unknown_notes
    from graphrag.evaluate.report import Evaluation, summarize
    from graphrag.evaluate.run import DEEPEST, run_cases

    parts, readers = opened.parts, opened.readers
    per_note = parts.settings.search.max_per_note
    # Ranks are ranks of notes: as many chunks as hold the deepest one even if each note gives its whole share.
    top_k = DEEPEST * max(per_note, 2)
    base, refusal_status = parts.search_policy(top_k), parts.answer_policy().refusal_status
    reports = {}
    for mode in modes:
        outcomes = run_cases(mode.value, cases, _search_with(opened, policy_of(mode, base)), refusal_status, progress)
        reports[mode.value] = summarize(outcomes)
    unknown = unknown_notes(cases, readers.manifest.notes)
    return Evaluation(readers.reference(), per_note, top_k, unknown, reports)


def _answer_from_graph(opened: OpenSnapshot, question: Question) -> tuple[Answer | None, str]:
    """Return the answer along relations, if it is one, or why there can be none."""
    from graphrag.relation_answer import RelationAnswerer

    answerer = RelationAnswerer(opened.knowledge, opened.readers, opened.lines, opened.parts.vault.name)
    return answerer.answer(question), answerer.notice


def _answer_overview(opened: OpenSnapshot, question: Question) -> Answer | None:
    """Return an overview, if the question is for one and there are notes enough."""
    if choose_route(question.text, opened.readers.notes_named(question.text)) is not Route.OVERVIEW:
        return None
    from graphrag.overview_answer import answer_overview

    return answer_overview(opened, question)


def _search_with(opened: OpenSnapshot, policy: SearchPolicy) -> "Search":
    return lambda text, filters: find(opened, text, filters, policy).result
