"""What a question asks for -> the facts of a closure that answer it, exactly; none where nothing is said."""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from graphrag.domain.ontology import (
    SAME_AS,
    TYPE,
    AskedEnd,
    AskedFact,
    AskedTie,
    AxiomKind,
    Closure,
    Fact,
    Ontology,
    Place,
    Proof,
    ProofTree,
    QueryScope,
    Violation,
)
from graphrag.errors import InferenceLimit
from graphrag.reasoning.explanation import nodes_of, places_of, prove
from graphrag.reasoning.name_finder import ancestors
from graphrag.reasoning.rules import FactIndex
from graphrag.reasoning.vocabulary import short

# Rules that say a fact again in other words: what they rest on is one line that says it.
RESTATING = frozenset(
    {
        AxiomKind.INVERSE,
        AxiomKind.SYMMETRIC,
        AxiomKind.SUB_PROPERTY,
        AxiomKind.EQUIVALENT_PROPERTY,
        AxiomKind.SUB_CLASS,
        AxiomKind.EQUIVALENT_CLASS,
    }
)
_FAR = frozenset({AxiomKind.TRANSITIVE, AxiomKind.CHAIN})


class FactSeeker:
    """Answers from one closure; of the properties `incomplete` facts may be missing in it."""

    def __init__(self, ontology: Ontology, closure: Closure, incomplete: Collection[str] = ()) -> None:
        self._closure = closure
        self._incomplete = frozenset(incomplete)
        self._facts = FactIndex(closure.origins)
        self._above = ancestors(ontology.axioms)
        self._transitive = {axiom.terms[0] for axiom in ontology.axioms if axiom.kind is AxiomKind.TRANSITIVE}

    def at_end(self, asked: AskedEnd) -> list[Fact]:
        """Return a fact for each answer, ordered by its other end; none when they are about several entities.

        Raises:
            InferenceLimit: some of them may be missing.
        """
        properties = self._in_scope(asked)
        if lacking := self._incomplete & {*properties}:
            name = short(min(lacking))
            raise InferenceLimit(f"'{name}' joins too many notes to tell all of it: graphrag ontology check", name)
        found = [fact for property_ in properties for fact in self._from(asked, property_)]
        kept = [fact for fact in found if self._is_wanted(fact, asked)]
        if len({_given(fact, asked) for fact in kept}) != 1:
            return []
        best: dict[str, Fact] = {}
        for fact in sorted(kept, key=self._plainness):
            best.setdefault(_answer(fact, asked), fact)
        return [best[answer] for answer in sorted(best)]

    def fact(self, asked: AskedFact) -> list[Fact]:
        """Return the plainest fact that says what is asked, if any does."""
        found = (
            Fact(subject, property_, object_)
            for subject in asked.subject
            for property_ in asked.properties
            for object_ in asked.object
        )
        return sorted((fact for fact in found if fact in self._facts), key=self._plainness)[:1]

    def between(self, asked: AskedTie) -> list[Fact]:
        """Return the facts that join two entities; of those that rest on the same lines the plainest."""
        ends = [(one, other) for one in asked.one for other in asked.other if one != other]
        found = (fact for one, other in ends for fact in (*self._joining(one, other), *self._joining(other, one)))
        return [*self._distinct(found)]

    def inferred_around(self, entity: str) -> Iterator[Fact]:
        """Yield the facts about an entity that no single line says, the nearest first, one by one."""
        around = chain(self._facts.with_subject(entity), self._facts.with_object(entity))
        facts = [fact for fact in around if fact.property not in (TYPE, SAME_AS) and fact.subject != fact.object]
        return (fact for fact in self._distinct(facts) if not self.is_restated(fact))

    def classes_of(self, entity: str) -> frozenset[str]:
        """Return the classes of an entity, stated or inferred."""
        return frozenset(fact.object for fact in self._facts.from_subject(TYPE, entity))

    def proof(self, fact: Fact) -> ProofTree:
        """Return the proof of a fact of the closure."""
        return prove(self._closure, [fact])[fact]

    def places(self, fact: Fact) -> tuple[Place, ...]:
        """Return the lines that a fact rests on."""
        origin = self._closure.origins[fact]
        return (origin,) if isinstance(origin, Place) else places_of(self.proof(fact))

    def grounds(self, fact: Fact) -> list[tuple[Fact, Place]]:
        """Return the statements that a fact rests on, in the order of its proof."""
        nodes = ((node.fact, node.origin) for node in nodes_of(self.proof(fact)))
        return [(stated, origin) for stated, origin in nodes if isinstance(origin, Place)]

    def is_restated(self, fact: Fact) -> bool:
        """Whether one line says a fact, maybe in other words."""
        return all(axiom in RESTATING for axiom in self._rules(fact))

    def violations(self, facts: Iterable[Fact]) -> list[Violation]:
        """Return the violations that any of the facts, or what it rests on, is part of."""
        if not self._closure.violations:
            return []
        rested = {node.fact for fact in facts for node in nodes_of(self.proof(fact))}
        return [violation for violation in self._closure.violations if not rested.isdisjoint(violation.facts)]

    def _distinct(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Yield the facts, of those between the same two that rest on the same lines only the plainest."""
        seen: set[tuple[frozenset[str], frozenset[Place]]] = set()
        for fact in sorted(facts, key=self._plainness):
            reason = frozenset(fact[::2]), frozenset(self.places(fact))
            if reason not in seen:
                seen.add(reason)
                yield fact

    def _in_scope(self, asked: AskedEnd) -> tuple[str, ...]:
        if asked.scope is not QueryScope.ANY_WAY:
            return asked.properties
        wider = {above for iri in asked.properties for above in self._above.get(iri, ()) if above in self._transitive}
        return (*asked.properties, *sorted(wider))

    def _from(self, asked: AskedEnd, property_: str) -> Iterator[Fact]:
        for entity in asked.entity:
            found = self._facts.from_subject if asked.is_subject else self._facts.to_object
            yield from (fact for fact in found(property_, entity) if fact.subject != fact.object)

    def _is_wanted(self, fact: Fact, asked: AskedEnd) -> bool:
        answer = _answer(fact, asked)
        is_of_class = not asked.classes or any(Fact(answer, TYPE, class_) in self._facts for class_ in asked.classes)
        return is_of_class and not (asked.scope is QueryScope.DIRECTLY and _FAR & {*self._rules(fact)})

    def _joining(self, one: str, other: str) -> Iterator[Fact]:
        return (fact for fact in self._facts.with_subject(one) if fact.object == other and fact.property != TYPE)

    def _rules(self, fact: Fact) -> list[AxiomKind]:
        nodes = nodes_of(self.proof(fact))
        return [node.origin.axiom.kind for node in nodes if isinstance(node.origin, Proof)]

    def _plainness(self, fact: Fact) -> tuple[int, Fact]:
        origin = self._closure.origins[fact]
        return (origin.depth if isinstance(origin, Proof) else 0), fact


def _answer(fact: Fact, asked: AskedEnd) -> str:
    return fact.object if asked.is_subject else fact.subject


def _given(fact: Fact, asked: AskedEnd) -> str:
    return fact.subject if asked.is_subject else fact.object
