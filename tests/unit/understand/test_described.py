from graphrag.domain.query import Route
from tests.cases import each_line
from tests.fakes.plans import choose_route


@each_line
def test_a_thing_that_is_described_has_to_be_found_first(question: str) -> None:
    assert choose_route(question, frozenset()) is Route.MULTI_HOP


@each_line
def test_a_thing_that_is_named_has_not(question: str) -> None:
    assert choose_route(question, frozenset()) is not Route.MULTI_HOP


def test_long_questions_are_read_in_no_time() -> None:
    assert choose_route("的" * 5000 + "the " * 5000, frozenset()) in Route
