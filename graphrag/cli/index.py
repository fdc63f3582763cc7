"""`index`: bring the snapshot up to date, with progress on stderr and one summary line on stdout."""

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.cli.failures import UsageError
from graphrag.cli.session import opened

if TYPE_CHECKING:
    from graphrag.app import App
    from graphrag.domain.snapshot import IndexReport


def index(
    full: Annotated[bool, typer.Option("--full", help="Index every note again, changed or not.")] = False,
    worktree: options.Worktree = False,
    background: Annotated[
        bool, typer.Option("--background", help="As Git's hooks do it: behind any other run, with a log, not output.")
    ] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Bring the index up to date with the vault.

    It follows the commit that is checked out, or the saved files where there is no Git.
    Text and links can be searched first, vectors follow; an interrupted run resumes where it stopped.
    While another process is indexing, it waits; a watcher may do its work.
    """
    if background:
        _index_in_background(vault, index_dir, worktree, full)
        return
    from rich.text import Text

    from graphrag.cli.terminal import output, print_json, print_text

    with opened(vault, index_dir, worktree) as app:
        report = _index_in_turn(app, full)
        lag = app.lag()
    print_json(report) if as_json else print_text(output(), Text(summary_line(report)))
    if lag and lag.uncommitted:
        changes = f"{lag.uncommitted:,} note{'s have' if lag.uncommitted > 1 else ' has'} changes that are in no commit"
        typer.echo(f"{changes}: graphrag index --worktree takes them in.", err=True)


def _index_in_background(vault: Path | None, index_dir: Path | None, worktree: bool, full: bool) -> None:
    from graphrag.cli.background import index_in_background

    if vault is None or full:
        raise UsageError("--background needs --vault, and cannot be combined with --full.")
    index_in_background(vault, index_dir, worktree)


def _index_in_turn(app: "App", full: bool) -> "IndexReport":
    """Index as soon as no other process does, or let a watcher that is at it bring the text up to date."""
    from graphrag.cli.waiting import run_when_free

    def is_done_by_watcher() -> bool:
        watcher = app.watcher()
        return not full and watcher is not None and watcher.is_alive and app.is_current()

    started = time.monotonic()
    report = run_when_free(lambda: run_index(app, full), is_done_by_watcher)
    return report or app.report_unchanged(time.monotonic() - started)


def run_index(app: "App", full: bool, embed_seconds: float = math.inf) -> "IndexReport":
    """Index with progress on stderr; reasons for a rebuild follow there."""
    from graphrag.cli.progress import shown_progress
    from graphrag.cli.terminal import diagnostics

    with shown_progress(diagnostics()) as progress:
        report = app.index(full, progress, embed_seconds)
    for reason in report.rebuilt:
        typer.echo(f"rebuilt: {reason}", err=True)
    return report


def summary_line(report: "IndexReport") -> str:
    """Return what a run did, in one line."""
    size = f"{report.notes:,} notes, {report.chunks:,} chunks"
    if report.is_unchanged:
        parts = [f"Up to date: {size}", *_missing_vectors(report)]
    else:
        changes = f"{report.added:,} added, {report.changed:,} changed, {report.deleted:,} deleted"
        if report.renamed:
            changes += f", {report.renamed:,} renamed"
        parts = [size, changes, *_embedding(report)]
    return "; ".join([*parts, *_left_out(report), f"{report.seconds:.1f} s"])


def _embedding(report: "IndexReport") -> list[str]:
    if not report.embedded:
        return ["no vectors"] if report.chunks else []
    return [f"{report.embeddings_made:,} embedded", *_missing_vectors(report)]


def _missing_vectors(report: "IndexReport") -> list[str]:
    missing = report.chunks - report.embedded if report.embedded else 0
    return [f"{missing:,} not embedded yet"] if missing else []


def _left_out(report: "IndexReport") -> list[str]:
    from graphrag.domain.note import Severity

    names = {Severity.SKIPPED: "skipped", Severity.ERROR: "failed", Severity.WARNING: "with warnings"}
    counts = {name: sum(item.severity is severity for item in report.diagnostics) for severity, name in names.items()}
    words = [f"{count:,} {name}" for name, count in counts.items() if count]
    return [", ".join(words) + " (graphrag status shows why)"] if words else []
