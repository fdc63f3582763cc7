"""Notebooks -> folders of the vault, nested as they were. No I/O; the same notebooks always give the same folders.

A notebook whose parent is missing or deleted becomes a root; of a cycle, the notebook with the smallest id does.
"""

import posixpath
from collections.abc import Collection, Iterable, Mapping, Sequence

from vault_sync.leanote.account import Notebook
from vault_sync.leanote.names import NameEntry, assign_names

MAX_FOLDER_BYTES = 400  # of a whole path: what lies deeper goes beside its parent


def notebook_folders(
    notebooks: Sequence[Notebook], before: Mapping[str, str] | None = None, reserved: Collection[str] = ("assets",)
) -> dict[str, str]:
    """Return a POSIX path without leading slash for each notebook that is not deleted.

    `before` holds the paths after the last run; `reserved` are names that no folder may have.
    """
    known = {notebook.id: notebook for notebook in notebooks if not notebook.is_deleted}
    parents = _parents(known)
    children: dict[str, list[str]] = {}
    for id_, parent in sorted(parents.items()):
        children.setdefault(parent, []).append(id_)
    earlier = {id_: posixpath.basename(path) for id_, path in (before or {}).items()}
    paths: dict[str, str] = {}
    taken: dict[str, list[str]] = {}
    level = children.get("", [])
    while level:
        for folder, siblings in _by_folder(level, parents, paths).items():
            entries = [NameEntry(id_, known[id_].title, earlier.get(id_, "")) for id_ in siblings]
            names = assign_names(entries, taken.setdefault(folder, list(reserved)))
            taken[folder].extend(names.values())
            paths.update((id_, posixpath.join(folder, name)) for id_, name in names.items())
        level = [child for id_ in level for child in children.get(id_, ())]
    return paths


def notebook_titles(notebooks: Sequence[Notebook]) -> dict[str, tuple[str, ...]]:
    """Return the titles from the root down to each notebook that is not deleted, as they are at the source."""
    known = {notebook.id: notebook for notebook in notebooks if not notebook.is_deleted}
    parents = _parents(known)
    titles: dict[str, tuple[str, ...]] = {}
    for id_ in known:
        chain = [id_]
        while (parent := parents[chain[-1]]) and parent not in titles:
            chain.append(parent)
        for link in reversed(chain):
            titles[link] = (*titles.get(parents[link], ()), known[link].title)
    return titles


def _parents(known: Mapping[str, Notebook]) -> dict[str, str]:
    """Return each notebook's parent, empty for roots, without cycles."""
    parents = {id_: notebook.parent if notebook.parent in known else "" for id_, notebook in known.items()}
    settled: set[str] = {""}
    for id_ in known:
        walked: dict[str, int] = {}
        while id_ not in settled and id_ not in walked:
            walked[id_] = len(walked)
            id_ = parents[id_]
        if id_ in walked:
            cycle = [member for member, place in walked.items() if place >= walked[id_]]
            parents[min(cycle)] = ""
        settled.update(walked)
    return parents


def _by_folder(level: Iterable[str], parents: Mapping[str, str], paths: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the notebooks of a level by the folder that each lies in: its parent's, or the next above with room."""
    grouped: dict[str, list[str]] = {}
    for id_ in level:
        folder = paths.get(parents[id_], "")
        while len(folder.encode()) > MAX_FOLDER_BYTES:
            folder = posixpath.dirname(folder)
        grouped.setdefault(folder, []).append(id_)
    return grouped
