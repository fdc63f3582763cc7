"""`export`: the whole graph, for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag.cli import options
from graphrag.cli.failures import UsageError
from graphrag.cli.session import opened

Format = Annotated[
    Literal["graphml", "json", "dot"],
    typer.Option("--format", help="GraphML for Gephi and yEd, node-link JSON, or Graphviz DOT."),
]


def export(
    format_: Format = "graphml",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Export the whole graph of the vault.

    Notes, topics and tags; links with the relations that they name, inferred relations, and mentions.
    """
    from graphrag.cli.graph_files import to_graph_dot, to_graphml, to_node_link

    # A vault takes a while to read: what cannot be written is said before.
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"--out: there is no folder '{out.parent}'. Make it first, or name another.")
    if out is not None and out.exists() and not force:
        raise UsageError(f"--out: '{out}' is there already. --force overwrites it.")
    write = {"graphml": to_graphml, "json": to_node_link, "dot": to_graph_dot}[format_]
    with opened(vault, index_dir) as app:
        text = write(app.graph())
    if out is None:
        typer.echo(text)
        return
    # A file that appeared meanwhile is kept as well.
    with out.open("w" if force else "x", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(f"{text}\n")
