"""Prints a fact with its proof as a tree, and the report on an ontology as short lists."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from graphrag.cli.labels import CHINESE, labels_for
from graphrag.cli.terminal import linked, one_line, plain, width_of
from graphrag.cli.wrap import shorten
from graphrag.domain.inference import Conflict, FactStatus, Proof, ProofTree, UnknownName
from graphrag.domain.ontology import Axiom, Place, Term
from graphrag.domain.report import FactView, OntologyView
from graphrag.reasoning.wording import Wording

NoteUrl = Callable[[str, int | None], str]

_STYLES = {
    FactStatus.ASSERTED: "green",
    FactStatus.INFERRED: "green",
    FactStatus.CONTRADICTED: "red",
    FactStatus.UNKNOWN: "yellow",
}
_CHINESE_STATUS = {
    FactStatus.ASSERTED: "笔记里写明",
    FactStatus.INFERRED: "由笔记推出",
    FactStatus.CONTRADICTED: "与笔记矛盾",
    FactStatus.UNKNOWN: "笔记里没有说",
}
_ENGLISH_STATUS = {
    FactStatus.ASSERTED: "stated",
    FactStatus.INFERRED: "inferred",
    FactStatus.CONTRADICTED: "contradicted",
    FactStatus.UNKNOWN: "unknown: the notes do not say",
}
_MOST_QUOTED = 60  # cells of a line's text beside its place


def render_fact(console: Console, view: FactView, text: str, note_url: NoteUrl) -> None:
    """Print the status of a fact, its proof, and what speaks against it."""
    is_chinese = labels_for(text) is CHINESE
    painter = _Painter(view.titles, view.lines, is_chinese, note_url)
    explanation = view.explanation
    status = (_CHINESE_STATUS if is_chinese else _ENGLISH_STATUS)[explanation.status]
    head = Text.assemble((painter.words.phrase(explanation.fact), "bold"), "  ", (status, _STYLES[explanation.status]))
    tree = Tree(head, guide_style="dim")
    if explanation.proof:
        painter.grow(tree, explanation.proof)
    for conflict in explanation.conflicts:
        painter.add_conflict(tree, conflict)
    console.width = width_of(console)  # a pipe gets every line whole
    console.print(tree)


def render_check(console: Console, view: OntologyView, note_url: NoteUrl) -> None:
    """Print each kind of finding under its own head; nothing found is one line."""
    report = view.report
    painter = _Painter(view.titles, view.lines, False, note_url)
    console.width = width_of(console)
    sections: list[tuple[str, Sequence[Text | Tree]]] = [
        ("Problems in ontology files", [Text(plain(f"{p.file}:{p.line}  {p.message}")) for p in report.problems]),
        ("Contradictions", [painter.conflict(item) for item in report.conflicts]),
        ("Relation names that the ontology does not know", [*_unknown(report.unknown_relations, painter)]),
        ("Types that the ontology does not know", [*_unknown(report.unknown_types, painter)]),
        ("Properties of the vault's ontology that no note uses", [*_terms(report.unused_properties)]),
        ("Classes of the vault's ontology without notes", [*_terms(report.empty_classes)]),
    ]
    found = [(head, items) for head, items in sections if items]
    for number, (head, items) in enumerate(found):
        console.print(Text(f"{'' if number == 0 else chr(10)}{head} ({len(items)})", "bold"))
        for item in items:
            console.print(Text.assemble("  ", item) if isinstance(item, Text) else item)
    if not found:
        console.print("Nothing to mend: every name is known, and nothing contradicts the ontology.")


class _Painter:
    """Makes the parts of trees in one language."""

    def __init__(
        self, titles: Mapping[str, str], lines: Mapping[Place, str], is_chinese: bool, note_url: NoteUrl
    ) -> None:
        self.words = Wording(lambda id_: one_line(titles.get(id_, id_)), is_chinese)
        self._lines = lines
        self._is_chinese = is_chinese
        self._note_url = note_url

    def grow(self, tree: Tree, proof: ProofTree) -> None:
        """Hang what a fact follows from below it: the rule, then the premises; or the line that says it."""
        if isinstance(proof.origin, Place):
            tree.add(self._said(proof.origin))
            return
        branch = tree.add(self._rule(proof.origin.axiom))
        for premise in proof.premises:
            self._add_fact(branch, premise)

    def add_conflict(self, tree: Tree, conflict: Conflict) -> None:
        """Hang a conflict below what it is about."""
        branch = tree.add(Text.assemble(("✗ ", "red"), self._rule(conflict.violation.axiom)))
        for proof in conflict.proofs:
            self._add_fact(branch, proof)

    def conflict(self, conflict: Conflict) -> Tree:
        """Return a conflict as a tree of its own."""
        tree = Tree(Text.assemble(("✗ ", "red"), self._rule(conflict.violation.axiom)), guide_style="dim")
        for proof in conflict.proofs:
            self._add_fact(tree, proof)
        return tree

    def place(self, place: Place) -> Text:
        """Return `path:line`, which opens a note where the terminal can."""
        is_note = not place.path.endswith(".ttl")
        return linked(f"{place.path}:{place.line}", self._note_url(place.path, place.line) if is_note else "", "blue")

    def _add_fact(self, tree: Tree, proof: ProofTree) -> None:
        phrase = Text(self.words.phrase(proof.fact))
        if isinstance(proof.origin, Proof):
            self.grow(tree.add(phrase), proof)
        else:
            tree.add(Text.assemble(phrase, "  ", self._said(proof.origin)))

    def _said(self, place: Place) -> Text:
        if not place.path:
            return Text("如果是这样" if self._is_chinese else "if it were so", "dim")
        quote = shorten(plain(self._lines.get(place, "")), _MOST_QUOTED)
        return Text.assemble(self.place(place), (f"  {quote}" if quote else "", "dim"))

    def _rule(self, axiom: Axiom) -> Text:
        because = "因为" if self._is_chinese else "since "
        rule = Text(f"{because}{self.words.rule(axiom)}", "cyan")
        return Text.assemble(rule, "  ", self.place(axiom.place)) if axiom.place else rule


def _unknown(names: Iterable[UnknownName], painter: _Painter) -> Iterable[Text]:
    for name in names:
        advice = f"  did you mean: {', '.join(name.suggestions)}?" if name.suggestions else ""
        uses = f"{name.used.count} ×"
        yield Text.assemble(
            (plain(name.used.name), "bold"), f"  {uses}, first at ", painter.place(name.used.place), (advice, "green")
        )


def _terms(terms: Iterable[Term]) -> Iterable[Text]:
    for term in terms:
        yield Text.assemble((plain(term.label("zh")), "bold"), f"  {plain(f'{term.place.path}:{term.place.line}')}")
