"""A fact -> how the notes stand to it, with the proof of what holds and of what speaks against it."""

from collections.abc import Iterable, Iterator, Mapping

from graphrag.domain.inference import Closure, Conflict, Explanation, FactStatus, Proof, ProofTree, Violation
from graphrag.domain.ontology import Fact, Ontology, Place, Statement
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
    for fact in sorted(_support(closure, facts), key=lambda fact: _depth(closure.origins[fact])):
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


def _depth(origin: Place | Proof) -> int:
    return origin.depth if isinstance(origin, Proof) else 0
