"""Prints an evaluation: a row per mode and kind, then what holds for a whole mode."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from graphrag.cli.terminal import plain
from graphrag.domain.report import Progress
from graphrag.evaluate.report import METRICS, Evaluation, Group, ModeReport
from graphrag.evaluate.run import TOTAL

_WIDTH = 100
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
_UNKNOWN_SHOWN = 3


def render_evaluation(console: Console, evaluation: Evaluation) -> None:
    """Print both tables and what they mean."""
    _print(console, _ranking_table(evaluation))
    _print(console, _mode_table(evaluation))
    for line in _legend(evaluation):
        console.print(line, style="dim")


def warnings_of(evaluation: Evaluation) -> list[str]:
    """Return what makes the figures other than they look."""
    lines: list[str] = []
    if unknown := evaluation.unknown_notes:
        names = ", ".join(unknown[:_UNKNOWN_SHOWN]) + (", …" if len(unknown) > _UNKNOWN_SHOWN else "")
        lines.append(f"relevant notes that the index does not hold count as lost ({len(unknown)}): {plain(names)}")
    if evaluation.snapshot.embedded < 1:
        share = int(evaluation.snapshot.embedded * 100)
        lines.append(f"only {share} % of the passages have a vector yet; graphrag index adds the rest")
    return lines


@contextmanager
def shown_cases(console: Console) -> Iterator[Progress]:
    """Yield a callback that tells how many cases are done: one changing line on a terminal, a line a mode otherwise."""
    if not console.is_terminal:

        def write(step: str, done: int, total: int) -> None:
            if done in (0, total):
                console.print(f"{step}: {done}/{total} cases")

        yield write
        return
    with console.status("") as status:
        yield lambda step, done, total: status.update(f"{step}: {done}/{total} cases")


def _legend(evaluation: Evaluation) -> tuple[str, ...]:
    return (
        f"R recall, H hit, nDCG@10: of notes, each at its first passage; {evaluation.top_k} passages, "
        f"{evaluation.max_per_note} a note at most.",
        "evid: share of the evidence sentences in the first 5 passages. Brackets: 95 % bootstrap interval.",
        "Refusals: precision over the refused questions, recall over those that have no answer in the notes.",
    )


def _print(console: Console, table: Table) -> None:
    if not console.is_terminal:
        console.width = _WIDTH  # a pipe has no width of its own, and 80 would cut columns off
    console.print(table)
    console.print()


def _ranking_table(evaluation: Evaluation) -> Table:
    table = _table("mode", "kind")
    for name in ("n", *(_HEADINGS[metric] for metric in METRICS), "refused"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        table.add_row(name, "all", *_figures(mode.overall), style="bold")
        for kind, group in mode.kinds.items():
            table.add_row("", plain(kind), *_figures(group))
        table.add_section()
    return table


def _mode_table(evaluation: Evaluation) -> Table:
    table = _table("mode")
    for name in ("R@5", "MRR", "refusals P", "R", "p50 ms", "p95 ms", "slowest"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        refusals, total = mode.overall.refusals, mode.milliseconds[TOTAL]
        table.add_row(
            name,
            *(_with_interval(mode, metric) for metric in ("recall@5", "mrr")),
            _share(refusals.precision),
            _share(refusals.recall),
            f"{total.p50:.0f}",
            f"{total.p95:.0f}",
            _slowest(mode),
        )
    return table


def _table(*left: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for name in left:
        table.add_column(name, no_wrap=True)
    return table


def _figures(group: Group) -> list[str]:
    refused = f"{group.refusals.refused}/{group.cases}"
    return [str(group.cases), *(_share(group.metrics[metric]) for metric in METRICS), refused]


def _with_interval(mode: ModeReport, metric: str) -> str:
    if metric not in mode.intervals:
        return "-"
    low, high = mode.intervals[metric]
    return f"{_share(mode.overall.metrics[metric])} [{low:.3f}, {high:.3f}]"


def _slowest(mode: ModeReport) -> str:
    stages = {stage: latency.p50 for stage, latency in mode.milliseconds.items() if stage != TOTAL}
    return max(stages, key=lambda stage: stages[stage], default="-")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
