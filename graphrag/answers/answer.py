"""Search results -> an answer: written by the chat model when one answers, else made of the notes' own sentences."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from graphrag.answers.chain import Chain, follow_chain
from graphrag.answers.citing import Locate, cite, locate_nothing
from graphrag.answers.conflict_sides import tell_conflicts
from graphrag.answers.direct_answer import DirectAnswer, answer_directly
from graphrag.answers.prompt import refusal
from graphrag.answers.writing import OnText, Writer, WritingPolicy, Written
from graphrag.domain.models import ChatModel
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Citation,
    Context,
    Flag,
    Question,
    Route,
    SearchResult,
    SnapshotRef,
    SourceConflict,
    Trace,
)
from graphrag.errors import ProviderError
from graphrag.grounding.conflict import DisputeFinder
from graphrag.grounding.evidence import Persons
from graphrag.retrieve.context import build_context
from graphrag.retrieve.pipeline import Found, SearchPolicy, StageClock, search
from graphrag.retrieve.readers import SnapshotReaders


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """The numbers of the answer, as in the settings."""

    token_budget: int
    max_characters: int
    min_confidence: float  # that the notes hold the answer
    sub_questions: int  # more searches, for a question that takes several facts
    drops_unsupported: bool = False  # sentences of a model that no source holds; else they are marked

    def refusal_status(self, result: SearchResult) -> AnswerStatus | None:
        """Return why the results are not worth answering from, None when they are; an evaluation asks it too."""
        if not result.candidates:
            return AnswerStatus.NO_HIT
        return AnswerStatus.LOW_RELEVANCE if result.evidence.confidence < self.min_confidence else None


class Answerer:
    """Answers questions from one snapshot."""

    def __init__(
        self,
        readers: SnapshotReaders,
        search_policy: SearchPolicy,
        policy: AnswerPolicy,
        chat: ChatModel | None,
        vault_name: str,
        locate: Locate = locate_nothing,
        persons: Callable[[], Persons] = dict,
    ) -> None:
        """`locate` tells the lines of a sentence, `persons` who is known, both for the notes of this snapshot."""
        self._readers = readers
        self._search_policy = search_policy
        self._policy = policy
        self._chat = chat
        self._vault_name = vault_name
        self._persons = persons
        writing = WritingPolicy(policy.max_characters, policy.drops_unsupported)
        self._writer = Writer(readers, writing, chat, locate, persons)

    def answer(self, question: Question, on_text: OnText | None) -> Answer:
        """Return the answer; a chat model's pieces go to `on_text` as they come, before they are checked."""
        clock = StageClock()
        with clock.stage("direct"):
            direct = self._answer_directly(question, on_text)
        if direct is not None:
            kind, trace = (Route.DIRECT, AnswerStatus.DIRECT), Trace(dict(clock.milliseconds))
            return _answer(question, *kind, direct.text, direct.model, trace=trace, notice=direct.notice)
        chain, notice = self._search(question, clock)
        found = chain.found
        if status := self._policy.refusal_status(found.result):
            return self._refused(question, found.result, status, clock, notice)
        # A model reads past the note that a question names alone; of sentences there is room for a few, its own.
        notes = self._readers.notes_asked_for if self._chat else self._readers.notes_asked_about
        asked_for = notes(question.text)
        chunks = [candidate.chunk for candidate in found.result.candidates]
        own = [chunk for chunk in chunks if chunk.note in asked_for]
        context = build_context(own or chunks, self._policy.token_budget)
        written = self._writer.write(question, found, context, on_text, clock, notice)
        if not written.passages.all:
            refused = self._refused(question, found.result, AnswerStatus.NOT_IN_NOTES, clock, written.notice)
            return replace(refused, flags=written.flags)
        with clock.stage("conflict"):
            conflicts = self._conflicts(question, context, written)
        with clock.stage("cite"):
            citations = tuple(cite(self._readers, self._vault_name, cited) for cited in written.passages.all)
        return _answer(
            question,
            found.result.route,
            AnswerStatus.ANSWERED,
            written.text,
            written.model,
            citations=citations,
            conflicts=conflicts,
            flags=written.flags,
            sub_questions=chain.asked,
            snapshot=found.result.snapshot,
            trace=Trace(dict(clock.milliseconds)),
            notice=_joined(found.result.notice, written.notice),
        )

    def _answer_directly(self, question: Question, on_text: OnText | None) -> DirectAnswer | None:
        if self._readers.notes_named(question.text):
            return None
        return answer_directly(question.text, self._chat, self._policy.max_characters, on_text)

    def _search(self, question: Question, clock: StageClock) -> tuple[Chain, str]:
        """Search, step by step where a chat model can say what is missing; the text says why it could not."""

        policy = self._search_policy

        def search_for(text: str) -> Found:
            nonlocal policy
            found = search(self._readers, replace(question, text=text), policy, clock)
            if found.result.notice:
                policy = replace(policy, rerank=None)  # once is enough to wait for what does not answer
            return found

        first = search_for(question.text)
        if self._chat is not None and first.result.route is Route.MULTI_HOP and first.result.candidates:
            try:
                with clock.stage("plan"):
                    return follow_chain(self._chat, first, search_for, self._policy.sub_questions), ""
            except ProviderError as error:
                return Chain(first, ()), str(error)
        return Chain(first, ()), ""

    def _conflicts(self, question: Question, context: Context, written: Written) -> tuple[SourceConflict, ...]:
        """Return what the sources disagree on; the passages of all sides become sources of the answer."""
        disputes = DisputeFinder(question.text, context, self._readers.tokenizer, self._persons)
        return tell_conflicts(disputes.find(written.grounds), written.passages, self._readers)

    def _refused(
        self, question: Question, result: SearchResult, status: AnswerStatus, clock: StageClock, notice: str
    ) -> Answer:
        return _answer(
            question,
            result.route,
            status,
            refusal(question.text),
            "rules",
            snapshot=result.snapshot,
            trace=Trace(dict(clock.milliseconds)),
            notice=_joined(result.notice, notice),
        )


def _joined(*notices: str) -> str:
    """Return the notices in a row, each once."""
    return " ".join(dict.fromkeys(filter(None, notices)))


def _answer(
    question: Question,
    route: Route,
    status: AnswerStatus,
    text: str,
    model: str,
    *,
    citations: tuple[Citation, ...] = (),
    snapshot: SnapshotRef | None = None,
    trace: Trace,
    sub_questions: tuple[str, ...] = (),
    notice: str = "",
    flags: tuple[Flag, ...] = (),
    conflicts: tuple[SourceConflict, ...] = (),
) -> Answer:
    return Answer(
        question=question.asked,
        route=route,
        status=status,
        answer=text,
        model=model,
        citations=citations,
        snapshot=snapshot,
        conflict=bool(conflicts),
        trace=trace,
        sub_questions=sub_questions,
        notice=notice,
        flags=flags,
        conflicts=conflicts,
    )
