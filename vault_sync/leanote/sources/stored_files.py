"""The path that a row of a dump gives -> the file's bytes, out of the folders of the server's files and nowhere else.

Rows are not believed: a path that leads out, a symbolic link on the way, and what is no regular file are refused.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from graphrag.errors import NoteUnreadable

_BELOW: tuple[tuple[str, ...], ...] = (
    (),
    ("files",),
    ("public",),
)  # where servers and their forks put what a path names
_MOST_NAMES = 2_000_000


class StoredFiles:
    """The files of a server. `roots` are its root folder or what is left of it; only `searched` is looked through."""

    def __init__(self, roots: Sequence[Path], searched: Sequence[Path], limit: int) -> None:
        self._roots = roots
        self._searched = searched
        self._limit = limit
        self._by_name: dict[str, Path] | None = None

    def read(self, path: str, name: str) -> bytes | None:
        """Return the bytes of the file at a path, or else of the one with the name anywhere; None without either.

        Raises:
            NoteUnreadable: the path leads out, the file is larger than allowed, or the disk does not give it.
        """
        parts = _parts(path)
        if parts and (found := self._at(parts) or (self._at((*parts, name)) if _is_name(name) else None)):
            return self._read(found)
        found = self.names().get(name) if _is_name(name) else None
        return self._read(found) if found and found.is_file() and not found.is_symlink() else None

    def names(self) -> Mapping[str, Path]:
        """Return where each file name lies, looked up once; the first in order when a name lies twice."""
        if self._by_name is None:
            names: dict[str, Path] = {}
            for top in self._searched:
                for folder, folders, files in os.walk(top):
                    folders.sort()
                    for name in sorted(files) if len(names) < _MOST_NAMES else ():
                        names.setdefault(name, Path(folder, name))
            self._by_name = names
        return self._by_name

    def _at(self, parts: Sequence[str]) -> Path | None:
        for root in self._roots:
            for below in _BELOW:
                if found := _descend(root, (*below, *parts)):
                    return found
        return None

    def _read(self, path: Path) -> bytes:
        try:
            with path.open("rb") as stream:
                data = stream.read(self._limit + 1)
        except OSError as error:
            raise NoteUnreadable(f"{path.name}: cannot be read: {error.strerror}. Check its permissions.") from error
        if len(data) > self._limit:
            raise NoteUnreadable(f"{path.name}: larger than {self._limit:,} bytes, which is not read.")
        return data


def _parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path from the server's root."""
    parts = PurePosixPath(path.replace("\\", "/").lstrip("/")).parts
    if ".." in parts or "\0" in path or any(Path(part).drive for part in parts):
        raise NoteUnreadable("the dump gives a path that leads out of the server's folder; it is not followed.")
    return parts


def _is_name(name: str) -> bool:
    return bool(name) and not any(sign in name for sign in "/\\\0") and name not in (".", "..")


def _descend(root: Path, parts: Sequence[str]) -> Path | None:
    """Return the regular file that the parts lead to, None when there is none."""
    place = root
    try:
        for part in parts:
            place /= part
            if place.is_symlink():
                raise NoteUnreadable(f"{place.name}: a symbolic link on the way to the file, which is not followed.")
        return place if place.is_file() else None
    except OSError as error:
        raise NoteUnreadable(f"{parts[-1][:80]}: cannot be looked up: {error.strerror}.") from error
