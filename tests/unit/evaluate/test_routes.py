from graphrag.domain.query import Route
from graphrag.evaluate.routes import route_shape, run_routes, summarize_routes
from tests.unit.evaluate.searches import make_case, make_route_case

CHOSEN = {
    "1": Route.DIRECT,
    "2": Route.DIRECT,  # though the notes are asked
    "3": Route.HYBRID,
    "4": Route.LIST,
    "5": Route.HYBRID,
}
CASES = [
    make_route_case("1", Route.DIRECT),
    make_route_case("2", Route.LOOKUP),
    make_route_case("3", Route.LIST),
    make_route_case("4", Route.LIST),
    make_route_case("5", Route.HYBRID),
]


def choose(text: str) -> Route:
    return CHOSEN[text.removeprefix("问题 ")]


def test_accuracy_is_overall_and_per_route_with_confusions() -> None:
    report = summarize_routes(run_routes(CASES, choose, lambda *_: None))
    assert report is not None
    assert (report.accuracy.value, report.accuracy.cases) == (0.6, 5)
    assert {route: (group.cases, group.accuracy.value) for route, group in report.routes.items()} == {
        Route.DIRECT: (1, 1.0),
        Route.LOOKUP: (1, 0.0),
        Route.HYBRID: (1, 1.0),
        Route.LIST: (2, 0.5),
    }
    precision = {route: group.precision and group.precision.value for route, group in report.routes.items()}
    assert precision == {Route.DIRECT: 0.5, Route.LOOKUP: None, Route.HYBRID: 0.5, Route.LIST: 1.0}
    assert report.confusions == {Route.LOOKUP: {Route.DIRECT: 1}, Route.LIST: {Route.HYBRID: 1}}


def test_direct_is_measured_against_the_rest() -> None:
    report = summarize_routes(run_routes(CASES, choose, lambda *_: None))
    assert report is not None
    assert report.direct.value == 0.8
    assert report.wrongly_direct == ("2",)


def test_only_cases_that_name_a_route_are_asked() -> None:
    asked: list[str] = []
    steps: list[tuple[str, int, int]] = []

    def remember(text: str) -> Route:
        asked.append(text)
        return Route.LIST

    run_routes([make_case("9", "a.md"), CASES[3]], remember, lambda *step: steps.append(step))
    assert asked == ["问题 4", "问题 4"]  # the first one loads what choosing needs
    assert steps == [("route", 0, 1), ("route", 1, 1)]
    assert run_routes([make_case("9", "a.md")], remember, lambda *_: None) == ()
    assert summarize_routes([]) is None


def test_the_report_keeps_each_case_for_a_later_comparison() -> None:
    report = summarize_routes(run_routes(CASES, choose, lambda *_: None))
    assert report is not None
    outcomes = route_shape(report)["outcomes"]
    assert isinstance(outcomes, list)
    assert outcomes[1] == {
        "id": "2",
        "kind": Route.LOOKUP,
        "case": CASES[1].digest,
        "chosen": Route.DIRECT,
        "accuracy": 0.0,
    }
