"""A question to an open snapshot -> passages, an answer, or where a note was lost."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from graphrag.answers.from_passages import Answerer, AnswerPolicy
from graphrag.domain.query import Answer, Filters, Question, Route, SearchResult
from graphrag.domain.report import WhyNot
from graphrag.errors import QuestionError
from graphrag.retrieve.pipeline import Found, SearchPolicy, StageClock, search
from graphrag.retrieve.why_not import explain_absence
from graphrag.understand.filters import has_words, read_question
from graphrag.understand.overview import read_group
from graphrag.understand.plan import choose_route
from graphrag.vault.knowledge import find_persons
from graphrag.vault.note_names import find_note
from graphrag.vault.open_snapshot import OpenSnapshot, on_newest
from graphrag.vault.resources import Parts


def find(opened: OpenSnapshot, text: str, filters: Filters, policy: SearchPolicy) -> Found:
    """Return the best passages, and what was dropped on the way.

    Raises:
        QuestionError: the question or a filter cannot be used.
    """
    return search(opened.readers, _read(opened, text, filters), policy, StageClock())


@on_newest
def find_passages(
    opened: OpenSnapshot, text: str, filters: Filters, top_k: int | None, with_dropped: bool = False
) -> SearchResult:
    """Return the best passages, and how far the vault is ahead of them.

    What was dropped on the way is told if it is asked for, as far as the vault still holds it.
    """
    with opened.watching_lag() as lag:
        result = find(opened, text, filters, opened.parts.search_policy(top_k)).result
        why_gone = opened.readers.present.look()
        shown = result.dropped if with_dropped else ()
        dropped = tuple(item for item in shown if not why_gone(item.candidate.chunk))
        return replace(result, dropped=dropped, snapshot=replace(result.snapshot, behind=lag()))


@on_newest
def count_passing(opened: OpenSnapshot, text: str, filters: Filters) -> int:
    """Return how many passages the filters let through, those inside the question included."""
    return opened.readers.chunks.count(read_question(text, filters).filters)


@on_newest
def find_loss(opened: OpenSnapshot, text: str, filters: Filters, note: str) -> WhyNot:
    """Return the stage at which a note was lost on the way to the results."""
    path = find_note(note, opened.readers.manifest)
    found = find(opened, text, filters, opened.parts.search_policy())
    return explain_absence(opened.readers, found, path, opened.parts.language(found.result.question.text))


@on_newest
def answer(opened: OpenSnapshot, text: str, filters: Filters, on_text: Callable[[str], None] | None) -> Answer:
    """Return an answer from the graph to a question along relations, for a list or an overview, else from passages."""
    parts, question = opened.parts, _read(opened, text, filters)
    answerer = Answerer(
        opened.readers,
        parts.search_policy(),
        answer_policy(parts),
        parts.chat_model,
        parts.vault.name,
        locate=opened.lines().lines_of,
        persons=lambda: find_persons(opened.knowledge),
    )
    with opened.watching_lag() as lag:
        told = _answer_as_read(opened, question)
        exact, notice = (told, "") if told else _answer_from_graph(opened, question)
        found = exact or answerer.answer(question, on_text)
        snapshot = found.snapshot and replace(found.snapshot, behind=lag())
        return replace(found, snapshot=snapshot, notice=found.notice or notice)


def answer_policy(parts: Parts) -> AnswerPolicy:
    """Return the numbers of the answer."""
    answer = parts.settings.answer
    return AnswerPolicy(
        answer.token_budget,
        answer.max_characters,
        parts.min_confidence(),
        answer.sub_questions,
        answer.unsupported == "drop",
        parts.settings.interface.language,
    )


def _read(opened: OpenSnapshot, text: str, filters: Filters) -> Question:
    """Return the question; signs and particles alone are one only where a note is called so."""
    question = read_question(text, filters)
    if not has_words(question.text) and not opened.readers.notes_named(question.text):
        raise QuestionError(
            "the question holds nothing to search for. Ask in words; filters come besides, e.g. tag:支付."
        )
    return question


def _answer_from_graph(opened: OpenSnapshot, question: Question) -> tuple[Answer | None, str]:
    """Return the answer along relations, if it is one, or why there can be none."""
    from graphrag.answers.relations import RelationAnswerer

    answerer = RelationAnswerer(
        opened.knowledge, opened.readers, opened.lines, opened.parts.vault.name, opened.parts.language
    )
    return answerer.answer(question), answerer.notice


def _answer_as_read(opened: OpenSnapshot, question: Question) -> Answer | None:
    """Return an overview or a list, if the question is for one that the vault can give."""
    route = choose_route(question.text, opened.readers.notes_named(question.text))
    if route is Route.OVERVIEW:
        from graphrag.answers.overviews import answer_overview

        return answer_overview(opened, question)
    if route is Route.LIST:
        from graphrag.answers.lists import answer_list

        return answer_list(opened, question, date.today())
    if route in (Route.HYBRID, Route.MULTI_HOP) and read_group(question.text):
        from graphrag.answers.overviews import answer_group_overview

        return answer_group_overview(opened, question)
    return None
