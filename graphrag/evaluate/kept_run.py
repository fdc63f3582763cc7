"""A JSON report of an evaluation -> the scores of its cases, for comparing two runs in pairs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag.errors import QuestionError
from graphrag.evaluate.answers import ANSWER_METRICS
from graphrag.evaluate.figures import REFUSALS, Scores
from graphrag.evaluate.report import METRICS

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
