"""Cases that name a route, and what chooses one -> how often it chose the same, by route, and what it chose instead."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphrag.domain.query import Route
from graphrag.domain.report import Progress
from graphrag.evaluate.cases import Case
from graphrag.evaluate.metrics import Figure, Latency, figure_of, latencies_of

STAGE = "route"  # the step that a progress report names

ChooseRoute = Callable[[str], Route]


@dataclass(frozen=True, slots=True)
class RouteOutcome:
    """The route that one case got; `expected` is the case's own."""

    case: Case
    expected: Route
    chosen: Route
    milliseconds: float

    @property
    def is_right(self) -> bool:
        """Whether it is the route that the case names."""
        return self.chosen is self.expected


@dataclass(frozen=True, slots=True)
class RouteGroup:
    """How one route fared: `accuracy` is over the cases that want it, `precision` over those that got it."""

    cases: int
    accuracy: Figure
    precision: Figure | None  # None when no case got it


@dataclass(frozen=True, slots=True)
class RouteReport:
    """How well routes are chosen."""

    accuracy: Figure
    direct: Figure  # accuracy of the choice between `direct` and all others
    wrongly_direct: tuple[str, ...]  # ids of cases whose notes would not be looked at
    routes: Mapping[Route, RouteGroup]
    confusions: Mapping[Route, Mapping[Route, int]]  # wanted -> chosen instead -> cases
    milliseconds: Latency
    outcomes: tuple[RouteOutcome, ...]


def run_routes(cases: Sequence[Case], choose: ChooseRoute, progress: Progress) -> tuple[RouteOutcome, ...]:
    """Return the outcomes of the cases that name a route, in their order."""
    wanted = [(case, case.route) for case in cases if case.route is not None]
    if wanted:
        choose(wanted[0][0].question)  # loads dictionaries, which is not the choice's time
    outcomes: list[RouteOutcome] = []
    for done, (case, expected) in enumerate(wanted):
        progress(STAGE, done, len(wanted))
        started = time.perf_counter()
        chosen = choose(case.question)
        outcomes.append(RouteOutcome(case, expected, chosen, (time.perf_counter() - started) * 1000))
    if wanted:
        progress(STAGE, len(wanted), len(wanted))
    return tuple(outcomes)


def summarize_routes(outcomes: Sequence[RouteOutcome]) -> RouteReport | None:
    """Return the report, None when no case names a route."""
    if not outcomes:
        return None
    wrong = [outcome for outcome in outcomes if not outcome.is_right]
    return RouteReport(
        accuracy=figure_of([float(outcome.is_right) for outcome in outcomes]),
        direct=figure_of([float(_is_direct(outcome.chosen) is _is_direct(outcome.expected)) for outcome in outcomes]),
        wrongly_direct=tuple(outcome.case.id for outcome in wrong if _is_direct(outcome.chosen)),
        routes={route: group for route in Route if (group := _group(route, outcomes))},
        confusions={route: chosen for route in Route if (chosen := _chosen_instead(route, wrong))},
        milliseconds=latencies_of({STAGE: outcome.milliseconds} for outcome in outcomes)[STAGE],
        outcomes=tuple(outcomes),
    )


def route_shape(report: RouteReport) -> dict[str, object]:
    """Return what the JSON report says of routes."""
    return {
        "cases": report.accuracy.cases,
        "accuracy": report.accuracy.value,
        "interval": _ends(report.accuracy),
        "direct_accuracy": report.direct.value,
        "direct_interval": _ends(report.direct),
        "wrongly_direct": report.wrongly_direct,
        "routes": {route: _group_shape(group) for route, group in report.routes.items()},
        "confusions": report.confusions,
        "milliseconds": report.milliseconds,
        "outcomes": [
            {
                "id": outcome.case.id,
                "kind": outcome.expected,
                "case": outcome.case.digest,
                "chosen": outcome.chosen,
                "accuracy": float(outcome.is_right),
            }
            for outcome in report.outcomes
        ],
    }


def _group(route: Route, outcomes: Sequence[RouteOutcome]) -> RouteGroup | None:
    wanted = [float(outcome.is_right) for outcome in outcomes if outcome.expected is route]
    got = [float(outcome.is_right) for outcome in outcomes if outcome.chosen is route]
    return RouteGroup(len(wanted), figure_of(wanted), figure_of(got) if got else None) if wanted else None


def _chosen_instead(route: Route, wrong: Sequence[RouteOutcome]) -> dict[Route, int]:
    """Return how often each other route was chosen for cases that want this one, the most frequent first."""
    return dict(Counter(outcome.chosen for outcome in wrong if outcome.expected is route).most_common())


def _is_direct(route: Route) -> bool:
    return route is Route.DIRECT


def _group_shape(group: RouteGroup) -> dict[str, object]:
    return {
        "cases": group.cases,
        "accuracy": group.accuracy.value,
        "interval": _ends(group.accuracy),
        "precision": group.precision.value if group.precision else None,
    }


def _ends(figure: Figure) -> list[float]:
    return [figure.low, figure.high]
