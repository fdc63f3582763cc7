"""What the IRIs of ontology files stand for: declared, or as they are used, and how they are labelled."""

from collections.abc import Iterable

from graphrag.domain.ontology import TYPE, Label, OntologyProblem, Place, Term, TermKind, fold_name
from graphrag.reasoning.blanks import Blanks, Node
from graphrag.reasoning.turtle import Text, Triple
from graphrag.reasoning.vocabulary import (
    ANNOTATION_PROPERTY,
    CHAIN,
    CHARACTERISTICS,
    CONSTRUCTS,
    DECLARATIONS,
    LABELS,
    ONTOLOGY,
    is_reserved,
    local_name,
    short,
)


class Terms:
    """The terms of all files; `problems` collects what is wrong with their use, with its line."""

    def __init__(self, triples: Iterable[Triple], blanks: Blanks) -> None:
        self.problems: list[OntologyProblem] = []
        self.annotations: set[str] = set()
        self.headers: set[str] = set()
        self._blanks = blanks
        self._known: dict[str, tuple[TermKind, Place]] = {}
        self._labels: dict[str, list[tuple[Label, Place]]] = {}
        for triple in triples:
            if isinstance(triple.subject, str):
                self._declare(triple.subject, triple)

    def report(self, place: Place, message: str) -> None:
        """Note a problem."""
        self.problems.append(OntologyProblem(place.path, place.line, message))

    def is_property(self, iri: str) -> bool:
        """Whether an IRI is declared, or was used, as a property."""
        return iri in self._known and self._known[iri][0] is TermKind.PROPERTY

    def use(self, node: Node, kind: TermKind, where: str, place: Place) -> str | None:
        """Return the IRI of a node that has to be of a kind; report a node that cannot be, and give None."""
        if not isinstance(node, str) or is_reserved(node):
            found = self._blanks.describe(node)
            self.report(place, f"{found} is not supported in {where}, which takes a named {kind} here")
            return None
        known = self._known.get(node)
        if known is None:
            self._known[node] = kind, place
            if kind is not TermKind.INDIVIDUAL:
                self.report(place, f"'{short(node)}' is not declared as a {kind}")
        elif known[0] is not kind:
            self.report(place, f"'{short(node)}' is a {known[0]}, not the {kind} that {where} takes here")
            return None
        return node

    def add_label(self, subject: str, triple: Triple) -> None:
        """Keep a label of a term."""
        value = triple.object
        if isinstance(value, Text) and fold_name(value.value):
            label = Label(value.value.strip(), value.language, LABELS[triple.predicate])
            self._labels.setdefault(subject, []).append((label, triple.place))
        else:
            self.report(triple.place, f"{short(triple.predicate)} needs a text that is not empty")

    def labelled(self) -> dict[str, Term]:
        """Return every term with its labels, and report labels of what is no term."""
        for iri, labels in self._labels.items():
            if iri not in self._known and iri not in self.annotations | self.headers:
                self.report(labels[0][1], f"'{short(iri)}' has a label, but nothing says what it is")
        return {iri: self._term(iri, kind, place) for iri, (kind, place) in self._known.items()}

    def _term(self, iri: str, kind: TermKind, place: Place) -> Term:
        labels = tuple(label for label, _ in self._labels.get(iri, ()))
        return Term(iri, kind, labels or (Label(local_name(iri), "", True),), place)

    def _declare(self, subject: str, triple: Triple) -> None:
        """Note what a subject is declared to be, or has to be since an axiom is about it."""
        if triple.predicate == TYPE and triple.object == ANNOTATION_PROPERTY:
            self.annotations.add(subject)
        elif triple.predicate == TYPE and triple.object == ONTOLOGY:
            self.headers.add(subject)
        elif (kind := _declared_kind(triple)) and not is_reserved(subject):
            known, _ = self._known.setdefault(subject, (kind, triple.place))
            if known is not kind:
                self.report(triple.place, f"'{short(subject)}' is a {known}, and cannot be a {kind} too")


def _declared_kind(triple: Triple) -> TermKind | None:
    if triple.predicate == TYPE and isinstance(triple.object, str):
        is_property = triple.object in CHARACTERISTICS
        return TermKind.PROPERTY if is_property else DECLARATIONS.get(triple.object)
    if triple.predicate == CHAIN:
        return TermKind.PROPERTY
    construct = CONSTRUCTS.get(triple.predicate)
    return construct.subject if construct else None
