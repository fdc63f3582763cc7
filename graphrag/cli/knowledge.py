"""`explain` and `ontology check`: what the notes say of one fact, and what is to be mended in the ontology."""

from typing import Annotated

import typer

from graphrag.cli import options
from graphrag.cli.options import examples, read_question
from graphrag.cli.session import opened

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
    from graphrag.cli.render_knowledge import render_fact
    from graphrag.cli.terminal import output, print_json
    from graphrag.knowledge_json import fact_json

    text = _joined(fact)
    with opened(vault, index_dir) as app:
        view = app.explain(text)
        print_json(fact_json(view)) if as_json else render_fact(output(), view, text, app.note_url)


@ontology.command(epilog=examples("graphrag ontology check", "graphrag ontology check --vault ~/notes --json"))
def check(
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List what is wrong in the ontology files, and where notes contradict or do not fit them.

    Ends with 1 when a file has a problem or the notes break an axiom; unknown names and unused terms are hints.
    """
    from graphrag.cli.failures import KNOWN_ERROR
    from graphrag.cli.render_knowledge import render_check
    from graphrag.cli.terminal import output, print_json
    from graphrag.knowledge_json import ontology_json

    with opened(vault, index_dir) as app:
        view = app.check_ontology()
        print_json(ontology_json(view)) if as_json else render_check(output(), view, app.note_url)
    if view.is_broken:
        raise typer.Exit(KNOWN_ERROR)


def _joined(words: list[str] | None) -> str:
    """Return the words as one text; a word that holds spaces among others is one name."""
    if words and len(words) > 1:
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return read_question(words)
