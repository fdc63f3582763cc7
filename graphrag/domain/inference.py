"""What follows from statements under an ontology, and what can be said about it: proofs, violations, reports."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from graphrag.domain.ontology import Axiom, Fact, OntologyProblem, Place, Term


@dataclass(frozen=True, slots=True)
class Proof:
    """Why an inferred fact holds: an axiom, and the facts that it was applied to.

    Each premise has its own origin in the closure, and is less deep, so that going on from premise to premise ends at
    the places of statements. The axiom's kind names the rule, its place is a line of an ontology file.
    """

    axiom: Axiom
    premises: tuple[Fact, ...]
    depth: int  # 1 when all premises are stated; no other proof of the fact is less deep


@dataclass(frozen=True, slots=True)
class Violation:
    """Facts that an axiom does not allow together."""

    axiom: Axiom
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """Everything stated and inferred, in the order of the facts: each with its place, or with one proof."""

    origins: Mapping[Fact, Place | Proof]
    violations: tuple[Violation, ...]


class FactStatus(StrEnum):
    """How the notes stand to a fact."""

    ASSERTED = "asserted"
    INFERRED = "inferred"
    CONTRADICTED = "contradicted"  # it would break an axiom, given what is known
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ProofTree:
    """A fact with its origin, and a tree for each premise; a leaf is a statement and its origin a place."""

    fact: Fact
    origin: Place | Proof
    premises: tuple["ProofTree", ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A violation with the proofs of its facts; a leaf whose place has no path is the fact that is being tried out."""

    violation: Violation
    proofs: tuple[ProofTree, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What can be said about a fact: `proof` when it holds, `conflicts` with the facts that speak against it."""

    fact: Fact
    status: FactStatus
    proof: ProofTree | None
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class UsedName:
    """A relation name, or a value of `type`, as notes write it."""

    name: str
    count: int
    place: Place  # the first use


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A used name that nothing in the ontology answers to, with the similar names that it has."""

    used: UsedName
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OntologyReport:
    """What is to be mended in an ontology, or in the notes that use it."""

    problems: tuple[OntologyProblem, ...]
    conflicts: tuple[Conflict, ...]
    unknown_relations: tuple[UnknownName, ...]
    unknown_types: tuple[UnknownName, ...]
    unused_properties: tuple[Term, ...]
    empty_classes: tuple[Term, ...]
