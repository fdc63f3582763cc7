"""Prints two runs side by side: what became better or worse, beyond its interval or not."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from graphrag.cli.render_tables import print_table, table_of
from graphrag.cli.terminal import plain
from graphrag.evaluate.compare import Comparison, Difference, SectionComparison
from graphrag.evaluate.metrics import RESAMPLES


def render_comparison(console: Console, comparison: Comparison, run: str) -> None:
    """Print what both runs share and how their figures differ."""
    console.print(f"Compared with {plain(run)}")
    for line in (*_shared(comparison), *comparison.remarks):
        console.print(f"  {plain(line)}")
    console.print()
    if any(section.differences for section in comparison.sections.values()):
        print_table(console, _table(comparison))
    console.print(
        f"Differences are now - before over the cases that both runs hold. Brackets: 95 % paired bootstrap interval, "
        f"{RESAMPLES:,} resamples.",
        style="dim",
    )


def regression_line(section: str, difference: Difference) -> str:
    """Return one figure that became worse, in one line: metric, kind, difference, interval."""
    kind = difference.kind or "all cases"
    return (
        f"{difference.metric} of {kind} ({section}) fell by {-difference.change:.3f} "
        f"from {difference.before:.3f} to {difference.now:.3f}, {_interval(difference)} over {difference.cases} cases"
    )


def _shared(comparison: Comparison) -> Iterator[str]:
    if not comparison.sections:
        yield "the two runs have nothing in common that could be compared"
    for name, section in comparison.sections.items():
        apart = (
            (section.only_before, "only in the kept run"),
            (section.only_now, "only in this one"),
            (section.altered, "of the same id, but asking for something else now"),
        )
        rest = "".join(f", {count} {where}" for count, where in apart if count)
        old, new = section.p50
        yield f"{name}: {section.both} cases in both{rest}; p50 {old:.0f} ms before, {new:.0f} ms now"


def _table(comparison: Comparison) -> Table:
    table = table_of("", "kind", "metric")
    for name in ("n", "before", "now", "difference", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for name, section in comparison.sections.items():
        shown = name
        for kind, rows in _by_kind(section):
            for row in rows:
                table.add_row(shown, *row, style="" if kind else "bold")
                shown = ""
        table.add_section()
    return table


def _by_kind(section: SectionComparison) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield the rows of each kind: all figures of all cases, of a kind those that differ, or that none does."""
    kinds = dict.fromkeys(difference.kind for difference in section.differences)
    for kind in kinds:
        figures = [difference for difference in section.differences if difference.kind == kind]
        told = [difference for difference in figures if difference.change or not kind]
        rows = [_row(difference, with_kind=place == 0) for place, difference in enumerate(told)]
        if len(told) < len(figures):
            same = "all alike" if not told else f"{len(figures) - len(told)} more alike"
            rows.append((plain(kind) if not told else "", same, str(max(item.cases for item in figures)), *[""] * 4))
        yield kind, rows


def _row(difference: Difference, with_kind: bool) -> tuple[str, ...]:
    verdict = "worse" if difference.is_worse else "better" if difference.is_better else ""
    return (
        plain(difference.kind or "all") if with_kind else "",
        difference.metric,
        str(difference.cases),
        f"{difference.before:.3f}",
        f"{difference.now:.3f}",
        f"{difference.change:+.3f} {_interval(difference)}",
        verdict,
    )


def _interval(difference: Difference) -> str:
    return f"[{difference.low:+.3f}, {difference.high:+.3f}]"
