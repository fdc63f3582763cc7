"""`index`: bring the snapshot up to date, with progress on stderr and one summary line on stdout."""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.session import UsageError, opened
from graphrag.cli.terminal import padded
from graphrag.cli.words import comma, say, semicolon, tell
from graphrag.domain.report import Progress as Report
from graphrag.errors import GraphragError, SnapshotConflict

if TYPE_CHECKING:
    from graphrag.app import App
    from graphrag.domain.snapshot import IndexReport


_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_REDRAWS = 0.1
_SECONDS_FOR_A_RATE = 1.0
_AMOUNTS = {  # what the steps count; the others have no unit
    "scan": "{done}/{total} files",
    "parse": "{done}/{total} notes",
    "text": "{done}/{total} notes",
    "graph": "{done}/{total} links",
    "walk": "{done}/{total} chunks",
    "vectors": "{done}/{total} chunks",
}


@contextmanager
def shown_progress(console: Console) -> Iterator[Report]:
    """Yield the callback that the indexer reports to."""
    if not console.is_terminal:
        yield PlainProgress(lambda line: console.print(line))
        return
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[amount]}"),
        _RateColumn(),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        console=console,
        refresh_per_second=5,
        transient=True,
    )
    with bars:
        yield BarProgress(bars)


class BarProgress:
    """One bar a step."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._drawn = 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        """Move the step's bar."""
        is_new = step not in self._tasks
        if is_new:
            self._tasks[step] = self._bars.add_task(padded(say(step), 8), total=total, amount="")
        now = time.monotonic()
        if is_new or done >= total or now - self._drawn >= _SECONDS_BETWEEN_REDRAWS:
            self._drawn = now
            self._bars.update(self._tasks[step], completed=done, total=total, amount=_amount(step, done, total))


class PlainProgress:
    """Lines for a log: the start and the end of a step, and one every few seconds between."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._started: dict[str, tuple[float, int]] = {}
        self._written: dict[str, float] = {}
        self._finished: set[str] = set()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Write a line when one is due."""
        if not total:  # not known yet
            if step not in self._written:
                self._written[step] = self._clock()
                self._write(say(step))
            return
        now = self._clock()
        started, first = self._started.setdefault(step, (now, done))
        is_end = done >= total and step not in self._finished
        last = self._written.get(step)
        if done >= total:
            self._finished.add(step)
        elif last is not None and now - last < _SECONDS_BETWEEN_LINES:
            return
        if done < total or is_end:
            self._written[step] = now
            rate = (done - first) / (now - started) if now - started >= _SECONDS_FOR_A_RATE else 0.0
            amount = f"{_amount(step, done, total)}{_pace(rate, total - done)}"
            self._write(say("{step}: {amount}", step=say(step), amount=amount))


class _RateColumn(ProgressColumn):
    """How many of what a step counts it does in a second."""

    def render(self, task: Task) -> Text:
        """Return the speed of a task."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", "dim")


def _amount(step: str, done: int, total: int) -> str:
    return say(_AMOUNTS.get(step, "{done}/{total}"), done=done, total=total)


def _pace(rate: float, left: int) -> str:
    if rate <= 0:
        return ""
    told = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    if not left:
        return say(", {rate}/s", rate=told)
    return say(", {rate}/s, about {duration} left", rate=told, duration=_duration(left / rate))


def _duration(seconds: float) -> str:
    if seconds < 60:
        return say("{seconds} s", seconds=f"{seconds:.0f}")
    minutes = round(seconds / 60)
    return say("{minutes} min", minutes=minutes) if minutes < 60 else _hours(*divmod(minutes, 60))


def _hours(hours: int, minutes: int) -> str:
    return say("{hours} h {minutes} min", hours=hours, minutes=minutes)


Result = TypeVar("Result")

_LOOK = 0.5  # seconds between two tries
_SILENT = 1.0  # seconds of a wait that need no word


def run_when_free(
    run: Callable[[], Result], is_needless: Callable[[], bool], patience: float = math.inf
) -> Result | None:
    """Return what `run` returns as soon as no other process writes; None when the other one made it needless.

    Raises:
        SnapshotConflict: another process is still writing after so many seconds.
    """
    started = time.monotonic()
    is_told = False
    while True:
        try:
            return run()
        except SnapshotConflict as conflict:
            if is_needless():
                return None
            waited = time.monotonic() - started
            if waited >= patience:
                raise
            if waited >= _SILENT and not is_told:
                typer.echo(say("Waiting (Ctrl-C stops): {conflict}", conflict=conflict), err=True)
                is_told = True
        time.sleep(_LOOK)


_LOG = "hook.log"
_LOG_BYTES = 100_000  # above this, the log starts anew
_NICE = 10


def index_in_background(vault: Path, index_dir: Path | None, worktree: bool) -> None:
    """Index, unless a watcher will, or another such process is about to."""
    folder = _index_folder(vault, index_dir)
    _leave_the_hook()
    if _is_covered(folder):
        return
    from graphrag.cli.session import opened
    from graphrag.vault.follow import Listener

    listener = Listener(
        on_index=lambda report: _log(folder, f"{report.commit[:7]} {summary_line(report)}"),
        on_note=lambda note: _log(folder, tell(note)),
    )
    try:
        with opened(vault, index_dir, worktree) as app:
            app.index_in_turn(listener)
    except (GraphragError, OSError) as error:
        _log(folder, say("error: {text}", text=tell(str(error))))
        raise


def _index_folder(vault: Path, index_dir: Path | None) -> Path:
    from graphrag.settings import load_settings

    vault = vault.expanduser()
    return vault / (index_dir or Path(load_settings(vault).index.dir)).expanduser()


def _leave_the_hook() -> None:
    """Outlive the terminal and the Git command, and forget which repository and index file Git was working on."""
    with suppress(OSError):  # started by hand
        os.setsid()
    os.nice(_NICE)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


def _is_covered(folder: Path) -> bool:
    """Whether a watcher lives, or a process waits whose run will see what this one would."""
    from graphrag.stores.index_folder import HeartbeatFile, Turn

    if not folder.is_dir():
        return False
    watcher = HeartbeatFile(folder).read()
    return (watcher is not None and watcher.is_alive) or Turn(folder).is_taken()


def _log(folder: Path, line: str) -> None:
    file = folder / _LOG
    with suppress(OSError):
        is_long = file.exists() and file.stat().st_size > _LOG_BYTES
        with file.open("w" if is_long else "a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} {' '.join(line.split())}\n")


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
        unseen = (
            "{n} note has changes that are in no commit: graphrag index --worktree takes them in."
            "|{n} notes have changes that are in no commit: graphrag index --worktree takes them in."
        )
        typer.echo(say(unseen, n=lag.uncommitted), err=True)


def _index_in_background(vault: Path | None, index_dir: Path | None, worktree: bool, full: bool) -> None:

    if vault is None or full:
        raise UsageError("--background needs --vault, and cannot be combined with --full.")
    index_in_background(vault, index_dir, worktree)


def _index_in_turn(app: "App", full: bool) -> "IndexReport":
    """Index as soon as no other process does, or let a watcher that is at it bring the text up to date."""

    def is_done_by_watcher() -> bool:
        watcher = app.watcher()
        return not full and watcher is not None and watcher.is_alive and app.is_current()

    started = time.monotonic()
    report = run_when_free(lambda: run_index(app, full), is_done_by_watcher)
    return report or app.report_unchanged(time.monotonic() - started)


def run_index(app: "App", full: bool, embed_seconds: float = math.inf) -> "IndexReport":
    """Index with progress on stderr; reasons for a rebuild follow there."""
    from graphrag.cli.terminal import diagnostics

    with shown_progress(diagnostics()) as progress:
        report = app.index(full, progress, embed_seconds)
    for reason in report.rebuilt:
        typer.echo(say("rebuilt: {reason}", reason=tell(reason)), err=True)
    return report


def summary_line(report: "IndexReport") -> str:
    """Return what a run did, in one line."""
    size = say("{notes} notes, {chunks} chunks", notes=f"{report.notes:,}", chunks=f"{report.chunks:,}")
    if report.is_unchanged:
        parts = [say("Up to date: {size}", size=size), *_missing_vectors(report)]
    else:
        changes = say(
            "{added} added, {changed} changed, {deleted} deleted",
            added=f"{report.added:,}",
            changed=f"{report.changed:,}",
            deleted=f"{report.deleted:,}",
        )
        if report.renamed:
            changes += say(", {renamed} renamed", renamed=f"{report.renamed:,}")
        parts = [size, changes, *_embedding(report)]
    seconds = say("{seconds} s", seconds=f"{report.seconds:.1f}")
    return semicolon().join([*parts, *_left_out(report), seconds])


def _embedding(report: "IndexReport") -> list[str]:
    if not report.embedded:
        return [say("no vectors")] if report.chunks else []
    return [say("{embeddings_made} embedded", embeddings_made=f"{report.embeddings_made:,}"), *_missing_vectors(report)]


def _missing_vectors(report: "IndexReport") -> list[str]:
    missing = report.chunks - report.embedded if report.embedded else 0
    return [say("{missing} not embedded yet", missing=f"{missing:,}")] if missing else []


def _left_out(report: "IndexReport") -> list[str]:
    from graphrag.domain.note import Severity

    names = {Severity.SKIPPED: "skipped", Severity.ERROR: "failed", Severity.WARNING: "with warnings"}
    counts = {name: sum(item.severity is severity for item in report.diagnostics) for severity, name in names.items()}
    words = [say(f"{{count}} {name}", count=f"{count:,}") for name, count in counts.items() if count]
    return [comma().join(words) + say(" (graphrag status shows why)")] if words else []
