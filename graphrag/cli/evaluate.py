"""`eval`: how good the search is on questions with known answers, as a table or as a report to keep."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag.cli import options
from graphrag.cli.failures import UsageError
from graphrag.cli.session import opened

_ALL = ("full_text", "vectors", "fused", "hops", "walk")

Mode = Annotated[
    Literal["settings", "full_text", "vectors", "fused", "hops", "walk", "all"],
    typer.Option("--mode", help="Which parts of the search to measure; settings is what ask uses."),
]


def eval_(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="Questions, one JSON object a line.")],
    mode: Mode = "settings",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Keep the JSON report in this file.")
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Measure the search on questions with known answers.

    A case names the notes that a good search returns. Ranks count notes, at the place of their first passage.
    """
    from graphrag.cli.jsonable import dump
    from graphrag.cli.render_evaluation import render_evaluation, shown_cases, warnings_of
    from graphrag.cli.terminal import diagnostics, output
    from graphrag.evaluate.cases import read_cases
    from graphrag.evaluate.report import report_shape
    from graphrag.retrieve.modes import SearchMode

    # A long run must not be lost to a misspelt folder.
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"--out: there is no folder '{out.parent}'. Make it first, or name another.")
    questions = read_cases(cases)
    modes = [SearchMode(name) for name in (_ALL if mode == "all" else (mode,))]
    with opened(vault, index_dir) as app, shown_cases(diagnostics()) as progress:
        evaluation = app.evaluate(questions, modes, progress)
    report = dump(report_shape(str(cases), evaluation))
    if out is not None:
        out.write_text(report + "\n", encoding="utf-8")
    for line in warnings_of(evaluation):
        typer.echo(f"warning: {line}", err=True)
    typer.echo(report) if as_json else render_evaluation(output(), evaluation)
