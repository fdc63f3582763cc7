import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphrag.domain.report import Heartbeat, Watcher, WatcherState
from graphrag.errors import StoreError
from graphrag.stores.index_folder import HeartbeatFile, Turn


def make_heartbeat(**changes: object) -> Heartbeat:
    now = datetime.now(UTC)
    beat = Heartbeat(os.getpid(), os.uname().nodename, now, now, WatcherState.IDLE, None, "3f2a9c1", "", 2, 30)
    return replace(beat, **changes)  # type: ignore[arg-type]


def test_a_heartbeat_is_read_as_written(tmp_path: Path) -> None:
    file = HeartbeatFile(tmp_path)
    assert file.read() is None
    beat = make_heartbeat(last_event=datetime.now(UTC), last_error="没有空间", state=WatcherState.FAILING)
    file.write(beat)
    assert file.read() == Watcher(True, beat)


def _ended_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


@pytest.mark.parametrize(
    ("changes", "is_alive"),
    [
        ({}, True),
        ({"state": WatcherState.STOPPED}, False),
        ({"beat": datetime.now(UTC) - timedelta(minutes=2)}, False),
        ({"pid": _ended_process()}, False),
        ({"pid": _ended_process(), "host": "another machine"}, True),
        ({"beat": datetime.now(UTC) - timedelta(minutes=2), "host": "another machine"}, False),
    ],
)
def test_who_is_alive(tmp_path: Path, changes: dict[str, object], is_alive: bool) -> None:
    file = HeartbeatFile(tmp_path)
    file.write(make_heartbeat(**changes))
    found = file.read()
    assert found is not None
    assert found.is_alive is is_alive


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"pid": 1}', "\ud800"])
def test_what_cannot_be_read_is_no_heartbeat(tmp_path: Path, content: str) -> None:
    (tmp_path / "watch.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    assert HeartbeatFile(tmp_path).read() is None


def test_a_folder_that_is_away_is_not_made(tmp_path: Path) -> None:
    HeartbeatFile(tmp_path / "away").write(make_heartbeat())
    assert not (tmp_path / "away").exists()


def test_a_second_watcher_is_refused_until_the_first_is_gone_or_dead(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from graphrag.stores.index_folder import HeartbeatFile\n"
        "with HeartbeatFile(Path(sys.argv[1])).claim(): print('held', flush=True); time.sleep(60)"
    )
    file = HeartbeatFile(tmp_path)
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        file.write(make_heartbeat(pid=holder.pid))
        with pytest.raises(StoreError, match=rf"process {holder.pid} on .* is watching this vault"), file.claim():
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with file.claim():
        pass


def test_one_place_in_the_line(tmp_path: Path) -> None:
    first, second = Turn(tmp_path), Turn(tmp_path)
    assert first.take()
    assert not second.take()
    assert second.is_taken()
    second.give_up()
    assert Turn(tmp_path).is_taken()
    first.give_up()
    assert not second.is_taken()
    assert second.take()
