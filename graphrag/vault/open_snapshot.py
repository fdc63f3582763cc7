"""The snapshot that an opened vault answers from: the newest one, or one of the past.

Several threads may ask at once. Each request keeps the snapshot with which it began, and a snapshot is closed after its
last request. `on_newest` repeats a request on the newest snapshot when a writer has removed its files.
"""

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport, Lag
from graphrag.errors import SnapshotMissing, StoreError
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.resources import Parts

if TYPE_CHECKING:
    from graphrag.vault.cited_lines import KeptNotes, NoteLines
    from graphrag.vault.knowledge import Knowledge
    from graphrag.vault.whole_graph import NoteMap

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_ATTEMPTS = 5  # at a request; an index run may publish several snapshots within a second
_JUST_MADE = (0, 0)  # published while it was opened; what is published is newer than this


class _Opened:
    """One snapshot with what was made of it, for all requests that keep it."""

    def __init__(self, readers: SnapshotReaders, published: tuple[int, int] | None) -> None:
        self.readers = readers
        self.published = published  # when it was opened; None for one of the past
        self.knowledge: Knowledge | None = None
        self.note_map: NoteMap | None = None
        self.notes: KeptNotes | None = None
        self.making = RLock()  # one thread makes what all use
        self.kept: dict[Hashable, tuple[object, Any]] = {}
        self.keeping = RLock()  # likewise, for what takes long
        self._changing = Lock()
        self._holders = 1  # whoever opened it

    def hold(self) -> bool:
        """Keep it from being released; return False when that is too late."""
        with self._changing:
            self._holders += bool(self._holders)
            return self._holders > 0

    def let_go(self) -> None:
        """Release it if nobody else holds it."""
        with self._changing:
            self._holders -= 1
            is_free = self._holders == 0
        if is_free:
            self.readers.graph.close()


class OpenSnapshot:
    """Opens a snapshot when something first asks for it, and keeps it until it is closed or a newer one is taken."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._changing = RLock()
        self._opened: _Opened | None = None

    @property
    def is_past(self) -> bool:
        """Whether `go_back` chose the snapshot."""
        opened = self._opened
        return opened is not None and opened.published is None

    @property
    def readers(self) -> SnapshotReaders:
        """What reads the snapshot.

        Raises:
            SnapshotMissing: nothing is indexed yet.
        """
        return self._open().readers

    @property
    def knowledge(self) -> "Knowledge":
        """What is known of the snapshot."""
        from graphrag.vault.knowledge import Knowledge

        opened = self._open()
        with opened.making:
            if opened.knowledge is None:
                opened.knowledge = Knowledge(opened.readers, self.parts.vault)
            return opened.knowledge

    @property
    def note_map(self) -> "NoteMap":
        """How the notes of the snapshot hang together."""
        from graphrag.vault.whole_graph import NoteMap

        opened = self._open()
        with opened.making:
            if opened.note_map is None:
                opened.note_map = NoteMap(opened.readers)
            return opened.note_map

    def kept(self, name: Hashable, state: object, make: Callable[[], Result]) -> Result:
        """Return what was made of the snapshot under a name, made anew where the vault is in another state."""
        opened = self._open()
        with opened.keeping:
            known = opened.kept.get(name)
            if known is None or known[0] != state:
                known = opened.kept[name] = state, make()
            value: Result = known[1]
            return value

    @property
    def has_newer(self) -> bool:
        """Whether a snapshot was published since this one was opened."""
        opened = self._opened
        if opened is None or opened.published is None:
            return False
        return self.parts.snapshots.published() not in (None, opened.published)

    @property
    def is_there(self) -> bool:
        """Whether there is a snapshot to answer from; an index that was deleted under an open one is none."""
        return self.is_past or self.parts.snapshots.published() is not None

    def lines(self) -> "NoteLines":
        """Return the lines that one request may cite."""
        from graphrag.vault.cited_lines import KeptNotes, NoteLines

        opened = self._open()
        with opened.making:
            if opened.notes is None:
                opened.notes = KeptNotes()
        return NoteLines(self.parts, opened.readers, self.knowledge.files, self.is_past, opened.notes)

    def go_back(self, revision: str, progress: Progress) -> IndexReport | None:
        """Open the snapshot of a commit, tag, branch or date; return the report of making it, None for a kept one."""
        from graphrag.vault.past import open_past  # it needs the parser, which a search does without

        self.close()
        readers, report = open_past(self.parts, revision, progress)
        self._exchange(_Opened(readers, None))
        return report

    @contextmanager
    def watching_lag(self) -> Iterator[Callable[[], Lag | None]]:
        """Measure how far the vault is ahead beside the work inside; the function waits for it."""
        if self.is_past:
            yield lambda: None
            return
        manifest = self.readers.manifest
        with ThreadPoolExecutor(1) as pool:
            yield pool.submit(self.parts.lag, manifest).result

    @contextmanager
    def held(self) -> "Iterator[OpenSnapshot]":
        """Keep the snapshot of this moment for one request, whatever is opened or closed meanwhile."""
        kept = OpenSnapshot(self.parts)
        opened = self._open()
        while not opened.hold():  # released since
            opened = self._open()
        kept._opened = opened
        try:
            yield kept
        finally:
            kept.close()

    def refresh(self) -> bool:
        """Take the newest snapshot, opened before it is exchanged; return whether there was a newer one."""
        if not self.has_newer:
            return False
        opened = self._open_newest()
        opened.readers.warm_up()
        self._exchange(opened)
        return True

    def close(self) -> None:
        """Release the snapshot, once no request holds it."""
        self._exchange(None)

    def _open(self) -> _Opened:
        with self._changing:
            if self._opened is None:
                self._opened = self._open_newest()
            return self._opened

    def _open_newest(self) -> _Opened:
        published = self.parts.snapshots.published()
        readers = self.parts.open_readers()
        if readers is None:
            raise SnapshotMissing(f"{self.parts.vault}: nothing is indexed yet. Run: graphrag index")
        return _Opened(readers, published or _JUST_MADE)

    def _exchange(self, opened: _Opened | None) -> None:
        with self._changing:
            before, self._opened = self._opened, opened
        if before is not None:
            before.let_go()


def on_newest(
    request: Callable[Concatenate[OpenSnapshot, Parameters], Result],
) -> Callable[Concatenate[OpenSnapshot, Parameters], Result]:
    """Let a request keep one snapshot; run it again when a writer removed files of that one for a newer."""

    @wraps(request)
    def run(opened: OpenSnapshot, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        for attempt in range(1, _ATTEMPTS + 1):
            with opened.held() as kept:
                try:
                    return request(kept, *arguments, **named)
                except StoreError:
                    if attempt == _ATTEMPTS or not kept.has_newer:
                        raise
            opened.refresh()
        raise AssertionError("the loop returns or raises")

    return run
