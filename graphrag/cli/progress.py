"""Shows how far indexing is: bars on a terminal, a line every few seconds otherwise; always on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from graphrag.domain.report import Progress as Report

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_REDRAWS = 0.1
_SECONDS_FOR_A_RATE = 1.0
_UNITS = {"vectors": "chunks"}


@contextmanager
def shown_progress(console: Console) -> Iterator[Report]:
    """Yield the callback that the indexer reports to."""
    if not console.is_terminal:
        yield PlainProgress(lambda line: console.print(line))
        return
    bars = Progress(
        TextColumn("{task.description:8}"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f} {task.fields[unit]}"),
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
            self._tasks[step] = self._bars.add_task(step, total=total, unit=_unit(step))
        now = time.monotonic()
        if is_new or done >= total or now - self._drawn >= _SECONDS_BETWEEN_REDRAWS:
            self._drawn = now
            self._bars.update(self._tasks[step], completed=done, total=total)


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
            self._write(f"{step}: {done}/{total} {_unit(step)}{_pace(rate, total - done)}")


class _RateColumn(ProgressColumn):
    """Notes or chunks a second."""

    def render(self, task: Task) -> Text:
        """Return the speed of a task."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", "dim")


def _unit(step: str) -> str:
    return _UNITS.get(step, "notes")


def _pace(rate: float, left: int) -> str:
    if rate <= 0:
        return ""
    pace = f", {rate:,.0f}/s" if rate >= 10 else f", {rate:.1f}/s"
    return f"{pace}, about {_duration(left / rate)} left" if left else pace


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
