"""Prints an evaluation: a row per mode and kind, then what holds for a whole mode, for routes, and for answers."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from graphrag.cli.terminal import plain, print_table, table_of
from graphrag.cli.words import comma, say, tell
from graphrag.domain.query import AnswerStatus
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import NO_EMBEDDER
from graphrag.evaluate.comparison import Comparison, Difference, SectionComparison
from graphrag.evaluate.metrics import REFUSALS, RESAMPLES, Figure
from graphrag.evaluate.outcomes import (
    FAITHFULNESS,
    METRICS,
    RELEVANCE,
    AnswerGroup,
    AnswersReport,
    Evaluation,
    Group,
    ModeReport,
)
from graphrag.evaluate.routes import RouteReport
from graphrag.evaluate.search_run import TOTAL


def share(figure: Figure | None) -> str:
    """Return a mean to three places, a dash where nothing measures it."""
    return "-" if figure is None else f"{figure.value:.3f}"


def ends(figure: Figure | None) -> str:
    """Return the interval to two places without the zero before the point: .73-.90."""
    return "" if figure is None else f"{_short(figure.low)}-{_short(figure.high)}"


def with_interval(figure: Figure | None) -> str:
    """Return a mean with its interval."""
    return "-" if figure is None else f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _short(value: float) -> str:
    text = f"{value:.2f}"
    return "1.0" if text == "1.00" else text.removeprefix("0")


def render_comparison(console: Console, comparison: Comparison, run: str) -> None:
    """Print what both runs share and how their figures differ."""
    console.print(say("Compared with {run}", run=plain(run)))
    for line in (*_shared(comparison), *comparison.remarks):
        console.print(f"  {plain(line)}")
    console.print()
    if any(section.differences for section in comparison.sections.values()):
        print_table(console, _table(comparison))
    console.print(
        say(
            "Differences are now - before over the cases that both runs hold. "
            "Brackets: 95 % paired bootstrap interval, {resamples} resamples.",
            resamples=f"{RESAMPLES:,}",
        ),
        style="dim",
    )


def _with_heads(*names: str, gap: int = 2) -> Table:
    return table_of(*(say(name) if name else "" for name in names), gap=gap)


def regression_line(section: str, difference: Difference) -> str:
    """Return one figure that became worse, in one line: metric, kind, difference, interval."""
    kind = difference.kind or say("all cases")
    return say(
        "{metric} of {kind} ({section}) fell by {change} from {before} to {now}, {interval} over {cases} cases",
        metric=difference.metric,
        kind=kind,
        section=section,
        change=f"{-difference.change:.3f}",
        before=f"{difference.before:.3f}",
        now=f"{difference.now:.3f}",
        interval=_interval(difference),
        cases=difference.cases,
    )


def _shared(comparison: Comparison) -> Iterator[str]:
    if not comparison.sections:
        yield say("the two runs have nothing in common that could be compared")
    for name, section in comparison.sections.items():
        apart = (
            (section.only_before, say("only in the kept run")),
            (section.only_now, say("only in this one")),
            (section.altered, say("of the same id, but asking for something else now")),
        )
        rest = "".join(f", {count} {where}" for count, where in apart if count)
        old, new = section.p50
        yield say(
            "{name}: {both} cases in both{rest}; p50 {old} ms before, {new} ms now",
            name=say(name),
            both=section.both,
            rest=rest,
            old=f"{old:.0f}",
            new=f"{new:.0f}",
        )


def _table(comparison: Comparison) -> Table:
    table = _with_heads("", "kind", "metric")
    for name in ("n", "before", "now", "difference", ""):
        table.add_column(say(name), justify="right", no_wrap=True)
    for name, section in comparison.sections.items():
        shown = say(name)
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
            same = say("all alike") if not told else say("{figures} more alike", figures=len(figures) - len(told))
            rows.append((_kind(kind) if not told else "", same, str(max(item.cases for item in figures)), *[""] * 4))
        yield kind, rows


def _row(difference: Difference, with_kind: bool) -> tuple[str, ...]:
    verdict = "worse" if difference.is_worse else "better" if difference.is_better else ""
    return (
        _kind(difference.kind or "all") if with_kind else "",
        say(difference.metric),
        str(difference.cases),
        f"{difference.before:.3f}",
        f"{difference.now:.3f}",
        f"{difference.change:+.3f} {_interval(difference)}",
        say(verdict) if verdict else "",
    )


def _interval(difference: Difference) -> str:
    return f"[{difference.low:+.3f}, {difference.high:+.3f}]"


_WRONGLY_DIRECT_SHOWN = 5
_ANSWER_HEADINGS = {
    REFUSALS[0]: "refus. P",
    REFUSALS[1]: "R",
    FAITHFULNESS: "faithful",
    RELEVANCE: "relevant",
}


def render_routes(console: Console, report: RouteReport) -> None:
    """Print how well routes are chosen, and what was chosen instead."""
    table = _with_heads("route")
    for name in ("n", "right", "interval", "precision"):
        table.add_column(say(name), justify="right", no_wrap=True)
    table.add_column(say("chosen instead"))
    table.add_row(
        say("all"), str(report.accuracy.cases), share(report.accuracy), ends(report.accuracy), "", "", style="bold"
    )
    for route, group in report.routes.items():
        instead = ", ".join(f"{say(chosen)} {times}" for chosen, times in report.confusions.get(route, {}).items())
        figures = (share(group.accuracy), ends(group.accuracy), share(group.precision))
        table.add_row(say(route), str(group.cases), *figures, instead)
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
    yield say(
        "direct against the rest: {with_interval}; right: share of the cases that want the route.",
        with_interval=with_interval(report.direct),
    )
    wrong = report.wrongly_direct
    if wrong:
        more = ", …" if wrong[_WRONGLY_DIRECT_SHOWN:] else ""
        yield plain(
            say(
                "direct, though the notes are asked ({wrong}): {wrongly_direct_shown}{more}",
                wrong=len(wrong),
                wrongly_direct_shown=", ".join(wrong[:_WRONGLY_DIRECT_SHOWN]),
                more=more,
            )
        )
    yield say(
        "milliseconds: p50 {p}, p95 {p2}", p=f"{report.milliseconds.p50:.1f}", p2=f"{report.milliseconds.p95:.1f}"
    )


def _answers_table(report: AnswersReport) -> Table:
    table = _with_heads("answers")
    for name in ("n", "answered", "refused", "direct", *_ANSWER_HEADINGS.values()):
        table.add_column(say(name), justify="right", no_wrap=True)
    groups = {"all": report.overall, **report.kinds}
    for place, (kind, group) in enumerate(groups.items()):
        style = "" if place else "bold"
        table.add_row(
            _kind(kind), *_counts(group), *(share(group.figures.get(name)) for name in _ANSWER_HEADINGS), style=style
        )
        if group.figures:
            table.add_row(*[""] * 5, *(ends(group.figures.get(name)) for name in _ANSWER_HEADINGS), style="dim")
    return table


def _counts(group: AnswerGroup) -> tuple[str, ...]:
    answered = group.statuses.get(AnswerStatus.ANSWERED, 0)
    direct = group.statuses.get(AnswerStatus.DIRECT, 0)
    return str(group.cases), str(answered), str(group.cases - answered - direct), str(direct)


def _answer_lines(report: AnswersReport) -> Iterator[str]:
    yield say(
        "Faithfulness and relevance by: {checked_by}. Written by: {listed}.",
        checked_by=tell(report.checked_by),
        listed=_listed(report.models),
    )
    statuses = report.overall.statuses
    yield say("Statuses: {listed}.", listed=_listed({status.value: count for status, count in statuses.items()}))
    for notice, count in report.notices.items():
        yield say("Notice ({count}): {notice}", count=count, notice=tell(notice))
    for failure, count in report.failures.items():
        yield say("No verdict ({count}), which counts neither way: {failure}", count=count, failure=tell(failure))
    stages = {stage: latency for stage, latency in report.milliseconds.items() if stage != TOTAL}
    spent = comma().join(f"{say(stage)} {item.p50:.0f} / {item.p95:.0f}" for stage, item in stages.items())
    total = report.milliseconds[TOTAL]
    yield say(
        "milliseconds, p50 / p95: whole answer {p} / {p2}; {spent}",
        p=f"{total.p50:.0f}",
        p2=f"{total.p95:.0f}",
        spent=spent,
    )


def _listed(counts: Mapping[str, int]) -> str:
    return comma().join(f"{say(name)} {count}" for name, count in counts.items())


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
        lines.append(
            say(
                "relevant notes that the index does not hold count as lost ({unknown}): {names}",
                unknown=len(unknown),
                names=plain(names),
            )
        )
    if evaluation.embedder == NO_EMBEDDER and "vectors" in evaluation.modes:
        lines.append(
            say("the index has no vectors: mode vectors finds nothing. Set [index] embedder, then: graphrag index")
        )
    if evaluation.snapshot.embedded < 1:
        share_ = int(evaluation.snapshot.embedded * 100)
        lines.append(
            say("only {share} % of the passages have a vector yet; graphrag index adds the rest", share=share_)
        )
    return lines


@contextmanager
def shown_cases(console: Console) -> Iterator[Progress]:
    """Yield a callback that tells how many cases are done: one changing line, or lines now and then."""
    if not console.is_terminal:
        yield CaseLines(lambda line: console.print(line))
        return
    with console.status("") as status:
        yield lambda step, done, total: status.update(
            say("{step}: {done}/{total} cases", step=say(step), done=done, total=total)
        )


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
            self._write(say("{step}: {done}/{total} cases", step=say(step), done=done, total=total))


def _legend(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.modes:
        yield (
            say(
                "R recall, H hit, nDCG@10: of notes, each at its first passage; "
                "{top_k} passages, {max_per_note} a note at most.",
                top_k=evaluation.top_k,
                max_per_note=evaluation.max_per_note,
            )
        )
        yield say("evid: share of the evidence sentences in the first 5 passages.")
    if evaluation.modes or evaluation.answers:
        yield say("Refusals: precision over the refused questions, recall over those that have no answer in the notes.")
    yield say(
        "Intervals, .73-.90 or in brackets: 95 % bootstrap over the cases, {resamples} resamples, one fixed seed.",
        resamples=f"{RESAMPLES:,}",
    )


def _ranking_table(evaluation: Evaluation) -> Table:
    table = _with_heads("mode", "kind", gap=1)
    table.add_column("n", justify="right", no_wrap=True)
    for metric in METRICS:
        table.add_column(say(_HEADINGS[metric]), justify="right", no_wrap=True, min_width=_WIDEST)
    table.add_column(say("refused"), justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        for place, (kind, group) in enumerate({"all": mode.overall, **mode.kinds}.items()):
            style = "" if place else "bold"
            table.add_row("" if place else say(name), _kind(kind), *_figures(group), style=style)
            if any(metric in group.figures for metric in METRICS):
                intervals = (ends(group.figures.get(metric)) for metric in METRICS)
                table.add_row("", "", "", *intervals, "", style="dim")
        table.add_section()
    return table


def _figures(group: Group) -> list[str]:
    means = [share(group.figures.get(metric)) for metric in METRICS]
    return [str(group.cases), *means, f"{group.refused}/{group.cases}"]


def _mode_table(evaluation: Evaluation) -> Table:
    table = _with_heads("mode")
    for name in ("R@5", "MRR", "refusals P", "R"):
        table.add_column(say(name), justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        shown = ("recall@5", "mrr", *REFUSALS)
        table.add_row(say(name), *(with_interval(mode.overall.figures.get(metric)) for metric in shown))
    return table


def _stage_table(evaluation: Evaluation) -> Table:
    """Return the milliseconds of each stage, p50 / p95, the whole search last."""
    stages = dict.fromkeys(stage for mode in evaluation.modes.values() for stage in mode.milliseconds if stage != TOTAL)
    table = _with_heads("ms p50/p95")
    for stage in (*stages, TOTAL):
        table.add_column(say(stage), justify="right", no_wrap=True)
    for name, mode in evaluation.modes.items():
        table.add_row(say(name), *(_latency(mode, stage) for stage in (*stages, TOTAL)))
    return table


def _kind(name: str) -> str:
    """Return the name of a kind; those that cases give themselves stay as they are."""
    return plain(say(name))


def _latency(mode: ModeReport, stage: str) -> str:
    found = mode.milliseconds.get(stage)
    return f"{found.p50:.0f}/{found.p95:.0f}" if found else "-"
