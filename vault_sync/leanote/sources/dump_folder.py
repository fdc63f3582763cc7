"""A folder with a mongodump in it -> where its database and its files lie. Reads names only; follows no link."""

import os
from pathlib import Path

from graphrag.errors import SourceRefused

_NOTES = ("notes.bson", "notes.bson.gz")
_MOST_FOLDERS = 100_000


def find_database(folder: Path) -> Path:
    """Return the folder that holds `notes.bson`, the nearest to the top.

    Raises:
        SourceRefused: there is none, or several at one height.
    """
    found = _databases(folder)
    if not found:
        raise SourceRefused(f"{folder}: no notes.bson in it. Name the folder that mongodump wrote.")
    if len(found) > 1:
        names = ", ".join(str(place.relative_to(folder)) for place in found[:10])
        raise SourceRefused(f"{folder}: holds several dumps ({names}). Name the folder of one of them.")
    return found[0]


def has_dump(folder: Path) -> bool:
    """Whether a folder holds a mongodump of Leanote, or several."""
    return bool(_databases(folder))


def file_roots(folder: Path, database: Path) -> list[Path]:
    """Return the folders, from the database's up to the given one, that have the server's files in them."""
    around = [database, *database.parents]
    within = around[: around.index(folder) + 1]
    return [place for place in within if has_files(place)]


def files_beside(given: Path) -> Path | None:
    """Return the folder around a dump or an archive when the server's files lie beside it, else None."""
    place = given.resolve().parent
    return place if has_files(place) else None


def _databases(folder: Path) -> list[Path]:
    """Return the folders with notes at the lowest depth that has any."""
    level, seen = [folder], 0
    while level and seen < _MOST_FOLDERS:
        if found := [place for place in level if _has_notes(place)]:
            return found
        seen += len(level)
        level = [below for place in level for below in _folders_in(place)]
    return []


def _has_notes(place: Path) -> bool:
    return any((place / name).is_file() for name in _NOTES)


def has_files(place: Path) -> bool:
    """Whether a folder is a server's root: pictures and attachments lie below it."""
    return any(path.is_dir() and not path.is_symlink() for path in (place / "files", place / "public" / "upload"))


def _folders_in(place: Path) -> list[Path]:
    try:
        with os.scandir(place) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError as error:
        raise SourceRefused(f"{place}: cannot be listed: {error.strerror}. Check its permissions.") from error
