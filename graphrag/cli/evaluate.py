"""`eval`: how good the search and the answers are on questions with known answers; it also makes such questions."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag.cli import options
from graphrag.cli.session import KNOWN_ERROR, UsageError, opened, report
from graphrag.cli.words import say, tell

if TYPE_CHECKING:
    from graphrag.evaluate.comparison import Comparison, KeptRun
    from graphrag.evaluate.evaluation import EvaluationPlan
    from graphrag.evaluate.made_cases import MakePlan
    from graphrag.evaluate.outcomes import Evaluation


_CALIBRATION_NOTES, _CALIBRATION_SEED = 100, 1


def calibrate(
    count: Annotated[
        int, typer.Option("--count", min=10, max=10_000, help="How many notes to ask about, at most.")
    ] = _CALIBRATION_NOTES,
    seed: Annotated[int, typer.Option("--seed", help="Which notes: another number, other ones.")] = _CALIBRATION_SEED,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Find out on your notes when not to answer a question.

    Sentences of the notes are asked with the note that holds them, and with it hidden. What is found is kept beside
    the index and used from then on, unless `min_confidence` is set under [search].
    """
    from graphrag.cli.ask import with_index
    from graphrag.cli.index import shown_progress
    from graphrag.cli.terminal import diagnostics, print_json
    from graphrag.settings import CALIBRATED

    with opened(vault, index_dir) as app:
        with_index(app, app.status)
        with shown_progress(diagnostics()) as progress:
            found = app.calibrate(count, seed, progress)
        is_overruled = app.settings.search.min_confidence != CALIBRATED
    if as_json:
        print_json(found)
    else:
        typer.echo(say("{pairs} notes asked about, each with its note and with it hidden.", pairs=found.pairs))
        typer.echo(
            say(
                "with the note     answered {now} (before: {before})",
                now=f"{found.answered:.0%}",
                before=f"{found.answered_before:.0%}",
            )
        )
        typer.echo(
            say(
                "with it hidden    refused  {now} (before: {before})",
                now=f"{found.refused:.0%}",
                before=f"{found.refused_before:.0%}",
            )
        )
        typer.echo(
            say(
                "Below a confidence of {min_confidence}, a question is not answered.",
                min_confidence=f"{found.min_confidence:.2f}",
            )
        )
    if is_overruled:
        typer.echo(
            say("warning: min_confidence under [search] in graphrag.toml is set, and goes before this."), err=True
        )


_ALL = ("full_text", "vectors", "fused", "walk")
_KINDS = "known_item,alias,link_pair,unanswerable"
_COUNT, _SEED = 20, 1

Mode = Annotated[
    Literal["settings", "full_text", "vectors", "fused", "walk", "all"],
    typer.Option("--mode", help="Which parts of the search to measure; settings is what ask uses."),
]


def eval_(
    cases: Annotated[
        Path | None, typer.Argument(metavar="CASES", help="Questions, one JSON object a line.", show_default=False)
    ] = None,
    mode: Mode = "settings",
    answers: Annotated[
        bool, typer.Option("--answers", help="Answer each question, too, and check the answers.")
    ] = False,
    judge: Annotated[
        str,
        typer.Option("--judge", metavar="MODEL", help="Let a chat model judge the --answers.", show_default=False),
    ] = "",
    compare: Annotated[
        Path | None, typer.Option("--compare", metavar="RUN", help="Set this run beside one that --out kept.")
    ] = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit with 1 when a figure is worse beyond its interval.")
    ] = False,
    make: Annotated[
        bool, typer.Option("--make", help="Make questions from the vault's own notes into --out, and stop.")
    ] = False,
    kinds: Annotated[str, typer.Option("--kinds", metavar="A,B", help="Kinds of questions to make.")] = _KINDS,
    count: Annotated[int, typer.Option("--count", min=1, max=10_000, help="How many of each kind to make.")] = _COUNT,
    seed: Annotated[int, typer.Option("--seed", help="Which ones to make: another number, other ones.")] = _SEED,
    force: Annotated[bool, typer.Option("--force", help="Let --out replace a file that is no report.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Keep the JSON report, or the questions made, here.")
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Measure the search on questions with known answers.

    A case names the notes that a good search returns; ranks count notes, at the place of their first passage.
    It may name a route instead. --answers measures what ask would say, too.
    """
    # A long run must not be lost to a misspelt folder.
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"--out: there is no folder '{out.parent}'. Make it first, or name another.")
    if make:
        run = {"CASES": cases, "--mode": mode != "settings", "--answers": answers, "--judge": judge}
        _refuse({**run, "--compare": compare, "--gate": gate}, "--make")
        _make(_make_plan(kinds, count, seed), out, force, vault, index_dir, as_json)
        return
    changed = {"--kinds": kinds != _KINDS, "--count": count != _COUNT, "--seed": seed != _SEED}
    _refuse(changed, "CASES, only with --make")
    if cases is None:
        raise UsageError("name a file of cases, or make one: graphrag eval --make --out cases.jsonl")
    if out is not None and out.exists() and not force:
        _check_is_report(out)
    if gate and compare is None:
        raise UsageError("--gate needs a run to compare with. Add --compare RUN, a report that --out kept.")
    _run(cases, _plan(mode, answers, judge), compare, gate, out, vault, index_dir, as_json)


def _run(
    cases: Path,
    plan: "EvaluationPlan",
    compare: Path | None,
    gate: bool,
    out: Path | None,
    vault: Path | None,
    index_dir: Path | None,
    as_json: bool,
) -> None:
    from graphrag.cli.render_evaluation import render_comparison, render_evaluation, shown_cases, warnings_of
    from graphrag.cli.terminal import diagnostics, output
    from graphrag.evaluate.cases import read_cases
    from graphrag.evaluate.comparison import read_run

    questions = read_cases(cases, plan.with_answers)
    kept = read_run(compare) if compare else None
    with opened(vault, index_dir) as app, shown_cases(diagnostics()) as progress:
        evaluation = app.evaluate(questions, plan, progress)
    text, comparison = _report(cases, evaluation, kept, compare)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    for line in warnings_of(evaluation):
        typer.echo(say("warning: {line}", line=tell(line)), err=True)
    if as_json:
        typer.echo(text)
    else:
        render_evaluation(output(), evaluation)
        if comparison and compare:
            render_comparison(output(), comparison, str(compare))
    if comparison and gate:
        _pass_gate(comparison)


def _report(
    cases: Path, evaluation: "Evaluation", kept: "KeptRun | None", run: Path | None
) -> tuple[str, "Comparison | None"]:
    """Return the JSON report, and the comparison with a run that was kept."""
    import json

    from graphrag.evaluate.comparison import compare_runs, comparison_shape, run_of
    from graphrag.evaluate.outcomes import report_shape
    from graphrag.shapes import to_jsonable

    shape = report_shape(str(cases), evaluation)
    if kept is None:
        return _dump(shape), None
    # Through JSON, so that both runs are read from the same form.
    comparison = compare_runs(kept, run_of(json.loads(json.dumps(to_jsonable(shape)))))
    return _dump({**shape, "comparison": comparison_shape(comparison, str(run))}), comparison


def _dump(shape: object) -> str:
    """Return JSON text whose innermost objects and lists stand in one line each: a report has one a case."""
    import re

    from graphrag.shapes import dump

    # No text holds a bare newline in JSON, so this changes nothing but the layout.
    return re.sub(r"[{\[][^{}\[\]]*[}\]]", lambda found: re.sub(r"\s*\n\s*", " ", found.group()), dump(shape))


def _pass_gate(comparison: "Comparison") -> None:
    """Exit with 1 when something is worse beyond its interval, or nothing could be compared."""
    from graphrag.cli.render_evaluation import regression_line

    if not any(section.differences for section in comparison.sections.values()):
        report(say("--gate: the two runs measure no case in common. Compare runs of the same cases and --mode."))
        raise typer.Exit(KNOWN_ERROR)
    if found := comparison.regressions():
        more = say("; worse in all: {found} figures", found=len(found)) if found[1:] else ""
        report(say("--gate: {regression_line}{more}", regression_line=regression_line(*found[0]), more=more))
        raise typer.Exit(KNOWN_ERROR)


def _make(
    plan: "MakePlan", out: Path | None, force: bool, vault: Path | None, index_dir: Path | None, as_json: bool
) -> None:
    from collections import Counter

    from graphrag.cli.render_evaluation import shown_cases
    from graphrag.cli.terminal import diagnostics, print_json
    from graphrag.evaluate.made_cases import case_lines

    if out is None:
        raise UsageError("--make writes a file. Add --out cases.jsonl")
    if out.exists() and not force:
        raise UsageError(f"{out} exists already. Name another file, or add --force to replace it.")
    with opened(vault, index_dir) as app, shown_cases(diagnostics()) as progress:
        made = app.make_cases(plan, progress)
    counts = Counter(case.kind for case in made)
    if not made:
        report("the vault gives no question of these kinds: its notes are too few, too short, or without such names.")
        raise typer.Exit(KNOWN_ERROR)
    with out.open("w" if force else "x", encoding="utf-8") as file:
        file.write(case_lines(made))
    for kind in plan.kinds:
        if counts[kind] < plan.count:
            typer.echo(
                say(
                    "warning: {kind}: the vault gives {counts} of {count}",
                    kind=kind,
                    counts=counts[kind],
                    count=plan.count,
                ),
                err=True,
            )
    if as_json:
        print_json({"file": out, "cases": {kind: counts[kind] for kind in plan.kinds}})
    else:
        typer.echo(
            say("{made} cases written to {out}. Measure with: graphrag eval {out2}", made=len(made), out=out, out2=out)
        )


def _plan(mode: str, answers: bool, judge: str) -> "EvaluationPlan":
    from graphrag.evaluate.evaluation import EvaluationPlan
    from graphrag.retrieve.pipeline import SearchMode

    modes = tuple(SearchMode(name) for name in (_ALL if mode == "all" else (mode,)))
    return EvaluationPlan(modes, answers or bool(judge), judge)


def _make_plan(kinds: str, count: int, seed: int) -> "MakePlan":
    from graphrag.evaluate.made_cases import CaseKind, MakePlan

    names = [name.strip() for name in kinds.split(",") if name.strip()]
    unknown = [name for name in names if name not in list(CaseKind)]
    if unknown or not names:
        raise UsageError(
            f"--kinds: '{unknown[0] if unknown else kinds}' is no kind. Known ones: {', '.join(CaseKind)}."
        )
    return MakePlan(tuple(CaseKind(name) for name in dict.fromkeys(names)), count, seed)


def _check_is_report(out: Path) -> None:
    """Refuse to replace a file that is no earlier report: it may be a note, or the cases themselves."""
    from graphrag.errors import GraphragError
    from graphrag.evaluate.comparison import read_run

    try:
        read_run(out)
    except (GraphragError, OSError) as error:
        raise UsageError(f"--out: {out} exists and is no report. Name another file, or add --force.") from error


def _refuse(given: Mapping[str, object], partner: str) -> None:
    """Refuse arguments that mean nothing beside what else was asked for."""
    if names := [name for name, value in given.items() if value]:
        raise UsageError(f"{' and '.join(names)} cannot go with {partner}.")
