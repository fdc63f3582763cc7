"""Prints what an evaluation found of routes and of answers."""

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.table import Table

from graphrag.cli.render_tables import ends, print_table, share, table_of, with_interval
from graphrag.cli.terminal import plain
from graphrag.domain.query import AnswerStatus
from graphrag.evaluate.answers import FAITHFULNESS, RELEVANCE, AnswerGroup, AnswersReport
from graphrag.evaluate.figures import REFUSALS
from graphrag.evaluate.routes import RouteReport
from graphrag.evaluate.run import TOTAL

_WRONGLY_DIRECT_SHOWN = 5
_HEADINGS = {
    REFUSALS[0]: "refus. P",
    REFUSALS[1]: "R",
    FAITHFULNESS: "faithful",
    RELEVANCE: "relevant",
}


def render_routes(console: Console, report: RouteReport) -> None:
    """Print how well routes are chosen, and what was chosen instead."""
    table = table_of("route")
    for name in ("n", "right", "interval", "precision"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("chosen instead")
    table.add_row(
        "all", str(report.accuracy.cases), share(report.accuracy), ends(report.accuracy), "", "", style="bold"
    )
    for route, group in report.routes.items():
        instead = ", ".join(f"{chosen} {times}" for chosen, times in report.confusions.get(route, {}).items())
        figures = (share(group.accuracy), ends(group.accuracy), share(group.precision))
        table.add_row(route, str(group.cases), *figures, instead)
    print_table(console, table)
    for line in _route_lines(report):
        console.print(line, style="dim")
    console.print()


def render_answers(console: Console, report: AnswersReport) -> None:
    """Print what became of the answers, and how they were checked."""
    print_table(console, _answers_table(report))
    for line in _answer_lines(report):
        console.print(plain(line), style="dim")
    console.print()


def _route_lines(report: RouteReport) -> Iterator[str]:
    yield f"direct against the rest: {with_interval(report.direct)}; right: share of the cases that want the route."
    wrong = report.wrongly_direct
    if wrong:
        more = ", …" if wrong[_WRONGLY_DIRECT_SHOWN:] else ""
        yield plain(
            f"direct, though the notes are asked ({len(wrong)}): {', '.join(wrong[:_WRONGLY_DIRECT_SHOWN])}{more}"
        )
    yield f"milliseconds: p50 {report.milliseconds.p50:.1f}, p95 {report.milliseconds.p95:.1f}"


def _answers_table(report: AnswersReport) -> Table:
    table = table_of("answers")
    for name in ("n", "answered", "refused", "direct", *_HEADINGS.values()):
        table.add_column(name, justify="right", no_wrap=True)
    groups = {"all": report.overall, **report.kinds}
    for place, (kind, group) in enumerate(groups.items()):
        style = "" if place else "bold"
        table.add_row(
            plain(kind), *_counts(group), *(share(group.figures.get(name)) for name in _HEADINGS), style=style
        )
        if group.figures:
            table.add_row(*[""] * 5, *(ends(group.figures.get(name)) for name in _HEADINGS), style="dim")
    return table


def _counts(group: AnswerGroup) -> tuple[str, ...]:
    answered = group.statuses.get(AnswerStatus.ANSWERED, 0)
    direct = group.statuses.get(AnswerStatus.DIRECT, 0)
    return str(group.cases), str(answered), str(group.cases - answered - direct), str(direct)


def _answer_lines(report: AnswersReport) -> Iterator[str]:
    yield f"Faithfulness and relevance by: {report.checked_by}. Written by: {_listed(report.models)}."
    statuses = report.overall.statuses
    yield f"Statuses: {_listed({status.value: count for status, count in statuses.items()})}."
    for notice, count in report.notices.items():
        yield f"Notice ({count}): {notice}"
    for failure, count in report.failures.items():
        yield f"No verdict ({count}), which counts neither way: {failure}"
    stages = {stage: latency for stage, latency in report.milliseconds.items() if stage != TOTAL}
    spent = ", ".join(f"{stage} {item.p50:.0f} / {item.p95:.0f}" for stage, item in stages.items())
    total = report.milliseconds[TOTAL]
    yield f"milliseconds, p50 / p95: whole answer {total.p50:.0f} / {total.p95:.0f}; {spent}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
