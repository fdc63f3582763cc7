"""A fact -> how the notes stand to it, with the proof of what holds and of what speaks against it."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from graphrag.domain.ontology import (
    TYPE,
    Closure,
    Conflict,
    Explanation,
    Fact,
    FactStatus,
    Ontology,
    OntologyReport,
    Place,
    Proof,
    ProofTree,
    Statement,
    TermKind,
    UnknownName,
    UsedName,
    Violation,
    depth_of,
    fold_name,
)
from graphrag.reasoning.infer import infer

_SUPPOSED = Place("", 0)  # where a fact comes from that is only tried out


def explain(fact: Fact, ontology: Ontology, statements: Iterable[Statement], closure: Closure) -> Explanation:
    """Return the status of a fact; `closure` is what follows from the statements.

    A fact that holds comes with the violations that it is part of. One that does not is tried out: where it would
    break an axiom it is contradicted, and the conflicts show what stands against it. Everything else is unknown.
    """
    if origin := closure.origins.get(fact):
        status = FactStatus.ASSERTED if isinstance(origin, Place) else FactStatus.INFERRED
        conflicts = conflicts_of(closure, (item for item in closure.violations if fact in item.facts))
        return Explanation(fact, status, prove(closure, [fact])[fact], conflicts)
    supposed = infer(ontology, [*statements, Statement(fact, _SUPPOSED)])
    known = {(item.axiom.kind, item.facts) for item in closure.violations}
    broken = (item for item in supposed.violations if (item.axiom.kind, item.facts) not in known)
    conflicts = conflicts_of(supposed, (item for item in broken if _rests_on(supposed, item, fact)))
    return Explanation(fact, FactStatus.CONTRADICTED if conflicts else FactStatus.UNKNOWN, None, conflicts)


def conflicts_of(closure: Closure, violations: Iterable[Violation]) -> tuple[Conflict, ...]:
    """Return violations with the proofs of their facts."""
    found = list(violations)
    trees = prove(closure, [fact for violation in found for fact in violation.facts])
    return tuple(Conflict(item, tuple(trees[fact] for fact in item.facts)) for item in found)


def prove(closure: Closure, facts: Iterable[Fact]) -> Mapping[Fact, ProofTree]:
    """Return the proof trees of facts of the closure, and of all that they rest on; equal branches are shared."""
    trees: dict[Fact, ProofTree] = {}
    for fact in sorted(_support(closure, facts), key=lambda fact: depth_of(closure.origins[fact])):
        origin = closure.origins[fact]
        premises = origin.premises if isinstance(origin, Proof) else ()
        trees[fact] = ProofTree(fact, origin, tuple(trees[premise] for premise in premises))
    return trees


def nodes_of(tree: ProofTree) -> Iterator[ProofTree]:
    """Yield every node of a proof, each fact once, in the order in which a reader meets them."""
    seen: set[Fact] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.fact not in seen:
            seen.add(node.fact)
            yield node
            waiting += reversed(node.premises)


def places_of(tree: ProofTree) -> tuple[Place, ...]:
    """Return the lines that a proof rests on, each once, in the order of the tree's leaves."""
    return tuple(dict.fromkeys(node.origin for node in nodes_of(tree) if isinstance(node.origin, Place)))


def _support(closure: Closure, facts: Iterable[Fact]) -> set[Fact]:
    found = set(facts)
    waiting = list(found)
    while waiting:
        origin = closure.origins[waiting.pop()]
        new = set(origin.premises) - found if isinstance(origin, Proof) else set()
        found |= new
        waiting += new
    return found


def _rests_on(closure: Closure, violation: Violation, fact: Fact) -> bool:
    return fact in _support(closure, violation.facts)


_SUGGESTIONS = 3
_SHORT = 3  # characters; one wrong of two is still similar in a short name
_SIMILAR_SHORT, _SIMILAR = 0.5, 0.7


def check_ontology(
    ontology: Ontology, closure: Closure, relations: Iterable[UsedName], types: Iterable[UsedName]
) -> OntologyReport:
    """Return all that is to be mended; `relations` and `types` are the names that notes use.

    A property is unused, and a class empty, when not even an inferred fact has it.
    """
    used = {fact.property for fact in closure.origins}
    filled = {fact.object for fact in closure.origins if fact.property == TYPE}
    return OntologyReport(
        problems=ontology.problems,
        conflicts=conflicts_of(closure, closure.violations),
        unknown_relations=_unknown(ontology, TermKind.PROPERTY, relations),
        unknown_types=_unknown(ontology, TermKind.CLASS, types),
        unused_properties=tuple(term for term in ontology.of_kind(TermKind.PROPERTY) if term.iri not in used),
        empty_classes=tuple(term for term in ontology.of_kind(TermKind.CLASS) if term.iri not in filled),
    )


def similar_labels(ontology: Ontology, kind: TermKind, name: str) -> tuple[str, ...]:
    """Return the labels of a kind that look like a name, the most similar first."""
    labels = {fold_name(label.text): label.text for term in ontology.of_kind(kind) for label in term.labels}
    folded = fold_name(name)
    cutoff = _SIMILAR_SHORT if len(folded) <= _SHORT else _SIMILAR
    return tuple(labels[match] for match in get_close_matches(folded, labels, n=_SUGGESTIONS, cutoff=cutoff))


def _unknown(ontology: Ontology, kind: TermKind, names: Iterable[UsedName]) -> tuple[UnknownName, ...]:
    """Return the names that nothing answers to, the most used first."""
    unknown = [used for used in names if not ontology.find(kind, used.name)]
    unknown.sort(key=lambda used: (-used.count, used.name))
    return tuple(UnknownName(used, similar_labels(ontology, kind, used.name)) for used in unknown)
