"""Lets a request to a model server be broken off from another thread, even while it waits for the next byte.

Closing a client does not wake a thread that waits on its socket; ending the socket's connection does.
"""

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from graphrag.domain.course import Course, present_course

if TYPE_CHECKING:
    import httpx

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
