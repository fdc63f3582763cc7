"""`explain` and `ontology check`: what the notes say of one fact, and what is to be mended in the ontology."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from graphrag.cli import options
from graphrag.cli.options import examples, read_question
from graphrag.cli.session import opened
from graphrag.cli.terminal import linked, one_line, plain, shorten, width_of
from graphrag.cli.words import say, spoken, tell
from graphrag.domain.ontology import (
    Axiom,
    Conflict,
    FactStatus,
    OntologyProblem,
    Place,
    Proof,
    ProofTree,
    Term,
    UnknownName,
)
from graphrag.domain.report import FactView, OntologyView
from graphrag.reasoning.wording import Wording

NoteUrl = Callable[[str, int | None], str]

_STYLES = {
    FactStatus.ASSERTED: "green",
    FactStatus.INFERRED: "green",
    FactStatus.CONTRADICTED: "red",
    FactStatus.UNKNOWN: "yellow",
}
_STATUS = {
    FactStatus.ASSERTED: "stated",
    FactStatus.INFERRED: "inferred",
    FactStatus.CONTRADICTED: "contradicted",
    FactStatus.UNKNOWN: "unknown: the notes do not say",
}
_MOST_QUOTED = 60  # cells of a line's text beside its place


def render_fact(console: Console, view: FactView, note_url: NoteUrl) -> None:
    """Print the status of a fact, its proof, and what speaks against it."""
    painter = _Painter(view.titles, view.lines, note_url)
    explanation = view.explanation
    status = say(_STATUS[explanation.status])
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
    painter = _Painter(view.titles, view.lines, note_url)
    console.width = width_of(console)
    sections: list[tuple[str, Sequence[Text | Tree]]] = [
        (
            say("Problems in ontology files"),
            [*map(_problem, report.problems)],
        ),
        (say("Contradictions"), [painter.conflict(item) for item in report.conflicts]),
        (say("Relation names that the ontology does not know"), [*_unknown(report.unknown_relations, painter)]),
        (say("Types that the ontology does not know"), [*_unknown(report.unknown_types, painter)]),
        (say("Properties of the vault's ontology that no note uses"), [*_terms(report.unused_properties)]),
        (say("Classes of the vault's ontology without notes"), [*_terms(report.empty_classes)]),
    ]
    found = [(head, items) for head, items in sections if items]
    for number, (head, items) in enumerate(found):
        console.print(Text(f"{'' if number == 0 else chr(10)}{head} ({len(items)})", "bold"))
        for item in items:
            console.print(Text.assemble("  ", item) if isinstance(item, Text) else item)
    if not found:
        console.print(say("Nothing to mend: every name is known, and nothing contradicts the ontology."))


class _Painter:
    """Makes the parts of trees in one language."""

    def __init__(self, titles: Mapping[str, str], lines: Mapping[Place, str], note_url: NoteUrl) -> None:
        self.words = Wording(lambda id_: one_line(titles.get(id_, id_)), spoken())
        self._lines = lines
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
            return Text(say("if it were so"), "dim")
        quote = shorten(plain(self._lines.get(place, "")), _MOST_QUOTED)
        return Text.assemble(self.place(place), (f"  {quote}" if quote else "", "dim"))

    def _rule(self, axiom: Axiom) -> Text:
        rule = Text(say("since {rule}", rule=self.words.rule(axiom)), "cyan")
        return Text.assemble(rule, "  ", self.place(axiom.place)) if axiom.place else rule


def _problem(problem: OntologyProblem) -> Text:
    return Text(plain(f"{problem.file}:{problem.line}  {tell(problem.message)}"))


def _unknown(names: Iterable[UnknownName], painter: _Painter) -> Iterable[Text]:
    for name in names:
        advice = (
            say("  did you mean: {suggestions}?", suggestions=", ".join(name.suggestions)) if name.suggestions else ""
        )
        uses = f"{name.used.count} ×"
        yield Text.assemble(
            (plain(name.used.name), "bold"),
            say("  {uses}, first at ", uses=uses),
            painter.place(name.used.place),
            (advice, "green"),
        )


def _terms(terms: Iterable[Term]) -> Iterable[Text]:
    for term in terms:
        yield Text.assemble((plain(term.label(spoken())), "bold"), f"  {plain(f'{term.place.path}:{term.place.line}')}")


FactWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FACT", help="Subject, relation and object: `A R B`, or `A --R--> B`; - reads it from stdin."
    ),
]

ontology = typer.Typer(
    name="ontology",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look after the ontology behind the relations.",
)


def explain(
    fact: FactWords = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Say how the notes stand to a fact, with the proof.

    It is stated, inferred, contradicted or unknown. The proof goes down to the lines of the notes, and names the line
    of the rule for each step.
    """
    from graphrag.cli.terminal import output, print_json
    from graphrag.shapes import fact_json

    text = _joined(fact)
    with opened(vault, index_dir) as app:
        view = app.explain(text)
        print_json(fact_json(view)) if as_json else render_fact(output(), view, app.note_url)


@ontology.command(epilog=examples("graphrag ontology check", "graphrag ontology check --vault ~/notes --json"))
def check(
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List what is wrong in the ontology files, and where notes contradict or do not fit them.

    Ends with 1 when a file has a problem or the notes break an axiom; unknown names and unused terms are hints.
    """
    from graphrag.cli.session import KNOWN_ERROR
    from graphrag.cli.terminal import output, print_json
    from graphrag.shapes import ontology_json

    with opened(vault, index_dir) as app:
        view = app.check_ontology(spoken())
        print_json(ontology_json(view)) if as_json else render_check(output(), view, app.note_url)
    if view.is_broken:
        raise typer.Exit(KNOWN_ERROR)


def _joined(words: list[str] | None) -> str:
    """Return the words as one text; a word that holds spaces among others is one name."""
    if words and len(words) > 1:
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return read_question(words)
