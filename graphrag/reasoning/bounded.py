"""Inference that stays within bounds: transitivity that leads to too many facts is left out, and said to be.

Facts of a transitive relation grow with the square of the notes that reach each other: a few hundred are no matter,
some thousands are. Nothing false follows without an axiom, only less.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graphrag.domain.inference import Closure
from graphrag.domain.ontology import Axiom, AxiomKind, Ontology, OntologyProblem, Statement
from graphrag.errors import InferenceLimit
from graphrag.reasoning.infer import infer
from graphrag.reasoning.names import ancestors
from graphrag.reasoning.vocabulary import short


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
