"""Turtle files -> one `Ontology`: terms with labels, axioms with lines, statements about individuals.

Whatever is not understood is reported with its line and left out. A term that no file declares is reported too, but
taken as what it is used as, so that a slip does not make the rest of the axiom vanish. Nothing is inferred here.
"""

from collections.abc import Iterable, Iterator, Mapping

from graphrag.domain.ontology import (
    SAME_AS,
    TYPE,
    Axiom,
    AxiomKind,
    Fact,
    Label,
    Ontology,
    OntologyProblem,
    Place,
    Statement,
    Term,
    TermKind,
    fold_name,
)
from graphrag.reasoning.name_finder import index_names
from graphrag.reasoning.turtle import Blank, Text, Triple, read_triples
from graphrag.reasoning.vocabulary import (
    ANNOTATION_PROPERTY,
    CHAIN,
    CHARACTERISTICS,
    CONSTRUCTS,
    DECLARATIONS,
    FIRST,
    FOLDER,
    GROUPS,
    IMPORTS,
    LABELS,
    MEMBERS,
    NIL,
    ONTOLOGY,
    REST,
    TAG,
    THING,
    is_annotation,
    is_reserved,
    local_name,
    short,
)

Node = str | Blank | Text


class Blanks:
    """Finds what stands in lists and what nothing with a name refers to."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples: dict[Blank, list[Triple]] = {}
        roots: list[Blank] = []
        for triple in triples:
            if isinstance(triple.subject, Blank):
                self._triples.setdefault(triple.subject, []).append(triple)
            elif isinstance(triple.object, Blank):
                roots.append(triple.object)
        self._groups = [blank for blank in self._triples if self._value(blank, TYPE) in GROUPS]
        self._referred = self._reachable([*roots, *self._groups])

    def groups(self) -> Iterator[tuple[str, Triple, list[Node] | None]]:
        """Yield each `owl:AllDisjoint…` with its first triple and its members, None where they are no proper list."""
        for blank in self._groups:
            members = self._value(blank, MEMBERS)
            yield str(self._value(blank, TYPE)), self._triples[blank][0], self.items(members)

    def orphans(self) -> Iterator[Triple]:
        """Yield the first triple of each node that no named term refers to, which thus has no other place to report."""
        return (triples[0] for blank, triples in self._triples.items() if blank not in self._referred)

    def items(self, head: Node | None) -> list[Node] | None:
        """Return the items of a list; None when it is none, has no end, or a cell of it is broken."""
        items: list[Node] = []
        seen: set[Node] = set()
        while head != NIL:
            if not isinstance(head, Blank) or head in seen:
                return None
            seen.add(head)
            first = self._value(head, FIRST)
            if first is None:
                return None
            items.append(first)
            head = self._value(head, REST)
        return items

    def describe(self, node: Node) -> str:
        """Return what a node is, for a message."""
        if isinstance(node, str):
            return short(node)
        if isinstance(node, Text):
            return f"the text '{node.value}'"
        named = next((triple for triple in self._triples.get(node, ()) if triple.predicate != TYPE), None)
        kind = self._value(node, TYPE)
        return short(kind) if isinstance(kind, str) else f"[ {short(named.predicate)} … ]" if named else "[ ]"

    def _value(self, blank: Blank, predicate: str) -> Node | None:
        """Return the only object of a predicate; None when there is none, or are several."""
        values = {triple.object for triple in self._triples.get(blank, ()) if triple.predicate == predicate}
        return values.pop() if len(values) == 1 else None

    def _reachable(self, roots: list[Blank]) -> set[Blank]:
        found, waiting = set(roots), list(roots)
        while waiting:
            for triple in self._triples.get(waiting.pop(), ()):
                if isinstance(triple.object, Blank) and triple.object not in found:
                    found.add(triple.object)
                    waiting.append(triple.object)
        return found


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
