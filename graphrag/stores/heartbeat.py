"""The watcher's traces in the index folder: a lock that lets in one watcher, and a heartbeat that others read."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from filelock import FileLock, Timeout

from graphrag.domain.report import Heartbeat, Watcher, WatcherState
from graphrag.errors import StoreError

_LOCK = "watch.lock"
_HEARTBEAT = "watch.json"
_STALE = timedelta(seconds=30)  # a busy machine may delay a beat
_MOMENTS = ("started", "beat", "last_event")


class HeartbeatFile:
    """The heartbeat of one index folder, which has to exist for anything but reading."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _HEARTBEAT
        self._lock = folder / _LOCK

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Be the only watcher; the system ends the claim when the process dies.

        Raises:
            StoreError: there is another one.
        """
        lock = FileLock(self._lock, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise StoreError(
                f"{self._file.parent}: {self._other()} is watching this vault already. Stop it, or leave it to it."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def write(self, heartbeat: Heartbeat) -> None:
        """Replace the heartbeat; one that cannot be written, as while the vault is away, is left out."""
        temporary = self._file.with_name(f"{_HEARTBEAT}.tmp")
        with suppress(OSError):
            temporary.write_text(json.dumps(asdict(heartbeat), default=datetime.isoformat), encoding="utf-8")
            temporary.replace(self._file)

    def read(self) -> Watcher | None:
        """Return the last heartbeat, None when there is none that can be read."""
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
            moments = {name: datetime.fromisoformat(data[name]) for name in _MOMENTS if data[name]}
            heartbeat = Heartbeat(**{**data, **moments, "state": WatcherState(data["state"])})
            return Watcher(_is_alive(heartbeat), heartbeat)
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _other(self) -> str:
        watcher = self.read()
        return f"process {watcher.heartbeat.pid} on {watcher.heartbeat.host}" if watcher else "another process"


def _is_alive(heartbeat: Heartbeat) -> bool:
    """Whether the watcher beats; that its process is there can be told on its own machine only."""
    if heartbeat.state is WatcherState.STOPPED or datetime.now(UTC) - heartbeat.beat > _STALE:
        return False
    return heartbeat.host != socket.gethostname() or _is_running(heartbeat.pid)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True
