from graphrag.domain.query import Route
from graphrag.understand.plan import asks_for_a_chain, choose_route
from tests.cases import each_line


@each_line
def test_a_thing_that_is_described_has_to_be_found_first(question: str) -> None:
    assert asks_for_a_chain(question)
    assert choose_route(question, frozenset()) is Route.MULTI_HOP


@each_line
def test_a_thing_that_is_named_has_not(question: str) -> None:
    assert not asks_for_a_chain(question)


def test_long_questions_are_read_in_no_time() -> None:
    assert not asks_for_a_chain("的" * 5000 + "the " * 5000)
