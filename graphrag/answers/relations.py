"""A question along relations -> an answer read from the graph; each fact cites the lines that it rests on.

There is no answer, and the question is left to the search, when a word is not understood or the notes state nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from graphrag.answers.answerer import OnText
from graphrag.answers.citations import day_of, newest_first
from graphrag.domain.graph import Relation
from graphrag.domain.ontology import (
    LINKED_FROM,
    LINKS_TO,
    TYPE,
    Asked,
    AskedEnd,
    AskedFact,
    AskedTie,
    Fact,
    NameKind,
    NameSpan,
    Place,
    Violation,
)
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Citation,
    ConflictSide,
    Reference,
    Route,
    SourceConflict,
    Trace,
    committed_version,
    note_url,
)
from graphrag.errors import InferenceLimit
from graphrag.language.interface import Language
from graphrag.language.markdown import disarm
from graphrag.reasoning.wording import Wording
from graphrag.retrieve.pipeline import StageClock
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.understand.plan import QueryPlan
from graphrag.understand.relation import has_cue, read_questions
from graphrag.vault.knowledge import Knowledge

if TYPE_CHECKING:
    from graphrag.vault.cited_lines import NoteLine, NoteLines

GRAPH = "graph"  # stands in the place of a model that wrote the answer
_UNSTATED = "No note states this relation by a link or a property, so the text was searched."
_MOST_SHOWN = 50
_MOST_HOPS = 4  # of a path between two entities: a longer one says nothing about them


class RelationAnswerer:
    """Answers one question from the graph."""

    def __init__(
        self,
        knowledge: Knowledge,
        readers: SnapshotReaders,
        open_lines: "Callable[[], NoteLines]",
        vault_name: str,
        language: "Callable[[str], Language]",
    ) -> None:
        """`language` tells in which one to answer a question, of which the names are left out."""
        self._knowledge = knowledge
        self._readers = readers
        self._open_lines = open_lines
        self._vault_name = vault_name
        self._language = language
        self.notice = ""  # why the last question along relations, if it was one, got no answer

    def answer(self, plan: QueryPlan, clock: StageClock, on_text: OnText | None) -> Answer | None:
        """Return the answer; None when the question is not one along relations, or nothing is stated about it."""
        self.notice = ""
        with clock.stage("relation"):
            try:
                reply = self._reply(plan.question.text)
            except InferenceLimit as limit:
                reply, self.notice = None, str(limit)
        if reply is None:
            return None
        with clock.stage("cite"):
            conflicts = reply.conflicts()  # whose lines are cited, too
            citations = tuple(self._citation(key, line) for key, line in enumerate(reply.lines, 1))
        return Answer(
            question=plan.question.asked,
            route=Route.RELATION,
            status=AnswerStatus.ANSWERED,
            answer=reply.text,
            model=GRAPH,
            citations=citations,
            snapshot=self._readers.reference(),
            conflict=bool(reply.disputed),
            trace=Trace(dict(clock.milliseconds)),
            conflicts=conflicts,
        )

    def _reply(self, text: str) -> "_Reply | None":
        if not self._may_be_relation(text):
            return None
        if not self._knowledge.names_entity(text):  # most questions end here, before an ontology is read
            return None
        names = self._knowledge.find_names(text)
        if not any(span.ids(NameKind.ENTITY) for span in names):
            return None
        language = self._language(_without_names(text, names))
        is_read = False
        for asked in read_questions(text, names):
            reply = _Reply(self._knowledge, self._readers, self._open_lines(), language)
            if reply.take(asked):
                return reply
            is_read |= not isinstance(asked, AskedTie)
        if is_read:
            self.notice = language.say(_UNSTATED)
        return None

    def _may_be_relation(self, text: str) -> bool:
        return has_cue(text) or any(relation.name in text for relation in self._knowledge.relations)

    def _citation(self, key: int, line: "NoteLine") -> Citation:
        path, number = line.place.path, line.place.line
        is_note = path in self._readers.manifest.notes
        changed = self._readers.line_date(path, number, number) if is_note else None
        reference = Reference(path, (number, number), committed_version(self._readers.reference()))
        return Citation(
            key=key,
            note=path,
            title=line.title,
            heading=line.heading,
            lines=(number, number),
            commit=self._readers.manifest.commit if is_note else "",
            changed=changed.isoformat() if changed else "",
            url=note_url(self._vault_name, path, line.heading[-1] if line.heading else "") if is_note else "",
            quote=line.text,
            ref=str(reference) if is_note else "",
            origin=self._readers.manifest.notes[path].origin if is_note else "",
        )


class _Reply:
    """The text of an answer, and the lines that its marks stand for."""

    def __init__(self, knowledge: Knowledge, readers: SnapshotReaders, lines: "NoteLines", language: Language) -> None:
        self._knowledge = knowledge
        self._readers = readers
        self._graph = readers.graph
        self._notes = readers.manifest.notes
        self._source = lines
        self._language = language
        self._words = Wording(self._title, language)
        self._keys: dict[Place, int] = {}
        self.lines: list[NoteLine] = []
        self.text = ""
        self.disputed: list[Violation] = []

    def take(self, asked: Asked) -> bool:
        """Answer what is asked; return whether there is anything to say."""
        if isinstance(asked, AskedTie):
            return self._say_facts(self._facts_between(asked), self._words.arrow) or self._say_path(asked)
        if isinstance(asked, AskedFact):
            return self._say_facts(
                self._knowledge.seeker.fact(asked),
                lambda fact: self._language.say("Yes: {fact}", fact=self._sentence(fact, asked)),
            )
        if asked.properties[0] in (LINKS_TO, LINKED_FROM):
            return self._say_links(asked)
        facts = self._only_notes(self._knowledge.seeker.at_end(asked), asked)
        return self._say_facts(facts, lambda fact: self._sentence(fact, asked))

    def _facts_between(self, asked: AskedTie) -> list[Fact]:
        return [] if self._knowledge.is_empty else self._knowledge.seeker.between(asked)

    def _only_notes(self, facts: Sequence[Fact], asked: AskedEnd) -> list[Fact]:
        ends = ((fact, fact.object if asked.is_subject else fact.subject) for fact in facts)
        return [fact for fact, end in ends if not asked.only_notes or end in self._notes]

    def _sentence(self, fact: Fact, asked: AskedEnd | AskedFact) -> str:
        if fact.property not in asked.properties:  # a wider one, directly or not
            return self._words.sentence(fact)
        if asked.is_noun:
            return self._words.sentence(fact, noun=asked.name)
        return self._words.sentence(fact, verb=asked.name)

    def _say_facts(self, facts: Sequence[Fact], write: Callable[[Fact], str]) -> bool:
        shown = [fact for fact in facts if self._may_show(fact)]
        self.disputed = self._knowledge.seeker.violations(shown) if shown else []
        return self._say([write(fact) + self._grounds(fact) for fact in shown[:_MOST_SHOWN]], len(shown))

    def conflicts(self) -> tuple[SourceConflict, ...]:
        """Return what cannot be true together, as far as it may be shown; the lines of every side are cited."""
        shown = [(item.axiom, [fact for fact in item.facts if self._may_show(fact)]) for item in self.disputed]
        told = [(self._words.rule(axiom), [self._side(fact) for fact in facts]) for axiom, facts in shown]
        return tuple(newest_first(rule, sides) for rule, sides in told if len(sides) > 1)

    def _side(self, fact: Fact) -> ConflictSide:
        places = self._knowledge.seeker.places(fact)
        self._marks(places)
        key = next((self._keys[place] for place in places if place in self._keys), 0)
        days = [day_of(self._readers, place.path, (place.line,) * 2) for place in places if place.path in self._notes]
        return ConflictSide(self._words.phrase(fact), key, max(days, default=""))

    def _grounds(self, fact: Fact) -> str:
        """Return the end of a sentence: the mark of the line that says the fact, or what it follows from."""
        seeker = self._knowledge.seeker
        if seeker.is_restated(fact):
            return self._language.say(" {marks}.", marks=self._marks(seeker.places(fact)))
        grounds = [f"{self._words.quoted(leaf)}{self._marks([place])}" for leaf, place in seeker.grounds(fact)]
        joint = "、" if self._language.is_chinese else " and "
        return self._language.say(", which follows from {grounds}.", grounds=joint.join(grounds))

    def _say_links(self, asked: AskedEnd) -> bool:
        """List what links to an entity, or what it links to, each with the first line that says it."""
        if len(asked.entity) != 1:
            return False
        is_outgoing = (asked.properties[0] == LINKS_TO) == asked.is_subject
        first: dict[str, Relation] = {}
        for relation in self._graph.relations(asked.entity):
            given, other = (relation.source, relation.target)[:: 1 if is_outgoing else -1]
            if given == asked.entity[0] and self._is_wanted(other, asked) and self._may_show_link(relation):
                first.setdefault(other, relation)
        listed = sorted(first.items(), key=lambda item: (self._title(item[0]), item[0]))
        lines = [f"{self._title(end)} {self._marks([_place(relation)])}" for end, relation in listed]
        return self._say(lines[:_MOST_SHOWN], len(lines), self._links_head(asked.entity[0], len(lines), is_outgoing))

    def _is_wanted(self, entity: str, asked: AskedEnd) -> bool:
        if asked.only_notes and entity not in self._notes:
            return False
        types = (Fact(entity, TYPE, class_) for class_ in asked.classes)
        return not asked.classes or any(fact in self._knowledge.closure.origins for fact in types)

    def _links_head(self, entity: str, count: int, is_outgoing: bool) -> str:
        head = '"{title}" links to {count}:' if is_outgoing else 'Notes that link to "{title}": {count}'
        return self._language.say(head, title=self._title(entity), count=count)

    def _say_path(self, asked: AskedTie) -> bool:
        """Tell a shortest chain of links, and that it is no more than that."""
        if len(asked.one) != 1 or len(asked.other) != 1:
            return False
        path = self._graph.path(asked.one[0], asked.other[0], _MOST_HOPS) or []
        if not all(map(self._may_show_link, path)):
            return False
        head = self._language.say("The notes state no relation between the two; a path of links connects them:")
        return self._say([self._step(relation) for relation in path], len(path), head)

    def _step(self, relation: Relation) -> str:
        name = disarm(relation.name) or self._language.say("link")
        ends = f"{self._title(relation.source)} —{name}→ {self._title(relation.target)}"
        return f"{ends} {self._marks([_place(relation)])}"

    def _say(self, lines: Sequence[str], count: int, head: str = "") -> bool:
        """Set the text: one sentence, or a list that tells how many there are."""
        if count > 1 and not head:
            head = self._language.say("{count} found:", count=count)
        more = self._language.say("and {count} more", count=count - len(lines))
        listed = [*(f"- {line}" for line in lines), *([f"- {more}"] if count > len(lines) else ())]
        self.text = "\n".join([head, *listed]) if head else "".join(lines)
        return bool(lines)

    def _marks(self, places: Iterable[Place]) -> str:
        marks = []
        for place in places:
            if place not in self._keys and (line := self._source.find(place)):
                self.lines.append(line)
                self._keys[place] = len(self.lines)
            marks.append(f"[{self._keys[place]}]")
        return "".join(marks)

    def _may_show(self, fact: Fact) -> bool:
        """Whether the vault still holds every line that a fact rests on, and the notes that it names."""
        is_held = all(self._source.find(place) for place in self._knowledge.seeker.places(fact))
        return is_held and all(self._may_name(end) for end in (fact.subject, fact.object))

    def _may_show_link(self, relation: Relation) -> bool:
        return self._source.find(_place(relation)) is not None and self._may_name(relation.target)

    def _may_name(self, entity: str) -> bool:
        return entity not in self._notes or self._source.is_shown(entity)

    def _title(self, entity: str) -> str:
        return disarm(self._knowledge.title(entity, self._language))


def _without_names(text: str, names: Iterable[NameSpan]) -> str:
    """Return what is left of a question without the names of entities, which may be in another language."""
    for span in reversed([span for span in names if span.ids(NameKind.ENTITY)]):
        text = f"{text[: span.start]} {text[span.end :]}"
    return text


def _place(relation: Relation) -> Place:
    return Place(relation.note, relation.line)
