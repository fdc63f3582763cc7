"""A question to an open snapshot -> passages (`find_passages`), an `Answer` (`answer`), or a lost note (`find_loss`).

Each question is planned once. `answer` tries the readings of the plan in order, each with the answerer of its kind.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.answers.answerer import Answerer, OnText
from graphrag.domain.ports import Vectors
from graphrag.domain.query import NO_FILTERS, Answer, Filters, Question, Route, SearchResult
from graphrag.domain.report import WhyNot
from graphrag.domain.snapshot import Manifest
from graphrag.errors import QuestionError
from graphrag.retrieve.pipeline import Found, SearchPolicy, StageClock, router_vector, search
from graphrag.retrieve.why_not import explain_absence
from graphrag.understand.filters import has_words, read_question
from graphrag.understand.plan import (
    Direct,
    GroupOverview,
    ListOf,
    Lookup,
    MultiHop,
    Overview,
    QueryPlan,
    Reading,
    Relation,
    Search,
    understand,
)
from graphrag.vault.note_names import find_note
from graphrag.vault.open_snapshot import OpenSnapshot, on_newest
from graphrag.vault.resources import Parts

if TYPE_CHECKING:
    from graphrag.answers.from_passages import AnswerPolicy


def find(opened: OpenSnapshot, text: str, filters: Filters, policy: SearchPolicy) -> Found:
    """Return the best passages, and what was dropped on the way.

    Raises:
        QuestionError: the question or a filter cannot be used.
    """
    return _find(opened, text, filters, policy)[1]


def _find(opened: OpenSnapshot, text: str, filters: Filters, policy: SearchPolicy) -> tuple[QueryPlan, Found]:
    clock = StageClock()
    plan = _plan(opened, text, filters, clock, policy.use_vectors)
    found = search(opened.readers, plan, policy, clock)
    return plan, replace(found, result=replace(found.result, notice=_with_day(found.result.notice, plan)))


@on_newest
def find_passages(
    opened: OpenSnapshot, text: str, filters: Filters, top_k: int | None, with_dropped: bool = False
) -> SearchResult:
    """Return the best passages with their best lines, and how far the vault is ahead of them.

    What was dropped on the way is told if it is asked for, as far as the vault still holds it.
    """
    with opened.watching_lag() as lag:
        from graphrag.answers.extract import AskedText, with_best_lines

        plan, found = _find(opened, text, filters, opened.parts.search_policy(top_k))
        result, asked = found.result, AskedText(plan.question.text, plan.asked_for)
        candidates = with_best_lines(result.candidates, asked, found.weights, opened.readers.tokenizer)
        why_gone = opened.readers.present.look()
        shown = result.dropped if with_dropped else ()
        dropped = tuple(item for item in shown if not why_gone(item.candidate.chunk))
        snapshot = replace(result.snapshot, behind=lag())
        return replace(result, candidates=candidates, dropped=dropped, snapshot=snapshot)


@on_newest
def count_passing(opened: OpenSnapshot, text: str, filters: Filters) -> int:
    """Return how many passages the filters let through, those inside the question included."""
    return opened.readers.chunks.count(read_question(text, filters).filters.located(opened.readers.manifest.notes))


@on_newest
def find_loss(opened: OpenSnapshot, text: str, filters: Filters, note: str) -> WhyNot:
    """Return the stage at which a note was lost on the way to the results."""
    path = find_note(note, opened.readers.manifest)
    found = find(opened, text, filters, opened.parts.search_policy())
    return explain_absence(opened.readers, found, path, opened.parts.language(found.result.question.text))


@on_newest
def answer(opened: OpenSnapshot, text: str, filters: Filters, on_text: OnText | None) -> Answer:
    """Return the answer by the first reading of the question for which the vault has one.

    Raises:
        QuestionError: the question or a filter cannot be used.
    """
    clock = StageClock()
    plan = _plan(opened, text, filters, clock)
    with opened.watching_lag() as lag:
        notices: list[str] = []
        for reading in plan.readings:
            answerer = _answerer(opened, reading)
            found = answerer.answer(plan, clock, on_text)
            notices.append(answerer.notice)
            if found:
                snapshot = found.snapshot and replace(found.snapshot, behind=lag())
                notice = found.notice or next(filter(None, notices), "")
                return replace(found, snapshot=snapshot, notice=_with_day(notice, plan), plan=plan.view())
    raise AssertionError("the last reading always has an answer")


def _with_day(notice: str, plan: QueryPlan) -> str:
    """Return a notice, and that the question names a day that there is not, which a direct reply says by itself."""
    day = plan.no_such_day
    is_told = not day or plan.route is Route.DIRECT
    return notice if is_told else f"The question names {day}, a day that no calendar has. {notice}".strip()


def _answerer(opened: OpenSnapshot, reading: Reading) -> Answerer:
    """Return what answers a reading; only its module is loaded."""
    parts = opened.parts
    match reading:
        case Direct():
            from graphrag.answers.direct_answer import DirectAnswerer

            return DirectAnswerer(
                reading, parts.chat_model, parts.settings.answer.max_characters, parts.settings.interface.language
            )
        case Overview() | GroupOverview():
            from graphrag.answers.overviews import OverviewAnswerer

            return OverviewAnswerer(opened, reading)
        case ListOf():
            from graphrag.answers.lists import ListAnswerer

            return ListAnswerer(opened, reading)
        case Relation():
            from graphrag.answers.relations import RelationAnswerer

            return RelationAnswerer(opened.knowledge, opened.readers, opened.lines, parts.vault.name, parts.language)
        case Lookup() | MultiHop() | Search():
            from graphrag.answers.from_passages import PassageAnswerer
            from graphrag.vault.knowledge import find_persons

            return PassageAnswerer(
                opened.readers,
                parts.search_policy(),
                answer_policy(parts, opened.readers.manifest),
                parts.chat_model,
                parts.vault.name,
                persons=lambda: find_persons(opened.knowledge),
            )


def answer_policy(parts: Parts, manifest: Manifest) -> "AnswerPolicy":
    """Return the numbers of the answer."""
    from graphrag.answers.from_passages import AnswerPolicy

    answer = parts.settings.answer
    return AnswerPolicy(
        answer.token_budget,
        answer.max_characters,
        parts.min_confidence(manifest),
        answer.sub_questions,
        answer.unsupported == "drop",
        parts.settings.interface.language,
    )


def route_of(opened: OpenSnapshot, text: str) -> Route:
    """Return the route of a question."""
    return _understand(opened, read_question(text, NO_FILTERS), StageClock()).route


def _plan(opened: OpenSnapshot, text: str, filters: Filters, clock: StageClock, use_vectors: bool = True) -> QueryPlan:
    """Return the plan of a question; signs and particles alone are a question only where a note is called so."""
    with clock.stage("route"):
        question = read_question(text, filters)
        located = question.filters.located(opened.readers.manifest.notes)
        plan = _understand(opened, replace(question, filters=located), clock, use_vectors)
    if not has_words(plan.question.text) and not plan.notes.called:
        raise QuestionError(
            "the question holds nothing to search for. Ask in words; filters come besides, e.g. tag:支付."
        )
    return plan


def _understand(opened: OpenSnapshot, question: Question, clock: StageClock, use_vectors: bool = True) -> QueryPlan:
    def vector_of() -> Vectors | None:
        is_worth_it = use_vectors and has_words(question.text)
        return router_vector(opened.readers, question.text, clock) if is_worth_it else None

    language = opened.parts.settings.interface.language
    return understand(question, opened.readers, language=language, vector_of=vector_of)
