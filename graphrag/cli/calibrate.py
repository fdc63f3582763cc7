"""`calibrate`: how sure the search has to be before a question of this vault is answered."""

from typing import Annotated

import typer

from graphrag.cli import options
from graphrag.cli.session import opened

_COUNT, _SEED = 100, 1


def calibrate(
    count: Annotated[
        int, typer.Option("--count", min=10, max=10_000, help="How many notes to ask about, at most.")
    ] = _COUNT,
    seed: Annotated[int, typer.Option("--seed", help="Which notes: another number, other ones.")] = _SEED,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Find out on your notes when not to answer a question.

    Sentences of the notes are asked with the note that holds them, and with it hidden. What is found is kept beside
    the index and used from then on, unless `min_confidence` is set under [search].
    """
    from graphrag.cli.ask import with_index
    from graphrag.cli.progress import shown_progress
    from graphrag.cli.terminal import diagnostics, print_json
    from graphrag.settings import CALIBRATED

    with opened(vault, index_dir) as app:
        with_index(app, app.status)
        with shown_progress(diagnostics()) as progress:
            found = app.calibrate(count, seed, progress)
        is_overruled = app.settings.search.min_confidence != CALIBRATED
    if as_json:
        print_json(found)
    else:
        typer.echo(f"{found.pairs} notes asked about, each with its note and with it hidden.")
        typer.echo(f"with the note     answered {found.answered:.0%} (before: {found.answered_before:.0%})")
        typer.echo(f"with it hidden    refused  {found.refused:.0%} (before: {found.refused_before:.0%})")
        typer.echo(f"Below a confidence of {found.min_confidence:.2f}, a question is not answered.")
    if is_overruled:
        typer.echo("warning: min_confidence under [search] in graphrag.toml is set, and goes before this.", err=True)
