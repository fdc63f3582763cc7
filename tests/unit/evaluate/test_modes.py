import typing

import pytest

from graphrag.cli.evaluate import Mode
from graphrag.retrieve.pipeline import SearchMode, SearchPolicy, policy_of
from graphrag.retrieve.select import SelectPolicy
from graphrag.retrieve.walk import BlendPolicy


def policy(use_walk: bool) -> SearchPolicy:
    return SearchPolicy(50, 60, use_walk, BlendPolicy(60, 0.3, 12.0), SelectPolicy(40, 2, 0.08))


@pytest.mark.parametrize(
    ("mode", "full_text", "vectors", "use_walk"),
    [
        (SearchMode.FULL_TEXT, True, False, False),
        (SearchMode.VECTORS, False, True, False),
        (SearchMode.FUSED, True, True, False),
        (SearchMode.WALK, True, True, True),
    ],
)
def test_a_mode_runs_what_it_names(mode: SearchMode, full_text: bool, vectors: bool, use_walk: bool) -> None:
    found = policy_of(mode, policy(True))
    assert (found.use_full_text, found.use_vectors, found.use_walk) == (full_text, vectors, use_walk)
    assert (found.candidates, found.rrf_k, found.select) == (50, 60, policy(True).select)


def test_settings_change_nothing() -> None:
    assert policy_of(SearchMode.SETTINGS, policy(False)) == policy(False)


def test_the_command_offers_every_mode() -> None:
    choices = typing.get_args(typing.get_args(Mode)[0])
    assert set(choices) == {mode.value for mode in SearchMode} | {"all"}
