"""The fake application takes what the real one takes, for mypy cannot hold one class to another."""

import inspect

import pytest

from graphrag.app import App
from tests.fakes.app import FakeApp

METHODS = [name for name, _ in inspect.getmembers(FakeApp, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("name", [name for name in METHODS if callable(getattr(App, name, None))])
def test_a_method_of_the_fake_takes_what_the_real_one_takes(name: str) -> None:
    fake, real = (inspect.signature(getattr(owner, name)).parameters for owner in (FakeApp, App))
    # Behind the first one: the facade itself, or the snapshot that it asks.
    one, other = ([(item.name, item.default) for item in taken.values()][1:] for taken in (fake, real))
    assert one == other


def test_the_fake_has_no_method_that_the_real_one_lacks() -> None:
    assert [name for name in METHODS if not hasattr(App, name)] == []
