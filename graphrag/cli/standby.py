"""The socket by which a running `watch` or `serve` takes the commands of other processes.

With the first command that comes, a process is started with the socket (`live`), which answers this and all further
ones until nobody asks for a while. `handover` is the other end.
"""

import os
import select
import socket
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from graphrag.cli.handover import FOLDER, SOCKET, address_of, connect, is_private

_LOOK_SECONDS = 2.0  # between two looks whether the socket is still there
_RETRY_SECONDS = 5.0  # after what did not work
_END_SECONDS = 5.0  # that it has to end when it is told to
_WAITING = 16  # connections


class Standby:
    """The socket of one index folder, from when there is an index; to be used in a `with`, beside other work.

    Where another process has it already, or the system has no such sockets, it does nothing.
    """

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._folder = index_dir / FOLDER
        self._stop = Event()
        self._thread = Thread(target=self._run, name="standby", daemon=True)

    def __enter__(self) -> "Standby":
        if os.name == "posix":
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(2 * _END_SECONDS)

    def _run(self) -> None:
        while not self._stop.is_set():
            listener = None
            with suppress(OSError):
                listener = self._listen()
            if listener is None:
                self._stop.wait(_LOOK_SECONDS)
                continue
            with listener:
                self._wait_for_commands(listener)

    def _listen(self) -> socket.socket | None:
        """Return the socket, None while there is no index or another process has one."""
        if not (self._index_dir / "CURRENT").exists():
            return None
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._folder.chmod(0o700)
        if not is_private(str(self._folder)) or self._is_taken():
            return None
        (self._folder / SOCKET).unlink(missing_ok=True)
        address, descriptor = address_of(str(self._folder))
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(address)
            (self._folder / SOCKET).chmod(0o600)
            listener.listen(_WAITING)
        except OSError:
            listener.close()
            raise
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return listener

    def _is_taken(self) -> bool:
        try:
            connect(str(self._folder)).close()
        except OSError:
            return False
        return True

    def _wait_for_commands(self, listener: socket.socket) -> None:
        """Start the answering process whenever a command comes, until the socket is gone or this is to end."""
        place = self._place()
        while place and not self._stop.is_set() and self._place() == place:
            ready, _, _ = select.select([listener], [], [], 0.2)
            if ready and not self._answer(listener, place):
                with suppress(OSError):
                    listener.accept()[0].close()
                self._stop.wait(_RETRY_SECONDS)
        if self._place() == place:
            with suppress(OSError):
                (self._folder / SOCKET).unlink()

    def _place(self) -> tuple[int, int] | None:
        try:
            found = (self._folder / SOCKET).lstat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if stat.S_ISSOCK(found.st_mode) else None

    def _answer(self, listener: socket.socket, place: tuple[int, int]) -> bool:
        """Run the answering process to its end; return whether it ended well."""
        alive, life = os.pipe()
        command = [sys.executable, "-P", "-m", "graphrag.cli.live", str(listener.fileno()), str(alive)]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(listener.fileno(), alive),
                start_new_session=True,
            )
        except OSError:
            os.close(life)
            return False
        finally:
            os.close(alive)
        try:
            while process.poll() is None and not self._stop.wait(0.1) and self._place() == place:
                pass
        finally:
            os.close(life)  # which tells it to end
            try:
                code = process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        return code == 0
