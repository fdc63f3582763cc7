"""The snapshot that an opened vault answers from: the newest one when a first question came, or one of the past."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport, Lag
from graphrag.errors import SnapshotMissing, StoreError
from graphrag.parts import Parts
from graphrag.retrieve.pipeline import SnapshotReaders

if TYPE_CHECKING:
    from graphrag.knowledge import Knowledge
    from graphrag.note_lines import NoteLines
    from graphrag.note_map import NoteMap

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class OpenSnapshot:
    """Opens a snapshot when something first asks for it, and keeps it until it is closed."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.is_past = False  # whether `go_back` chose the snapshot
        self._readers: SnapshotReaders | None = None
        self._knowledge: Knowledge | None = None
        self._note_map: NoteMap | None = None

    @property
    def readers(self) -> SnapshotReaders:
        """What reads the snapshot.

        Raises:
            SnapshotMissing: nothing is indexed yet.
        """
        if self._readers is None:
            self._readers = self.parts.open_readers()
        if self._readers is None:
            raise SnapshotMissing(f"{self.parts.vault}: nothing is indexed yet. Run: graphrag index")
        return self._readers

    @property
    def knowledge(self) -> "Knowledge":
        """What is known of the snapshot."""
        from graphrag.knowledge import Knowledge

        if self._knowledge is None:
            self._knowledge = Knowledge(self.readers, self.parts.vault)
        return self._knowledge

    @property
    def note_map(self) -> "NoteMap":
        """How the notes of the snapshot hang together."""
        from graphrag.note_map import NoteMap

        if self._note_map is None:
            self._note_map = NoteMap(self.readers)
        return self._note_map

    @property
    def has_newer(self) -> bool:
        """Whether a snapshot was published since this one was opened."""
        if self._readers is None or self.is_past:
            return False
        current = self.parts.snapshots.current()
        return current is not None and current.generation != self._readers.manifest.generation

    def lines(self) -> "NoteLines":
        """Return the lines that one request may cite."""
        from graphrag.note_lines import NoteLines

        return NoteLines(self.parts, self.readers, self.knowledge.files, self.is_past)

    def go_back(self, revision: str, progress: Progress) -> IndexReport | None:
        """Open the snapshot of a commit, tag, branch or date; return the report of making it, None for a kept one."""
        self.close()
        from graphrag.past import open_past  # it needs the parser, which a search does without

        self._readers, report = open_past(self.parts, revision, progress)
        self.is_past = True
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

    def close(self) -> None:
        """Release the snapshot."""
        if self._readers is not None:
            self._readers.graph.close()
            self._readers, self._knowledge, self._note_map, self.is_past = None, None, None, False


def on_newest(
    request: Callable[Concatenate[OpenSnapshot, Parameters], Result],
) -> Callable[Concatenate[OpenSnapshot, Parameters], Result]:
    """Run a request again when a writer has published a newer snapshot and removed files of the one that was open."""

    @wraps(request)
    def run(opened: OpenSnapshot, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            return request(opened, *arguments, **named)
        except StoreError:
            if not opened.has_newer:
                raise
            opened.close()
            return request(opened, *arguments, **named)

    return run
