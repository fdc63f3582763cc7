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
from graphrag.cli.terminal import one_line, padded, plain, text_width_of, wrap_text
from graphrag.cli.words import comma, say, tell
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
        (say("Skipped"), status.skipped),
        (say("Failed"), status.failed),
        (say("Warnings"), status.warnings),
    ):
        _render_diagnostics(console, heading, items, show_all)


def render_checks(console: Console, checks: Sequence[Check]) -> None:
    """Print a line per check, with advice below where there is any."""
    names = [tell(check.name) for check in checks]
    widest = max(map(cell_len, names), default=0)
    for check, name in zip(checks, names, strict=True):
        mark, style = _MARKS[check.state]
        room = text_width_of(console) - widest - 4
        lines = wrap_text(Text(plain(tell(check.found))), room) or [Text("")]
        console.print(Text.assemble((mark, style), f" {padded(name, widest)}  ", lines[0]))
        for line in lines[1:]:
            console.print(Text.assemble(" " * (widest + 4), line))
        for line in wrap_text(Text(plain(f"→ {tell(check.advice)}"), style), room) if check.advice else []:
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
    commit = status.commit[:7] if status.commit else say("no Git")
    worktree = say(" + changes in no commit") if status.worktree and status.commit else ""
    share = (
        say(" ({status} × the notes' text)", status=f"{status.disk_bytes / status.vault_bytes:.1f}")
        if status.vault_bytes
        else ""
    )
    created = status.created[:16].replace("T", " ")
    return [
        (say("Vault"), say("{vault}  {size} of text", vault=status.vault, size=human_bytes(status.vault_bytes))),
        (say("Index"), f"{status.index_dir}  {human_bytes(status.disk_bytes)}{share}"),
        (say("Snapshot"), f"{status.generation} · {commit}{worktree} · {created}"),
        (say("Notes"), say("{notes} in {chunks} chunks", notes=f"{status.notes:,}", chunks=f"{status.chunks:,}")),
        (
            say("Vectors"),
            say(
                "{percent} % of the chunks, by {embedder}", percent=int(status.embedded * 100), embedder=status.embedder
            ),
        ),
        (
            say("Graph"),
            say(
                "{links} links, {topics} topics without a note, {tags} tags",
                links=f"{status.links:,}",
                topics=f"{status.topics:,}",
                tags=f"{status.tags:,}",
            ),
        ),
        *([(say("Watcher"), _watcher(status.watcher))] if status.watcher else []),
    ]


def _watcher(watcher: Watcher) -> str:
    last = watcher.heartbeat
    if not watcher.is_alive:
        return say("not running (last seen {moment})", moment=_moment(last.beat))
    facts = [say("{state} (process {pid} on {host})", state=tell(last.state), pid=last.pid, host=last.host)]
    facts += [say("last change {moment}", moment=_moment(last.last_event))] if last.last_event else []
    facts += [say("indexed {last}", last=last.last_commit[:7])] if last.last_commit else []
    queue = [say("{events} events", events=f"{last.events:,}")] if last.events else []
    queue += [say("{chunks} chunks to embed", chunks=f"{last.chunks:,}")] if last.chunks else []
    facts += [say("queue: {parts}", parts=comma().join(queue) or say("empty"))]
    return " · ".join(
        [*facts, *([say("last error: {last_error}", last_error=tell(last.last_error))] if last.last_error else [])]
    )


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _to_do(status: Status) -> list[tuple[str, str]]:
    pending = comma().join(
        say(f"{{count}} {name}", count=f"{count:,}") for name, count in status.pending.items() if count
    )
    command = "graphrag index --worktree" if status.worktree and status.commit else "graphrag index"
    facts = [(say("Pending"), f"{pending} → {command}")] if pending else []
    if status.stale:
        facts.append((say("Outdated"), say("{stale} → graphrag index rebuilds", stale=tell(", ".join(status.stale)))))
    if status.full_embedder:
        facts.append(
            (
                say("Embedder"),
                say(
                    "graphrag index --full makes vectors by {embedder}, the fastest here", embedder=status.full_embedder
                ),
            )
        )
    return facts


def _render_fact(console: Console, name: str, value: str, style: str = "") -> None:
    for line in wrap_text(Text(plain(value), style), text_width_of(console) - _NAME_WIDTH):
        console.print(Text.assemble((padded(name, _NAME_WIDTH), "bold"), line))
        name = ""


def _render_diagnostics(console: Console, heading: str, items: tuple[Diagnostic, ...], show_all: bool) -> None:
    if not items:
        return
    console.print(Text(f"\n{heading} ({len(items)})", "bold"))
    for item in items if show_all else items[:_SHOWN]:
        where = f"{item.path}:{item.line}" if item.line else item.path
        lines = wrap_text(Text(one_line(f"{where}: {tell(item.message)}")), text_width_of(console) - 4)
        for number, line in enumerate(lines):
            console.print(Text.assemble("    " if number else "  ", line))
    if not show_all and len(items) > _SHOWN:
        console.print(Text(say("  {items} more (--all shows them)", items=len(items) - _SHOWN), "dim"))


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
