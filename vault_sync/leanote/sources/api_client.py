"""Actions of Leanote's Open API -> the JSON or the file that they give, under one login that is renewed once.

All goes by POST, so that the token and the password stand in no address. Neither is ever part of a message.
"""

import json
import re
import threading
from dataclasses import dataclass, field

from graphrag.errors import SourceRefused, SourceUnavailable, SyncError
from vault_sync.leanote.sources.api_address import ApiAddress
from vault_sync.leanote.sources.api_transport import Answer, ApiTransport, is_passing

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
