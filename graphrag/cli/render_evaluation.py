"""Prints an evaluation: a row per mode and kind, then what holds for a whole mode, for routes, and for answers."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from graphrag.cli.render_answers import render_answers, render_routes
from graphrag.cli.render_tables import ends, print_table, share, table_of, with_interval
from graphrag.cli.terminal import plain
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import NO_EMBEDDER
from graphrag.evaluate.figures import REFUSALS
from graphrag.evaluate.metrics import RESAMPLES
from graphrag.evaluate.report import METRICS, Evaluation, Group, ModeReport
from graphrag.evaluate.run import TOTAL

_HEADINGS = {
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "hit@1": "H@1",
    "hit@5": "H@5",
    "mrr": "MRR",
    "ndcg@10": "nDCG",
    "evidence_recall@5": "evid",
}
_WIDEST = 7  # cells of an interval: .73-.90
_UNKNOWN_SHOWN = 3
_SECONDS_BETWEEN_LINES = 10.0


def render_evaluation(console: Console, evaluation: Evaluation) -> None:
    """Print the tables of all that was measured, and what they mean."""
    if evaluation.modes:
        print_table(console, _ranking_table(evaluation))
        print_table(console, _mode_table(evaluation))
        print_table(console, _stage_table(evaluation))
    if evaluation.route:
        render_routes(console, evaluation.route)
    if evaluation.answers:
        render_answers(console, evaluation.answers)
    for line in _legend(evaluation):
        console.print(line, style="dim")


def warnings_of(evaluation: Evaluation) -> list[str]:
    """Return what makes the figures other than they look."""
    lines: list[str] = []
    if unknown := evaluation.unknown_notes:
        names = ", ".join(unknown[:_UNKNOWN_SHOWN]) + (", …" if len(unknown) > _UNKNOWN_SHOWN else "")
        lines.append(f"relevant notes that the index does not hold count as lost ({len(unknown)}): {plain(names)}")
    if evaluation.embedder == NO_EMBEDDER and "vectors" in evaluation.modes:
        lines.append("the index has no vectors: mode vectors finds nothing. Set [index] embedder, then: graphrag index")
    if evaluation.snapshot.embedded < 1:
        share_ = int(evaluation.snapshot.embedded * 100)
        lines.append(f"only {share_} % of the passages have a vector yet; graphrag index adds the rest")
    return lines


@contextmanager
def shown_cases(console: Console) -> Iterator[Progress]:
    """Yield a callback that tells how many cases are done: one changing line, or lines now and then."""
    if not console.is_terminal:
        yield CaseLines(lambda line: console.print(line))
        return
    with console.status("") as status:
        yield lambda step, done, total: status.update(f"{step}: {done}/{total} cases")


class CaseLines:
    """Lines for a log: the start and the end of a step, and one every ten seconds between."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._written = 0.0
        self._last: tuple[str, int, int] | None = None

    def __call__(self, step: str, done: int, total: int) -> None:
        """Write a line when one is due."""
        now, told = self._clock(), (step, done, total)
        if told != self._last and (done in (0, total) or now - self._written >= _SECONDS_BETWEEN_LINES):
            self._written, self._last = now, told
            self._write(f"{step}: {done}/{total} cases")


def _legend(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.modes:
        yield (
            f"R recall, H hit, nDCG@10: of notes, each at its first passage; {evaluation.top_k} passages, "
            f"{evaluation.max_per_note} a note at most."
        )
        yield "evid: share of the evidence sentences in the first 5 passages."
    if evaluation.modes or evaluation.answers:
        yield "Refusals: precision over the refused questions, recall over those that have no answer in the notes."
    yield f"Intervals, .73-.90 or in brackets: 95 % bootstrap over the cases, {RESAMPLES:,} resamples, one fixed seed."


def _ranking_table(evaluation: Evaluation) -> Table:
    table = table_of("mode", "kind", gap=1)
    table.add_column("n", justify="right", no_wrap=True)
    for metric in METRICS:
        table.add_column(_HEADINGS[metric], justify="right", no_wrap=True, min_width=_WIDEST)
    table.add_column("refused", justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        for place, (kind, group) in enumerate({"all": mode.overall, **mode.kinds}.items()):
            style = "" if place else "bold"
            table.add_row("" if place else name, plain(kind), *_figures(group), style=style)
            if any(metric in group.figures for metric in METRICS):
                intervals = (ends(group.figures.get(metric)) for metric in METRICS)
                table.add_row("", "", "", *intervals, "", style="dim")
        table.add_section()
    return table


def _figures(group: Group) -> list[str]:
    means = [share(group.figures.get(metric)) for metric in METRICS]
    return [str(group.cases), *means, f"{group.refused}/{group.cases}"]


def _mode_table(evaluation: Evaluation) -> Table:
    table = table_of("mode")
    for name in ("R@5", "MRR", "refusals P", "R"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        shown = ("recall@5", "mrr", *REFUSALS)
        table.add_row(name, *(with_interval(mode.overall.figures.get(metric)) for metric in shown))
    return table


def _stage_table(evaluation: Evaluation) -> Table:
    """Return the milliseconds of each stage, p50 / p95, the whole search last."""
    stages = dict.fromkeys(stage for mode in evaluation.modes.values() for stage in mode.milliseconds if stage != TOTAL)
    table = table_of("ms p50/p95")
    for stage in (*stages, TOTAL):
        table.add_column(stage, justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        table.add_row(name, *(_latency(mode, stage) for stage in (*stages, TOTAL)))
    return table


def _latency(mode: ModeReport, stage: str) -> str:
    found = mode.milliseconds.get(stage)
    return f"{found.p50:.0f}/{found.p95:.0f}" if found else "-"
