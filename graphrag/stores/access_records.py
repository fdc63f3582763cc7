"""Access tokens as rows of one SQLite file in the folder of the index, for its owner alone.

Never holds a token, only what it hashes to. Every request opens the file anew: what another process changed counts
from the next request on.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from graphrag.domain.access import AccessToken, Limit, Scope
from graphrag.errors import StoreError

AUDIT_FILE = "audit.jsonl"
SET_ASIDE = "audit.1.jsonl"
_LARGEST = 5_000_000  # bytes
_LONGEST_PATH = 1_000  # characters


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One request."""

    time: datetime
    token: str  # its name; empty without a valid one
    address: str
    method: str
    path: str  # a query behind it is not written
    status: int
    milliseconds: float


class AuditLog:
    """The log of one index folder, which has to exist; several threads may write."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / AUDIT_FILE
        self._set_aside = folder / SET_ASIDE
        self._writing = Lock()

    def write(self, entry: AuditEntry) -> None:
        """Write a request down.

        Raises:
            StoreError: the system refuses.
        """
        line = json.dumps(_shape(entry), ensure_ascii=True).encode() + b"\n"
        try:
            with self._writing:
                self._append(line)
        except OSError as error:
            raise StoreError(
                f"{self._file}: the request cannot be written down: {error.strerror}. Free some space, or mend its "
                "permissions."
            ) from error

    def _append(self, line: bytes) -> None:
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _OWNER_ONLY)
        try:
            os.write(descriptor, line)  # at once, so that lines of two processes do not mix
            is_full = os.fstat(descriptor).st_size >= _LARGEST
        finally:
            os.close(descriptor)
        if is_full:
            self._file.replace(self._set_aside)


def _shape(entry: AuditEntry) -> dict[str, object]:
    return {
        "time": entry.time.isoformat(timespec="milliseconds"),
        "token": entry.token or "-",
        "address": entry.address,
        "method": entry.method,
        "path": entry.path.partition("?")[0][:_LONGEST_PATH],
        "status": entry.status,
        "milliseconds": round(entry.milliseconds, 1),
    }


ACCESS_FILE = "access.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS token (
    name TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, scope TEXT NOT NULL, categories TEXT NOT NULL, tags TEXT NOT NULL,
    is_enabled INTEGER NOT NULL, created TEXT NOT NULL, expires TEXT, last_used TEXT, last_address TEXT NOT NULL
) WITHOUT ROWID
"""
_COLUMNS = "name, scope, categories, tags, is_enabled, created, expires, last_used, last_address, hash"
_LOCK_SECONDS = 10.0
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class KeptToken:
    """A token with the hash by which it is known."""

    token: AccessToken
    hash: bytes  # SHA-256


class TokenTable:
    """The tokens of one index folder, which has to exist for anything but reading.

    Raises:
        StoreError: from every method: the file is damaged, busy for long, or the system refuses.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / ACCESS_FILE

    def all(self) -> list[KeptToken]:
        """Return the tokens by name."""
        with self._translated():
            if not self._file.exists():
                return []
            with closing(self._connect()) as connection:
                is_made = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'token'").fetchone()
                rows = connection.execute(f"SELECT {_COLUMNS} FROM token ORDER BY name").fetchall() if is_made else ()
            return [_kept(row) for row in rows]

    def add(self, kept: KeptToken) -> bool:
        """Keep a token; return whether its name was free."""
        token = kept.token
        row = (
            *(token.name, token.scope.value, _dump(token.limit.categories), _dump(token.limit.tags)),
            *(token.is_enabled, _iso(token.created), _iso(token.expires), _iso(token.last_used)),
            *(token.last_address, kept.hash),
        )
        with self._translated():
            self._create()
            marks = ", ".join("?" * len(row))
            return bool(self._write(f"INSERT OR IGNORE INTO token ({_COLUMNS}) VALUES ({marks})", row))

    def set_enabled(self, name: str, is_enabled: bool) -> bool:
        """Let a token in or not; return whether there is one of that name."""
        return self._change("UPDATE token SET is_enabled = ? WHERE name = ?", (is_enabled, name))

    def delete(self, name: str) -> bool:
        """Forget a token; return whether there was one of that name."""
        return self._change("DELETE FROM token WHERE name = ?", (name,))

    def note_use(self, hash_: bytes, moment: datetime, address: str) -> None:
        """Write down when, and from where, the token of a hash was used; one that is gone stays gone."""
        self._change("UPDATE token SET last_used = ?, last_address = ? WHERE hash = ?", (_iso(moment), address, hash_))

    def _change(self, statement: str, values: tuple[object, ...]) -> bool:
        with self._translated():
            return self._file.exists() and bool(self._write(statement, values))

    def _write(self, statement: str, values: tuple[object, ...]) -> int:
        with closing(self._connect()) as connection, connection:
            connection.execute(_SCHEMA)
            return connection.execute(statement, values).rowcount

    def _create(self) -> None:
        """Make the file, which SQLite would make readable for all; its journals take its mode."""
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_LOCK_SECONDS)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise StoreError(
                f"{self._file}: the tokens cannot be read or written: {error}. "
                "Mend its permissions, or delete the file and make the tokens anew."
            ) from error


def _kept(row: tuple[str, str, str, str, int, str, str | None, str | None, str, bytes]) -> KeptToken:
    name, scope, categories, tags, is_enabled, created, expires, last_used, address, hash_ = row
    limit = Limit(tuple(json.loads(categories)), tuple(json.loads(tags)))
    moments = datetime.fromisoformat(created), _moment(expires), _moment(last_used)
    return KeptToken(AccessToken(name, Scope(scope), limit, bool(is_enabled), *moments, address), hash_)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _dump(names: tuple[str, ...]) -> str:
    return json.dumps(names, ensure_ascii=False)
