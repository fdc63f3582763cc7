"""The files of a vault that lie outside the limit of a limited index, so that each is read once, not at every look.

The file lies beside the limited index, not in it: what that index says of its own size tells nothing of them.
"""

import gzip
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graphrag.domain.snapshot import LeftOut
from graphrag.stores.failures import writing


@dataclass(frozen=True, slots=True)
class OutsideNotes:
    """What was found outside by a rule, with the state of the vault at that time."""

    rule: str
    commit: str
    snapshot: str  # when the snapshot was made that was found to reflect that commit; empty when it did not
    files: Mapping[str, LeftOut] = field(default_factory=dict)


class OutsideFile:
    """Keeps them in one file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def load(self, rule: str) -> OutsideNotes:
        """Return what was found by this rule; nothing when there is no such file, or none that can be used."""
        try:
            data = json.loads(gzip.decompress(self._file.read_bytes()))
            files = {path: LeftOut(*entry) for path, entry in data["files"].items()}
            found = OutsideNotes(data["rule"], data["commit"], data["snapshot"], files)
        except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError):
            return OutsideNotes(rule, "", "")
        return found if found.rule == rule else OutsideNotes(rule, "", "")

    def save(self, notes: OutsideNotes) -> None:
        """Replace the file.

        Raises:
            StoreError: it cannot be written.
        """
        files = {path: (entry.content_hash, entry.dates) for path, entry in notes.files.items()}
        data = {"rule": notes.rule, "commit": notes.commit, "snapshot": notes.snapshot, "files": files}
        unfinished = self._file.with_name(f"{self._file.name}.{os.getpid()}.tmp")
        with writing(self._file):
            unfinished.write_bytes(gzip.compress(json.dumps(data, ensure_ascii=False).encode(), 5, mtime=0))
            unfinished.replace(self._file)
