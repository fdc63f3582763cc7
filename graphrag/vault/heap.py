"""The allocator of a process that runs for long: without this, what engines free in many threads adds up."""

import ctypes
import sys

_ARENA_MAX = -8  # glibc's M_ARENA_MAX


def share_heaps() -> None:
    """Make the engines' many threads share two heaps: glibc's one a thread each keeps holes, which adds up.

    Measured over 150 commits, with the memory given back after each: level at 420 MB; without both, 770 MB and rising.
    """
    _call_libc("mallopt", _ARENA_MAX, 2)


def give_back_memory() -> None:
    """Give what a run freed back to the system."""
    _call_libc("malloc_trim", 0)


def _call_libc(name: str, *numbers: int) -> None:
    """Call a function of glibc's allocator; elsewhere there is none, and no need."""
    if sys.platform == "linux" and (function := getattr(ctypes.CDLL(None), name, None)):
        function(*numbers)
