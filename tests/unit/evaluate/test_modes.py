import typing

import pytest

from graphrag.cli.evaluate import Mode
from graphrag.retrieve.expand import ExpandPolicy
from graphrag.retrieve.pipeline import Expansion, SearchMode, SearchPolicy, policy_of
from graphrag.retrieve.select import SelectPolicy
from graphrag.retrieve.walked import BlendPolicy


def policy(expansion: Expansion) -> SearchPolicy:
    return SearchPolicy(
        50, 60, expansion, ExpandPolicy(1, 0.5, 50), BlendPolicy(60, 0.3, 12.0), SelectPolicy(40, 2, 0.08)
    )


@pytest.mark.parametrize(
    ("mode", "full_text", "vectors", "expansion"),
    [
        (SearchMode.FULL_TEXT, True, False, Expansion.NONE),
        (SearchMode.VECTORS, False, True, Expansion.NONE),
        (SearchMode.FUSED, True, True, Expansion.NONE),
        (SearchMode.HOPS, True, True, Expansion.HOPS),
        (SearchMode.WALK, True, True, Expansion.WALK),
    ],
)
def test_a_mode_runs_what_it_names(mode: SearchMode, full_text: bool, vectors: bool, expansion: Expansion) -> None:
    found = policy_of(mode, policy(Expansion.WALK))
    assert (found.use_full_text, found.use_vectors, found.expansion) == (full_text, vectors, expansion)
    assert (found.candidates, found.rrf_k, found.select) == (50, 60, policy(Expansion.WALK).select)


def test_settings_change_nothing() -> None:
    assert policy_of(SearchMode.SETTINGS, policy(Expansion.NONE)) == policy(Expansion.NONE)


def test_the_command_offers_every_mode() -> None:
    choices = typing.get_args(typing.get_args(Mode)[0])
    assert set(choices) == {mode.value for mode in SearchMode} | {"all"}
