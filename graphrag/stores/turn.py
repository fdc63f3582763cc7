"""The place behind the process that is writing an index: one process waits there, and all others need not wait."""

from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

_LOCK = "turn.lock"


class Turn:
    """The one place in the line of an index folder, which has to exist."""

    def __init__(self, folder: Path) -> None:
        self._lock = FileLock(folder / _LOCK, timeout=0)

    def take(self) -> bool:
        """Return whether the place was free and is ours now; the system frees it when the process dies."""
        with suppress(Timeout):
            self._lock.acquire()
            return True
        return False

    def is_taken(self) -> bool:
        """Whether another process has the place."""
        is_free = self.take()
        self.give_up()
        return not is_free

    def give_up(self) -> None:
        """Let the next one in; a place that is not ours stays as it is."""
        self._lock.release(force=True)
