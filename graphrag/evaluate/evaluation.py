"""Cases to an open snapshot -> how well it finds, routes and answers them; and cases made of its own notes."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag.answers.prompt import fenced_block
from graphrag.answers.questions import answer, answer_policy, find
from graphrag.domain.models import ChatModel
from graphrag.domain.query import NO_FILTERS, Answer, Filters, Route, SearchResult
from graphrag.domain.report import Progress
from graphrag.errors import ConfigError, ProviderError, QuestionError
from graphrag.evaluate.answers import AnswersReport, Assessor, run_answers, summarize_answers
from graphrag.evaluate.cases import Case, unknown_notes
from graphrag.evaluate.cited_sources import CitationCheck, cited_passages
from graphrag.evaluate.judge import ModelJudge
from graphrag.evaluate.make import CaseMaker, MadeCase, MakePlan
from graphrag.evaluate.report import Evaluation, ModeReport, summarize
from graphrag.evaluate.routes import run_routes, summarize_routes
from graphrag.evaluate.run import DEEPEST, Search, run_cases
from graphrag.evaluate.telling import TellingSentences
from graphrag.language.sentences import answer_sentences
from graphrag.providers import load_chat_model
from graphrag.retrieve.modes import SearchMode, policy_of
from graphrag.retrieve.pipeline import SearchPolicy
from graphrag.settings import AnswerSettings
from graphrag.understand.filters import read_question
from graphrag.understand.route import choose_route
from graphrag.vault.open_snapshot import OpenSnapshot
from graphrag.vault.persons import find_persons

_PROVIDERS = ("ollama", "openai")


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What to measure beside routes: rankings in these modes, and answers, judged by a model if one is named."""

    modes: tuple[SearchMode, ...]
    with_answers: bool = False
    judge: str = ""  # a model of the chat provider in the settings, or PROVIDER:MODEL


def evaluate(opened: OpenSnapshot, cases: Sequence[Case], plan: EvaluationPlan, progress: Progress) -> Evaluation:
    """Measure what the cases allow: rankings where they say what to find, routes where they name one.

    Raises:
        ConfigError: no chat provider is known for the judge.
        ProviderError: the judge does not answer.
    """
    readers = opened.readers
    assessor = _assessor(opened, plan.judge)  # a judge that is not there should not be found out at the end
    per_note = opened.parts.settings.search.max_per_note
    # Ranks are ranks of notes: as many chunks as hold the deepest one even if each note gives its whole share.
    top_k = DEEPEST * max(per_note, 2)
    searched = [case for case in cases if case.is_searched]
    return Evaluation(
        snapshot=readers.reference(),
        embedder=readers.manifest.fingerprints.embedder,
        max_per_note=per_note,
        top_k=top_k,
        unknown_notes=unknown_notes(cases, readers.manifest.notes),
        modes={mode.value: _rank(opened, mode, top_k, searched, progress) for mode in plan.modes} if searched else {},
        route=summarize_routes(run_routes(cases, lambda text: _route_of(opened, text), progress)),
        answers=_answer(opened, cases, assessor, progress) if plan.with_answers else None,
    )


def make_cases(opened: OpenSnapshot, plan: MakePlan, progress: Progress) -> tuple[MadeCase, ...]:
    """Return cases made of the notes that are indexed and still in the vault."""
    readers = opened.readers
    total = readers.manifest.chunk_count
    sentences = TellingSentences(readers.chunks, readers.tokenizer, total, answer_sentences)
    return CaseMaker(readers.graph, readers.present, sentences, _is_question).make(plan, progress)


def _rank(opened: OpenSnapshot, mode: SearchMode, top_k: int, cases: Sequence[Case], progress: Progress) -> ModeReport:
    policy = policy_of(mode, opened.parts.search_policy(top_k))
    refuse = answer_policy(opened.parts).refusal_status
    return summarize(run_cases(mode.value, cases, _search_with(opened, policy), refuse, progress))


def _search_with(opened: OpenSnapshot, policy: SearchPolicy) -> Search:
    def search(text: str, filters: Filters) -> SearchResult:
        result = find(opened, text, filters, policy).result
        if result.notice:
            raise ProviderError(f"nothing is measured with a part missing: {result.notice}")
        return result

    return search


def _route_of(opened: OpenSnapshot, text: str) -> Route:
    question = read_question(text, NO_FILTERS).text
    return choose_route(question, opened.readers.notes_named(question))


def _answer(opened: OpenSnapshot, cases: Sequence[Case], assessor: Assessor, progress: Progress) -> AnswersReport:
    def ask(text: str, filters: Filters) -> Answer:
        return answer(opened, text, filters, None)

    return summarize_answers(run_answers(cases, ask, assessor, progress), assessor.name)


def _assessor(opened: OpenSnapshot, judge: str) -> Assessor:
    if not judge:
        return CitationCheck(opened.readers, lambda: find_persons(opened.knowledge))
    chat = _judge_model(opened.parts.settings.answer, judge)
    chat.check()

    def sources_of(given: Answer) -> list[tuple[str, str]]:
        return [(chunk.title, chunk.text) for _, chunk in cited_passages(opened.readers, given.citations)]

    return ModelJudge(chat, sources_of, fenced_block)


def _judge_model(settings: AnswerSettings, name: str) -> ChatModel:
    """Return the model that judges: one of the provider in its name, else one of the provider of the settings."""
    provider, colon, model = name.partition(":")
    changes: dict[str, object] = {"model": name, "temperature": 0.0}
    if colon and provider in _PROVIDERS:
        changes = {**changes, "chat": provider, "model": model}
        changes |= {} if settings.chat in (provider, "none") else {"host": "", "api_key_env": ""}
    chat = load_chat_model(settings.model_copy(update=changes))
    if chat is None:
        raise ConfigError(f"--judge {name}: [answer] chat is none. Name the provider too, as in: --judge ollama:{name}")
    return chat


def _is_question(text: str) -> bool:
    """Whether a text is taken as it stands, not with a part of it as a filter."""
    try:
        return read_question(text, NO_FILTERS).filters.is_empty
    except QuestionError:
        return False
