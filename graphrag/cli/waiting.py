"""Waits while another process is writing the index, and says on stderr which one."""

import math
import time
from collections.abc import Callable
from typing import TypeVar

import typer

from graphrag.errors import SnapshotConflict

Result = TypeVar("Result")

_LOOK = 0.5  # seconds between two tries
_SILENT = 1.0  # seconds of a wait that need no word


def run_when_free(
    run: Callable[[], Result], is_needless: Callable[[], bool], patience: float = math.inf
) -> Result | None:
    """Return what `run` returns as soon as no other process writes; None when the other one made it needless.

    Raises:
        SnapshotConflict: another process is still writing after so many seconds.
    """
    started = time.monotonic()
    is_told = False
    while True:
        try:
            return run()
        except SnapshotConflict as conflict:
            if is_needless():
                return None
            waited = time.monotonic() - started
            if waited >= patience:
                raise
            if waited >= _SILENT and not is_told:
                typer.echo(f"Waiting (Ctrl-C stops): {conflict}", err=True)
                is_told = True
        time.sleep(_LOOK)
