"""Labels -> the terms that they name, and a warning where nothing tells two terms of one name apart.

Properties may share a label when their domains and ranges differ, or one is a subproperty of the other: `属于` joins
any part with its whole, and a module with its system. Whoever looks a name up gets the more general one first, and
chooses by the classes of what is joined.
"""

from collections.abc import Iterable, Mapping, Sequence

from graphrag.domain.ontology import Axiom, AxiomKind, Ontology, OntologyProblem, Term, TermKind, fold_name
from graphrag.reasoning.vocabulary import short

_UPWARDS = {AxiomKind.SUB_CLASS, AxiomKind.SUB_PROPERTY, AxiomKind.EQUIVALENT_CLASS, AxiomKind.EQUIVALENT_PROPERTY}
_BOTH_WAYS = {AxiomKind.EQUIVALENT_CLASS, AxiomKind.EQUIVALENT_PROPERTY}

Names = dict[TermKind, dict[str, tuple[str, ...]]]


def index_names(terms: Iterable[Term], axioms: Sequence[Axiom]) -> tuple[Names, list[OntologyProblem]]:
    """Return the terms of each folded name, by kind and the most general first, and the names that are ambiguous."""
    above, typing = ancestors(axioms), _typing(axioms)
    names: Names = {kind: {} for kind in TermKind}
    problems = []
    for term in terms:
        for name in dict.fromkeys(fold_name(label.text) for label in term.labels):
            known = names[term.kind].get(name, ())
            for other in known:
                if not _is_kin(other, term.iri, above) and typing.get(other) == typing.get(term.iri):
                    message = f"'{name}' already names the {term.kind} '{short(other)}', and '{short(term.iri)}' too"
                    problems.append(OntologyProblem(term.place.path, term.place.line, message))
            names[term.kind][name] = tuple(sorted((*known, term.iri), key=lambda iri: len(above.get(iri, ()))))
    return names, problems


def general_first(ontology: Ontology) -> list[Term]:
    """Return all terms, each before those below it."""
    above = ancestors(ontology.axioms)
    return sorted(ontology.terms.values(), key=lambda term: (len(above.get(term.iri, ())), term.iri))


def ancestors(axioms: Iterable[Axiom]) -> dict[str, set[str]]:
    """Return for each class and property what is above it, equivalent terms included, itself not."""
    parents: dict[str, set[str]] = {}
    for axiom in axioms:
        if axiom.kind in _UPWARDS:
            parents.setdefault(axiom.terms[0], set()).add(axiom.terms[1])
        if axiom.kind in _BOTH_WAYS:
            parents.setdefault(axiom.terms[1], set()).add(axiom.terms[0])
    return {iri: _above(iri, parents) for iri in parents}


def _above(iri: str, parents: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [iri]
    while waiting:
        new = parents.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found - {iri}


def _is_kin(one: str, other: str, above: Mapping[str, set[str]]) -> bool:
    return one in above.get(other, ()) or other in above.get(one, ())


def _typing(axioms: Iterable[Axiom]) -> dict[str, set[tuple[AxiomKind, str]]]:
    """Return the domains and ranges of each property that has any."""
    typing: dict[str, set[tuple[AxiomKind, str]]] = {}
    for axiom in axioms:
        if axiom.kind in (AxiomKind.DOMAIN, AxiomKind.RANGE):
            typing.setdefault(axiom.terms[0], set()).add((axiom.kind, axiom.terms[1]))
    return typing
