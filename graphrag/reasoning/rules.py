"""Axioms -> rules that take one fact and what is known, and give conclusions with their premises.

The rules are those of OWL 2 RL (W3C, OWL 2 Web Ontology Language Profiles, section 4.3, tables 4, 5 and 7) that make
facts about individuals. The tables' rules about the schema itself are not needed for that: where they would derive a
superclass of a superclass, a fact climbs step by step.

Transitivity is applied to a direct fact, one that does not come from transitivity itself, and any other fact behind it.
This gives the same facts, and proofs that follow a shortest path from link to link; joining any two facts would take
cubic instead of quadratic time where many entities depend on each other in a circle.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from graphrag.domain.inference import Proof
from graphrag.domain.ontology import SAME_AS, TYPE, Axiom, AxiomKind, Fact, Ontology, Place
from graphrag.reasoning.facts import FactIndex

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
