"""Names nested with '/', as tags and categories are: whatever bears `a/b` is also found under `a`."""

from collections import Counter
from collections.abc import Iterable, Sequence

from graphrag.domain.graph import Facet


def fold_name(name: str) -> str:
    """Return the form under which names are compared: case folded, without '#' and outer slashes."""
    return "/".join(_parts(name)).casefold()


def with_parents(name: str) -> list[str]:
    """Return the name after all of its parents, outermost first; nothing for an empty name."""
    parts = _parts(name)
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def folded_with_parents(names: tuple[str, ...]) -> list[str]:
    """Return the distinct folded names and parents of several names."""
    return list(dict.fromkeys(fold_name(level) for name in names for level in with_parents(name)))


def _parts(name: str) -> list[str]:
    return [part for raw in name.strip().removeprefix("#").split("/") if (part := raw.strip())]


def count_facets(names_of_notes: Iterable[Sequence[str]]) -> list[Facet]:
    """Return every name and parent with the number of notes below it, most first; spelled as first met."""
    spelling: dict[str, str] = {}
    notes: Counter[str] = Counter()
    for names in names_of_notes:
        levels = {fold_name(level): level for name in names for level in with_parents(name)}
        for key, level in levels.items():
            spelling.setdefault(key, level)
        notes.update(levels.keys())
    facets = [Facet(spelling[key], count) for key, count in notes.items()]
    return sorted(facets, key=lambda facet: (-facet.notes, facet.name))
