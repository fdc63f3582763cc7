"""Hands a command to the warm process of a running `watch` or `serve` of the same vault, which answers for this one.

That process gets the words, the folder, the environment and the open streams of this one, so what it prints goes where
this one would print it. None means that this process has to run the command: nobody answers, the process runs other
code or is busy, or the command is not one that it takes. The socket lies in a folder of the index that only its owner
may enter; a folder or socket of anybody else is not used. Nothing but the standard library's lightest modules is
imported here.
"""

import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

FOLDER, SOCKET = "live", "commands"  # in the index's folder
READY, REFUSED, INTERRUPT, ENDED = b"S", b"B", b"I", b"E"
LENGTH_BYTES = 4
_TAKEN = ("search", "ask", "near", "status")
# What these ask for differs from what a warm process keeps open, writes, or reads from a terminal of its own.
_OWN_OPTIONS = ("--at", "--fresh", "--index-dir", "--save", "--help", "-h")
_MARKS = (("graphrag.toml", ".graphrag"), (".obsidian",), (".git",))
_PATIENCE = 2.0  # seconds for a process that is there to say so
_INTERRUPTED = 130


def hand_over(arguments: list[str]) -> int | None:
    """Return the exit code of a command that a warm process ran, None when it has to be run here."""
    if os.name != "posix" or not _is_taken(arguments):
        return None
    try:
        folder = live_folder(arguments)
        connection = _connect(folder) if folder and is_private(folder) else None
    except (OSError, ValueError):
        return None
    if connection is None:
        return None
    with connection:
        return _converse(connection, arguments)


def is_private(folder: str) -> bool:
    """Whether a folder is nobody else's, and no one else may enter it."""
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077


def code_version() -> str:
    """Return what differs between two installations, or two versions of one."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is slow to start
    found = os.stat(os.path.join(package, "__init__.py"))  # noqa: PTH116, PTH118
    return f"{sys.version}|{package}|{found.st_ino}|{found.st_ctime_ns}|{os.lstat(__file__).st_ctime_ns}"


def _is_taken(arguments: list[str]) -> bool:
    if not arguments or arguments[0] not in _TAKEN or os.environ.get("GRAPHRAG_INDEX_DIR"):
        return False
    return not any(word == "-" or word.startswith(_OWN_OPTIONS) for word in arguments[1:])


def live_folder(arguments: list[str]) -> str:
    """Return the folder of the socket for the vault that a command line means, empty where it means none."""
    vault = _vault_of(arguments)
    if not vault:
        return ""
    place = os.path.join(vault, _index_dir(vault))  # noqa: PTH118
    return os.path.join(place, FOLDER)  # noqa: PTH118


def _vault_of(arguments: list[str]) -> str:
    chosen = os.environ.get("GRAPHRAG_VAULT", "")
    for place, word in enumerate(arguments):
        if word == "--vault":
            chosen = arguments[place + 1] if place + 1 < len(arguments) else ""
        elif word.startswith("--vault="):
            chosen = word.partition("=")[2]
    if chosen:
        return os.path.realpath(os.path.expanduser(chosen))  # noqa: PTH111
    here = os.getcwd()  # noqa: PTH109
    for marks in _MARKS:
        folder = here
        while True:
            if any(os.path.lexists(os.path.join(folder, mark)) for mark in marks):  # noqa: PTH118
                return folder
            above = os.path.dirname(folder)  # noqa: PTH120
            if above == folder:
                break
            folder = above
    return here


def _index_dir(vault: str) -> str:
    """Return the folder of the index as the vault's settings name it."""
    try:
        with open(os.path.join(vault, "graphrag.toml"), "rb") as file:  # noqa: PTH118, PTH123
            text = file.read()
    except FileNotFoundError:
        return ".graphrag"
    if b"dir" not in text:
        return ".graphrag"
    import tomllib

    index = tomllib.loads(text.decode("utf-8-sig")).get("index", {})
    named = index.get("dir", ".graphrag") if isinstance(index, dict) else ".graphrag"
    return os.path.expanduser(str(named))  # noqa: PTH111


def address_of(folder: str) -> tuple[str, int]:
    """Return the address of the socket in a folder, and a descriptor to close after its use.

    An address holds a hundred bytes, fewer than many a path; the folder's descriptor stands for it where it can.
    """
    if not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        return os.path.join(folder, SOCKET), -1  # noqa: PTH118
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    return f"/proc/self/fd/{descriptor}/{SOCKET}", descriptor


def connect(folder: str) -> "socket.socket":
    """Connect to the socket in a folder.

    Raises:
        OSError: nobody listens there.
    """
    import socket

    address, descriptor = address_of(folder)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    return connection


def _connect(folder: str) -> "socket.socket | None":
    """Return a connection to a process that is free, None when it is busy or does not answer soon."""
    found = os.lstat(os.path.join(folder, SOCKET))  # noqa: PTH118
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        return None
    connection = connect(folder)
    try:
        connection.settimeout(_PATIENCE)
        is_ready = connection.recv(1) == READY
        connection.settimeout(None)
    except OSError:
        is_ready = False
    if is_ready:
        return connection
    connection.close()
    return None


def _converse(connection: "socket.socket", arguments: list[str]) -> int | None:
    """Send the command, and wait for its exit code; Ctrl-C is passed on, a second one ends this process."""
    import socket

    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    try:
        streams = [stream.fileno() for stream in (sys.stdin, sys.stdout, sys.stderr)]
        message = _request(arguments)
        sent = socket.send_fds(connection, [message], streams)
        if sent < len(message):  # else the other end may have answered and closed already
            connection.sendall(message[sent:])
    except (OSError, ValueError, AttributeError):  # a stream that is closed has no descriptor
        return None
    try:
        answer = _receive(connection)
    except KeyboardInterrupt:
        connection.sendall(INTERRUPT)
        try:
            answer = _receive(connection)
        except KeyboardInterrupt:
            os._exit(_INTERRUPTED)
    if answer[:1] == REFUSED:
        return None
    if answer[:1] == ENDED and len(answer) > 1:
        return answer[1]
    sys.stderr.write("error: the process that answered for this command ended. Run the command again.\n")
    return 1


def _receive(connection: "socket.socket") -> bytes:
    answer = b""
    while len(answer) < len(ENDED) + 1:
        try:
            part = connection.recv(2)
        except ConnectionError:
            part = b""
        answer += part
        if not part or answer[:1] == REFUSED:
            break
    return answer


def _request(arguments: list[str]) -> bytes:
    """Return the version, the name of the program, the folder, the words and the environment, with their length."""
    main = sys.modules.get("__main__")
    is_module = bool(getattr(main, "__package__", None))
    program = "python -m graphrag" if is_module else os.path.basename(sys.argv[0])  # noqa: PTH119
    environment = [f"{name}={value}" for name, value in os.environ.items()]
    fields = [code_version(), program, os.getcwd(), str(len(arguments)), *arguments, *environment]  # noqa: PTH109
    body = os.fsencode("\0".join(fields))
    return len(body).to_bytes(LENGTH_BYTES, "big") + body
