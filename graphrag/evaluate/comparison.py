"""Two runs -> what became better or worse: differences over the cases that both hold, with paired intervals."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag.errors import QuestionError
from graphrag.evaluate.metrics import REFUSALS, Scores, mean, paired_interval
from graphrag.evaluate.outcomes import ANSWER_METRICS, FAITHFULNESS, METRICS, RELEVANCE

ROUTE, ANSWERS = "route", "answers"  # sections beside those of the modes
ROUTE_METRICS = ("accuracy",)


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """What one run made of a case; `digest` tells whether two runs asked the same."""

    id: str
    digest: str
    kind: str
    scores: Scores


@dataclass(frozen=True, slots=True)
class Section:
    """One mode of a run, its routes, or its answers."""

    metrics: tuple[str, ...]
    cases: tuple[ScoredCase, ...]
    p50: float  # milliseconds of the whole


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One run: `circumstances` say by name what else decides its figures."""

    circumstances: Mapping[str, str]
    checked_by: str  # how the answers were judged; empty without answers
    sections: Mapping[str, Section]


def read_run(path: Path) -> KeptRun:
    """Return a run that `--out` kept.

    Raises:
        QuestionError: the file cannot be read, or is no report.
    """
    try:
        return run_of(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise QuestionError(f"{path}: the run cannot be read: {error.strerror}.") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise QuestionError(
            f"{path}: not a report of this version's graphrag eval. Make one with: graphrag eval CASES --out {path}"
        ) from error


def run_of(report: Mapping[str, Any]) -> KeptRun:
    """Return the run that a JSON report tells of; a report of another form raises what its reading raises."""
    milliseconds = report["milliseconds"]
    sections = {
        name: _section(mode["outcomes"], (*METRICS, *REFUSALS), milliseconds[name]["total"])
        for name, mode in report["modes"].items()
    }
    if route := report.get(ROUTE):
        sections[ROUTE] = _section(route["outcomes"], ROUTE_METRICS, route["milliseconds"])
    answers = report.get(ANSWERS)
    if answers:
        sections[ANSWERS] = _section(answers["outcomes"], ANSWER_METRICS, answers["milliseconds"]["total"])
    return KeptRun(_circumstances(report), answers["checked_by"] if answers else "", sections)


def _circumstances(report: Mapping[str, Any]) -> dict[str, str]:
    snapshot = report["snapshot"]
    worktree = ", with uncommitted changes" if snapshot["worktree"] and snapshot["commit"] else ""
    commit = f"commit {snapshot['commit'][:7]}{worktree}" if snapshot["commit"] else "no commit"
    return {
        "file of cases": str(report["cases"]),
        "snapshot": f"generation {snapshot['generation']} ({commit})",
        "share of passages with a vector": f"{snapshot['embedded']:.0%}",
        "embedder": str(report["embedder"]),
        "passages of one note": str(report["max_per_note"]),
        "passages asked for": str(report["top_k"]),
    }


def _section(outcomes: Sequence[Mapping[str, Any]], metrics: tuple[str, ...], latency: Mapping[str, Any]) -> Section:
    cases = tuple(
        ScoredCase(
            id=str(row["id"]),
            digest=str(row["case"]),
            kind=str(row["kind"]),
            scores={name: float(row[name]) for name in metrics if name in row},
        )
        for row in outcomes
    )
    return Section(metrics, cases, float(latency["p50"]))


ALL = ""  # the kind that stands for all cases

Pair = tuple[ScoredCase, ScoredCase]  # before and now


@dataclass(frozen=True, slots=True)
class Difference:
    """How one metric of one kind differs: now minus before, with the ends of its 95 % interval. Higher is better."""

    kind: str  # `ALL` for all cases
    metric: str
    cases: int  # that both runs hold and one of them measures
    before: float
    now: float
    low: float
    high: float

    @property
    def change(self) -> float:
        """Now minus before."""
        return self.now - self.before

    @property
    def is_worse(self) -> bool:
        """Whether the whole interval lies below zero."""
        return self.high < 0

    @property
    def is_better(self) -> bool:
        """Whether the whole interval lies above zero."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class SectionComparison:
    """One mode, the routes or the answers, of both runs; a case counts in both when its id and its content agree."""

    both: int
    only_before: int
    only_now: int
    altered: int  # cases of one id that ask for something else now; they stand in neither count
    p50: tuple[float, float]  # milliseconds before and now
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side; `remarks` say what else differs between them, one sentence each."""

    sections: Mapping[str, SectionComparison]
    remarks: tuple[str, ...]

    def regressions(self) -> list[tuple[str, Difference]]:
        """Return every section and difference that is worse beyond its interval, the largest loss first."""
        found = [
            (name, difference)
            for name, section in self.sections.items()
            for difference in section.differences
            if difference.is_worse
        ]
        return sorted(found, key=lambda item: item[1].change)


def compare_runs(before: KeptRun, now: KeptRun) -> Comparison:
    """Return the comparison over the sections that both runs have."""
    judged_alike = before.checked_by == now.checked_by
    sections = {
        name: _compare(before.sections[name], section, judged_alike or name != ANSWERS)
        for name, section in now.sections.items()
        if name in before.sections
    }
    return Comparison(sections, tuple(_remarks(before, now, judged_alike)))


def comparison_shape(comparison: Comparison, run: str) -> dict[str, object]:
    """Return what the JSON report says of a comparison; `run` names the run that was kept."""
    return {
        "with": run,
        "remarks": comparison.remarks,
        "sections": {name: _section_shape(section) for name, section in comparison.sections.items()},
    }


def _remarks(before: KeptRun, now: KeptRun, judged_alike: bool) -> list[str]:
    old, new = before.circumstances, now.circumstances
    lines = [f"{name}: {old[name]} before, {new[name]} now" for name in new if old[name] != new[name]]
    lines += [f"only the kept run has {name}" for name in before.sections if name not in now.sections]
    lines += [f"the kept run has no {name}" for name in now.sections if name not in before.sections]
    if not judged_alike and before.checked_by and now.checked_by:
        lines.append(
            f"{FAITHFULNESS} and {RELEVANCE} are not compared: {before.checked_by} before, {now.checked_by} now"
        )
    return lines


def _compare(before: Section, now: Section, judged_alike: bool) -> SectionComparison:
    old, new = ({case.id: case for case in section.cases} for section in (before, now))
    shared = [(old[id_], new[id_]) for id_ in new if id_ in old]
    pairs = [pair for pair in shared if pair[0].digest == pair[1].digest]
    metrics = [name for name in now.metrics if judged_alike or name not in (FAITHFULNESS, RELEVANCE)]
    return SectionComparison(
        both=len(pairs),
        only_before=len(old) - len(shared),
        only_now=len(new) - len(shared),
        altered=len(shared) - len(pairs),
        p50=(before.p50, now.p50),
        differences=tuple(_differences(pairs, metrics)),
    )


def _differences(pairs: Sequence[Pair], metrics: Sequence[str]) -> list[Difference]:
    groups = {ALL: list(pairs)}
    for pair in pairs:
        groups.setdefault(pair[1].kind, []).append(pair)
    found = (_difference(kind, metric, group) for kind, group in groups.items() for metric in metrics)
    return [difference for difference in found if difference]


def _difference(kind: str, metric: str, pairs: Sequence[Pair]) -> Difference | None:
    """Return the difference, None when a run measures it in no case."""
    scores = [(old.scores.get(metric), new.scores.get(metric)) for old, new in pairs]
    measured = [pair for pair in scores if pair != (None, None)]
    before, now = [old for old, _ in measured], [new for _, new in measured]
    mean_before, mean_now = (mean([value for value in side if value is not None]) for side in (before, now))
    if mean_before is None or mean_now is None:
        return None
    return Difference(kind, metric, len(measured), mean_before, mean_now, *paired_interval(before, now))


def _section_shape(section: SectionComparison) -> dict[str, object]:
    return {
        "both": section.both,
        "only_before": section.only_before,
        "only_now": section.only_now,
        "altered": section.altered,
        "p50": list(section.p50),
        "differences": [
            {
                "kind": difference.kind or "all",
                "metric": difference.metric,
                "cases": difference.cases,
                "before": difference.before,
                "now": difference.now,
                "difference": difference.change,
                "interval": [difference.low, difference.high],
                "worse": difference.is_worse,
            }
            for difference in section.differences
        ],
    }
