"""Whose index a folder holds: it is looked at before anything is read from it or written to it."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphrag.domain.report import Heartbeat, Watcher, WatcherState
from graphrag.errors import StoreError
from graphrag.stores.failures import reading

_WATCH_LOCK = "watch.lock"
_HEARTBEAT = "watch.json"
_STALE = timedelta(seconds=30)  # a busy machine may delay a beat
_MOMENTS = ("started", "beat", "last_event")


class HeartbeatFile:
    """The heartbeat of one index folder, which has to exist for anything but reading."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _HEARTBEAT
        self._lock = folder / _WATCH_LOCK

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Be the only watcher; the system ends the claim when the process dies.

        Raises:
            StoreError: there is another one.
        """
        from filelock import FileLock, Timeout  # readers do without it

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


_TURN_LOCK = "turn.lock"


class Turn:
    """The one place in the line of an index folder, which has to exist."""

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock

        self._lock = FileLock(folder / _TURN_LOCK, timeout=0)

    def take(self) -> bool:
        """Return whether the place was free and is ours now; the system frees it when the process dies."""
        from filelock import Timeout

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


CURRENT = "CURRENT"
OWNER = "OWNER"
_NAME_ANOTHER = "Name a new or empty folder, by `dir` under [index] in graphrag.toml or by --index-dir."


def check_owner(directory: Path, owner: str) -> None:
    """Refuse a folder that holds another vault's index, or something that is no index at all.

    Raises:
        StoreError: it is not this owner's, or no folder.
    """
    mark = directory / OWNER
    with reading(directory):
        if any(place.exists() and not place.is_dir() for place in (directory, *directory.parents)):
            raise StoreError(f"{directory}: no folder can be there. {_NAME_ANOTHER}")
        # In this order: the mark is an index's first file, so whoever sees another one finds the mark after it.
        names = {entry.name for entry in directory.iterdir()} if directory.exists() else set()
        found = mark.read_text(encoding="utf-8", errors="replace") if mark.exists() else None
        is_foreign = found is None and bool(names - {f"{OWNER}.tmp"}) and CURRENT not in names
    if found is not None and found != owner:
        if not found or not found.isprintable():
            raise StoreError(f"{mark}: damaged. If this is your index, delete that file and run: graphrag index")
        raise StoreError(f"{directory}: the index of another vault ({found}). {_NAME_ANOTHER}")
    if is_foreign:
        raise StoreError(f"{directory}: not an index, and not empty. {_NAME_ANOTHER}")


def make_directory(directory: Path) -> None:
    """Make an index's folder, and those above it.

    Raises:
        StoreError: the system makes no folder there.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # its parents were to be made, too
        raise StoreError(f"{directory}: no folder can be made there. {_NAME_ANOTHER}") from error
