"""The process that runs commands for others, one at a time, and keeps the vault open between them.

It is started with the socket by `standby`, and ends when nobody asks for a while, or with the process that started it.
A command runs in the other process's folder and environment, and on its streams.
"""

import os
import queue
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from threading import Lock, Thread
from typing import TYPE_CHECKING, NoReturn

from graphrag.cli.handover import ENDED, INTERRUPT, LENGTH_BYTES, READY, REFUSED, code_version

if TYPE_CHECKING:
    from graphrag.cli.warm_host import WarmHost

_IDLE_SECONDS = 600.0  # without a command, after which the process ends
_ANOTHER_SECONDS = 0.5  # that the end of another command is waited for
_MOST_BYTES = 4_000_000  # of a command with its environment
_STREAMS = 3


@dataclass(frozen=True)
class Request:
    """A command of another process."""

    program: str
    cwd: str
    arguments: list[str]
    environment: dict[str, str]
    streams: tuple[int, ...]


class Connection:
    """A process that waits for the end of its command."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._is_running = False
        self._changing = Lock()

    def receive(self) -> Request | None:
        """Return the command, None from a process that runs other code or went away; nothing was started then."""
        streams: list[int] = []
        try:
            data, streams, _, _ = socket.recv_fds(self._connection, 65536, _STREAMS)
            size = int.from_bytes(data[:LENGTH_BYTES], "big")
            while data and len(data) < LENGTH_BYTES + size <= _MOST_BYTES:
                part = self._connection.recv(65536)
                if not part:
                    break
                data += part
            fields = os.fsdecode(data[LENGTH_BYTES:]).split("\0")
            if len(data) == LENGTH_BYTES + size and len(streams) == _STREAMS and fields[0] == code_version():
                count = int(fields[3])
                pairs = (field.partition("=") for field in fields[4 + count :])
                environment = {name: value for name, _, value in pairs}
                return Request(fields[1], fields[2], fields[4 : 4 + count], environment, tuple(streams))
        except (OSError, ValueError, IndexError):
            pass
        for stream in streams:
            os.close(stream)
        self.send(REFUSED)
        return None

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Interrupt what runs inside when the other process is interrupted, or gone."""
        self._is_running = True
        thread = Thread(target=self._listen, daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._changing:
                self._is_running = False
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RD)
            thread.join()

    def send(self, message: bytes) -> None:
        """Send a message to a process that may be gone."""
        with suppress(OSError):
            self._connection.sendall(message)

    def close(self) -> None:
        """Let the other process go."""
        self._connection.close()

    def _listen(self) -> None:
        try:
            told = self._connection.recv(1)
        except OSError:
            told = b""
        with self._changing:
            if self._is_running and told in (b"", INTERRUPT):
                os.kill(os.getpid(), signal.SIGINT)


class Answerer:
    """Runs the commands that come, one at a time; while one runs, others are refused."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._busy = Lock()
        self._waiting: queue.SimpleQueue[Connection] = queue.SimpleQueue()

    def run(self) -> NoReturn:
        """Run until nobody asks any more."""
        Thread(target=self._accept, name="accept", daemon=True).start()
        from graphrag.cli.session import HOST
        from graphrag.cli.warm_host import WarmHost

        host = WarmHost()
        HOST.set(host)
        while True:
            connection = self._waiting.get()
            try:
                if request := connection.receive():
                    _run_for(connection, request, host)
            finally:
                connection.close()
                self._busy.release()

    def _accept(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener], [], [], _IDLE_SECONDS)
            if not ready:
                if self._busy.acquire(blocking=False):
                    os._exit(0)
                continue
            accepted, _ = self._listener.accept()
            connection = Connection(accepted)
            if not _is_own(accepted) or not self._busy.acquire(timeout=_ANOTHER_SECONDS):
                connection.send(REFUSED)
                connection.close()
                continue
            connection.send(READY)
            self._waiting.put(connection)


def _is_own(connection: socket.socket) -> bool:
    """Whether the other end is a process of this user, where the system tells."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # nobody else may enter the folder of the socket
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(user == os.getuid())


def _run_for(connection: Connection, request: Request, host: "WarmHost") -> None:
    from graphrag.cli.commands import run_line
    from graphrag.cli.session import INTERRUPTED, KNOWN_ERROR

    host.on_leave = lambda code: connection.send(ENDED + bytes([code]))
    with _in_place_of(request), connection.interrupting():
        try:
            code = run_line(request.arguments, request.program)
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception:
            traceback.print_exc()
            code = KNOWN_ERROR
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
    connection.send(ENDED + bytes([code & 255]))


@contextmanager
def _in_place_of(request: Request) -> Iterator[None]:
    """Be where the other process is, with its environment and streams."""
    before = dict(os.environ)
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
        os.close(stream)
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
    _enter(request.cwd, request.environment)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        _enter("/", before)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(_STREAMS):
            os.dup2(nothing, number)
        os.close(nothing)


def _enter(folder: str, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    with suppress(OSError):
        os.chdir(folder)


def _stream(number: int, mode: str) -> TextIOWrapper:
    """Return a standard stream as Python opens it for a command of its own."""
    raw = open(number, f"{mode}b", closefd=False)  # noqa: SIM115
    by_line = mode == "w" and (number == _STREAMS - 1 or os.isatty(number))
    return TextIOWrapper(raw, encoding="utf-8", errors="replace", line_buffering=by_line)


def main(listener: int, alive: int) -> NoReturn:
    """Answer at a socket until the other end of a pipe is closed."""
    Thread(target=_end_with, args=(alive,), daemon=True).start()
    Answerer(socket.socket(fileno=listener)).run()


def _end_with(alive: int) -> NoReturn:
    os.read(alive, 1)
    os._exit(0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
