"""What an ontology says, and what notes state in its terms.

Entities and terms are plain strings: a note's path, a topic's name, or the IRI of a class, a property or an individual
of the ontology. A note's class is a fact like any other, with `TYPE` as its property.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"

_SEPARATORS = re.compile(r"[\s_\-]+")


def fold_name(name: str) -> str:
    """Return the form in which names are compared: NFKC, case-folded, `_`, `-` and white space as one space."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _SEPARATORS.sub(" ", folded).strip()


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a note or of an ontology file."""

    path: str
    line: int  # 1-based; 0 when it concerns the whole file


class Fact(NamedTuple):
    """What is said of a subject; a tuple, since inference hashes and compares facts by the hundred thousand."""

    subject: str
    property: str  # the IRI of a property of the ontology, TYPE or SAME_AS
    object: str


class Statement(NamedTuple):
    """A fact with the place that says it."""

    fact: Fact
    place: Place


class TermKind(StrEnum):
    """What an IRI of an ontology stands for."""

    CLASS = "class"
    PROPERTY = "property"
    INDIVIDUAL = "individual"


@dataclass(frozen=True, slots=True)
class Label:
    """A name of a term in one language."""

    text: str
    language: str  # as tagged in the file; empty without a tag
    is_preferred: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A class, property or individual with the place where it is first spoken of."""

    iri: str
    kind: TermKind
    labels: tuple[Label, ...]  # a term without any is named by the end of its IRI
    place: Place

    def label(self, language: str) -> str:
        """Return the name to show: the preferred one in this language, else in any, else any name."""

        def rank(label: Label) -> tuple[bool, bool]:
            return not label.is_preferred, label.language.partition("-")[0].lower() != language

        return min(self.labels, key=rank).text


class AxiomKind(StrEnum):
    """The constructs that are understood; the value names the rule in a proof."""

    SUB_CLASS = "subclass"
    EQUIVALENT_CLASS = "equivalent class"
    SUB_PROPERTY = "subproperty"
    EQUIVALENT_PROPERTY = "equivalent property"
    DOMAIN = "domain"
    RANGE = "range"
    INVERSE = "inverse"
    SYMMETRIC = "symmetric"
    TRANSITIVE = "transitive"
    CHAIN = "chain"
    FUNCTIONAL = "functional"
    INVERSE_FUNCTIONAL = "inverse functional"
    ASYMMETRIC = "asymmetric"
    IRREFLEXIVE = "irreflexive"
    DISJOINT_CLASSES = "disjoint classes"
    DISJOINT_PROPERTIES = "disjoint properties"
    SAME_AS = "same as"  # the meaning of SAME_AS itself, which no file has to state


@dataclass(frozen=True, slots=True)
class Axiom:
    """A rule that an ontology states; for CHAIN, `terms` is the implied property and then the chain."""

    kind: AxiomKind
    terms: tuple[str, ...]
    place: Place | None  # None for what holds in every ontology


@dataclass(frozen=True, slots=True, order=True)
class OntologyProblem:
    """Something in an ontology file that is wrong or is not understood."""

    file: str
    line: int  # 1-based
    message: str


@dataclass(frozen=True, slots=True)
class Ontology:
    """All ontology files of a vault, read together."""

    terms: Mapping[str, Term]
    axioms: tuple[Axiom, ...]
    statements: tuple[Statement, ...]  # what the files say of individuals
    names: Mapping[TermKind, Mapping[str, tuple[str, ...]]]  # folded name -> IRIs, a property before its subproperties
    tag_classes: Mapping[str, str]  # folded tag -> class
    folder_classes: Mapping[str, str]  # folder path -> class
    problems: tuple[OntologyProblem, ...]

    def find(self, kind: TermKind, name: str) -> tuple[str, ...]:
        """Return the IRIs that a name may mean; several properties may share one, the most general comes first."""
        return self.names[kind].get(fold_name(name), ())

    def of_kind(self, kind: TermKind) -> Iterator[Term]:
        """Yield the terms of a kind by IRI."""
        return (term for _, term in sorted(self.terms.items()) if term.kind is kind)


class NameKind(StrEnum):
    """What a name found in a text may mean."""

    PROPERTY = "property"
    CLASS = "class"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True, order=True)
class Meaning:
    """One thing that a name means: the IRI of a property or a class, or an entity."""

    kind: NameKind
    id: str


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name found in a text, with all its meanings; a property stands before its subproperties.

    The offsets are those of the text as given.
    """

    start: int
    end: int
    text: str
    meanings: tuple[Meaning, ...]

    def ids(self, kind: NameKind) -> tuple[str, ...]:
        """Return what the name means as a thing of this kind."""
        return tuple(meaning.id for meaning in self.meanings if meaning.kind is kind)


LINKS_TO, LINKED_FROM = "link:to", "link:from"  # stand in the place of a property for links as such


class QueryScope(StrEnum):
    """How far from the entity the question looks along its property."""

    AS_ASKED = "as asked"
    DIRECTLY = "directly"
    ANY_WAY = "any way"


@dataclass(frozen=True, slots=True)
class AskedEnd:
    """One end and a property are given: which are at the other end?"""

    entity: tuple[str, ...]  # what the name may mean
    is_subject: bool  # whether the entity is the subject of the facts
    properties: tuple[str, ...]  # what their name may mean, or LINKS_TO, or LINKED_FROM
    name: str  # of the property, as asked
    is_noun: bool  # whether the property is asked for as something that its subject has
    classes: tuple[str, ...]  # what the answers must be one of; empty when they may be anything
    only_notes: bool
    scope: QueryScope


@dataclass(frozen=True, slots=True)
class AskedFact:
    """Both ends and a property are given: is it so?"""

    subject: tuple[str, ...]
    properties: tuple[str, ...]
    object: tuple[str, ...]
    name: str  # of the property, as asked
    is_noun: bool


@dataclass(frozen=True, slots=True)
class AskedTie:
    """Two ends are given: how are they related?"""

    one: tuple[str, ...]
    other: tuple[str, ...]


Asked = AskedEnd | AskedFact | AskedTie


@dataclass(frozen=True, slots=True)
class Proof:
    """Why an inferred fact holds: an axiom, and the facts that it was applied to.

    Each premise has its own origin in the closure, and is less deep, so that going on from premise to premise ends at
    the places of statements. The axiom's kind names the rule, its place is a line of an ontology file.
    """

    axiom: Axiom
    premises: tuple[Fact, ...]
    depth: int  # 1 when all premises are stated; no other proof of the fact is less deep


def depth_of(origin: Place | Proof) -> int:
    """Return how many steps of inference lie between a fact and what is stated: 0 for what is stated itself."""
    return origin.depth if isinstance(origin, Proof) else 0


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
