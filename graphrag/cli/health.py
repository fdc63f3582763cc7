"""`status` and `doctor`: what is indexed, what is not and why; what is missing on this machine."""

from typing import Annotated

import typer

from graphrag.cli import options
from graphrag.cli.failures import KNOWN_ERROR
from graphrag.cli.session import opened


def status(
    all_: Annotated[bool, typer.Option("--all", help="List every skipped and failed note.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Show what is indexed, what is not, and why."""
    from graphrag.cli.render_health import render_status
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        view = app.status()
    print_json(view) if as_json else render_status(output(), view, all_)


def doctor(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """Check this machine and the index.

    Says what to do about each problem; exits with 1 when something is broken.
    """
    from graphrag.cli.render_health import render_checks
    from graphrag.cli.terminal import output, print_json
    from graphrag.domain.report import CheckState

    with opened(vault, index_dir) as app:
        checks = app.doctor()
    print_json(checks) if as_json else render_checks(output(), checks)
    if any(check.state is CheckState.ERROR for check in checks):
        raise typer.Exit(KNOWN_ERROR)
