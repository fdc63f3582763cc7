"""Listings -> their bodies, in the same order, the next ones read ahead while one is written."""

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import LeanoteSource
from vault_sync.leanote.write.import_plan import PlannedNote

_THREADS = 2  # a private server is not to be stormed
_AHEAD = 4  # bodies in memory


def read_bodies(
    source: LeanoteSource, notes: Iterable[PlannedNote]
) -> Generator[tuple[PlannedNote, str | NoteUnreadable], None, None]:
    """Yield each note with its body, or with why it cannot be read.

    Raises:
        SourceRefused, SourceUnavailable: as the source does; what was read before has been yielded.
    """
    rest = iter(notes)
    waiting: deque[tuple[PlannedNote, Future[str]]] = deque()
    pool = ThreadPoolExecutor(_THREADS, "leanote")
    try:
        while True:
            for note in islice(rest, _AHEAD - len(waiting)):
                waiting.append((note, pool.submit(source.body, note.listing)))
            if not waiting:
                return
            note, future = waiting.popleft()
            yield note, _result(future)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[str]) -> str | NoteUnreadable:
    try:
        return future.result()
    except NoteUnreadable as error:
        return error
