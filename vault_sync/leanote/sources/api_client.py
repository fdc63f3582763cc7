"""Actions of Leanote's Open API -> the JSON or the file that they give, under one login that is renewed once.

All goes by POST, so that the token and the password stand in no address. Neither is ever part of a message.
"""

import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphrag.errors import SourceRefused, SourceUnavailable, SyncError

if TYPE_CHECKING:
    import httpx


_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """A server, and the folder that Leanote has on it."""

    scheme: str
    host: str
    port: int
    prefix: str  # empty, or starts with a slash and ends without one

    @property
    def label(self) -> str:
        """The address without the scheme, for messages."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}{'' if self.port == _PORTS[self.scheme] else f':{self.port}'}{self.prefix}"

    @property
    def url(self) -> str:
        """The address in full, without a slash at its end."""
        return f"{self.scheme}://{self.label}"


def read_address(given: str, allow_plain_http: bool = False) -> ApiAddress:
    """Return the address; without a scheme it is https.

    Raises:
        SourceRefused: it is not an address, holds a password, or would send one unencrypted to another machine.
    """
    text = given.strip()
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise SourceRefused(
            "The server's address cannot be read. Give it as https://host or https://host/path."
        ) from error
    if parts.username is not None or parts.password is not None:
        raise SourceRefused(f"{host}: the address holds a user or password. Give the address alone.")
    if parts.scheme not in _PORTS or not host or parts.query or parts.fragment or not _is_printable(text):
        raise SourceRefused("The server's address cannot be read. Give it as https://host or https://host/path.")
    if parts.scheme == "http" and not allow_plain_http and not _is_local(host):
        raise SourceRefused(
            f"{host}: http would send the password and the notes unencrypted. Use https, or allow plain http."
        )
    prefix = parts.path.rstrip("/").removesuffix("/api").rstrip("/")
    return ApiAddress(parts.scheme, host, port or _PORTS[parts.scheme], prefix)


def _is_local(host: str) -> bool:
    """Whether it is this machine's loopback; a name that only looks like an address, 127.example.com, is not."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_printable(text: str) -> bool:
    return text.isprintable() and " " not in text and "\\" not in text


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


_NOT_LOGGED_IN = "NOTLOGIN"
_REPLY_BYTES = 128 * 1024 * 1024
_FILE_TRIES = 2
_CODE = re.compile(r"[A-Za-z]{1,40}")


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to log in: a user and a password, or a token that was given out before."""

    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


class ApiClient:
    """One login at one server; may be used by several threads."""

    def __init__(self, address: ApiAddress, credentials: Credentials, transport: ApiTransport) -> None:
        self._address = address
        self._credentials = credentials
        self._transport = transport
        self._token = credentials.token
        self._login = threading.Lock()
        self._is_known = False  # it has answered as Leanote does
        self._is_own_token = False

    def call(self, action: str, *, refusal: type[SyncError] = SourceRefused, **parameters: str | int) -> object:
        """Return what an action gives.

        Raises:
            refusal: the server says `{"Ok": false}` to it.
            SourceRefused: the login is not accepted, or the server is not Leanote.
            SourceUnavailable: it does not answer, or not with what it should.
        """
        fields = {name: str(value) for name, value in parameters.items()}
        for is_last in (False, True):
            token = self._current_token()
            reply = self._ask_json(action, {**fields, "token": token})
            code = _error_code(reply)
            if code is None:
                return reply
            if code != _NOT_LOGGED_IN:
                raise refusal(f"{self._address.label}: {action} is refused ({code or 'no reason given'}).")
            if not is_last:
                self._renew(token)
        raise SourceRefused(f"{self._address.label}: forgets the login at once. Log in there with a browser and look.")

    def call_list(self, action: str, **parameters: str | int) -> list[object]:
        """Return the rows that an action gives; null stands for none.

        Raises:
            SourceRefused: it gives something else.
        """
        reply = self.call(action, refusal=SourceRefused, **parameters)
        if not isinstance(reply, list | None):
            raise SourceRefused(f"{self._address.label}: {action} does not answer with a list. Is it Leanote 2?")
        return reply or []

    def fetch(self, action: str, file_id: str, limit: int) -> tuple[Answer, str]:
        """Return a file as it is answered, and the token that was used: a bad one looks like a missing file."""
        token = self._current_token()
        fields = {"fileId": file_id, "token": token}
        return self._transport.ask(f"/api/{action}", fields, limit, tries=_FILE_TRIES), token

    def fetch_public(self, path: str, limit: int) -> Answer:
        """Return a file that needs no login; the token does not go out."""
        return self._transport.ask(path, None, limit, tries=_FILE_TRIES)

    def has_renewed(self, token: str) -> bool:
        """Make sure that the login holds; whether it is another one than the token was of.

        Raises:
            SourceRefused, SourceUnavailable: as from `call`.
        """
        self.call("user/getSyncState")
        return self._token != token

    def log_out(self) -> None:
        """Give back a token that a login here made; a token that was given stays valid."""
        if self._is_own_token:
            self._is_own_token = False
            self._ask_json("auth/logout", {"token": self._token}, tries=1)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _current_token(self) -> str:
        with self._login:
            if not self._token:
                self._token = self._log_in()
            return self._token

    def _renew(self, token: str) -> None:
        """Log in again, unless another thread just did."""
        with self._login:
            if self._token == token:
                self._token = self._log_in()

    def _log_in(self) -> str:
        given = self._credentials
        if not (given.user and given.password):
            what = "the token is not accepted" if given.token else "a login is needed"
            raise SourceRefused(f"{self._address.label}: {what}. Give the user and the password.")
        reply = self._ask_json("auth/login", {"email": given.user, "pwd": given.password})
        token = reply.get("Token") if isinstance(reply, dict) and reply.get("Ok") is True else None
        if not isinstance(token, str) or not token:
            raise SourceRefused(f"{self._address.label}: the user or the password is wrong. Check both and try again.")
        self._is_own_token = True
        return token

    def _ask_json(self, action: str, fields: dict[str, str], tries: int | None = None) -> object:
        answer = self._transport.ask(f"/api/{action}", fields, _REPLY_BYTES, tries=tries, fault_of=_json_fault)
        if answer.fault or answer.status != 200 or not answer.is_whole:
            raise self._failure(action, answer)
        self._is_known = True
        return json.loads(answer.body)

    def _failure(self, action: str, answer: Answer) -> SourceRefused | SourceUnavailable:
        """Return what an answer that is not JSON means: another service, or a server in trouble."""
        label = self._address.label
        if answer.redirect:
            return SourceRefused(
                f"{label}: redirects to {answer.redirect}, which is not followed. Give its own address."
            )
        if not answer.is_whole:
            return SourceRefused(f"{label}: {action} answers more than {_REPLY_BYTES:,} bytes, which is not read.")
        if is_passing(answer.status) or (self._is_known and answer.status == 200):
            return SourceUnavailable(
                f"{label}: {action} {answer.fault}. Try again later; the import goes on where it was."
            )
        came = answer.fault or f"answers {answer.status}"
        return SourceRefused(f"{label}: not a Leanote server: {action} {came}. Check the address and its path.")


def _json_fault(answer: Answer) -> str:
    """Return what came instead of JSON; empty when it is JSON, or when trying again would bring the same."""
    if answer.status != 200 or not answer.is_whole:
        return ""
    try:
        json.loads(answer.body)
    except (ValueError, RecursionError):
        start = answer.body[:1000].lstrip().lower()
        if not start:
            return "answers with nothing"
        is_page = answer.content_type == "text/html" or start.startswith((b"<!doctype html", b"<html"))
        return "answers with a web page" if is_page else "answers with something that is not JSON"
    return ""


def _error_code(reply: object) -> str | None:
    """Return the word of an error, None for a good reply; a sentence in the user's language counts as no word."""
    if not isinstance(reply, dict) or reply.get("Ok") is not False:
        return None
    code = reply.get("Msg")
    return code if isinstance(code, str) and _CODE.fullmatch(code) else ""
