"""The watcher's loop, with a watch and an index that follow a script."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import cast

import pytest

from graphrag.domain.report import Progress, WatcherState
from graphrag.domain.snapshot import IndexReport
from graphrag.errors import ProviderUnavailable, SnapshotConflict, StoreError
from graphrag.settings import Settings
from graphrag.stores.index_folder import HeartbeatFile
from graphrag.vault.follow import Follower, Heart, Listener, follow
from graphrag.vault.resources import Parts
from vault_sync.file_watch import Pace, VaultWatch

Step = IndexReport | Exception | Callable[[], None]


def make_report(generation: int, changed: int = 0, made: int = 0, embedded: int = 0, chunks: int = 0) -> IndexReport:
    return IndexReport(generation, "c" * 40, 0, changed, 0, 0, 4, chunks, embedded, made, (), (), 1.0)


class FakeWatch:
    """Tells no change; the vault is away for some waits."""

    def __init__(self, absences: int = 0) -> None:
        self.pending = 3
        self.waits: list[float] = []
        self._absences = absences

    @property
    def is_there(self) -> bool:
        return self._absences == 0

    def wait(self, seconds: float = math.inf) -> bool:
        self.waits.append(seconds)
        self._absences = max(0, self._absences - 1)
        return seconds == math.inf


class Scene:
    """A follower whose index plays the steps and then stops it."""

    def __init__(self, vault: Path, steps: list[Step], absences: int = 0) -> None:
        self.steps = steps
        self.stop = Event()
        self.watch = FakeWatch(absences)
        self.reports: list[IndexReport] = []
        self.notes: list[str] = []
        self.states: list[WatcherState] = []
        self.heart = Heart(HeartbeatFile(vault))
        listener = Listener(self.reports.append, self.notes.append)
        self.follower = Follower(
            Parts(vault, Settings()), self.index, cast(VaultWatch, self.watch), self.heart, listener, self.stop
        )

    def index(self, full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        assert not full
        assert embed_seconds < 60
        step = self.steps.pop(0)
        if not self.steps:
            self.stop.set()
        if callable(step):
            step()
            return make_report(1)
        if isinstance(step, Exception):
            raise step
        return step

    def run(self) -> bool:
        return self.follower.run()


def test_a_change_is_told_and_a_run_without_one_is_not(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [make_report(1), make_report(1), make_report(2, changed=1), make_report(2)])
    assert not scene.run()
    assert [report.generation for report in scene.reports] == [2]
    assert scene.watch.waits == [math.inf] * 4
    assert scene.heart.now.last_event is not None
    assert scene.heart.now.last_commit == "c" * 40


def test_slices_of_embedding_follow_at_once_and_are_told_as_one(tmp_path: Path) -> None:
    text = make_report(1, changed=1, made=10, embedded=10, chunks=30)
    scene = Scene(tmp_path, [text, *(make_report(n, made=10, embedded=n * 10, chunks=30) for n in (2, 3))])
    scene.run()
    assert scene.watch.waits == [0.0, 0.0, math.inf]
    assert [(report.embeddings_made, report.seconds) for report in scene.reports] == [(10, 1.0), (20, 2.0)]
    assert (scene.heart.now.state, scene.heart.now.chunks) == (WatcherState.IDLE, 0)


def test_the_text_of_a_commit_between_two_slices_is_told_at_once(tmp_path: Path) -> None:
    scene = Scene(
        tmp_path,
        [
            make_report(1, made=10, embedded=10, chunks=30),
            make_report(2, changed=1, made=10, embedded=20, chunks=30),
            make_report(3, made=10, embedded=30, chunks=30),
        ],
    )
    scene.run()
    assert [(report.changed, report.embeddings_made) for report in scene.reports] == [(1, 20), (0, 10)]


@pytest.mark.parametrize(
    "error",
    [StoreError("no space"), SnapshotConflict("process 7 is writing"), ProviderUnavailable("x"), RuntimeError()],
)
def test_a_failure_is_noted_once_and_tried_again_with_longer_pauses(tmp_path: Path, error: Exception) -> None:
    scene = Scene(tmp_path, [*([error] * 7), make_report(1, changed=1), error])
    scene.run()
    pauses = [wait for wait in scene.watch.waits if wait]
    assert pauses == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, math.inf, 2.0]
    assert sum("will try again" in note for note in scene.notes) == 2
    assert len(scene.reports) == 1
    assert scene.heart.now.state is WatcherState.FAILING
    assert scene.heart.now.last_error


def test_a_vault_that_is_away_is_waited_for_with_one_line(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [make_report(1)], absences=5)
    scene.run()
    assert [note.partition(": ")[2] for note in scene.notes if ": " in note] == [
        "not there, or empty; waiting for it",
        "there again",
    ]
    assert scene.watch.waits == [2.0] * 5 + [math.inf]


def test_new_settings_end_it_and_broken_ones_do_not(tmp_path: Path) -> None:
    settings = tmp_path / "graphrag.toml"
    steps: list[Step] = [
        lambda: None,
        lambda: void(settings.write_text("[", encoding="utf-8")),
        lambda: void(settings.write_text("[search]\ntop_k = 3\n", encoding="utf-8")),
        make_report(1),
    ]
    scene = Scene(tmp_path, steps)
    assert scene.run()
    assert len(scene.steps) == 1
    assert ["stay in force" in note for note in scene.notes] == [False, True, False]


def test_a_stop_that_a_library_swallowed_is_heard_at_the_next_step(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [])
    scene.stop.set()
    with pytest.raises(KeyboardInterrupt):
        scene.follower._progress("vectors", 1, 2)


def test_steps_and_the_end_of_each_run_are_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int] | str] = []
    scene = Scene(tmp_path, [])
    listener = Listener(
        scene.reports.append, scene.notes.append, lambda *step: told.append(step), lambda: told.append("rest")
    )
    scene.follower._listener = listener

    def fail() -> None:
        scene.follower._progress("vectors", 3, 9)
        raise StoreError("broken")

    scene.steps[:] = [fail, lambda: scene.follower._progress("text", 1, 2), make_report(2)]
    scene.run()
    assert told == [("vectors", 3, 9), "rest", ("text", 1, 2), "rest", "rest"]


def test_progress_shows_in_the_heartbeat(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [])
    scene.follower._progress("vectors", 10, 64)
    assert (scene.heart.now.chunks, scene.heart.now.events) == (54, 3)


def test_the_heart_beats_and_says_that_it_stopped(tmp_path: Path) -> None:
    with Heart(HeartbeatFile(tmp_path)) as heart:
        heart.say(heart.now)
        assert json.loads((tmp_path / "watch.json").read_text(encoding="utf-8"))["state"] == "idle"
    assert json.loads((tmp_path / "watch.json").read_text(encoding="utf-8"))["state"] == "stopped"


def test_nothing_is_written_into_an_empty_mount_point(tmp_path: Path) -> None:
    notes: list[str] = []

    def on_note(note: str) -> None:
        if not notes:
            assert list(tmp_path.iterdir()) == []
        notes.append(note)
        (tmp_path / "笔记.md").write_text("x", encoding="utf-8")

    listener = Listener(lambda report: None, on_note)
    pace = Pace(debounce=0.01, longest=1.0, sweep=1.0)

    def index(full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow(Parts(tmp_path, Settings()), index, pace, listener, Event())
    assert "waiting for it" in notes[0]


def test_a_second_watcher_is_refused(tmp_path: Path) -> None:
    (tmp_path / "笔记.md").write_text("x", encoding="utf-8")
    parts = Parts(tmp_path, Settings())
    parts.snapshots.prepare()
    listener = Listener(lambda report: None, lambda note: None)
    with parts.heartbeat.claim(), pytest.raises(StoreError, match="is watching this vault already"):
        follow(parts, Scene(tmp_path, []).index, Pace(0.1, 1.0, 1.0), listener, Event())


def void(_: object) -> None:
    return None
