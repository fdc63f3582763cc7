"""A command that a warm process answers prints, says and returns what it does in a process of its own."""

import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from graphrag.app import App
from graphrag.cli.handover import FOLDER, INTERRUPT, READY, SOCKET, connect
from graphrag.cli.live import Connection
from graphrag.cli.standby import Standby
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.e2e.serving import serving

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sockets that pass streams on")

_WARM = "import sys; from graphrag.cli.handover import hand_over as run; code = run(sys.argv[1:]); "
_WARM += "sys.exit(99 if code is None else code)"
_OWN = "import sys; from graphrag.cli.commands import run_line; sys.exit(run_line(sys.argv[1:]))"
_REFUSED = 99
_SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'
_SOON = 30.0


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GRAPHRAG_")]:
        monkeypatch.delenv(name)
    folder = write_vault(tmp_path / "我的 vault", {**SMALL, "graphrag.toml": _SETTINGS})
    app = App.open(folder, folder)
    app.index(True, silent)
    app.close()
    return folder


@pytest.fixture
def warm(vault: Path) -> Iterator[Path]:
    with Standby(vault / ".graphrag"):
        wait_for_socket(vault)
        yield vault


def wait_for_socket(vault: Path, index_dir: str = ".graphrag") -> None:
    end = time.monotonic() + _SOON
    while not (vault / index_dir / FOLDER / SOCKET).exists():
        assert time.monotonic() < end
        time.sleep(0.05)


def run(program: str, vault: Path, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=vault,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def told(done: "subprocess.CompletedProcess[str]") -> tuple[int, str, str]:
    """Return what a command said, without the milliseconds that it took."""
    output = re.sub(r"\d+ (ms|毫秒)", "0 ms", done.stdout)
    if output.startswith("{"):
        shape = json.loads(output)
        shape.pop("trace", None)
        output = json.dumps(shape)
    return done.returncode, output, done.stderr


COMMANDS = [
    ("search", "支付", "补偿"),
    ("search", "支付", "--explain", "-k", "2"),
    ("search", "支付", "--json"),
    ("search", "支付", "--tag", "没有这个标签"),
    ("search", "payment", "--since", "someday"),
    ("search",),
    ("search", "支付", "--top-k", "many"),
    ("search", "支付", "--unknown"),
    ("ask", "支付模块是什么"),
    ("ask", "支付模块是什么", "--json"),
    ("near", "支付模块"),
    ("near", "支付模块", "--json"),
    ("near", "没有这篇"),
    ("status",),
    ("status", "--all", "--json"),
]


def test_every_command_says_the_same(warm: Path, is_full: bool) -> None:
    both = ("zh_CN.UTF-8", "en_US.UTF-8")
    for number, words in enumerate(COMMANDS if is_full else COMMANDS[::2]):
        for locale in both if is_full else both[number % 2 : number % 2 + 1]:
            answered = run(_WARM, warm, *words, LANG=locale, LC_ALL="")
            assert answered.returncode != _REFUSED
            assert told(answered) == told(run(_OWN, warm, *words, LANG=locale, LC_ALL="")), words


def test_the_whole_program_says_the_same_and_leaves_the_work_to_the_other(warm: Path) -> None:
    def cpu_of(*words: str) -> tuple[float, tuple[int, str, str]]:
        before = os.times()
        done = subprocess.run(
            [sys.executable, "-m", "graphrag", *words], cwd=warm, capture_output=True, text=True, check=False
        )
        after = os.times()
        return after.children_user - before.children_user, told(done)

    cpu_of("search", "支付")
    warm_seconds, answered = cpu_of("search", "支付", "--bad")
    assert "python -m graphrag search" in answered[2]
    (warm / ".graphrag" / FOLDER / SOCKET).unlink()
    own_seconds, own = cpu_of("search", "支付", "--bad")
    assert answered == own
    assert warm_seconds < own_seconds


def test_the_vault_may_be_named_from_elsewhere(warm: Path, tmp_path: Path) -> None:
    for words in (("--vault", str(warm)), (f"--vault={warm}",), ("--vault", warm.name)):
        assert run(_WARM, tmp_path, "search", "支付", *words).returncode == 0
    assert run(_WARM, tmp_path, "status", GRAPHRAG_VAULT=str(warm)).returncode == 0
    assert run(_WARM, tmp_path, "search", "支付", "--vault", str(tmp_path / "none")).returncode == _REFUSED


@pytest.mark.parametrize(
    "words",
    [
        *(("search", "支付", "--at", "HEAD"), ("search", "支付", "--fresh"), ("ask", "支付", "--save")),
        *(("ask", "支付", "--save-as=x"), ("status", "--index-dir", "x"), ("search", "-"), ("search", "--help")),
        *(("tags",), ("index",), (), ("--help",)),
    ],
)
def test_other_commands_are_not_handed_over(warm: Path, words: tuple[str, ...]) -> None:
    assert run(_WARM, warm, *words).returncode == _REFUSED


def test_another_index_folder_is_not_answered_for(warm: Path) -> None:
    assert run(_WARM, warm, "status", GRAPHRAG_INDEX_DIR=str(warm / "other")).returncode == _REFUSED


def test_changed_notes_settings_and_snapshots_count_at_once(warm: Path) -> None:
    assert "支付模块" in run(_WARM, warm, "search", "支付").stdout
    (warm / "支付模块.md").write_text("---\nprivate: true\n---\n支付 秘密\n", encoding="utf-8")
    assert told(run(_WARM, warm, "search", "支付")) == told(run(_OWN, warm, "search", "支付"))
    write_vault(warm, {"新.md": "独角兽在这里。\n"})
    app = App.open(warm, warm)
    app.index(False, silent)
    app.close()
    assert "独角兽" in run(_WARM, warm, "search", "独角兽").stdout
    (warm / "graphrag.toml").write_text(_SETTINGS + '[interface]\nlanguage = "en"\n', encoding="utf-8")
    assert "results: 1" in run(_WARM, warm, "search", "独角兽").stdout
    (warm / "graphrag.toml").write_text("[index]\nembeder = 1\n", encoding="utf-8")
    assert told(run(_WARM, warm, "status")) == told(run(_OWN, warm, "status"))


def test_a_damaged_index_is_told_alike_and_the_next_command_is_answered(warm: Path) -> None:
    graphs = list((warm / ".graphrag" / "graph").iterdir())
    kept = {file: file.read_bytes() for file in graphs if file.is_file()}
    for file in kept:
        file.write_bytes(b"damaged")
    answered = run(_WARM, warm, "status")
    assert answered.returncode == 1
    assert told(answered) == told(run(_OWN, warm, "status"))
    for file, data in kept.items():
        file.write_bytes(data)
    end = time.monotonic() + _SOON
    while run(_WARM, warm, "status").returncode != 0:
        assert time.monotonic() < end


def test_a_settings_file_may_move_the_index(vault: Path) -> None:
    shutil.move(vault / ".graphrag", vault.parent / "索引")
    (vault / "graphrag.toml").write_text(_SETTINGS.replace("[index]", '[index]\ndir = "../索引"'), encoding="utf-8")
    with Standby(vault.parent / "索引"):
        wait_for_socket(vault.parent, "索引")
        assert run(_WARM, vault, "search", "支付").returncode in (0, 1)


def test_only_the_owner_may_reach_the_socket(warm: Path) -> None:
    folder = warm / ".graphrag" / FOLDER
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / SOCKET).stat().st_mode & 0o777 == 0o600
    folder.chmod(0o755)
    assert run(_WARM, warm, "status").returncode == _REFUSED


def test_a_folder_that_is_a_link_is_not_trusted(vault: Path, tmp_path: Path) -> None:
    with Standby(vault / ".graphrag"):
        wait_for_socket(vault)
        folder = vault / ".graphrag" / FOLDER
        folder.rename(tmp_path / "moved")
        folder.symlink_to(tmp_path / "moved")
        assert run(_WARM, vault, "status").returncode == _REFUSED


def test_a_socket_that_nobody_listens_at_is_passed_over_and_taken_over(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = vault / ".graphrag" / FOLDER
    folder.mkdir(mode=0o700)
    left = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(folder)  # an address holds a hundred bytes
    left.bind(SOCKET)
    left.close()
    assert run(_WARM, vault, "status").returncode == _REFUSED
    with Standby(vault / ".graphrag"):
        end = time.monotonic() + _SOON
        while run(_WARM, vault, "status").returncode != 0:
            assert time.monotonic() < end
    assert not (folder / SOCKET).exists()


def test_other_code_is_not_trusted(warm: Path) -> None:
    program = "import graphrag.cli.handover as handover; handover.code_version = lambda: 'other'; " + _WARM.replace(
        "from graphrag.cli.handover import hand_over as run", "run = handover.hand_over"
    )
    assert run(program, warm, "status").returncode == _REFUSED
    assert run(_WARM, warm, "status").returncode == 0


def test_a_process_that_is_killed_is_started_again(warm: Path) -> None:
    assert run(_WARM, warm, "status").returncode == 0
    for process in answering(os.getpid()):
        os.kill(process, signal.SIGKILL)
    end = time.monotonic() + _SOON
    while run(_WARM, warm, "status").returncode != 0:
        assert time.monotonic() < end


def test_a_busy_process_lets_the_others_work_themselves(warm: Path) -> None:
    with connect(str(warm / ".graphrag" / FOLDER)) as busy:
        assert busy.recv(1) == READY
        assert run(_WARM, warm, "status").returncode == _REFUSED
    end = time.monotonic() + _SOON
    while run(_WARM, warm, "status").returncode != 0:
        assert time.monotonic() < end


def test_a_terminal_gets_its_colours_and_its_width(warm: Path) -> None:
    def on_terminal(program: str) -> bytes:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "60"}
        process = subprocess.Popen(
            [sys.executable, "-c", program, "search", "支付"], cwd=warm, env=environment, stdout=theirs, stdin=theirs
        )
        os.close(theirs)
        output = b""
        while True:
            try:
                output += os.read(ours, 65536)
            except OSError:
                break
        os.close(ours)
        assert process.wait() == 0
        return re.sub(rb"id=\d+|\d+ (ms|\xe6\xaf\xab\xe7\xa7\x92)", b"0", output)  # links have random ids

    assert b"\x1b[" in on_terminal(_WARM)
    assert on_terminal(_WARM) == on_terminal(_OWN)


def test_watch_and_serve_take_commands_and_clean_up(vault: Path) -> None:
    nowhere = subprocess.DEVNULL
    watch = subprocess.Popen([sys.executable, "-m", "graphrag", "watch"], cwd=vault, stdout=nowhere, stderr=nowhere)
    try:
        wait_for_socket(vault)
        assert run(_WARM, vault, "search", "支付").returncode == 0
        started = answering(watch.pid)
    finally:
        watch.terminate()
        assert watch.wait(_SOON) == 0
    assert started
    wait_for_end(started)
    assert not (vault / ".graphrag" / FOLDER / SOCKET).exists()
    with serving(vault) as server:
        wait_for_socket(vault)
        assert run(_WARM, vault, "search", "支付").returncode == 0
        started = answering(server.process.pid)
    assert started
    wait_for_end(started)  # though the server was killed
    assert run(_WARM, vault, "search", "支付").returncode == _REFUSED


def test_a_client_imports_next_to_nothing(warm: Path) -> None:
    program = _WARM.replace("sys.exit(", "print(*sys.modules, file=sys.stderr); sys.exit(")
    modules = {name.partition(".")[0] for name in run(program, warm, "status").stderr.split()}
    assert modules.isdisjoint(("typer", "rich", "pydantic", "numpy", "json", "pathlib", "subprocess", "logging"))


@pytest.mark.parametrize("message", [INTERRUPT, b""])
def test_a_command_ends_when_the_process_that_waits_for_it_is_interrupted_or_gone(message: bytes) -> None:
    mine, other = socket.socketpair()
    with mine, other:

        def end() -> None:
            time.sleep(0.2)
            other.sendall(message)
            other.shutdown(socket.SHUT_WR)

        Thread(target=end).start()
        with pytest.raises(KeyboardInterrupt), Connection(mine).interrupting():
            time.sleep(_SOON)


def answering(parent: int) -> list[int]:
    """Return the answering processes that a process has started."""
    rows = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in rows.splitlines() if "graphrag.cli.live" in line]
    return [int(pid) for pid, its_parent, _ in found if int(its_parent) == parent]


def wait_for_end(processes: list[int]) -> None:
    end = time.monotonic() + _SOON
    for process in processes:
        while Path(f"/proc/{process}").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
