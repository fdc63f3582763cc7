"""Whose index a folder holds: it is looked at before anything is read from it or written to it."""

from pathlib import Path

from graphrag.errors import StoreError
from graphrag.stores.failures import reading

CURRENT = "CURRENT"
OWNER = "OWNER"
_NAME_ANOTHER = "Name a new or empty folder, by `dir` under [index] in graphrag.toml or by --index-dir."


def check_owner(directory: Path, owner: str) -> None:
    """Refuse a folder that holds another vault's index, or something that is no index at all.

    Raises:
        StoreError: it is not this owner's, or no folder.
    """
    mark = directory / OWNER
    with reading(directory):
        if any(place.exists() and not place.is_dir() for place in (directory, *directory.parents)):
            raise StoreError(f"{directory}: no folder can be there. {_NAME_ANOTHER}")
        # In this order: the mark is an index's first file, so whoever sees another one finds the mark after it.
        names = {entry.name for entry in directory.iterdir()} if directory.exists() else set()
        found = mark.read_text(encoding="utf-8", errors="replace") if mark.exists() else None
        is_foreign = found is None and bool(names - {f"{OWNER}.tmp"}) and CURRENT not in names
    if found is not None and found != owner:
        if not found or not found.isprintable():
            raise StoreError(f"{mark}: damaged. If this is your index, delete that file and run: graphrag index")
        raise StoreError(f"{directory}: the index of another vault ({found}). {_NAME_ANOTHER}")
    if is_foreign:
        raise StoreError(f"{directory}: not an index, and not empty. {_NAME_ANOTHER}")


def make_directory(directory: Path) -> None:
    """Make an index's folder, and those above it.

    Raises:
        StoreError: the system makes no folder there.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # its parents were to be made, too
        raise StoreError(f"{directory}: no folder can be made there. {_NAME_ANOTHER}") from error
