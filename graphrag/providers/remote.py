"""Where a server is, as the settings say it, and whether that is this machine; shared by everything that asks one.

What goes to another machine needs a setting, and leaves a line in the log `graphrag`.
"""

import json
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from graphrag.domain.request_course import Course, present_course
from graphrag.errors import ConfigError

if TYPE_CHECKING:
    import httpx


_LONGEST = 200
_TOLD = ("error", "message", "detail", "msg")  # where servers put what went wrong, the outermost first


def reason_of(error: Exception) -> str:
    """Return the first line of an error's text, its type's name when it has none."""
    return first_line(str(error)) or type(error).__name__


def first_line(text: str) -> str:
    """Return the first line of a text, shortened, without a full stop."""
    lines = text.strip().splitlines()
    return lines[0][:_LONGEST].rstrip(" .") if lines else ""


def message_in(body: str) -> str:
    """Return what the body of a refusal says; one that says nothing in words is returned whole, in one line."""
    try:
        said = message_of(json.loads(body))
    except (ValueError, RecursionError):
        return body
    return said or " ".join(body.split())


def message_of(reply: object) -> str:
    """Return the first text in the JSON of a failure, empty without one: servers put it at different depths."""
    waiting = [reply]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            waiting += [value[key] for key in reversed(_TOLD) if key in value]
    return ""


_CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete")


def interruptible() -> "dict[str, list[Callable[[httpx.Request], None]]]":
    """Return the event hooks of an httpx client whose requests end when the present course is stopped."""
    return {"request": [_watch]}


def _watch(request: "httpx.Request") -> None:
    course = present_course()
    request.extensions["trace"] = lambda event, told: _note_connection(course, event, told)


def _note_connection(course: Course, event: str, told: Mapping[str, Any]) -> None:
    if event in _CONNECTED:
        connection = told["return_value"].get_extra_info("socket")
        course.interrupt_by(lambda: _end(connection))


def _end(connection: socket.socket) -> None:
    with suppress(OSError):  # closed already
        connection.shutdown(socket.SHUT_RDWR)


_KNOCK_SECONDS = 2.0
_LOG = logging.getLogger("graphrag")


@dataclass(frozen=True, slots=True)
class Address:
    """One server; `section` is the part of the settings that names it, `written` what stands there."""

    section: str
    written: str
    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The address in full, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    @property
    def is_local(self) -> bool:
        """Whether it is this machine's loopback; a name that only looks like an address, 127.example.com, is not."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"

    def knock(self) -> bool:
        """Whether something listens there; far quicker to find out than by a client's import and time-out."""
        try:
            socket.create_connection((self.host, self.port), timeout=_KNOCK_SECONDS).close()
        except (OSError, UnicodeError):
            return False
        return True

    def log_sent(self, texts: Sequence[str]) -> None:
        """Write down how much goes out, unless it stays on this machine."""
        if not self.is_local:
            size = sum(map(len, texts))
            _LOG.info("[%s] sends %d texts, %d characters, to %s", self.section, len(texts), size, self.url)


def read_address(section: str, host: str, default: str, allow_remote: bool) -> Address:
    """Return the server that a section of the settings names; scheme, port and path may be missing from it.

    Raises:
        ConfigError: it is no address, or another machine, and the section does not allow that.
    """
    written = host.strip() or default
    port = urlsplit(default).port or 0
    try:
        parts = urlsplit(_with_scheme(written))
        address = Address(
            section,
            written,
            parts.scheme,
            parts.hostname or "",
            parts.port or (443 if parts.scheme == "https" else port),
            parts.path.rstrip("/"),
        )
        if not address.host or address.scheme not in ("http", "https"):
            raise ValueError(written)
    except ValueError as error:
        raise ConfigError(f"{section}.host '{host}' is no address. Write it as {default}.") from error
    if not address.is_local and not allow_remote:
        raise ConfigError(
            f"{section}.host {written} is not this machine: your notes would leave it. "
            f"Set allow_remote = true under [{section}] in graphrag.toml to allow that."
        )
    return address


def _with_scheme(written: str) -> str:
    try:
        bare = f"[{written}]" if ip_address(written).version == 6 else written
    except ValueError:
        bare = written
    return bare if "://" in bare else f"http://{bare}"
