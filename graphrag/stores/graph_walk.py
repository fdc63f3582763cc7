"""Walks over any graph that can name its entities' relations: what lies around one, the way to another."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from graphrag.domain.graph import Entity, EntityKind, Facet, Neighbor, Neighborhood, Relation
from graphrag.domain.query import fold_name, with_parents


def count_facets(names_of_notes: Iterable[Sequence[str]]) -> list[Facet]:
    """Return every name and parent with the number of notes below it, most first; spelled as first met."""
    return sum_facets((names, 1) for names in names_of_notes)


def sum_facets(groups: Iterable[tuple[Sequence[str], int]]) -> list[Facet]:
    """Return the facets of groups of notes: the names that each note of a group bears, and how many notes it has."""
    spelling: dict[str, str] = {}
    notes: Counter[str] = Counter()
    for names, number in groups:
        levels = {fold_name(level): level for name in names for level in with_parents(name)}
        for key, level in levels.items():
            spelling.setdefault(key, level)
            notes[key] += number
    facets = [Facet(spelling[key], count) for key, count in notes.items()]
    return sorted(facets, key=lambda facet: (-facet.notes, facet.name))


class WalkableGraph(Protocol):
    """What a walk asks; one round of questions per hop."""

    def relations(self, entity_ids: Sequence[str], with_tags: bool = False) -> list[Relation]:
        """Return every relation from or to any of the entities."""

    def entities(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        """Return the entities of these ids."""


class _Step(NamedTuple):
    """The way to an entity: the one before it, and the relation between them."""

    via: str
    relation: Relation

    @property
    def preference(self) -> tuple[bool, bool, str, str, int]:
        """Order of ways to one entity: a named relation says most, then what the nearer one says itself."""
        relation = self.relation
        return not relation.name, relation.source != self.via, self.via, relation.note, relation.line


def find_neighborhood(graph: WalkableGraph, center: Entity, max_hops: int, limit: int) -> Neighborhood:
    """Return what lies around an entity, nearest and best linked first; a tag starts from its notes."""
    steps: dict[str, _Step] = {}
    hops_of: dict[str, int] = {}
    frontier = [center.id]
    for hops in range(1, max_hops + 1):
        with_tags = hops == 1 and center.kind is EntityKind.TAG
        further = _next_steps(graph.relations(frontier, with_tags), frontier, {center.id, *steps})
        steps |= further
        hops_of |= dict.fromkeys(further, hops)
        frontier = sorted(further)
    links = Counter(_ends(graph.relations(list(steps))))
    nearest = sorted(steps, key=lambda id_: (hops_of[id_], -links[id_], id_))
    entities = graph.entities(nearest[:limit])
    neighbors = tuple(
        Neighbor(entities[id_], hops_of[id_], steps[id_].relation, steps[id_].via) for id_ in nearest[:limit]
    )
    return Neighborhood(center, max_hops, neighbors, omitted=len(nearest) - len(neighbors))


def find_path(graph: WalkableGraph, start: str, end: str, max_hops: int) -> list[Relation] | None:
    """Return a shortest chain of relations, in order from `start`; the same one every time."""
    steps: dict[str, _Step] = {}
    frontier = [start]
    for _ in range(max_hops):
        if end == start or end in steps or not frontier:
            break
        further = _next_steps(graph.relations(frontier), frontier, {start, *steps})
        steps |= further
        frontier = sorted(further)
    if end != start and end not in steps:
        return None
    chain: list[Relation] = []
    while end != start:
        chain.append(steps[end].relation)
        end = steps[end].via
    return chain[::-1]


def _next_steps(relations: Sequence[Relation], frontier: Sequence[str], seen: set[str]) -> Mapping[str, _Step]:
    """Return the best step to each entity one hop beyond the frontier."""
    nearer = {*frontier}
    best: dict[str, _Step] = {}
    for relation in relations:
        for via, far in ((relation.source, relation.target), (relation.target, relation.source)):
            if via in nearer and far not in seen:
                step = _Step(via, relation)
                if far not in best or step.preference < best[far].preference:
                    best[far] = step
    return best


def _ends(relations: Sequence[Relation]) -> Iterator[str]:
    for relation in relations:
        yield relation.source
        yield relation.target
