"""`mcp`: the vault for an agent that starts this process and speaks the Model Context Protocol with it."""

import sys
from typing import Annotated

import typer

from graphrag.cli import options
from graphrag.cli.session import opened


def mcp_(
    allow_write: Annotated[
        bool, typer.Option("--allow-write", help="Offer save_answer, which writes answers as new notes.")
    ] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Serve the vault to an agent over stdin and stdout (MCP).

    For the settings of an editor or agent, which starts this command itself; `graphrag serve` offers the same over
    HTTP.
    """
    with opened(vault, index_dir) as app:
        from graphrag.mcp.stdio import serve_stdio

        if sys.stdin.isatty():
            typer.echo("Waiting for an MCP client on stdin; Ctrl-C ends it.", err=True)
        serve_stdio(app, allow_write)
