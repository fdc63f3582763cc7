"""A name as typed -> the entity that it means: a path, title, alias, file name, topic or tag."""

import unicodedata
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath

from graphrag.domain.ports import GraphReader
from graphrag.domain.snapshot import Manifest, NoteEntry
from graphrag.errors import NoteNotFound
from vault_sync.worktree import is_unicode

_SUGGESTIONS = 5


def find_note(name: str, manifest: Manifest) -> str:
    """Return the path of the one note that the name means.

    Raises:
        NoteNotFound: no note is called so, or several are; its `candidates` are the paths to choose from.
    """
    notes = manifest.notes
    found = matching_notes(name, notes)
    if len(found) == 1:
        return found[0]
    if found:
        raise NoteNotFound(f"'{name}' names {len(found)} notes. Give one of these paths: {', '.join(found)}", found)
    for item in manifest.diagnostics:
        if item.path not in notes and _bare(name.strip()) in (_bare(item.path), PurePosixPath(_bare(item.path)).name):
            raise NoteNotFound(f"'{item.path}' is not in the index: {item.message}")
    raise unknown_note(name, _suggestions(name, notes))


def unknown_note(name: str, near: tuple[str, ...]) -> NoteNotFound:
    """Return what is said of a name that no note has; `near` are paths that may have been meant."""
    advice = f"Did you mean: {', '.join(near)}?" if near else "graphrag search finds notes by their text."
    return NoteNotFound(f"no note is called '{name}'. {advice}", near)


def find_entity(name: str, manifest: Manifest, graph: GraphReader) -> str:
    """Return the id of the note, topic or tag that the name means.

    Raises:
        NoteNotFound: nothing is called so, or several notes are.
    """
    try:
        return find_note(name, manifest)
    except NoteNotFound as error:
        if not is_unicode(name):
            raise error
        bare = unicodedata.normalize("NFC", name.strip()).strip("`")
        entity = graph.entity(bare) or graph.entity(f"#{bare}")
        if entity is None:
            raise error
        return entity.id


def matching_notes(name: str, notes: Mapping[str, NoteEntry]) -> tuple[str, ...]:
    """Return the notes that a name means, by the first kind of name that any note has."""
    wanted = unicodedata.normalize("NFC", name.strip()).removeprefix("./").strip("[]")
    if wanted in notes:
        return (wanted,)
    folded = wanted.casefold()
    tail = "/" + folded.removesuffix(".md")
    kinds: tuple[Callable[[str, NoteEntry], bool], ...] = (
        lambda path, entry: "/" in wanted and _bare(path) == tail[1:],
        lambda path, entry: folded == entry.title.casefold() or tail[1:] == _bare(path).rpartition("/")[2],
        lambda path, entry: folded in (alias.casefold() for alias in entry.aliases),
        lambda path, entry: "/" in wanted and ("/" + _bare(path)).endswith(tail),
    )
    for is_called in kinds:
        if found := tuple(sorted(path for path, entry in notes.items() if is_called(path, entry))):
            return found
    return ()


def stem_of(path: str) -> str:
    """Return a note's file name without its suffix, as pathlib has it, in a twentieth of the time."""
    return path.rpartition("/")[2].rpartition(".")[0]


def _bare(path: str) -> str:
    return path.casefold().removesuffix(".md").removesuffix(".canvas")


def _suggestions(name: str, notes: Mapping[str, NoteEntry]) -> tuple[str, ...]:
    """Return the paths of the notes with the most similar names, then of those whose name holds this one."""
    names: dict[str, str] = {}
    for path, entry in notes.items():
        for known in (entry.title, stem_of(path), *entry.aliases):
            names.setdefault(known.casefold(), path)
    wanted = name.strip().casefold()
    close = get_close_matches(wanted, names, n=_SUGGESTIONS, cutoff=0.5)
    close += sorted(known for known in names if wanted and wanted in known)
    return tuple(dict.fromkeys(names[known] for known in close))[:_SUGGESTIONS]
