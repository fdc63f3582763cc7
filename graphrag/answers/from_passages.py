"""A search's results -> an `Answer`, or a refusal when the passages lack too much of the question.

A reachable chat model writes from the passages, and its reply is checked. Otherwise the answer consists of sentences of
the notes, ranked by the question's terms and meaning. `PassageAnswerer` is the entry; models' errors become a notice.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from graphrag.answers.answerer import OnText
from graphrag.answers.citations import CitedPassages, cite, cite_conflicts, day_of
from graphrag.answers.extract import AskedText, Extractor
from graphrag.answers.multi_hop import Chain, follow_chain
from graphrag.answers.prompt import build_prompt, is_refusal, refusal
from graphrag.answers.quotes import Quote, quote_of
from graphrag.answers.units import units_of
from graphrag.domain.note import Chunk
from graphrag.domain.ports import ChatModel
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
from graphrag.grounding.conflict import DisputeFinder, Side
from graphrag.grounding.evidence import Ground, Persons
from graphrag.grounding.support import Meaning, Measures
from graphrag.grounding.verify import CheckedAnswer, ReplyCheck
from graphrag.language.interface import Language, LanguageSetting, interface_language
from graphrag.language.markdown import disarm
from graphrag.language.sentences import coverage, fit_sentences
from graphrag.retrieve.pipeline import Found, SearchPolicy, StageClock, build_context, search
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.search import term_weights
from graphrag.understand.plan import MultiHop, QueryPlan, understand

EXTRACTIVE = "extractive"
_SURE = 0.1  # certainty from which quotes are told without a doubt; docs/quality.md has the figures
_LEAST = 0.15  # certainty, as a share of the least confidence, below which they are not told
_PATIENCE = 3  # times the wanted length, after which a model that does not stop is stopped
_SET_ASIDE = "No source matches what the model wrote, so it was set aside; the answer is the notes' own sentences."
_SILENT = "The model answered nothing; the answer is the notes' own sentences."
_CUT_SHORT = "The model did not come to an end: it was stopped after {length} characters."
_MORE = "… {n} more line in the note|… {n} more lines in the note"
_MEANT = "No note holds “{word}”; “{near}” is like it."
_ALL_DROPPED = "No sentence that the model wrote matches a source, so all of them were dropped."


@dataclass(frozen=True, slots=True)
class WritingPolicy:
    """What becomes of a model's reply."""

    max_characters: int
    drops_unsupported: bool  # else they are marked
    language: LanguageSetting


@dataclass(frozen=True, slots=True)
class Written:
    """An answer's text, empty when the notes do not hold it, and what it rests on.

    `grounds` are sentences of blocks, each by its block's key and where it starts there.
    """

    text: str
    model: str
    notice: str
    passages: CitedPassages
    grounds: tuple[Ground, ...]
    flags: tuple[Flag, ...] = ()
    certainty: float = 1.0  # of quotes: that the notes hold the answer, times that the first quote is it


class Writer:
    """Writes answers from one snapshot."""

    def __init__(
        self,
        readers: SnapshotReaders,
        policy: WritingPolicy,
        chat: ChatModel | None,
        persons: Callable[[], Persons],
    ) -> None:
        self._readers = readers
        self._policy = policy
        self._chat = chat
        self._persons = persons

    def write(
        self, plan: QueryPlan, found: Found, context: Context, on_text: OnText | None, clock: StageClock, notice: str
    ) -> Written:
        """Let the chat model write, unless a notice says that it cannot; else take the notes' own sentences."""
        question, asked = plan.question, AskedText(plan.question.text, plan.asked_for)
        if self._chat is None or notice:
            return self._extract(asked, found, context, clock, notice)
        meaning = Meaning(self._readers.load_embedder, self._readers.load_reranker)
        measures = measures_of(self._readers, self._persons, meaning)
        check = ReplyCheck(context, measures, drops=self._policy.drops_unsupported)
        try:
            with clock.stage("generate"):
                reply, is_cut = self._generate(self._chat, question, context, check, on_text)
        except ProviderError as error:
            return self._extract(asked, found, context, clock, str(error))
        model = self._chat.model_id
        language = interface_language(self._policy.language, question.text)
        if not reply.strip():
            return self._extract(asked, found, context, clock, language.say(_SILENT))
        cut = language.say(_CUT_SHORT, length=len(reply)) if is_cut else ""
        if is_refusal(reply):
            return self._nothing(context, model, cut)
        with clock.stage("verify"):
            checked = check.finish()
        if checked.keys:
            return self._written(checked, found, context, model, _joined(meaning.failure, cut))
        if self._policy.drops_unsupported and checked.flags:
            nothing = self._nothing(context, model, _joined(language.say(_ALL_DROPPED), cut))
            return replace(nothing, flags=checked.flags)
        return self._extract(asked, found, context, clock, _joined(language.say(_SET_ASIDE), cut))

    def _generate(
        self, chat: ChatModel, question: Question, context: Context, check: ReplyCheck, on_text: OnText | None
    ) -> tuple[str, bool]:
        """Return the reply, each line checked when it is complete, and whether the model was stopped before its end."""
        language = interface_language(self._policy.language, question.text)
        system, user = build_prompt(question.text, context, self._policy.max_characters, language)
        reply = ""
        for piece in chat.stream(system, user):
            if len(reply) > _PATIENCE * self._policy.max_characters:
                return reply, True
            reply += piece
            if on_text:
                on_text(piece)
            check.read(piece)
        return reply, False

    def _written(self, checked: CheckedAnswer, found: Found, context: Context, model: str, notice: str) -> Written:
        """Return a model's answer, each block quoted by the sentence that its first use rests on."""
        passages = CitedPassages(context, by_sentence=False)
        starts = dict(reversed(checked.grounds))
        chunks = {block.key: block.chunk for block in context.blocks}
        for key in checked.keys:
            passages.name(key, 0, len(chunks[key].text), self._quote(chunks[key], starts.get(key), found))
        return Written(checked.text, model, notice, passages, checked.grounds, checked.flags)

    def _quote(self, chunk: Chunk, start: int | None, found: Found) -> str:
        """Return the sentence that starts there, else the one that holds most of the question."""
        sentences = [*fit_sentences(chunk.text)]
        if own := [sentence.text for sentence in sentences if sentence.start == start]:
            return own[0]
        texts = (sentence.text for sentence in sentences)
        return max(texts, key=lambda text: coverage(text, found.weights, self._readers.tokenizer), default=chunk.text)

    def _nothing(self, context: Context, model: str, notice: str) -> Written:
        return Written("", model, notice, CitedPassages(context, by_sentence=False), ())

    def _extract(self, asked: AskedText, found: Found, context: Context, clock: StageClock, notice: str) -> Written:
        with clock.stage("extract"):
            extractor = Extractor(self._readers.tokenizer, self._policy.max_characters)
            try:
                embedder = self._readers.load_embedder() if found.vector is not None else None
                extracted = extractor.extract(asked, found.weights, context, embedder, found.vector)
            except ProviderError as error:
                notice = _joined(notice, str(error))
                extracted = extractor.extract(asked, found.weights, context, None, None)
            quotes = self._value_that_holds_first(asked, extracted.quotes, context)
            passages = CitedPassages(context, by_sentence=True)
            language = interface_language(self._policy.language, asked.text)
            lines = [_marked(quote, passages, language) for quote in quotes]
        certainty = found.result.evidence.confidence * extracted.chance
        return Written("\n".join(lines), EXTRACTIVE, notice, passages, tuple(map(_ground, quotes)), certainty=certainty)

    def _value_that_holds_first(
        self, asked: AskedText, quotes: tuple[Quote, ...], context: Context
    ) -> tuple[Quote, ...]:
        """Return the quotes with the newest value of a dispute before the one that it replaced, if that led them."""
        grounds = tuple(map(_ground, quotes))
        units = {(unit.key, unit.said.start): unit for unit in units_of(context)}
        chunks = {block.key: block.chunk for block in context.blocks}

        def day(side: Side) -> str:
            sentence, chunk = side.statement.sentence, chunks[side.statement.key]
            lines = chunk.lines_of(sentence.start, sentence.end) or (chunk.span.first_line, chunk.span.last_line)
            return day_of(self._readers, chunk.note, lines)

        finder = DisputeFinder(asked.text, context, self._readers.tokenizer, self._persons)
        for dispute in finder.find(grounds):
            newest = max(dispute.sides, key=day)
            place = newest.statement.key, newest.statement.sentence.start
            sides = {(side.statement.key, side.statement.sentence.start) for side in dispute.sides}
            if grounds[0] in sides and place != grounds[0] and place in units:
                quote = quote_of(units[place], chunks[newest.statement.key].text, asked.asked_for)
                return (quote, *(other for other in quotes if _ground(other) != place))
        return quotes


def _ground(quote: Quote) -> Ground:
    return quote.key, quote.unit.said.start


def measures_of(readers: SnapshotReaders, persons: Callable[[], Persons], meaning: Meaning) -> Measures:
    """Return what replies about one snapshot are measured with."""
    return Measures(
        tokenizer=readers.tokenizer,
        weigh=lambda terms: term_weights(readers.chunks, sorted(terms), readers.manifest.chunk_count),
        persons=persons,
        aliases=lambda note: readers.manifest.notes[note].aliases,
        meaning=meaning,
    )


def _marked(quote: Quote, passages: CitedPassages, language: Language) -> str:
    """Return a quote as lines of the answer, with its mark at the end, or of code at the end of what introduces it."""
    key = passages.name(quote.key, quote.start, quote.end, quote.text)
    text = disarm(quote.text)
    if quote.more:
        return f"{text}\n{language.say(_MORE, n=quote.more)} [{key}]"
    if not text.endswith(("```", "~~~")):
        return f"{text} [{key}]"
    lead, line_end, code = text.partition("\n")
    return f"{text}\n[{key}]" if lead.startswith(("```", "~~~")) else f"{lead} [{key}]{line_end}{code}"


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """The numbers of the answer, as in the settings."""

    token_budget: int
    max_characters: int
    min_confidence: float  # that the notes hold the answer
    sub_questions: int  # more searches, for a question that takes several facts
    drops_unsupported: bool = False  # sentences of a model that no source holds; else they are marked
    language: LanguageSetting = "auto"

    def refusal_status(self, result: SearchResult) -> AnswerStatus | None:
        """Return why the results are not worth answering from, None when they are; an evaluation asks it too."""
        if not result.candidates:
            return AnswerStatus.NO_HIT
        return AnswerStatus.LOW_RELEVANCE if result.evidence.confidence < self.min_confidence else None


class PassageAnswerer:
    """Answers questions from the passages of one snapshot."""

    notice = ""  # it always answers, if only by a refusal

    def __init__(
        self,
        readers: SnapshotReaders,
        search_policy: SearchPolicy,
        policy: AnswerPolicy,
        chat: ChatModel | None,
        vault_name: str,
        persons: Callable[[], Persons] = dict,
    ) -> None:
        """`persons` tells who is known to the notes of this snapshot."""
        self._readers = readers
        self._search_policy = search_policy
        self._policy = policy
        self._chat = chat
        self._vault_name = vault_name
        self._persons = persons
        writing = WritingPolicy(policy.max_characters, policy.drops_unsupported, policy.language)
        self._writer = Writer(readers, writing, chat, persons)

    def answer(self, plan: QueryPlan, clock: StageClock, on_text: OnText | None) -> Answer:
        """Return the answer; a chat model's pieces go to `on_text` as they come, before they are checked."""
        question = plan.question
        chain, notice = self._search(plan, clock)
        found = chain.found
        if status := self._policy.refusal_status(found.result):
            notice = notice or self._why_no_chat()
            is_quoted = self._chat is None or bool(notice)  # then how well a quote fits decides as well, see below
            if status is AnswerStatus.NO_HIT or not is_quoted:
                return self._refused(question, found.result, status, clock, notice)
        # A model reads past the note that a question names alone; of sentences there is room for a few, its own.
        named = plan.notes.asked_for if self._chat else plan.notes.asked_about
        chunks = [candidate.chunk for candidate in found.result.candidates]
        own = [chunk for chunk in chunks if chunk.note in named]
        context = build_context(own or chunks, self._policy.token_budget)
        written = self._writer.write(plan, found, context, on_text, clock, notice)
        if written.certainty < _LEAST * self._policy.min_confidence:
            return self._refused(question, found.result, AnswerStatus.LOW_RELEVANCE, clock, written.notice)
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
            is_sure=written.certainty >= _SURE,
        )

    def _why_no_chat(self) -> str:
        """Return why the chat model could not write now, empty where it could or there is none."""
        try:
            if self._chat is not None:
                self._chat.check()
        except ProviderError as error:
            return str(error)
        return ""

    def _search(self, plan: QueryPlan, clock: StageClock) -> tuple[Chain, str]:
        """Search, step by step where a chat model can say what is missing; the text says why it could not."""

        policy = self._search_policy

        def search_for(text: str) -> Found:
            return search_by(understand(replace(plan.question, text=text), self._readers))

        def search_by(plan: QueryPlan) -> Found:
            nonlocal policy
            found = search(self._readers, plan, policy, clock)
            if found.result.notice:
                policy = replace(policy, rerank=None)  # once is enough to wait for what does not answer
            return found

        first = search_by(plan)
        if self._chat is not None and isinstance(plan.passages, MultiHop) and first.result.candidates:
            try:
                with clock.stage("plan"):
                    return follow_chain(self._chat, first, search_for, self._policy.sub_questions), ""
            except ProviderError as error:
                return Chain(first, ()), str(error)
        return Chain(first, ()), ""

    def _conflicts(self, question: Question, context: Context, written: Written) -> tuple[SourceConflict, ...]:
        """Return what the sources disagree on; the passages of all sides become sources of the answer."""
        disputes = DisputeFinder(question.text, context, self._readers.tokenizer, self._persons)
        return cite_conflicts(disputes.find(written.grounds), written.passages, self._readers)

    def _refused(
        self, question: Question, result: SearchResult, status: AnswerStatus, clock: StageClock, notice: str
    ) -> Answer:
        near = near_spelling(self._readers, question.text, result)
        meant = _MEANT.format(word=near[0], near=near[1]) if near else ""
        return _answer(
            question,
            result.route,
            status,
            refusal(interface_language(self._policy.language, question.text)),
            "rules",
            snapshot=result.snapshot,
            trace=Trace(dict(clock.milliseconds)),
            notice=_joined(meant, result.notice, notice),
        )


_LATIN_WORD = re.compile(r"[A-Za-z][\w.\-]{3,60}")
_LIKE = 0.8  # share of two spellings that is the same


def near_spelling(readers: SnapshotReaders, question: str, result: SearchResult) -> tuple[str, str] | None:
    """Return a Latin word of the question that no note holds, and one like it: a name, or in the nearest passages."""
    words = {word: readers.tokenizer.tokenize_query(word) for word in _LATIN_WORD.findall(question)}
    held = readers.chunks.document_frequencies([term for terms in words.values() for term in terms])
    unknown = [word for word, terms in words.items() if terms and not held.get(terms[0])]
    if not unknown:
        return None
    names = {name for note in readers.manifest.notes.values() for name in note.words}
    texts = (candidate.chunk.text for candidate in result.candidates)
    dropped = (item.candidate.chunk.text for item in result.dropped)
    known = names.union(*map(_LATIN_WORD.findall, (*texts, *dropped)))
    folded = {name.casefold(): name for name in known}
    for word in unknown:
        if near := get_close_matches(word.casefold(), folded, n=1, cutoff=_LIKE):
            return word, folded[near[0]]
    return None


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
    is_sure: bool = True,
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
        is_sure=is_sure,
    )
