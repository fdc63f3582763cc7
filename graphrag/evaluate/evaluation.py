"""Cases to an open snapshot -> how well it finds, routes and answers them; and cases made of its own notes."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graphrag.answers.dispatch import answer, answer_policy, find, route_of
from graphrag.answers.from_passages import measures_of
from graphrag.answers.prompt import fenced_block
from graphrag.answers.relations import GRAPH
from graphrag.domain.note import Chunk, Span
from graphrag.domain.ports import ChatModel
from graphrag.domain.query import NO_FILTERS, Answer, Citation, Context, ContextBlock, Filters, SearchResult
from graphrag.domain.report import Progress
from graphrag.errors import ConfigError, ProviderError, QuestionError
from graphrag.evaluate.cases import Case, Target, unknown_notes
from graphrag.evaluate.judge import ModelJudge
from graphrag.evaluate.made_cases import CaseMaker, MadeCase, MakePlan, TellingSentences
from graphrag.evaluate.outcomes import (
    AnswersReport,
    Assessment,
    Assessor,
    Evaluation,
    ModeReport,
    run_answers,
    summarize,
    summarize_answers,
)
from graphrag.evaluate.routes import run_routes, summarize_routes
from graphrag.evaluate.search_run import DEEPEST, Search, run_cases
from graphrag.grounding.evidence import Persons
from graphrag.grounding.support import Meaning
from graphrag.grounding.verify import UNSUPPORTED_EN, UNSUPPORTED_ZH, verify
from graphrag.language.markdown import CODE_SPAN, split_code
from graphrag.language.sentences import answer_sentences
from graphrag.providers import load_chat_model
from graphrag.retrieve.pipeline import SearchMode, SearchPolicy, policy_of
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.settings import AnswerSettings
from graphrag.understand.filters import read_question
from graphrag.vault.knowledge import find_persons
from graphrag.vault.open_snapshot import OpenSnapshot

_CODE_SPAN = re.compile(CODE_SPAN)
_MARKS = re.compile(r"\[\d{1,3}\](?:\s*\[\d{1,3}\])*")


class CitationCheck:
    """Assesses an answer by its own citations, without a model."""

    name = "citation check, no judge model"

    def __init__(self, readers: SnapshotReaders, persons: Callable[[], Persons] = dict) -> None:
        """`persons` tells who is known of the notes."""
        self._readers = readers
        self._persons = persons

    def assess(self, case: Case, answer: Answer) -> Assessment:
        """Return the share of statements that their sources support, and whether a relevant note is cited.

        What is read from the graph is exact by its making, and no statement of a passage: its support is not measured.
        """
        supported = None if answer.model == GRAPH else self._share_supported(answer)
        return Assessment(supported, float(_cites(answer.citations, case.relevant)) if case.relevant else None)

    def _share_supported(self, answer: Answer) -> float | None:
        bare = answer.answer.replace(UNSUPPORTED_ZH, "").replace(UNSUPPORTED_EN, "")
        blocks = tuple(ContextBlock(key, chunk) for key, chunk in cited_passages(self._readers, answer.citations))
        meaning = Meaning(self._readers.load_embedder, self._readers.load_reranker)
        measures = measures_of(self._readers, self._persons, meaning)
        checked = _without_code(verify(bare, Context(blocks, 0), measures).text)
        unsupported = checked.count(UNSUPPORTED_ZH) + checked.count(UNSUPPORTED_EN)
        supported = len(_MARKS.findall(checked))
        return supported / (supported + unsupported) if supported or unsupported else None


def cited_passages(readers: SnapshotReaders, citations: Iterable[Citation]) -> list[tuple[int, Chunk]]:
    """Return each citation's key with a passage of the cited lines, which begins with the words quoted from them."""
    cited = list(citations)
    held = readers.chunks.chunks_of(sorted({citation.note for citation in cited}), NO_FILTERS)
    return [(citation.key, _passage(citation, held.get(citation.note, []))) for citation in cited]


def _passage(citation: Citation, chunks: list[Chunk]) -> Chunk:
    """Return the chunk of the cited lines, else those that they touch; the front matter is in no chunk."""
    first, last = citation.lines
    touched = [chunk for chunk in chunks if chunk.span.first_line <= last and chunk.span.last_line >= first]
    whole = [chunk for chunk in touched if (chunk.span.first_line, chunk.span.last_line) == (first, last)]
    text = "\n".join([citation.quote, *(chunk.text for chunk in whole or touched)])
    return Chunk("", citation.note, citation.title, citation.heading, 0, text, Span(0, 0, first, last))


def _cites(citations: Iterable[Citation], relevant: Iterable[Target]) -> bool:
    """Whether a citation lies in a relevant note or, where a case names one, in the section."""
    places = {(citation.note, heading.casefold()) for citation in citations for heading in ("", *citation.heading)}
    return any((target.note, target.heading.casefold()) in places for target in relevant)


def _without_code(text: str) -> str:
    """Return a text without fenced and inline code: an index, a[1], looks like a mark."""
    return "".join(_CODE_SPAN.sub("", part) for part, is_code in split_code(text) if not is_code)


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
        route=summarize_routes(run_routes(cases, lambda text: route_of(opened, text), progress)),
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
    refuse = answer_policy(opened.parts, opened.readers.manifest).refusal_status
    return summarize(run_cases(mode.value, cases, _search_with(opened, policy), refuse, progress))


def _search_with(opened: OpenSnapshot, policy: SearchPolicy) -> Search:
    def search(text: str, filters: Filters) -> SearchResult:
        result = find(opened, text, filters, policy).result
        if result.notice:
            raise ProviderError(f"nothing is measured with a part missing: {result.notice}")
        return result

    return search


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
