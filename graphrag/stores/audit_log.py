"""Who asked a served vault for what, when, and with which result: one JSON line a request, for the owner alone.

Neither questions nor tokens are written. At 5 MB the file is set aside, in the place of the one set aside before.
"""

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from graphrag.errors import StoreError

AUDIT_FILE = "audit.jsonl"
SET_ASIDE = "audit.1.jsonl"
_OWNER_ONLY = 0o600
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
