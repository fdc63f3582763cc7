"""Runs the indexer: once (`index_vault`), in turn behind another run (`index_in_turn`), or whenever the vault changes.

`Follower` is the loop of `watch`: it survives failed runs and a vault that is away, and embeds in slices, so that new
text does not wait for old vectors. `Heart` writes the heartbeat that `status` reads.
"""

import ctypes
import math
import os
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Protocol, Self

from graphrag.domain.report import Heartbeat, Progress, WatcherState
from graphrag.domain.snapshot import IndexReport, Manifest, find_changes
from graphrag.errors import ConfigError, GraphragError, SnapshotConflict
from graphrag.settings import SETTINGS_FILE, load_settings
from graphrag.stores.index_folder import HeartbeatFile, Turn
from graphrag.stores.limited_index import forget_limited
from graphrag.vault.past import forget_past, forget_unfinished_past
from graphrag.vault.resources import USER_DICTIONARY, Parts
from vault_sync.file_watch import Pace, VaultLook, VaultWatch

_ARENA_MAX = -8  # glibc's M_ARENA_MAX


def limit_malloc_arenas() -> None:
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


def index_vault(parts: Parts, full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
    """Bring the index to the vault's present state. What becomes private leaves the past and limited parts, too.

    A full run also drops those, which may be damaged like the rest; they are made anew when they are asked for.

    Raises:
        SnapshotConflict: another process is indexing.
        StoreError: the index cannot be read or written.
    """

    def forget_copies(limited_too: bool) -> None:
        forget_past(parts)
        if parts.limit.is_empty and limited_too:
            forget_limited(parts.main_dir)

    forget_unfinished_past(parts)
    return parts.indexer(forget_copies=forget_copies).run(full, progress, embed_seconds)


def is_current(parts: Parts) -> bool:
    """Whether an index run would find nothing to do but embed. Reads only, and takes no lock.

    Raises:
        StoreError: the snapshot cannot be read.
        VaultError: the vault is gone.
    """
    manifest = parts.snapshots.current()
    if manifest is None or manifest.fingerprints.differences(parts.fingerprints(manifest)):
        return False
    state = parts.source().scan(manifest)
    is_same_version = (state.commit, state.worktree) == (manifest.commit, manifest.worktree)
    is_same_version = is_same_version and {*parts.user_words} == {*manifest.user_words}
    return is_same_version and find_changes(manifest, state).is_empty


def report_unchanged(manifest: Manifest, seconds: float) -> IndexReport:
    """Return the report of a run that found nothing to do."""
    return IndexReport(
        generation=manifest.generation,
        commit=manifest.commit,
        added=0,
        changed=0,
        deleted=0,
        renamed=0,
        notes=len(manifest.notes),
        chunks=manifest.chunk_count,
        embedded=manifest.embedded_count,
        embeddings_made=0,
        rebuilt=(),
        diagnostics=manifest.diagnostics,
        seconds=seconds,
    )


_SLICE = 20.0  # seconds of embedding between two looks at the vault
_BEAT = 3.0  # seconds between two heartbeats
_SECONDS_WITHOUT_VAULT = 2.0  # between two looks for one that is away
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0  # seconds after a failure; doubled with each


class Index(Protocol):
    """Brings the index up to date, as the facade does."""

    def __call__(self, full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        """Embed for so many seconds at most."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told what the watcher does."""

    on_index: Callable[[IndexReport], None]  # the index changed; slices of embedding count as one
    on_note: Callable[[str], None]  # a line for the log
    on_step: Progress = lambda step, done, total: None  # how far a run is
    on_rest: Callable[[], None] = lambda: None  # a run has ended, however


def follow(parts: Parts, index: Index, pace: Pace, listener: Listener, stop: Event) -> bool:
    """Follow the vault until `stop` is set; return whether it ended because the settings are to be read anew.

    Raises:
        StoreError: another process is watching this vault, or there can be no index.
    """
    limit_malloc_arenas()
    look = VaultLook(parts.vault, parts.settings.index.worktree, (SETTINGS_FILE, USER_DICTIONARY))
    with VaultWatch(look, pace, listener.on_note, stop) as watch:
        _wait_for_vault(parts, watch, listener, stop)  # or the index would be made where a disk is to be mounted
        parts.snapshots.prepare()
        with parts.heartbeat.claim(), Heart(parts.heartbeat) as heart:
            return Follower(parts, index, watch, heart, listener, stop).run()


def _wait_for_vault(parts: Parts, watch: VaultWatch, listener: Listener, stop: Event) -> None:
    if watch.is_there:
        return
    listener.on_note(f"{parts.vault}: not there, or empty; waiting for it")
    while not watch.is_there and not stop.is_set():
        watch.wait(_SECONDS_WITHOUT_VAULT)
    listener.on_note(f"{parts.vault}: there again")


class Heart:
    """Writes the heartbeat every few seconds; what it says is `now`. To be used in a `with`."""

    def __init__(self, file: HeartbeatFile) -> None:
        self._file = file
        self._writing = Lock()
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="heartbeat", daemon=True)
        moment = datetime.now(UTC)
        self.now = Heartbeat(os.getpid(), socket.gethostname(), moment, moment, WatcherState.IDLE, None, "", "", 0, 0)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()
        self.say(replace(self.now, state=WatcherState.STOPPED))

    def say(self, heartbeat: Heartbeat) -> None:
        """Say this from now on, the first time at once."""
        self.now = heartbeat
        self._write()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._write()
            self._stopped.wait(_BEAT)

    def _write(self) -> None:
        with self._writing:
            self._file.write(replace(self.now, beat=datetime.now(UTC)))


class Follower:
    """The loop of one watcher."""

    def __init__(
        self, parts: Parts, index: Index, watch: VaultWatch, heart: Heart, listener: Listener, stop: Event
    ) -> None:
        self._parts = parts
        self._index = index
        self._watch = watch
        self._heart = heart
        self._listener = listener
        self._stop = stop
        self._settings = self._read_settings()
        self._pause = 0.0  # after the last failure
        self._told = 0  # the generation that the listener knows of; 0 before the first run
        self._made, self._seconds = 0, 0.0  # embeddings and time that the listener does not know of

    def run(self) -> bool:
        """Follow until told to stop, False, or until the settings changed, True."""
        self._listener.on_note(f"watching {self._parts.vault}")
        while not self._stop.is_set():
            if not self._watch.is_there:
                self._heart.say(replace(self._heart.now, state=WatcherState.WAITING))
                _wait_for_vault(self._parts, self._watch, self._listener, self._stop)
            elif self._has_new_settings():
                return True
            else:
                pause = self._bring_up_to_date()
                if self._watch.wait(pause):
                    self._heart.now = replace(self._heart.now, last_event=datetime.now(UTC))
        return False

    def _bring_up_to_date(self) -> float:
        """Index, and return after how many seconds to do so again though nothing changes."""
        self._heart.say(replace(self._heart.now, state=WatcherState.INDEXING))
        try:
            report = self._index(False, self._progress, _SLICE)
        except Exception as error:  # a full disk, a model server that is down: the next try may go well
            return self._fail(error)
        finally:
            self._listener.on_rest()
        self._pause = 0.0
        give_back_memory()
        self._tell(report)
        state = WatcherState.INDEXING if report.is_partial else WatcherState.IDLE
        missing = report.chunks - report.embedded if report.is_partial else 0
        self._heart.say(
            replace(self._heart.now, state=state, last_commit=report.commit, last_error="", events=0, chunks=missing)
        )
        return 0.0 if report.is_partial else math.inf

    def _fail(self, error: Exception) -> float:
        self._watch.wait(0.0)
        if not self._watch.is_there:
            return 0.0  # that explains it
        message = " ".join((str(error) if isinstance(error, GraphragError) else repr(error)).split())
        if message != self._heart.now.last_error:
            self._listener.on_note(f"not indexed, will try again: {message}")
        self._heart.say(replace(self._heart.now, state=WatcherState.FAILING, last_error=message))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE) if self._pause else _FIRST_PAUSE
        return self._pause

    def _tell(self, report: IndexReport) -> None:
        """Tell the listener of a run that changed the index; of slices of embedding, only when they are complete."""
        self._made += report.embeddings_made
        self._seconds += report.seconds
        if report.is_partial and not (report.added or report.changed or report.deleted or report.renamed):
            return
        has_news = report.generation != self._told if self._told else not report.is_unchanged
        if has_news:
            self._listener.on_index(replace(report, embeddings_made=self._made, seconds=self._seconds))
        self._told, self._made, self._seconds = report.generation, 0, 0.0

    def _progress(self, step: str, done: int, total: int) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt  # the one that a signal raised was lost in a library, or it is not the main thread
        self._listener.on_step(step, done, total)
        missing = total - done if step == "vectors" else self._heart.now.chunks
        self._heart.now = replace(self._heart.now, events=self._watch.pending, chunks=missing)

    def _has_new_settings(self) -> bool:
        """Whether the settings file changed and can be read; one that is broken changes nothing yet."""
        before, self._settings = self._settings, self._read_settings()
        if self._settings == before:
            return False
        try:
            load_settings(self._parts.vault)
        except ConfigError as error:
            self._listener.on_note(f"the settings before stay in force: {error}")
            return False
        self._listener.on_note(f"{SETTINGS_FILE} changed: reading it again")
        return True

    def _read_settings(self) -> bytes:
        try:
            return (self._parts.vault / SETTINGS_FILE).read_bytes()
        except OSError:
            return b""


_FIRST_RETRY, _LONGEST_RETRY = 0.5, 5.0  # seconds between two tries while another process is writing
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
    pause = _FIRST_RETRY
    while True:
        try:
            return index(False, _leaving(turn), _SLICE)
        except SnapshotConflict:
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_RETRY)


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
