"""A request to one server -> what it answered: bounded in time, size and number, tried again when that may help.

It never follows a redirect, never talks to another host, and puts nothing that was sent into a message.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphrag.errors import SourceUnavailable
from vault_sync.leanote.sources.api_address import ApiAddress

if TYPE_CHECKING:
    import httpx

_AT_A_TIME = 2
_RETRIED = (408, 429)
_HEADERS = {"User-Agent": "graphrag", "Accept-Language": "en", "Accept-Encoding": "gzip, deflate"}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, and how often to try."""

    connect_seconds: float = 10.0
    silence_seconds: float = 60.0  # between two pieces of an answer
    answer_seconds: float = 900.0  # for one whole answer
    tries: int = 4
    first_wait_seconds: float = 1.0  # before the second try; doubled before each further one


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the server, whatever it is."""

    status: int
    content_type: str
    body: bytes
    is_whole: bool  # False: it is larger than allowed, and `body` is its beginning
    is_named: bool  # it came as a file with a name
    redirect: str = ""  # where it sends us, without what may repeat a secret; not followed
    fault: str = ""  # why it is of no use though tried again; empty when it is fit to be read


class ApiTransport:
    """The connections to one server; may be used by several threads.

    `wait` is called with the seconds to wait between two tries.
    """

    def __init__(self, address: ApiAddress, patience: Patience, wait: Callable[[float], None] = time.sleep) -> None:
        import httpx

        self._address = address
        self._patience = patience
        self._wait = wait
        self._slots = threading.BoundedSemaphore(_AT_A_TIME)
        timeout = httpx.Timeout(patience.silence_seconds, connect=patience.connect_seconds)
        # A proxy sees all of plain http, so only https goes through the one that the environment names.
        self._client = httpx.Client(
            headers=_HEADERS, timeout=timeout, follow_redirects=False, trust_env=address.scheme == "https"
        )

    def ask(
        self,
        path: str,
        fields: Mapping[str, str] | None,
        limit: int,
        *,
        tries: int | None = None,
        fault_of: Callable[[Answer], str] | None = None,
    ) -> Answer:
        """Return the answer to a form sent by POST, or to a GET when there is none; at most `limit` bytes of it.

        Raises:
            SourceUnavailable: no answer came.
        """
        answer, silence = None, ""
        for number in range(tries or self._patience.tries):
            if number:
                self._wait(self._patience.first_wait_seconds * 2 ** (number - 1) * random.uniform(0.5, 1.5))
            answer, silence = self._try(path, fields, limit)
            if answer:
                answer = replace(answer, fault=_fault(answer, fault_of))
            if answer and not answer.fault:
                break
        if answer:
            return answer
        raise SourceUnavailable(f"{self._address.label}: {silence}. Try again later; the import goes on where it was.")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _try(self, path: str, fields: Mapping[str, str] | None, limit: int) -> tuple[Answer | None, str]:
        """Return what one request gave, or why nothing came."""
        import httpx

        method = "GET" if fields is None else "POST"
        try:
            with self._slots, self._client.stream(method, f"{self._address.url}{path}", data=fields) as response:
                return self._read(response, limit), ""
        except httpx.ConnectTimeout:
            return None, f"no connection within {self._patience.connect_seconds:g} seconds"
        except httpx.ConnectError as error:
            return None, f"no connection: {str(error).splitlines()[0][:200] if str(error) else 'refused'}"
        except (httpx.TimeoutException, TimeoutError):
            return None, "it takes the request and does not answer in time"
        except httpx.RequestError:
            return None, "the connection broke off"

    def _read(self, response: "httpx.Response", limit: int) -> Answer:
        """Return the answer; its bytes are counted as they are unpacked."""
        deadline = time.monotonic() + self._patience.answer_seconds
        body, is_whole = bytearray(), True
        for piece in response.iter_bytes():
            if time.monotonic() > deadline:
                raise TimeoutError
            body += piece
            if len(body) > limit:
                is_whole = False
                break
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        is_named = "Content-Disposition" in response.headers
        redirect = _host_of(response.headers.get("Location", "")) if response.is_redirect else ""
        return Answer(response.status_code, kind, bytes(body[:limit]), is_whole, is_named, redirect)


def _host_of(location: str) -> str:
    """Return the scheme and host of an address; the rest of it may repeat what was sent."""
    with suppress(ValueError):
        parts = urlsplit(location)
        if parts.hostname:
            return f"{parts.scheme}://{parts.hostname}"
    return "another place"


def _fault(answer: Answer, fault_of: Callable[[Answer], str] | None) -> str:
    if is_passing(answer.status):
        return f"answers {answer.status}"
    return fault_of(answer) if fault_of else ""


def is_passing(status: int) -> bool:
    """Whether a status tells of trouble that may pass."""
    return status >= 500 or status in _RETRIED
