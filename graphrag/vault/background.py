"""An index run that nobody waits for, as a Git hook starts it: however many are started, one runs and one waits."""

import time

from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport
from graphrag.errors import SnapshotConflict
from graphrag.stores.turn import Turn
from graphrag.vault.follow import Index, Listener
from graphrag.vault.parts import Parts

_SLICE = 20.0  # seconds of embedding before whoever waits comes in
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0  # seconds between two tries while another process is writing
_LONGEST_REBASE = 60.0  # seconds; a longer one may be waiting for a person
_LOOK_AT_REBASE = 0.3


def index_in_turn(parts: Parts, index: Index, listener: Listener) -> None:
    """Index as soon as no other process does, to the end of the embedding.

    When another process is waiting to do so already it will see what this one would, so nothing is done; and between
    two slices of embedding such a process takes over.

    Raises:
        StoreError, ProviderError, VaultError: as indexing does.
    """
    parts.snapshots.prepare()
    turn = Turn(parts.index_dir)
    while turn.take():
        try:
            _wait_for_git(parts)
            report = _index_when_free(index, turn)
        finally:
            turn.give_up()
        listener.on_index(report)
        if not report.is_partial:
            return


def _index_when_free(index: Index, turn: Turn) -> IndexReport:
    pause = _FIRST_PAUSE
    while True:
        try:
            return index(False, _leaving(turn), _SLICE)
        except SnapshotConflict:
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _leaving(turn: Turn) -> Progress:
    """Return a progress that gives up the place in the line.

    The first step is told when the right to write is held and the vault not read yet: a process that found the place
    taken until then need not come, and one that comes from then on has to wait there.
    """

    def progress(step: str, done: int, total: int) -> None:
        turn.give_up()

    return progress


def _wait_for_git(parts: Parts) -> None:
    """Let a rebase end first: its hooks tell of many commits, but not of the last."""
    end = time.monotonic() + _LONGEST_REBASE
    while parts.repository and parts.repository.is_rewriting() and time.monotonic() < end:
        time.sleep(_LOOK_AT_REBASE)
