"""All facts of a closure -> the sets of facts that an axiom does not allow together. Nothing is taken back for it.

A cycle in an asymmetric relation that is also transitive sets every member against every other. One pair is reported of
each cycle, with a stated fact where there is one: the proof of the other then leads along the cycle.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations

from graphrag.domain.inference import Proof, Violation
from graphrag.domain.ontology import SAME_AS, TYPE, Axiom, AxiomKind, Fact, Ontology, Place
from graphrag.reasoning.facts import FactIndex

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
        cycle, candidate = id(group[facts[0].subject]), (sorted(_depth(origins[fact]) for fact in facts), facts)
        best[cycle] = min(best.get(cycle, candidate), candidate)
    return sorted(facts for _, facts in best.values())


def _depth(origin: Place | Proof) -> int:
    return origin.depth if isinstance(origin, Proof) else 0
