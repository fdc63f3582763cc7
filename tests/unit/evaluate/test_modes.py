import typing

import pytest

from graphrag.cli.evaluate import Mode
from graphrag.retrieve.expand import ExpandPolicy
from graphrag.retrieve.modes import SearchMode, policy_of
from graphrag.retrieve.pipeline import SearchPolicy
from graphrag.retrieve.select import SelectPolicy


def policy(max_hops: int) -> SearchPolicy:
    return SearchPolicy(50, 60, ExpandPolicy(max_hops, 0.5, 50), SelectPolicy(40, 2, 0.08))


@pytest.mark.parametrize(
    ("mode", "full_text", "vectors", "hops"),
    [
        (SearchMode.FULL_TEXT, True, False, 0),
        (SearchMode.VECTORS, False, True, 0),
        (SearchMode.FUSED, True, True, 0),
        (SearchMode.EXPANDED, True, True, 2),
    ],
)
def test_a_mode_runs_what_it_names(mode: SearchMode, full_text: bool, vectors: bool, hops: int) -> None:
    found = policy_of(mode, policy(2))
    assert (found.use_full_text, found.use_vectors, found.expand.max_hops) == (full_text, vectors, hops)
    assert (found.candidates, found.rrf_k, found.select) == (50, 60, policy(2).select)


def test_expanded_expands_even_where_the_settings_do_not() -> None:
    assert policy_of(SearchMode.EXPANDED, policy(0)).expand.max_hops == 1


def test_settings_change_nothing() -> None:
    assert policy_of(SearchMode.SETTINGS, policy(0)) == policy(0)


def test_the_command_offers_every_mode() -> None:
    choices = typing.get_args(typing.get_args(Mode)[0])
    assert set(choices) == {mode.value for mode in SearchMode} | {"all"}
