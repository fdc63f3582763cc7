"""How many notes bear a nested name, themselves or below it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from graphrag.domain.graph import Facet
from graphrag.domain.nesting import fold_name, with_parents


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
