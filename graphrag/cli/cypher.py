"""`cypher`: the rows of a query on the graph, as a table, JSON or CSV."""

import csv
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.cli.options import check_one_format
from graphrag.cli.session import UsageError, opened
from graphrag.cli.words import say

if TYPE_CHECKING:
    from rich.console import Console

    from graphrag.domain.graph import GraphTable

_GAP = 2
_NO_QUERY = 'the query is empty. Write it after the command, as in: graphrag cypher "MATCH (n) RETURN n.title"'
_NARROWEST = 6  # cells of a column


def cypher(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A Cypher query that reads; - reads it from stdin.")],
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="Value of $NAME: JSON, else text; repeatable."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, metavar="N", help="How many rows.")] = 100,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.001, max=120, metavar="S", help="Seconds that the query may take.")
    ] = 10.0,
    at: options.At = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Run a Cypher query on the graph of notes, topics and tags.

    The graph is only read. docs/graph.md shows its schema, with examples.
    """
    from graphrag.cli.ask import choose_snapshot
    from graphrag.cli.terminal import output, print_json
    from graphrag.domain.graph import GraphQuery

    check_one_format(json=as_json, csv=as_csv)
    statement, parameters = options.read_question([query], _NO_QUERY), dict(map(_parameter, param or ()))
    with opened(vault, index_dir) as app:
        choose_snapshot(app, at, fresh=False)
        table = app.cypher(GraphQuery(statement, parameters, limit, timeout))
    if as_json:
        print_json(table_json(table))
        return
    _print_csv(table) if as_csv else render_table(output(), table)
    typer.echo(_summary(table, limit), err=True)


def table_json(table: "GraphTable") -> dict[str, object]:
    """Return the shape of `cypher --json`: of columns that are called the same, the last is in a row."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {"columns": table.columns, "rows": rows, "is_cut": table.is_cut}


def render_table(console: "Console", table: "GraphTable") -> None:
    """Print aligned columns on a terminal, cut to its width; for a pipe, whole values with tabs between them."""
    from rich.text import Text

    from graphrag.cli.terminal import one_line, print_table, shorten, table_of

    names = [one_line(name) for name in table.columns]
    rows = [[one_line(cell_text(value)) for value in row] for row in table.rows]
    if not console.is_terminal:
        for row in (names, *rows):
            typer.echo("\t".join(row))  # the console would turn tabs into spaces
        return
    widths = _column_widths([names, *rows], console.width)
    drawn = table_of(*(shorten(name, width) for name, width in zip(names, widths, strict=True)), gap=_GAP)
    for row in rows:
        drawn.add_row(*(Text(shorten(cell, width)) for cell, width in zip(row, widths, strict=True)))
    print_table(console, drawn)


def cell_text(value: object) -> str:
    """Return a value as one text: what is no text as JSON, a missing one as nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _column_widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the cells of each column: as many as it needs where all fit, else the widest ones give way."""
    from rich.cells import cell_len

    needed = [max(map(cell_len, column), default=0) for column in zip(*rows, strict=True)]
    room = width - _GAP * len(needed)
    widest = max(needed, default=0)
    while widest > _NARROWEST and sum(min(need, widest) for need in needed) > room:
        widest -= 1
    return [min(need, widest) for need in needed]


def _print_csv(table: "GraphTable") -> None:
    from graphrag.cli.terminal import plain

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(plain, table.columns))
    writer.writerows([plain(cell_text(value)) for value in row] for row in table.rows)


def _summary(table: "GraphTable", limit: int) -> str:
    rows = say("{n} row|{n} rows", n=len(table.rows))
    if not table.is_cut:
        return rows
    cut = "{rows}; cut: there are more, or longer values. --limit goes up to 10,000 (now {limit})."
    return say(cut, rows=rows, limit=f"{limit:,}")


def _parameter(text: str) -> tuple[str, object]:
    name, mark, value = text.partition("=")
    name = name.strip().removeprefix("$")
    if not mark or not name.isidentifier():
        raise UsageError(f"--param: '{text}' is not NAME=VALUE. Write it like --param name=张三.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
