"""Questions one after the other: a follow-up is read in the light of those before it, and all are remembered.

What is kept on disk are the user's own words and references to notes, never what notes say: a note that becomes private
has then nothing to hide here. What an answer said is known only as long as the conversation is open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphrag.answers import questions
from graphrag.answers.follow_up import Rewritten, rewrite_follow_up
from graphrag.answers.list_text import listed_keys
from graphrag.domain.note import Chunk
from graphrag.domain.ontology import NameSpan
from graphrag.domain.query import Answer, Citation, Filters, Route, Why
from graphrag.stores.chat_history import ChatHistory, Turn
from graphrag.understand.filters import read_question
from graphrag.understand.leaning import is_subject
from graphrag.understand.subjects import Before
from graphrag.vault.open_snapshot import OpenSnapshot

if TYPE_CHECKING:
    from graphrag.reasoning.match import NameFinder

_LEANS_ON = 3  # turns
_WIDEST = 200  # passages among which the sources of an answer are looked for


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with how its question was read; `rewritten` is empty for a question that stands by itself."""

    asked: str
    rewritten: str
    filters: Filters
    answer: Answer


class Conversation:
    """A conversation with one vault; it goes on where the last one stopped, until it is forgotten."""

    def __init__(self, opened: OpenSnapshot) -> None:
        self._opened = opened
        self._history = ChatHistory(opened.parts.index_dir, opened.parts.snapshots.prepare)
        self._turns, self.warning = self._history.load()
        self._finder: tuple[int, NameFinder] | None = None  # with the generation whose names it knows
        self.last: Reply | None = None  # of this session

    @property
    def asked(self) -> tuple[str, ...]:
        """The questions so far as they were typed, those of earlier sessions first."""
        return tuple(turn.asked for turn in self._turns)

    def ask(self, text: str, filters: Filters, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer a question, or what it means after those before it, from the newest snapshot.

        `warning` says afterwards why the question could not be written down, when it could not.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: the question or a filter cannot be used.
        """
        if self._opened.has_newer:
            self._opened.close()
        question = read_question(text, filters)
        rewritten = self._rewrite(question.text)
        standing = rewritten.question if rewritten else question.text
        answer = questions.answer(self._opened, standing, question.filters, on_text)
        if rewritten and rewritten.notice and not answer.notice:
            answer = replace(answer, notice=rewritten.notice)
        self.last = Reply(text, rewritten.question if rewritten else "", question.filters, answer)
        own_words = standing if not rewritten or rewritten.is_own_words else question.text
        self._remember(Turn(question.text, own_words, tuple(citation.note for citation in answer.citations)))
        return self.last

    def reasons(self) -> dict[int, Why]:
        """Return why the search finds the sources of the last answer, by key; it does not find facts of the graph."""
        if self.last is None:
            return {}
        answer = self.last.answer
        found: list[tuple[Chunk, Why]] = []
        for text in (answer.question, *answer.sub_questions):
            result = questions.find_passages(self._opened, text, self.last.filters, _WIDEST)
            found += [(item.chunk, item.why) for item in result.candidates]
        reasons = ((citation.key, _first_that_holds(citation, found)) for citation in answer.citations)
        return {key: why for key, why in reasons if why}

    def forget(self) -> None:
        """Begin anew: nothing of what was asked is kept, here or on disk.

        Raises:
            StoreError: the history cannot be deleted.
        """
        self._history.clear()
        self._turns, self.last, self.warning = [], None, ""

    def _rewrite(self, text: str) -> Rewritten | None:
        if not self._turns:
            return None
        return rewrite_follow_up(text, self._before(), self._names, self._opened.parts.chat_model, self._kinds)

    def _remember(self, turn: Turn) -> None:
        self._turns.append(turn)
        self.warning = self._history.add(turn)

    def _before(self) -> list[Before]:
        """Return the last turns, with the titles of their sources as far as those may be named today."""
        turns = self._turns[-_LEANS_ON:]
        before = [Before(turn.question, self._titles(turn.notes)) for turn in turns]
        if self.last is not None:
            answer, keys = self.last.answer, tuple(citation.key for citation in self.last.answer.citations)
            is_own = before[-1].question == answer.question  # that of the history always is
            before[-1] = replace(before[-1], question=answer.question, keys=keys, is_own_words=is_own)
            if all(before[-1].sources):  # else the answer tells of a note that has become private
                named = self._named_only_in(answer.answer, answer.question)
                before[-1] = replace(before[-1], named=named, answer=answer.answer)
            if answer.route is Route.LIST:
                titles = dict(zip(keys, before[-1].sources, strict=True))
                listed = listed_keys(answer.answer)
                before[-1] = replace(before[-1], keys=listed, sources=tuple(titles.get(key, "") for key in listed))
        return before

    def _titles(self, notes: Sequence[str]) -> tuple[str, ...]:
        known, lines = self._opened.readers.manifest.notes, self._opened.lines()
        return tuple(known[path].title if path in known and lines.is_shown(path) else "" for path in notes)

    def _named_only_in(self, answer: str, question: str) -> tuple[str, ...]:
        def ids(text: str) -> dict[str, str]:
            spans = (span for span in self._names(text) if is_subject(span))
            return {meaning.id: span.text for span in spans for meaning in span.meanings}

        in_question = ids(question)
        return tuple(dict.fromkeys(name for id_, name in ids(answer).items() if id_ not in in_question))

    def _kinds(self, name: str) -> frozenset[str]:
        """Return the classes of what a name means; none without an ontology's words in the notes."""
        knowledge = self._opened.knowledge
        if knowledge.is_empty:
            return frozenset()
        spans = [span for span in self._names(name) if span.text == name and is_subject(span)]
        meant = {meaning.id for span in spans for meaning in span.meanings}
        return frozenset(class_ for entity in meant for class_ in knowledge.seeker.classes_of(entity))

    def _names(self, text: str) -> Sequence[NameSpan]:
        """Return the names of notes, topics, tags and terms of the ontology in a text."""
        from graphrag.reasoning.match import NameFinder
        from graphrag.understand.question import with_base_forms

        generation = self._opened.readers.manifest.generation
        if self._finder is None or self._finder[0] != generation:
            knowledge, tags = self._opened.knowledge, self._opened.readers.graph.tags()
            words = {word for tag in tags for word in tag.name.split("/")}
            names = [*knowledge.names, *((word, f"#{word}") for word in words)]
            self._finder = generation, NameFinder(with_base_forms(knowledge.ontology), names)
        return self._finder[1].find(text)


def _first_that_holds(citation: Citation, found: Sequence[tuple[Chunk, Why]]) -> Why | None:
    """Return why the first passage was found that holds the lines of a citation."""
    first, last = citation.lines
    holding = (
        why
        for chunk, why in found
        if chunk.note == citation.note and chunk.span.first_line <= first and last <= chunk.span.last_line
    )
    return next(holding, None)
