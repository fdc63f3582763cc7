"""Search results -> an answer: written by the chat model when one answers, else made of the notes' own sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from graphrag.domain.models import ChatModel, Embedder
from graphrag.domain.note import Chunk
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Citation,
    Context,
    ContextBlock,
    Evidence,
    Question,
    Route,
    SearchResult,
    SnapshotRef,
    Trace,
)
from graphrag.domain.reference import Reference, committed_version
from graphrag.errors import ProviderError
from graphrag.retrieve.chain import Chain, follow_chain
from graphrag.retrieve.context import build_context
from graphrag.retrieve.direct_answer import DirectAnswer, answer_directly
from graphrag.retrieve.extract import Sentence, extract_answer
from graphrag.retrieve.language import is_chinese
from graphrag.retrieve.marks import disarm
from graphrag.retrieve.pipeline import Found, SearchPolicy, SnapshotReaders, StageClock, search
from graphrag.retrieve.prompt import build_prompt, is_refusal, refusal
from graphrag.retrieve.sentences import answer_sentences, coverage
from graphrag.retrieve.verify import CheckedAnswer, verify

EXTRACTIVE = "extractive"
_PATIENCE = 3  # times the wanted length, after which a model that does not stop is stopped
_UNSUPPORTED_ZH = "模型的回答没能和任何来源对上，没有采用；上面是笔记原文。"
_UNSUPPORTED_EN = "No source matches what the model wrote, so it was set aside; the answer is the notes' own sentences."
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """The numbers of the answer, as in the settings."""

    token_budget: int
    max_characters: int
    min_coverage: float
    min_similarity: float
    sub_questions: int  # more searches, for a question that takes several facts

    def refusal_status(self, result: SearchResult) -> AnswerStatus | None:
        """Return why the results are not worth answering from, None when they are; an evaluation asks it too."""
        if not result.candidates:
            return AnswerStatus.NO_HIT
        return AnswerStatus.LOW_RELEVANCE if self._is_weak(result.evidence) else None

    def _is_weak(self, evidence: Evidence) -> bool:
        """Whether neither the words nor the meaning of the question are near to any passage."""
        is_similar = evidence.similarity is not None and evidence.similarity >= self.min_similarity
        return evidence.coverage < self.min_coverage and not is_similar


@dataclass(frozen=True, slots=True)
class _Written:
    checked: CheckedAnswer
    model: str
    notice: str
    quotes: dict[int, str]  # block key -> the sentence that the answer took from it


_REFUSED = CheckedAnswer("", ())


class Answerer:
    """Answers questions from one snapshot."""

    def __init__(
        self,
        readers: SnapshotReaders,
        search_policy: SearchPolicy,
        policy: AnswerPolicy,
        chat: ChatModel | None,
        vault_name: str,
    ) -> None:
        self._readers = readers
        self._search_policy = search_policy
        self._policy = policy
        self._chat = chat
        self._vault_name = vault_name

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
        asked_for = self._readers.notes_asked_for(question.text)
        chunks = [candidate.chunk for candidate in found.result.candidates]
        own = [chunk for chunk in chunks if chunk.note in asked_for]
        context = build_context(own or chunks, self._policy.token_budget)
        written = self._write(question, found, context, on_text, clock, notice)
        if not written.checked.keys:
            return self._refused(question, found.result, AnswerStatus.NOT_IN_NOTES, clock, written.notice)
        with clock.stage("cite"):
            citations = self._cite(context, written, found)
        return _answer(
            question,
            found.result.route,
            AnswerStatus.ANSWERED,
            written.checked.text,
            written.model,
            citations=citations,
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

    def _write(
        self, question: Question, found: Found, context: Context, on_text: OnText | None, clock: StageClock, notice: str
    ) -> _Written:
        """Let the chat model write, unless a notice says that it cannot; else take the notes' own sentences."""
        if self._chat is not None and not notice:
            try:
                with clock.stage("generate"):
                    reply = self._generate(self._chat, question, context, on_text)
            except ProviderError as error:
                notice = str(error)
            else:
                with clock.stage("verify"):
                    is_refused = is_refusal(reply)
                    checked = _REFUSED if is_refused else verify(reply, context, self._readers.tokenizer)
                if is_refused or checked.keys:
                    return _Written(checked, self._chat.model_id, "", {})
                notice = _UNSUPPORTED_ZH if is_chinese(question.text) else _UNSUPPORTED_EN
        return self._extract(found, context, clock, notice)

    def _extract(self, found: Found, context: Context, clock: StageClock, notice: str) -> _Written:
        with clock.stage("extract"):
            try:
                embedder = self._readers.load_embedder() if found.vector is not None else None
                sentences = self._sentences(found, context, embedder)
            except ProviderError as error:
                notice = _joined(notice, str(error))
                sentences = self._sentences(found, context, None)
        return _Written(_join(sentences), EXTRACTIVE, notice, {item.key: item.text for item in reversed(sentences)})

    def _sentences(self, found: Found, context: Context, embedder: Embedder | None) -> tuple[Sentence, ...]:
        """Return the sentences of an extractive answer, chosen by words, and by meaning where there is an embedder."""
        tokenizer, length = self._readers.tokenizer, self._policy.max_characters
        return extract_answer(context, found.weights, tokenizer, embedder, found.vector, length)

    def _generate(self, chat: ChatModel, question: Question, context: Context, on_text: OnText | None) -> str:
        system, user = build_prompt(question.text, context, self._policy.max_characters)
        pieces: list[str] = []
        length = 0
        for piece in chat.stream(system, user):
            pieces.append(piece)
            length += len(piece)
            if on_text:
                on_text(piece)
            if length > _PATIENCE * self._policy.max_characters:
                break
        return "".join(pieces)

    def _cite(self, context: Context, written: _Written, found: Found) -> tuple[Citation, ...]:
        blocks = {block.key: block for block in context.blocks}
        return tuple(
            cite_chunk(
                self._readers,
                self._vault_name,
                key,
                blocks[key].chunk,
                written.quotes.get(key) or self._best_sentence(blocks[key], found),
            )
            for key in written.checked.keys
        )

    def _best_sentence(self, block: ContextBlock, found: Found) -> str:
        tokenizer = self._readers.tokenizer
        sentences = list(answer_sentences(block.chunk))
        return max(sentences, key=lambda text: coverage(text, found.weights, tokenizer), default=block.chunk.text)

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


def cite_chunk(readers: SnapshotReaders, vault_name: str, key: int, chunk: Chunk, quoted: str) -> Citation:
    """Return the citation of a chunk's lines, with the words there that carry the answer."""
    lines = (chunk.span.first_line, chunk.span.last_line)
    changed = readers.line_date(chunk.note, *lines)
    return Citation(
        key=key,
        note=chunk.note,
        title=chunk.title,
        heading=chunk.heading,
        lines=lines,
        commit=readers.manifest.commit,
        changed=changed.isoformat() if changed else "",
        url=note_url(vault_name, chunk.note, chunk.heading[-1] if chunk.heading else ""),
        quote=quoted,
        ref=str(Reference(chunk.note, lines, committed_version(readers.reference()))),
        origin=readers.manifest.notes[chunk.note].origin,
    )


def note_url(vault_name: str, note: str, heading: str = "") -> str:
    """Return the address that opens a note, at a heading if one is given, in Obsidian."""
    file = note.removesuffix(".md") + (f"#{heading}" if heading else "")
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(file, safe='')}"


def _join(sentences: Sequence[Sentence]) -> CheckedAnswer:
    """Return the sentences a line each, every one with its mark."""
    text = "\n".join(f"{disarm(sentence.text)} [{sentence.key}]" for sentence in sentences)
    return CheckedAnswer(text, tuple(dict.fromkeys(sentence.key for sentence in sentences)))


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
) -> Answer:
    return Answer(question.asked, route, status, text, model, citations, snapshot, False, trace, sub_questions, notice)
