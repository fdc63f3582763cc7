"""Axioms -> rules that take one fact and what is known, and give conclusions with their premises.

The rules are those of OWL 2 RL (W3C, OWL 2 Web Ontology Language Profiles, section 4.3, tables 4, 5 and 7) that make
facts about individuals. The tables' rules about the schema itself are not needed for that: where they would derive a
superclass of a superclass, a fact climbs step by step.

Transitivity is applied to a direct fact, one that does not come from transitivity itself, and any other fact behind it.
This gives the same facts, and proofs that follow a shortest path from link to link; joining any two facts would take
cubic instead of quadratic time where many entities depend on each other in a circle.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, combinations
from typing import NamedTuple

from graphrag.domain.ontology import SAME_AS, TYPE, Axiom, AxiomKind, Fact, Ontology, Place, Proof, Violation, depth_of

_Ends = dict[str, dict[str, list[Fact]]]


class FactIndex:
    """A growing set of facts; each may be added once."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._facts: set[Fact] = set()
        self._by_subject: _Ends = {}
        self._by_object: _Ends = {}
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Add a fact that is not in the index yet."""
        self._facts.add(fact)
        self._by_subject.setdefault(fact.property, {}).setdefault(fact.subject, []).append(fact)
        self._by_object.setdefault(fact.property, {}).setdefault(fact.object, []).append(fact)

    def __contains__(self, fact: Fact) -> bool:
        return fact in self._facts

    def has(self, property_: str) -> bool:
        """Whether there is any fact of a property."""
        return property_ in self._by_subject

    def from_subject(self, property_: str, subject: str) -> list[Fact]:
        """Return the facts that say this property of a subject."""
        return self._by_subject.get(property_, {}).get(subject, [])

    def to_object(self, property_: str, object_: str) -> list[Fact]:
        """Return the facts that have an object for this property."""
        return self._by_object.get(property_, {}).get(object_, [])

    def by_subject(self, property_: str) -> Iterable[list[Fact]]:
        """Return the facts of a property, those of one subject together."""
        return self._by_subject.get(property_, {}).values()

    def by_object(self, property_: str) -> Iterable[list[Fact]]:
        """Return the facts of a property, those with one object together."""
        return self._by_object.get(property_, {}).values()

    def with_subject(self, entity: str) -> Iterator[Fact]:
        """Yield the facts about an entity, whatever their property."""
        for facts in self._by_subject.values():
            yield from facts.get(entity, ())

    def with_object(self, entity: str) -> Iterator[Fact]:
        """Yield the facts that an entity is the object of, whatever their property."""
        for facts in self._by_object.values():
            yield from facts.get(entity, ())


_Origins = Mapping[Fact, Place | Proof]
_Conflict = tuple[Fact, ...]


def find_violations(ontology: Ontology, known: FactIndex, origins: _Origins) -> tuple[Violation, ...]:
    """Return what breaks an axiom, in the order of the axioms and then of the facts."""
    violations = []
    for axiom in ontology.axioms:
        conflicts = sorted({tuple(sorted(set(facts))) for facts in _conflicts(axiom, known, origins)})
        if axiom.kind is AxiomKind.ASYMMETRIC:
            conflicts = _one_of_each_cycle(conflicts, origins)
        violations += [Violation(axiom, facts) for facts in conflicts]
    return tuple(violations)


def _conflicts(axiom: Axiom, known: FactIndex, origins: _Origins) -> Iterator[_Conflict]:
    match axiom.kind, axiom.terms:
        case AxiomKind.DISJOINT_CLASSES, classes:
            for one, other in combinations(classes, 2):
                yield from _both(((fact, fact._replace(object=other)) for fact in known.to_object(TYPE, one)), origins)
        case AxiomKind.DISJOINT_PROPERTIES, properties:
            for one, other in combinations(properties, 2):
                yield from _both(((fact, fact._replace(property=other)) for fact in _all(known, one)), origins)
        case AxiomKind.ASYMMETRIC, (property_,):
            yield from _both(((fact, _turned(fact)) for fact in _all(known, property_)), origins)
        case AxiomKind.IRREFLEXIVE, (property_,):
            yield from ((fact,) for fact in _all(known, property_) if fact == _turned(fact))
        case AxiomKind.FUNCTIONAL, (property_,):
            for facts in known.by_subject(property_):
                yield from _differing(facts, [fact.object for fact in facts], origins)
        case AxiomKind.INVERSE_FUNCTIONAL, (property_,):
            for facts in known.by_object(property_):
                yield from _differing(facts, [fact.subject for fact in facts], origins)


def _all(known: FactIndex, property_: str) -> Iterable[Fact]:
    return chain.from_iterable(known.by_subject(property_))


def _turned(fact: Fact) -> Fact:
    return Fact(fact.object, fact.property, fact.subject)


def _both(pairs: Iterable[tuple[Fact, Fact]], origins: _Origins) -> Iterator[_Conflict]:
    """Yield the pairs whose second fact is known too."""
    return (pair for pair in pairs if pair[1] in origins)


def _differing(facts: list[Fact], values: list[str], origins: _Origins) -> Iterator[_Conflict]:
    """Yield all the facts unless their values are known to be the same."""
    if any(value != values[0] and Fact(values[0], SAME_AS, value) not in origins for value in values):
        yield tuple(facts)


def _one_of_each_cycle(conflicts: list[_Conflict], origins: _Origins) -> list[_Conflict]:
    """Return of the conflicts that share entities, directly or through others, the one with the least deep fact."""
    group: dict[str, set[str]] = {}
    for facts in conflicts:
        one, other = (group.get(entity, {entity}) for entity in (facts[0].subject, facts[0].object))
        if one is not other:
            joined = one | other
            group.update(dict.fromkeys(joined, joined))
    best: dict[int, tuple[list[int], _Conflict]] = {}
    for facts in conflicts:
        cycle, candidate = id(group[facts[0].subject]), (sorted(depth_of(origins[fact]) for fact in facts), facts)
        best[cycle] = min(best.get(cycle, candidate), candidate)
    return sorted(facts for _, facts in best.values())


Conclusion = tuple[Fact, Axiom, tuple[Fact, ...]]

_SAME = Axiom(AxiomKind.SAME_AS, (), None)


class _Step(NamedTuple):
    """A rule with one premise."""

    conclude: Callable[[Fact, str], Fact]
    target: str
    axiom: Axiom


class _Join(NamedTuple):
    """A rule over a chain of facts, seen from one link of the chain."""

    before: tuple[str, ...]  # properties from the fact's subject back to the start of the chain
    after: tuple[str, ...]
    target: str
    axiom: Axiom


def _with_property(fact: Fact, property_: str) -> Fact:
    return Fact(fact.subject, property_, fact.object)


def _reversed(fact: Fact, property_: str) -> Fact:
    return Fact(fact.object, property_, fact.subject)


def _subject_type(fact: Fact, class_: str) -> Fact:
    return Fact(fact.subject, TYPE, class_)


def _object_type(fact: Fact, class_: str) -> Fact:
    return Fact(fact.object, TYPE, class_)


class RuleSet:
    """The rules of an ontology, found by the class or the property of the fact that sets them off."""

    def __init__(self, ontology: Ontology) -> None:
        self._steps: dict[str, list[_Step]] = {}
        self._joins: dict[str, list[_Join]] = {}
        self._transitive: dict[str, Axiom] = {}
        self._add_step(SAME_AS, _reversed, SAME_AS, _SAME)
        self._add_chain((SAME_AS, SAME_AS), SAME_AS, _SAME)
        for axiom in ontology.axioms:
            self._add(axiom)

    def conclusions(self, fact: Fact, known: FactIndex, direct: FactIndex) -> Iterator[Conclusion]:
        """Yield what follows from a fact, alone or together with known ones; the fact itself must be known.

        `direct` are the known facts for which `is_direct` holds.
        """
        is_type = fact.property == TYPE
        for step in self._steps.get(fact.object if is_type else fact.property, ()):
            yield step.conclude(fact, step.target), step.axiom, (fact,)
        for join in self._joins.get(fact.property, ()):
            for path in _paths(fact, join, known):
                yield Fact(path[0].subject, join.target, path[-1].object), join.axiom, path
        if axiom := self._transitive.get(fact.property):
            for first, second in _links(fact, known, direct):
                yield Fact(first.subject, fact.property, second.object), axiom, (first, second)
        if known.has(SAME_AS):
            yield from _replacements(fact, known)

    def is_direct(self, fact: Fact, origin: Place | Proof) -> bool:
        """Whether a fact of a transitive property holds otherwise than by transitivity."""
        is_far = isinstance(origin, Proof) and origin.axiom.kind is AxiomKind.TRANSITIVE
        return not is_far and fact.property in self._transitive

    def _add(self, axiom: Axiom) -> None:
        match axiom.kind, axiom.terms:
            case AxiomKind.SUB_CLASS, (low, high):
                self._add_step(low, _subject_type, high, axiom)
            case AxiomKind.SUB_PROPERTY, (low, high):
                self._add_step(low, _with_property, high, axiom)
            case AxiomKind.EQUIVALENT_CLASS, (one, other):
                self._add_step(one, _subject_type, other, axiom)
                self._add_step(other, _subject_type, one, axiom)
            case AxiomKind.EQUIVALENT_PROPERTY, (one, other):
                self._add_step(one, _with_property, other, axiom)
                self._add_step(other, _with_property, one, axiom)
            case AxiomKind.DOMAIN, (property_, class_):
                self._add_step(property_, _subject_type, class_, axiom)
            case AxiomKind.RANGE, (property_, class_):
                self._add_step(property_, _object_type, class_, axiom)
            case AxiomKind.INVERSE, (one, other):
                self._add_step(one, _reversed, other, axiom)
                self._add_step(other, _reversed, one, axiom)
            case AxiomKind.SYMMETRIC, (property_,):
                self._add_step(property_, _reversed, property_, axiom)
            case AxiomKind.TRANSITIVE, (property_,):
                self._transitive[property_] = axiom
            case AxiomKind.CHAIN, (target, *chain):
                self._add_chain(tuple(chain), target, axiom)

    def _add_step(self, trigger: str, conclude: Callable[[Fact, str], Fact], target: str, axiom: Axiom) -> None:
        self._steps.setdefault(trigger, []).append(_Step(conclude, target, axiom))

    def _add_chain(self, chain: tuple[str, ...], target: str, axiom: Axiom) -> None:
        for place, link in enumerate(chain):
            join = _Join(chain[:place][::-1], chain[place + 1 :], target, axiom)
            self._joins.setdefault(link, []).append(join)


def _links(fact: Fact, known: FactIndex, direct: FactIndex) -> Iterator[tuple[Fact, Fact]]:
    """Yield this fact with a direct one before it, and, where it is direct, with any behind it."""
    yield from ((first, fact) for first in direct.to_object(fact.property, fact.subject))
    if fact in direct:
        yield from ((fact, second) for second in known.from_subject(fact.property, fact.object))


def _paths(fact: Fact, join: _Join, known: FactIndex) -> list[tuple[Fact, ...]]:
    """Return every chain of known facts that has this fact at the join's link."""
    paths: list[tuple[Fact, ...]] = [(fact,)]
    for property_ in join.after:
        paths = [(*path, link) for path in paths for link in known.from_subject(property_, path[-1].object)]
    for property_ in join.before:
        paths = [(link, *path) for path in paths for link in known.to_object(property_, path[0].subject)]
    return paths


def _replacements(fact: Fact, known: FactIndex) -> Iterator[Conclusion]:
    """Yield copies of facts with one end replaced by what is the same; the object of a type is a class and stays."""
    if fact.property == SAME_AS:
        for other in known.with_subject(fact.subject):
            if other.property != SAME_AS:
                yield Fact(fact.object, other.property, other.object), _SAME, (fact, other)
        for other in known.with_object(fact.subject):
            if other.property not in (SAME_AS, TYPE):
                yield Fact(other.subject, other.property, fact.object), _SAME, (fact, other)
        return
    for same in known.from_subject(SAME_AS, fact.subject):
        yield Fact(same.object, fact.property, fact.object), _SAME, (same, fact)
    if fact.property != TYPE:
        for same in known.from_subject(SAME_AS, fact.object):
            yield Fact(fact.subject, fact.property, same.object), _SAME, (same, fact)
