"""Changes in a vault -> wake-ups, by the system's file events. It knows nothing of the index.

Events only say when to look: whether anything changed is decided by `VaultLook`, and looking now and then without any
event makes good for a lost one. Without events at all (a network disk, a system that allows no more watches) looking
is all there is.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from graphrag.errors import VaultError
from vault_sync.commit import has_notes_at_head
from vault_sync.repository import Repository, find_repository
from vault_sync.worktree import IGNORE_FILE, is_note_name

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver


_HEAD_FILES = ("HEAD", "packed-refs")
_REF_FOLDERS = ("refs", "reftable")
_LOCK = ".lock"


class Place(NamedTuple):
    """A folder in which changes are to be noticed."""

    path: Path
    is_recursive: bool


class VaultLook:
    """Looks at one vault again and again; `wants_files` follows saved files even where Git holds the notes.

    `besides` are names of other files in the vault's folder that count, too.
    """

    def __init__(self, vault: Path, wants_files: bool, besides: tuple[str, ...] = ()) -> None:
        self._vault = vault
        self._wants_files = wants_files
        self._besides = (IGNORE_FILE, *besides)
        self._repository: Repository | None = None
        self._git_dirs: tuple[Path, ...] = ()
        self._judged = ""  # the commit that `_follows_files` was found for
        self._follows_files = True

    def take(self) -> int | None:
        """Return a number that stays the same as long as nothing changed, None while the vault is not there."""
        if not self._is_there():
            return None
        try:
            head = self._head()
        except VaultError as error:
            return hash(str(error))  # for the index to report; when Git recovers, this changes
        besides = tuple(_stat(self._vault / name) for name in self._besides)
        files = frozenset(_files(self._vault, "")) if self._follows_files else None
        return hash((head, besides, files))

    def places(self) -> list[Place]:
        """Return the folders to watch, as of the last look.

        The vault's parent stands last. There the vault itself is seen to come and go, and when the system allows no
        more watches, that one fails, while a recursive one may leave out folders in silence.
        """
        places = [Place(self._vault, True)] if self._follows_files else []
        for folder in self._git_dirs:
            places += [Place(folder / name, True) for name in _REF_FOLDERS]
            places.append(Place(folder, False))
        places.append(Place(self._vault.parent, False))
        return [place for place in places if place.path.is_dir()]

    def concerns(self, path: Path, is_folder: bool) -> bool:
        """Whether a change at a path may mean another look; the index's own files and Git's locks never do."""
        if path == self._vault:
            return True
        for folder in self._git_dirs:
            if path.is_relative_to(folder):
                parts = path.relative_to(folder).parts
                return bool(parts) and not path.name.endswith(_LOCK) and _is_of_refs(parts)
        if not self._follows_files or not path.is_relative_to(self._vault):
            return False
        name = path.relative_to(self._vault)
        is_hidden = any(part.startswith(".") for part in name.parts)
        return not is_hidden and (is_folder or is_note_name(path.name))

    def _is_there(self) -> bool:
        """Whether the vault can be listed and is not the empty place where a disk is mounted."""
        try:
            with os.scandir(self._vault) as entries:
                return any(entries) and all(folder.is_dir() for folder in self._git_dirs)
        except OSError:
            return False

    def _head(self) -> str:
        """Return the commit that is checked out, and find out what the index follows there."""
        if self._repository is None:
            self._repository = find_repository(self._vault)
            if self._repository:
                self._git_dirs = tuple(dict.fromkeys((self._repository.git_dir, self._repository.common_dir)))
        head = self._repository.head() if self._repository else ""
        if head != self._judged:
            is_committed = self._repository is not None and has_notes_at_head(self._repository)
            self._judged, self._follows_files = head, self._wants_files or not is_committed
        return head


def _is_of_refs(parts: tuple[str, ...]) -> bool:
    return parts[0] in _REF_FOLDERS or (len(parts) == 1 and parts[0] in _HEAD_FILES)


def _files(folder: Path | str, prefix: str) -> Iterator[tuple[str, tuple[int, int, int] | None]]:
    """Yield each note file with what tells its versions apart; what vanishes meanwhile is left out."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        path = prefix + entry.name
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if is_note_name(path):
            yield path, _stat(entry)
        elif entry.is_dir():
            yield from _files(entry.path, f"{path}/")


def _stat(file: Path | os.DirEntry[str]) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


# Without a filter, every file that Git or the indexer merely reads would be an event.
_EVENTS: list[type[FileSystemEvent]] = [
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent),
    *(DirCreatedEvent, DirMovedEvent, DirDeletedEvent),
]
_STOP_SECONDS = 1.0  # after which an end is noticed
_SECONDS_WITHOUT_EVENTS = 5.0  # between two looks when the system gives no events


@dataclass(frozen=True, slots=True)
class Pace:
    """How soon a change is told, in seconds."""

    debounce: float  # of quiet before it is told
    longest: float  # until it is told though there is no quiet
    sweep: float  # between two looks without an event
    poll: float | None = None  # use no events and look as often as this


class VaultWatch(FileSystemEventHandler):
    """Waits for changes; to be used in a `with`. `say` is told in one line when there are no events.

    Waiting ends soon after `stop` is set.
    """

    def __init__(self, look: VaultLook, pace: Pace, say: Callable[[str], None], stop: Event | None = None) -> None:
        self._look = look
        self._pace = pace
        self._say = say
        self._stop = stop or Event()
        self._stirred = Event()
        self._observer: BaseObserver | None = None
        self._attached: dict[Place, tuple[int, int]] = {}
        self._seen: int | None = None
        self._between_looks = pace.poll or pace.sweep
        self._has_events = pace.poll is None
        self.pending = 0  # events since the last change was told

    def __enter__(self) -> Self:
        self._seen = self._look.take()
        self._attach()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._detach()

    @property
    def is_there(self) -> bool:
        """Whether the vault was there at the last look."""
        return self._seen is not None

    def wait(self, seconds: float = math.inf) -> bool:
        """Return True once something changed and it is quiet again, False when it did not for so many seconds."""
        end = time.monotonic() + seconds
        while True:
            self._wait_for_event(min(self._between_looks, end - time.monotonic()))
            if self._stop.is_set():
                return False
            if self._look.take() != self._seen:
                self._seen = self._settle()
                self._attach()
                self.pending = 0
                return True
            self._attach()
            if time.monotonic() >= end:
                return False

    def _wait_for_event(self, seconds: float) -> None:
        """Wait for so many seconds at most, with a look at `stop` now and then."""
        end = time.monotonic() + seconds
        while not self._stop.is_set() and not self._stirred.wait(max(0.0, min(_STOP_SECONDS, end - time.monotonic()))):
            if time.monotonic() >= end:
                break
        self._stirred.clear()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note of an event; called by the observer's thread."""
        paths = [Path(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path]
        if any(self._look.concerns(path, event.is_directory) for path in paths):
            self.pending += 1
            self._stirred.set()

    def _settle(self) -> int | None:
        """Return what the vault looks like when neither events nor looks have shown a change for a while."""
        end = time.monotonic() + self._pace.longest
        seen = self._look.take()
        while time.monotonic() < end:
            self._stirred.clear()
            time.sleep(self._pace.debounce)
            before, seen = seen, self._look.take()
            if seen == before and not self._stirred.is_set():
                break
        return seen

    def _attach(self) -> None:
        """Watch the folders that are to be watched now; one that is another folder by the same name counts as new."""
        if not self._has_events:
            return
        wanted = {place: found for place in self._look.places() if (found := _identity(place.path))}
        is_alive = self._observer is not None and all(emitter.is_alive() for emitter in self._observer.emitters)
        if is_alive and wanted == self._attached:
            return
        self._detach()
        try:
            self._observer = Observer()
            self._observer.start()
            for place in wanted:
                path = str(place.path)
                self._observer.schedule(self, path, recursive=place.is_recursive, event_filter=_EVENTS)
            self._attached = wanted
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._detach()
        self._has_events = False
        self._between_looks = min(self._pace.sweep, _SECONDS_WITHOUT_EVENTS)
        reason = error.strerror or str(error)
        self._say(
            f"no file events ({reason}): looking every {self._between_looks:g} s instead. "
            "On Linux, raise fs.inotify.max_user_watches and max_user_instances."
        )

    def _detach(self) -> None:
        observer, self._observer, self._attached = self._observer, None, {}
        if observer is not None and observer.is_alive():
            observer.stop()
            observer.join()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
