"""Turtle files -> one `Ontology`: terms with labels, axioms with lines, statements about individuals.

Whatever is not understood is reported with its line and left out. A term that no file declares is reported too, but
taken as what it is used as, so that a slip does not make the rest of the axiom vanish. Nothing is inferred here.
"""

from collections.abc import Iterable, Mapping

from graphrag.domain.ontology import (
    SAME_AS,
    TYPE,
    Axiom,
    AxiomKind,
    Fact,
    Ontology,
    OntologyProblem,
    Place,
    Statement,
    TermKind,
    fold_name,
)
from graphrag.reasoning.blanks import Blanks, Node
from graphrag.reasoning.names import index_names
from graphrag.reasoning.terms import Terms
from graphrag.reasoning.turtle import Text, Triple, read_triples
from graphrag.reasoning.vocabulary import (
    ANNOTATION_PROPERTY,
    CHAIN,
    CHARACTERISTICS,
    CONSTRUCTS,
    DECLARATIONS,
    FOLDER,
    GROUPS,
    IMPORTS,
    LABELS,
    ONTOLOGY,
    TAG,
    THING,
    is_annotation,
    is_reserved,
    short,
)

_SILENT_TYPES = {*DECLARATIONS, ANNOTATION_PROPERTY, ONTOLOGY, THING}
_TRUE_OF_THING = {AxiomKind.SUB_CLASS, AxiomKind.DOMAIN, AxiomKind.RANGE}


def read_ontology(files: Mapping[str, str]) -> Ontology:
    """Return what Turtle files say together; keys are the names that places show, earlier files go first."""
    triples: list[Triple] = []
    problems: list[OntologyProblem] = []
    for file, text in files.items():
        found, faults = read_triples(file, text)
        triples += found
        problems += faults
    reader = _Reader(triples)
    axioms = _distinct(reader.axioms)
    terms = reader.terms.labelled()
    names, collisions = index_names(terms.values(), axioms)
    return Ontology(
        terms=terms,
        axioms=axioms,
        statements=tuple(reader.statements),
        names=names,
        tag_classes=reader.marks[TAG],
        folder_classes=reader.marks[FOLDER],
        problems=tuple(sorted({*problems, *reader.terms.problems, *collisions})),
    )


def _distinct(axioms: Iterable[Axiom]) -> tuple[Axiom, ...]:
    first: dict[tuple[AxiomKind, tuple[str, ...]], Axiom] = {}
    for axiom in axioms:
        first.setdefault((axiom.kind, axiom.terms), axiom)
    return tuple(first.values())


class _Reader:
    """Takes triples in their order; the tables of the vocabulary say what a predicate means."""

    def __init__(self, triples: list[Triple]) -> None:
        self._blanks = Blanks(triples)
        self.terms = Terms(triples, self._blanks)
        self.axioms: list[Axiom] = []
        self.statements: list[Statement] = []
        self.marks: dict[str, dict[str, str]] = {TAG: {}, FOLDER: {}}
        for triple in triples:
            if isinstance(triple.subject, str):
                self._read(triple.subject, triple)
        for word, triple, members in self._blanks.groups():
            self._read_group(word, triple.place, members)
        for triple in self._blanks.orphans():
            kind = self._blanks.describe(triple.subject)
            self.terms.report(triple.place, f"{kind} without a name is not supported here")

    def _read(self, subject: str, triple: Triple) -> None:
        predicate = triple.predicate
        if predicate in LABELS:
            self.terms.add_label(subject, triple)
        elif predicate == TYPE:
            self._read_type(subject, triple)
        elif predicate in CONSTRUCTS:
            self._read_axiom(subject, triple)
        elif predicate == CHAIN:
            self._read_chain(subject, triple)
        elif predicate in self.marks:
            self._read_mark(subject, triple)
        elif predicate == SAME_AS or self.terms.is_property(predicate):
            self._add_statement(subject, predicate, triple.object, triple.place)
        elif not self._is_comment(subject, predicate):
            why = "is not supported" if is_reserved(predicate) else "is not declared as a property"
            self.terms.report(triple.place, f"'{short(predicate)}' {why}")

    def _is_comment(self, subject: str, predicate: str) -> bool:
        in_header = subject in self.terms.headers and predicate != IMPORTS
        return in_header or is_annotation(predicate) or predicate in self.terms.annotations

    def _read_type(self, subject: str, triple: Triple) -> None:
        if triple.object in _SILENT_TYPES:
            return
        if isinstance(triple.object, str) and (kind := CHARACTERISTICS.get(triple.object)):
            self._add_axiom(kind, TermKind.PROPERTY, [subject], short(triple.object), triple.place)
        elif class_ := self.terms.use(triple.object, TermKind.CLASS, "rdf:type", triple.place):
            self._add_statement(subject, TYPE, class_, triple.place)

    def _read_axiom(self, subject: str, triple: Triple) -> None:
        construct, word = CONSTRUCTS[triple.predicate], short(triple.predicate)
        if triple.object == THING and construct.axiom in _TRUE_OF_THING:
            return
        left = self.terms.use(subject, construct.subject, word, triple.place)
        right = self.terms.use(triple.object, construct.object, word, triple.place)
        if left and right:
            self.axioms.append(Axiom(construct.axiom, (left, right), triple.place))

    def _read_chain(self, subject: str, triple: Triple) -> None:
        items = self._blanks.items(triple.object)
        if items is None or len(items) < 2:
            self.terms.report(triple.place, f"{short(CHAIN)} needs a list of two or more properties")
        else:
            nodes = [subject, *items]
            self._add_axiom(AxiomKind.CHAIN, TermKind.PROPERTY, nodes, short(CHAIN), triple.place)

    def _read_group(self, word: str, place: Place, members: list[Node] | None) -> None:
        kind, operands = GROUPS[word]
        if members is None or len(members) < 2:
            self.terms.report(place, f"{short(word)} needs owl:members with a list of two or more")
        else:
            self._add_axiom(kind, operands, members, short(word), place)

    def _add_axiom(self, axiom: AxiomKind, kind: TermKind, nodes: list[Node], word: str, place: Place) -> None:
        used = [self.terms.use(node, kind, word, place) for node in nodes]
        terms = tuple(term for term in used if term)
        if len(terms) == len(nodes):
            self.axioms.append(Axiom(axiom, terms, place))

    def _read_mark(self, subject: str, triple: Triple) -> None:
        if not isinstance(triple.object, Text):
            self.terms.report(triple.place, f"{short(triple.predicate)} needs a text")
        elif class_ := self.terms.use(subject, TermKind.CLASS, short(triple.predicate), triple.place):
            self.marks[triple.predicate].setdefault(fold_name(triple.object.value.strip("#/ ")), class_)

    def _add_statement(self, subject: str, predicate: str, node: Node, place: Place) -> None:
        word = short(predicate)
        left = self.terms.use(subject, TermKind.INDIVIDUAL, word, place)
        right = node if predicate == TYPE else self.terms.use(node, TermKind.INDIVIDUAL, word, place)
        if left and isinstance(right, str):
            self.statements.append(Statement(Fact(left, predicate, right), place))
