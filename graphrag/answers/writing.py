"""A context -> the text of an answer with its marks: by the chat model and checked, else the notes' own sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from graphrag.answers.citing import CitedPassages, Locate
from graphrag.answers.extract import Sentence, extract_answer
from graphrag.answers.prompt import build_prompt, is_refusal
from graphrag.domain.models import ChatModel, Embedder
from graphrag.domain.note import Chunk
from graphrag.domain.query import Context, Flag, Question
from graphrag.errors import ProviderError
from graphrag.grounding.evidence import Ground, Persons
from graphrag.grounding.meaning import Meaning
from graphrag.grounding.support import Measures
from graphrag.grounding.verify import CheckedAnswer, ReplyCheck
from graphrag.language.language import is_chinese
from graphrag.language.marks import disarm
from graphrag.language.sentences import coverage, fit_sentences
from graphrag.retrieve.pipeline import Found, StageClock
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.search import term_weights

EXTRACTIVE = "extractive"
_PATIENCE = 3  # times the wanted length, after which a model that does not stop is stopped
_SET_ASIDE_ZH = "模型的回答没能和任何来源对上，没有采用；上面是笔记原文。"
_SET_ASIDE_EN = "No source matches what the model wrote, so it was set aside; the answer is the notes' own sentences."
_SILENT_ZH = "模型什么也没有回答；上面是笔记原文。"
_SILENT_EN = "The model answered nothing; the answer is the notes' own sentences."
_CUT_SHORT_ZH = "模型的回答太长，写到第 {length} 个字时被叫停，后面的没有读。"
_CUT_SHORT_EN = "The model did not come to an end: it was stopped after {length} characters."
_ALL_DROPPED_ZH = "模型的回答没有一句能和来源对上，都已去掉。"
_ALL_DROPPED_EN = "No sentence that the model wrote matches a source, so all of them were dropped."
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WritingPolicy:
    """What becomes of a model's reply."""

    max_characters: int
    drops_unsupported: bool  # else they are marked


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


class Writer:
    """Writes answers from one snapshot."""

    def __init__(
        self,
        readers: SnapshotReaders,
        policy: WritingPolicy,
        chat: ChatModel | None,
        locate: Locate,
        persons: Callable[[], Persons],
    ) -> None:
        self._readers = readers
        self._policy = policy
        self._chat = chat
        self._locate = locate
        self._persons = persons

    def write(
        self, question: Question, found: Found, context: Context, on_text: OnText | None, clock: StageClock, notice: str
    ) -> Written:
        """Let the chat model write, unless a notice says that it cannot; else take the notes' own sentences."""
        if self._chat is None or notice:
            return self._extract(found, context, clock, notice)
        meaning = Meaning(self._readers.load_embedder, self._readers.load_reranker)
        measures = measures_of(self._readers, self._persons, meaning)
        check = ReplyCheck(context, measures, drops=self._policy.drops_unsupported)
        try:
            with clock.stage("generate"):
                reply, is_cut = self._generate(self._chat, question, context, check, on_text)
        except ProviderError as error:
            return self._extract(found, context, clock, str(error))
        model = self._chat.model_id
        in_chinese = is_chinese(question.text)
        if not reply.strip():
            return self._extract(found, context, clock, _SILENT_ZH if in_chinese else _SILENT_EN)
        cut = (_CUT_SHORT_ZH if in_chinese else _CUT_SHORT_EN).format(length=len(reply)) if is_cut else ""
        if is_refusal(reply):
            return self._nothing(context, model, cut)
        with clock.stage("verify"):
            checked = check.finish()
        if checked.keys:
            return self._written(checked, found, context, model, _joined(meaning.failure, cut))
        if self._policy.drops_unsupported and checked.flags:
            all_dropped = _ALL_DROPPED_ZH if in_chinese else _ALL_DROPPED_EN
            nothing = self._nothing(context, model, _joined(all_dropped, cut))
            return replace(nothing, flags=checked.flags)
        return self._extract(found, context, clock, _joined(_SET_ASIDE_ZH if in_chinese else _SET_ASIDE_EN, cut))

    def _generate(
        self, chat: ChatModel, question: Question, context: Context, check: ReplyCheck, on_text: OnText | None
    ) -> tuple[str, bool]:
        """Return the reply, each line checked when it is complete, and whether the model was stopped before its end."""
        system, user = build_prompt(question.text, context, self._policy.max_characters)
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
        passages = CitedPassages(context, self._locate, by_sentence=False)
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
        return Written("", model, notice, CitedPassages(context, self._locate, by_sentence=False), ())

    def _extract(self, found: Found, context: Context, clock: StageClock, notice: str) -> Written:
        with clock.stage("extract"):
            try:
                embedder = self._readers.load_embedder() if found.vector is not None else None
                sentences = self._sentences(found, context, embedder)
            except ProviderError as error:
                notice = _joined(notice, str(error))
                sentences = self._sentences(found, context, None)
            passages = CitedPassages(context, self._locate, by_sentence=True)
            lines = [_marked(sentence, passages) for sentence in sentences]
        grounds = tuple((sentence.key, sentence.start) for sentence in sentences)
        return Written("\n".join(lines), EXTRACTIVE, notice, passages, grounds)

    def _sentences(self, found: Found, context: Context, embedder: Embedder | None) -> Sequence[Sentence]:
        """Return the sentences of an extractive answer, chosen by words, and by meaning where there is an embedder."""
        tokenizer, length = self._readers.tokenizer, self._policy.max_characters
        return extract_answer(context, found.weights, tokenizer, embedder, found.vector, length)


def measures_of(readers: SnapshotReaders, persons: Callable[[], Persons], meaning: Meaning) -> Measures:
    """Return what replies about one snapshot are measured with."""
    return Measures(
        tokenizer=readers.tokenizer,
        weigh=lambda terms: term_weights(readers.chunks, sorted(terms), readers.manifest.chunk_count),
        persons=persons,
        aliases=lambda note: readers.manifest.notes[note].aliases,
        meaning=meaning,
    )


def _joined(*notices: str) -> str:
    return " ".join(filter(None, notices))


def _marked(sentence: Sentence, passages: CitedPassages) -> str:
    """Return a sentence of a note as a line of the answer, with the mark of its lines."""
    key = passages.name(sentence.key, sentence.start, sentence.end, sentence.text)
    return f"{disarm(sentence.text)} [{key}]"
