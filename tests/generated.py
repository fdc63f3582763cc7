"""How many examples a property is tried on: all of them in a full run, a quarter in a fast one."""

from hypothesis import settings

_FULL, _FAST = settings(max_examples=100, deadline=None), settings(max_examples=25, deadline=None)
settings.register_profile("full", _FULL)
settings.register_profile("fast", _FAST)


def choose_profile(is_full: bool) -> None:
    settings.load_profile("full" if is_full else "fast")


def examples(full: int) -> int:
    """Return how many examples this run tries of a property that a full run tries on `full`."""
    return full * settings().max_examples // _FULL.max_examples
