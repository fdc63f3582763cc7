"""Statements -> everything that follows from them under an ontology, with one proof for each inferred fact.

Semi-naive forward chaining in rounds (Abiteboul, Hull, Vianu, Foundations of Databases, section 13.1): a round applies
the rules to the facts that the round before found, joined with all that is known. A fact is thus found in the round
that is its least depth; of its proofs of that depth the first in sort order is kept, so that the result depends on
nothing but the set of statements. There are finitely many facts over the given entities and terms, so it ends.

Names of different entities mean different things, unless SAME_AS says otherwise: two values of a functional property
are a violation, where plain OWL would conclude that both are the same.
"""

import gc
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain

from graphrag.domain.ontology import (
    SAME_AS,
    Axiom,
    AxiomKind,
    Closure,
    Fact,
    Ontology,
    OntologyProblem,
    Place,
    Proof,
    Statement,
)
from graphrag.errors import InferenceLimit
from graphrag.reasoning.name_finder import ancestors
from graphrag.reasoning.rules import Conclusion, FactIndex, RuleSet, find_violations
from graphrag.reasoning.vocabulary import short

_Reason = tuple[AxiomKind, tuple[Fact, ...], Axiom]


def infer(ontology: Ontology, statements: Iterable[Statement], most: float = math.inf) -> Closure:
    """Return what notes and the ontology state about individuals, what follows, and what must not hold together.

    A fact that is stated several times keeps the first of its places in sort order.

    Raises:
        InferenceLimit: there are more facts than `most`.
    """
    with _collector_paused():
        origins, known = _close(RuleSet(ontology), _stated([*ontology.statements, *statements]), most)
        ordered = {fact: origins[fact] for fact in sorted(origins)}
        return Closure(ordered, find_violations(ontology, known, ordered))


def _close(rules: RuleSet, stated: Mapping[Fact, Place], most: float) -> tuple[dict[Fact, Place | Proof], FactIndex]:
    """Return the stated and the inferred facts with their origins, and an index of them."""
    origins: dict[Fact, Place | Proof] = dict(stated)
    known, direct = FactIndex(), FactIndex()
    newest, depth = list(origins), 0
    while newest:
        depth += 1
        for fact in newest:
            known.add(fact)
            if rules.is_direct(fact, origins[fact]):
                direct.add(fact)
        reasons = _reasons((rules.conclusions(fact, known, direct) for fact in newest), origins)
        for fact, (_, premises, axiom) in reasons.items():
            origins[fact] = Proof(axiom, premises, depth)
        newest = list(reasons)
        if len(origins) > most:
            raise _limit(origins)
    return origins, known


def _limit(origins: Iterable[Fact]) -> InferenceLimit:
    """Return the failure that names the relation with most facts."""
    property_, count = Counter(fact.property for fact in origins).most_common(1)[0]
    name = short(property_)
    return InferenceLimit(f"more follows from the notes than can be kept: {count:,} facts of '{name}' alone", property_)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the search for reference cycles: facts and proofs make none, and it takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _stated(statements: Iterable[Statement]) -> dict[Fact, Place]:
    places: dict[Fact, Place] = {}
    for fact, place in statements:
        places[fact] = min(places.get(fact, place), place)
    return places


def _reasons(found: Iterable[Iterable[Conclusion]], origins: Mapping[Fact, Place | Proof]) -> dict[Fact, _Reason]:
    """Return the facts that one round finds, each with its first reason."""
    reasons: dict[Fact, _Reason] = {}
    for fact, axiom, premises in chain.from_iterable(found):
        if fact in origins or (fact.property == SAME_AS and fact.subject == fact.object):
            continue
        best = reasons.get(fact)
        if best is None or (axiom.kind, premises) < best[:2]:
            reasons[fact] = (axiom.kind, premises, axiom)
    return reasons


@dataclass(frozen=True, slots=True)
class Bounded:
    """A closure, and what it lacks."""

    closure: Closure
    ontology: Ontology  # without what was left out
    incomplete: frozenset[str]  # properties of which facts may be missing
    problems: tuple[OntologyProblem, ...]  # an axiom each that was left out


def infer_within(ontology: Ontology, statements: Sequence[Statement], most: int) -> Bounded:
    """Return what follows, without the transitivity of relations that lead to more facts than `most`.

    Raises:
        InferenceLimit: it is too much without them, too.
    """
    left_out: list[Axiom] = []
    while True:
        kept = replace(ontology, axioms=tuple(axiom for axiom in ontology.axioms if axiom not in left_out))
        try:
            closure = infer(kept, statements, most)
        except InferenceLimit as limit:
            behind = _behind(kept, limit.property)
            if not behind:
                raise
            left_out += behind
        else:
            lacking = _affected(ontology, {axiom.terms[0] for axiom in left_out})
            return Bounded(closure, kept, lacking, tuple(_problem(axiom, most) for axiom in left_out))


def _behind(ontology: Ontology, property_: str) -> list[Axiom]:
    """Return the transitivity that may have led to the facts of a property."""
    transitive = (axiom for axiom in ontology.axioms if axiom.kind is AxiomKind.TRANSITIVE)
    return [axiom for axiom in transitive if property_ in _affected(ontology, {axiom.terms[0]})]


def _affected(ontology: Ontology, properties: Iterable[str]) -> frozenset[str]:
    """Return the properties themselves, those above them, and the inverses of all these."""
    above = ancestors(ontology.axioms)
    found = {*properties}
    found |= {high for property_ in found for high in above.get(property_, ())}
    for axiom in ontology.axioms:
        if axiom.kind is AxiomKind.INVERSE and found & {*axiom.terms}:
            found |= {*axiom.terms}
    return frozenset(found)


def _problem(axiom: Axiom, most: int) -> OntologyProblem:
    file, line = (axiom.place.path, axiom.place.line) if axiom.place else ("", 1)
    message = f"'{short(axiom.terms[0])}' is not followed from link to link: that leads to more than {most:,} facts"
    return OntologyProblem(file, line, message)
