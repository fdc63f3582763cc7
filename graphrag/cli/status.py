"""`status` and `doctor`: what is indexed, what is not and why; what is missing on this machine."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.session import KNOWN_ERROR, opened
from graphrag.cli.terminal import one_line, plain, text_width_of, wrap_text
from graphrag.domain.note import Diagnostic
from graphrag.domain.report import Check, CheckState, Status, Watcher

_SHOWN = 10
_NAME_WIDTH = 11
_MARKS = {CheckState.OK: ("✓", "green"), CheckState.WARNING: ("!", "yellow"), CheckState.ERROR: ("✗", "red")}


def render_status(console: Console, status: Status, show_all: bool) -> None:
    """Print the snapshot, what it does not reflect yet, and the notes left out."""
    for name, value in _facts(status):
        _render_fact(console, name, value)
    for name, value in _to_do(status):
        _render_fact(console, name, value, "yellow")
    for heading, items in (
        ("Skipped", status.skipped),
        ("Failed", status.failed),
        ("Warnings", status.warnings),
    ):
        _render_diagnostics(console, heading, items, show_all)


def render_checks(console: Console, checks: Sequence[Check]) -> None:
    """Print a line per check, with advice below where there is any."""
    widest = max((cell_len(check.name) for check in checks), default=0)
    for check in checks:
        mark, style = _MARKS[check.state]
        name = check.name + " " * (widest - cell_len(check.name))
        room = text_width_of(console) - widest - 4
        lines = wrap_text(Text(plain(check.found)), room) or [Text("")]
        console.print(Text.assemble((mark, style), f" {name}  ", lines[0]))
        for line in lines[1:]:
            console.print(Text.assemble(" " * (widest + 4), line))
        for line in wrap_text(Text(plain(f"→ {check.advice}"), style), room) if check.advice else []:
            console.print(Text.assemble(" " * (widest + 4), line))


def human_bytes(count: int) -> str:
    """Return a size as people say it."""
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def _facts(status: Status) -> list[tuple[str, str]]:
    commit = status.commit[:7] if status.commit else "no Git"
    worktree = " + changes in no commit" if status.worktree and status.commit else ""
    share = f" ({status.disk_bytes / status.vault_bytes:.1f} × the notes' text)" if status.vault_bytes else ""
    created = status.created[:16].replace("T", " ")
    return [
        ("Vault", f"{status.vault}  {human_bytes(status.vault_bytes)} of text"),
        ("Index", f"{status.index_dir}  {human_bytes(status.disk_bytes)}{share}"),
        ("Snapshot", f"{status.generation} · {commit}{worktree} · {created}"),
        ("Notes", f"{status.notes:,} in {status.chunks:,} chunks"),
        ("Vectors", f"{int(status.embedded * 100)} % of the chunks, by {status.embedder}"),
        ("Graph", f"{status.links:,} links, {status.topics:,} topics without a note, {status.tags:,} tags"),
        *([("Watcher", _watcher(status.watcher))] if status.watcher else []),
    ]


def _watcher(watcher: Watcher) -> str:
    last = watcher.heartbeat
    if not watcher.is_alive:
        return f"not running (last seen {_moment(last.beat)})"
    facts = [f"{last.state} (process {last.pid} on {last.host})"]
    facts += [f"last change {_moment(last.last_event)}"] if last.last_event else []
    facts += [f"indexed {last.last_commit[:7]}"] if last.last_commit else []
    queue = [f"{last.events:,} events"] if last.events else []
    queue += [f"{last.chunks:,} chunks to embed"] if last.chunks else []
    facts += [f"queue: {', '.join(queue) or 'empty'}"]
    return " · ".join([*facts, *([f"last error: {last.last_error}"] if last.last_error else [])])


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _to_do(status: Status) -> list[tuple[str, str]]:
    pending = ", ".join(f"{count:,} {name}" for name, count in status.pending.items() if count)
    facts = [("Pending", f"{pending} → graphrag index")] if pending else []
    if status.stale:
        facts.append(("Outdated", f"{', '.join(status.stale)} → graphrag index rebuilds"))
    return facts


def _render_fact(console: Console, name: str, value: str, style: str = "") -> None:
    for line in wrap_text(Text(plain(value), style), text_width_of(console) - _NAME_WIDTH):
        console.print(Text.assemble((f"{name:<{_NAME_WIDTH}}", "bold"), line))
        name = ""


def _render_diagnostics(console: Console, heading: str, items: tuple[Diagnostic, ...], show_all: bool) -> None:
    if not items:
        return
    console.print(Text(f"\n{heading} ({len(items)})", "bold"))
    for item in items if show_all else items[:_SHOWN]:
        where = f"{item.path}:{item.line}" if item.line else item.path
        lines = wrap_text(Text(one_line(f"{where}: {item.message}")), text_width_of(console) - 4)
        for number, line in enumerate(lines):
            console.print(Text.assemble("    " if number else "  ", line))
    if not show_all and len(items) > _SHOWN:
        console.print(Text(f"  {len(items) - _SHOWN} more (--all shows them)", "dim"))


def status(
    all_: Annotated[bool, typer.Option("--all", help="List every skipped and failed note.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Show what is indexed, what is not, and why."""
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        view = app.status()
    print_json(view) if as_json else render_status(output(), view, all_)


def doctor(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """Check this machine and the index.

    Says what to do about each problem; exits with 1 when something is broken.
    """
    from graphrag.cli.terminal import output, print_json
    from graphrag.domain.report import CheckState

    with opened(vault, index_dir) as app:
        checks = app.doctor()
    print_json(checks) if as_json else render_checks(output(), checks)
    if any(check.state is CheckState.ERROR for check in checks):
        raise typer.Exit(KNOWN_ERROR)
