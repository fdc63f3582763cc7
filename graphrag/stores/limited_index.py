"""Where the indexes of limited parts lie in the folder of the vault's own, by the digests of their limits."""

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graphrag.domain.snapshot import LeftOut
from graphrag.stores.failures import writing
from graphrag.stores.snapshot_folder import remove_index


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


_FOLDER = "limited"
_OUTSIDE = ".outside.json.gz"


def limited_folder(index_dir: Path, digest: str) -> Path:
    """Return the folder of the index of a limited part."""
    return index_dir / _FOLDER / digest


def outside_file(index_dir: Path, digest: str) -> OutsideFile:
    """Return where the files outside a limit are remembered."""
    return OutsideFile(index_dir / _FOLDER / f"{digest}{_OUTSIDE}")


def forget_limited(index_dir: Path, keep: Iterable[str] = ()) -> None:
    """Delete the indexes of limited parts but those to keep; one that is being written stays.

    Raises:
        OSError: the system refuses.
    """
    kept, folder = set(keep), index_dir / _FOLDER
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name.removesuffix(_OUTSIDE) in kept:
            continue
        remove_index(place) if place.is_dir() else place.unlink(missing_ok=True)
