"""Index runs that nobody waits for: one at work, one behind it, and no commit lost."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport
from graphrag.errors import SnapshotConflict, StoreError
from graphrag.settings import Settings
from graphrag.stores.index_folder import Turn
from graphrag.vault import follow
from graphrag.vault.follow import Listener, index_in_turn
from graphrag.vault.resources import Parts
from tests.unit.vault.test_follow import make_report

SOON = 20.0


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(follow, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(follow, "_LOOK_AT_REBASE", 0.01)


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return Parts(tmp_path, Settings())


def listen(reports: list[IndexReport]) -> Listener:
    return Listener(reports.append, lambda note: None)


def test_it_waits_for_the_writer_and_lets_the_next_one_wait_behind_it(parts: Parts) -> None:
    reports: list[IndexReport] = []
    seen: list[bool] = []

    def index(full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        seen.append(Turn(parts.index_dir).is_taken())
        if len(seen) < 3:
            raise SnapshotConflict("busy")
        progress("scan", 0, 1)
        seen.append(Turn(parts.index_dir).is_taken())
        return make_report(1)

    index_in_turn(parts, index, listen(reports))
    assert seen == [True, True, True, False], "the place is free from the moment the vault is read"
    assert len(reports) == 1


def test_nothing_is_done_when_another_waits(parts: Parts) -> None:
    parts.snapshots.prepare()
    waiting = Turn(parts.index_dir)
    assert waiting.take()
    index_in_turn(parts, lambda *_: pytest.fail("it indexes"), listen([]))
    waiting.give_up()


def test_embedding_goes_on_in_slices_until_another_waits(parts: Parts) -> None:
    reports: list[IndexReport] = []
    other = Turn(parts.index_dir)

    def index(full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        progress("scan", 0, 1)
        if len(reports) == 2:
            assert other.take()
        return make_report(len(reports) + 1, made=1, embedded=len(reports), chunks=9)

    index_in_turn(parts, index, listen(reports))
    assert len(reports) == 3
    other.give_up()


def test_a_failure_frees_the_place(parts: Parts) -> None:
    def fail(full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        raise StoreError("no space")

    with pytest.raises(StoreError):
        index_in_turn(parts, fail, listen([]))
    assert not Turn(parts.index_dir).is_taken()


def test_many_at_once_pile_up_nowhere_and_lose_no_commit(parts: Parts) -> None:
    """Each of the crowd makes a commit and then indexes, as a hook does; the last commit is always indexed."""
    head, indexed, runs = [0], [0], [0]
    writing = threading.Lock()

    def index(full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        if not writing.acquire(blocking=False):
            raise SnapshotConflict("busy")
        try:
            progress("scan", 0, 1)
            runs[0] += 1
            found = head[0]
            threading.Event().wait(0.05)
            indexed[0] = found
            return make_report(1)
        finally:
            writing.release()

    def commit_and_index() -> None:
        with adding:
            head[0] += 1
        index_in_turn(parts, index, listen([]))

    adding = threading.Lock()
    parts.snapshots.prepare()
    crowd = [threading.Thread(target=commit_and_index) for _ in range(30)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join(SOON)
    assert indexed == head == [30]
    assert runs[0] < 30


def test_a_rebase_is_waited_for(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([True, True, False])

    class Rebasing:
        is_rewriting: Callable[[], bool] = staticmethod(lambda: next(answers))

    monkeypatch.setitem(parts.__dict__, "repository", Rebasing())
    reports: list[IndexReport] = []
    index_in_turn(parts, lambda *_: make_report(1), listen(reports))
    assert len(reports) == 1
    assert next(answers, None) is None
