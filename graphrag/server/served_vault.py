"""The vault as callers may see it: one facade for the whole, and one for each limit, all on the newest snapshot.

A thread looks for newer snapshots, whoever publishes them, and brings the indexes of limits up to date after the main
one. A request that is under way keeps the snapshot that it began with.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Event, Lock, Thread

from graphrag.app import App
from graphrag.domain.access import Limit
from graphrag.errors import GraphragError
from graphrag.server.problems import Problem
from graphrag.vault.follow import Listener, give_back_memory
from vault_sync.file_watch import Pace

_LOG = logging.getLogger("graphrag.server")
_LOOK_SECONDS = 1.0
_TRIM_SECONDS = 30.0
_EMBED_SECONDS = 20.0  # of one slice of an index run, after which other limits have their turn
_RETRY_SECONDS = 5
_PACE = Pace(debounce=0.5, longest=5.0, sweep=30.0)


@dataclass(frozen=True, slots=True)
class Indexing:
    """How far an index run is."""

    step: str
    done: int
    total: int


@dataclass
class _Part:
    """What one limit lets through."""

    app: App
    followed: int = field(default=0)  # generation of the main index that its own reflects
    is_wanted: bool = field(default=True)  # whether a request came since


class ServedVault:
    """The facades by limit; to be used in a `with`. With `follows`, it also brings the index after the vault."""

    def __init__(self, app: App, follows: bool) -> None:
        self._main = app
        self._parts: dict[Limit, _Part] = {}
        self._changing = Lock()
        self.indexing: Indexing | None = None  # how far a run of the main index is
        self._ended = Event()
        self._news = Event()
        self._threads = [
            Thread(target=self._follow, name="snapshots", daemon=True),
            Thread(target=self._index_parts, name="limited-indexes", daemon=True),
            *([Thread(target=self._watch, name="watcher", daemon=True)] if follows else []),
        ]

    def __enter__(self) -> "ServedVault":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._news.set()
        for thread in self._threads:
            thread.join()
        for app in self._apps():
            app.close()

    @property
    def main(self) -> App:
        """The facade over the whole vault."""
        return self._main

    def app_of(self, limit: Limit) -> App:
        """Return the facade that shows what a limit lets through.

        Raises:
            Problem: its index is being made.
        """
        if limit.is_empty:
            return self._main
        with self._changing:
            part = self._parts.get(limit)
            if part is None:
                part = self._parts[limit] = _Part(self._main.limited(limit))
                self._news.set()
            part.is_wanted = True
        if part.app.is_indexed:
            return part.app
        detail = "The part of the vault that this token opens is being indexed. Try again in a moment."
        raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, _RETRY_SECONDS)

    def _apps(self) -> list[App]:
        with self._changing:
            return [self._main, *(part.app for part in self._parts.values())]

    def _follow(self) -> None:
        """Let every facade answer from its newest snapshot, until the end."""
        given_back = time.monotonic()
        while not self._ended.wait(_LOOK_SECONDS):
            for app in self._apps():
                with _kept_alive("the snapshot before goes on answering"):
                    if app.refresh() and app is self._main:
                        self._news.set()
            if time.monotonic() - given_back > _TRIM_SECONDS:
                give_back_memory()
                given_back = time.monotonic()

    def _index_parts(self) -> None:
        """Bring the indexes of limits that are asked for up to date, one after the other, until the end."""
        while not self._ended.is_set():
            self._news.wait(_LOOK_SECONDS)
            self._news.clear()
            with self._changing:
                parts = [part for part in self._parts.values() if part.is_wanted]
            for part in parts:
                with _kept_alive("the index of a limited token is not up to date"):
                    self._bring_up_to_date(part)

    def _bring_up_to_date(self, part: _Part) -> None:
        """Index what a limit lets through, if the main index changed since; what fails is tried again."""
        if self._ended.is_set() or not self._main.is_indexed:
            return
        generation = self._main.summary().generation
        if part.followed == generation and part.app.is_indexed:  # it is deleted with the last token of its limit
            return
        part.is_wanted = False
        is_whole = False
        try:
            is_whole = not part.app.index(False, self._check_end, _EMBED_SECONDS).is_partial
        except _Ended:
            return
        finally:
            part.followed = generation if is_whole else part.followed
            part.is_wanted = part.is_wanted or not is_whole

    def _check_end(self, step: str, done: int, total: int) -> None:
        if self._ended.is_set():
            raise _Ended

    def _watch(self) -> None:
        """Follow the vault until the end."""
        listener = Listener(lambda report: self._news.set(), _LOG.info, self._note_step, self._note_rest)
        # A KeyboardInterrupt is how the watcher ends in the middle of a run.
        with suppress(KeyboardInterrupt), _kept_alive("the vault is not followed"):
            while not self._ended.is_set() and self._main.watch(_PACE, listener, self._ended):
                _LOG.warning("the settings changed: they count when graphrag serve is started anew")

    def _note_step(self, step: str, done: int, total: int) -> None:
        self.indexing = Indexing(step, done, total)

    def _note_rest(self) -> None:
        self.indexing = None


class _Ended(Exception):
    """The server ends in the middle of an index run, which the next one goes on with."""


@contextmanager
def _kept_alive(consequence: str) -> Iterator[None]:
    """Let a thread of the server go on after whatever happens in it; the log says what did."""
    try:
        yield
    except GraphragError as error:
        _LOG.warning("%s: %s", consequence, error)
    except Exception:
        _LOG.exception("%s: unexpected failure", consequence)
