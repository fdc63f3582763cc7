"""Ids for what an export gives none: the same for the same thing in the next export, and of the form Leanote uses.

Nothing is remembered between two imports; an id is a digest of what stays the same. What that is, each source says.
"""

import hashlib
import posixpath
import re
from collections.abc import Iterable

from vault_sync.leanote.account import Notebook

_OBJECT_ID = re.compile(r"[0-9a-f]{24}")


def derived_id(*parts: str) -> str:
    """Return 24 hex digits made of the parts."""
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:24]


def revision_of(*parts: object) -> str:
    """Return a word that changes when one of the parts does."""
    return hashlib.sha256(repr(parts).encode(errors="replace")).hexdigest()[:24]


def object_id(text: object) -> str:
    """Return an id of Leanote's in lower case; empty when the text is none."""
    lower = str(text).strip().lower()
    return lower if _OBJECT_ID.fullmatch(lower) else ""


def notebook_id(levels: tuple[str, ...]) -> str:
    """Return the id of a notebook known by its titles from the root; empty for no notebook."""
    return derived_id("notebook", *levels) if levels else ""


def notebooks_of(paths: Iterable[tuple[str, ...]]) -> tuple[Notebook, ...]:
    """Return the notebooks at these levels and all above them, in the order of their titles."""
    levels = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
    return tuple(Notebook(notebook_id(path), path[-1], notebook_id(path[:-1])) for path in sorted(levels))


def folder_levels(path: str) -> tuple[str, ...]:
    """Return the folders above a file, from the root."""
    folder = posixpath.dirname(path)
    return tuple(folder.split("/")) if folder else ()
