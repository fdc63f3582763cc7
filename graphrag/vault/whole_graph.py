"""One snapshot -> its whole graph (`read_graph`), its groups of notes (`NoteMap`), its best-connected notes.

Only what the vault still holds and may show is in them.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from graphrag.domain.graph import Entity, EntityKind, GraphEdge, Relation, VaultGraph
from graphrag.domain.ontology import TYPE
from graphrag.domain.passage_graph import rarity
from graphrag.domain.report import GraphOverview, OverviewEdge, OverviewEntity
from graphrag.language.script import is_chinese
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.cited_lines import NoteLines
from graphrag.vault.knowledge import Knowledge

if TYPE_CHECKING:
    from networkx import Graph


_LINK, _TYPED_LINK, _MENTION = (
    1.0,
    1.5,
    0.5,
)  # what is written on purpose joins more; a tag or topic joins by its rarity
_TAG = "tag"
_LABELS = 3
_LABEL_SHARE = 0.05  # of a group's notes that must bear what it is called by


@dataclass(frozen=True, slots=True)
class Group:
    """Notes that hang together; `labels` are the tags and words of titles that tell them from the other notes."""

    notes: tuple[str, ...]  # paths, the most central first
    labels: tuple[str, ...]  # the most telling first; may be empty


class NoteMap:
    """How the notes of a snapshot hang together; made when something first asks for it.

    Mentions count if the walk of the snapshot is made by then.
    """

    def __init__(self, readers: SnapshotReaders) -> None:
        self._readers = readers
        self._notes = dict(sorted(readers.manifest.notes.items()))
        self._ids = [*self._notes]  # of vertices by number: first the notes, then topics and tags
        self._number_of = {path: number for number, path in enumerate(self._ids)}

    def groups(self, shown: Collection[str]) -> list[Group]:
        """Return the groups of the whole snapshot, the largest first, with only these notes in them."""
        return self._described(self._communities, shown)

    def groups_among(self, notes: Collection[str]) -> list[Group]:
        """Return the groups that these notes form among themselves, the largest first."""
        others = range(len(self._notes), len(self._graph))  # of which those that join nothing here end up alone
        part = self._graph.subgraph([*sorted(self._number_of[path] for path in notes), *others])
        return self._described(_communities(part), notes)

    @cached_property
    def _communities(self) -> list[set[int]]:
        return _communities(self._graph)

    @cached_property
    def _graph(self) -> "Graph[int]":
        from networkx import Graph

        graph: Graph[int] = Graph()
        graph.add_nodes_from(range(len(self._notes)))
        for one, other, weight in self._edges():
            edge = self._vertex(one), self._vertex(other)
            if edge[0] != edge[1]:
                graph.add_edge(*edge, weight=weight + graph.get_edge_data(*edge, {"weight": 0.0})["weight"])
        return graph

    def _edges(self) -> Iterator[tuple[str, str, float]]:
        relations = self._readers.graph.relations([*self._notes], with_tags=True)
        bearers = Counter(relation.target for relation in relations)
        for relation in relations:
            yield relation.source, relation.target, self._weight(relation, bearers[relation.target])
        walk = self._readers.load_walk()
        for mention in walk.graph.mentions() if walk else ():
            yield mention.source, mention.target, _MENTION * mention.weight

    def _weight(self, relation: Relation, bearers: int) -> float:
        weight = _TYPED_LINK if relation.name else _LINK
        return weight if relation.target in self._notes else weight * rarity(bearers)

    def _vertex(self, id_: str) -> int:
        number = self._number_of.setdefault(id_, len(self._ids))
        if number == len(self._ids):
            self._ids.append(id_)
        return number

    def _described(self, communities: Iterable[set[int]], notes: Collection[str]) -> list[Group]:
        wanted = {self._number_of[path] for path in notes}
        common = Counter(label for path in notes for label in self._labels_of[path])
        groups = []
        for community in communities:
            if members := community & wanted:
                central = self._by_centrality(members, community)
                groups.append(Group(central, self._labels(central, common, len(notes))))
        return sorted(groups, key=lambda group: (-len(group.notes), group.notes))

    def _by_centrality(self, members: set[int], community: set[int]) -> tuple[str, ...]:
        """Return the notes by the weight of what joins each of them with its group."""
        kin = members | {number for number in community if number >= len(self._notes)}
        edges = ((number, self._graph[number].items()) for number in members)
        degrees = {number: sum(data["weight"] for other, data in some if other in kin) for number, some in edges}
        return tuple(self._ids[number] for number in sorted(members, key=lambda item: (-degrees[item], item)))

    def _labels(self, group: tuple[str, ...], common: Counter[str], notes: int) -> tuple[str, ...]:
        """Return what many of the group's notes are called by, and few of the others."""
        counts = Counter(label for path in group for label in self._labels_of[path])
        scores = {
            label: count / len(group) * math.log((1 + notes) / common[label])
            for label, count in counts.items()
            if count > 1 and count >= _LABEL_SHARE * len(group)
        }
        chosen: list[str] = []
        for label in sorted(scores, key=lambda item: (-scores[item], -len(item), item)):
            is_new = not any(label in other or other in label for other in map(str.casefold, chosen))
            if is_new and len(chosen) < _LABELS:
                chosen.append(self._written[label])
        return tuple(chosen)

    @cached_property
    def _labels_of(self) -> dict[str, frozenset[str]]:
        """The levels of each note's tags and the words of its title, folded."""
        return {path: frozenset(self._note_labels(path)) for path in self._notes}

    def _note_labels(self, path: str) -> Iterator[str]:
        entry = self._notes[path]
        parts = [tag.split("/") for tag in entry.tags]
        levels = ["/".join(levels[:end]) for levels in parts for end in range(1, len(levels) + 1)]
        words = [word for word in self._readers.tokenizer.tokenize_query(entry.title) if len(word) > 1]
        for label in (*levels, *words):
            if not label.isdecimal():
                self._written.setdefault(label.casefold(), label)
                yield label.casefold()

    @cached_property
    def _written(self) -> dict[str, str]:
        """Labels by their folded form as first met."""
        return {}


def _communities(graph: "Graph[int]") -> list[set[int]]:
    from networkx.algorithms.community import louvain_communities

    found: list[set[int]] = louvain_communities(graph, weight="weight", seed=_SEED)
    return found


_SEED = 1


def best_connected(graph: VaultGraph, limit: int) -> GraphOverview:
    """Return the entities that are joined with most others, and what joins them with each other."""
    degrees: Counter[str] = Counter()
    for ends in {frozenset((edge.relation.source, edge.relation.target)) for edge in graph.edges}:
        degrees.update(ends if len(ends) == 2 else ())
    best = sorted(graph.entities, key=lambda entity: (-degrees[entity.id], entity.id))[:limit]
    shown = {entity.id for entity in best}
    edges = [
        OverviewEdge(edge.relation.source, edge.relation.target, edge.relation.kind, edge.relation.name)
        for edge in graph.edges
        if edge.relation.source in shown and edge.relation.target in shown
    ]
    groups = _groups([entity.id for entity in best], edges)
    nodes = [
        OverviewEntity(entity.id, entity.kind, entity.title, degrees[entity.id], groups[entity.id]) for entity in best
    ]
    return GraphOverview(tuple(nodes), tuple(dict.fromkeys(edges)))


def _groups(ids: list[str], edges: list[OverviewEdge]) -> dict[str, int]:
    """Return the number of each entity's group, the largest group first; those that join nothing are one by one."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(ids)
    graph.add_edges_from((edge.source, edge.target) for edge in edges)
    found = networkx.community.louvain_communities(graph, seed=_SEED)
    ordered = sorted(found, key=lambda group: (-len(group), min(group)))
    return {id_: number for number, group in enumerate(ordered) for id_ in group}


_ORDER = {kind: number for number, kind in enumerate((EntityKind.NOTE, EntityKind.TOPIC, EntityKind.TAG))}


def read_graph(knowledge: Knowledge, readers: SnapshotReaders, lines: NoteLines, shown: Set[str]) -> VaultGraph:
    """Return these notes, and the topics and tags that they name, with all that joins them; what is written first."""
    written = [*_written(readers, shown)]
    linked = {(edge.relation.source, edge.relation.target) for edge in written}
    edges = [*written, *_inferred(knowledge, readers, lines, shown), *_mentions(readers, shown, linked)]
    ends = {end for edge in edges for end in (edge.relation.source, edge.relation.target)}
    stored = readers.graph.entities(sorted(shown | ends))
    # What only the ontology speaks of is no entity of the graph: it has a name there.
    entities = [
        stored.get(id_) or Entity(id_, EntityKind.TOPIC, knowledge.title(id_, "en")) for id_ in sorted(shown | ends)
    ]
    return VaultGraph(tuple(sorted(entities, key=lambda item: (_ORDER[item.kind], item.id))), tuple(edges))


def _written(readers: SnapshotReaders, shown: Set[str]) -> Iterator[GraphEdge]:
    for relation in readers.graph.relations(sorted(shown), with_tags=True):
        if relation.source in shown and _may_name(readers, shown, relation.target):
            yield GraphEdge(relation, 1.0)


def _inferred(knowledge: Knowledge, readers: SnapshotReaders, lines: NoteLines, shown: Set[str]) -> Iterator[GraphEdge]:
    """Yield what follows and no single line says; the places are those of the proof, of which the first is given."""
    if knowledge.is_empty:
        return
    for subject in sorted({fact.subject for fact in knowledge.closure.origins if fact.property != TYPE}):
        for fact in knowledge.seeker.inferred_around(subject):
            ends = (fact.subject, fact.object)
            if fact.subject != subject or not all(_may_name(readers, shown, end) for end in ends):
                continue
            places = knowledge.seeker.places(fact)
            if all(lines.find(place) for place in places):
                name = knowledge.title(fact.property, "zh" if is_chinese(subject) else "en")
                relation = Relation(*ends, "inferred", name, places[0].path, places[0].line)
                yield GraphEdge(relation, round(1 / len(places), 4))


def _mentions(readers: SnapshotReaders, shown: Set[str], linked: Set[tuple[str, str]]) -> Iterator[GraphEdge]:
    """Yield who names whom where no link joins the two; none while the walk of the snapshot is not made yet."""
    walk = readers.load_walk()
    for mention in walk.graph.mentions() if walk else ():
        ends = (mention.source, mention.target)
        if {*ends} <= shown and not {ends, ends[::-1]} & linked:
            relation = Relation(*ends, "mention", "", mention.source, 0)
            yield GraphEdge(relation, round(mention.weight, 4))


def _may_name(readers: SnapshotReaders, shown: Set[str], entity: str) -> bool:
    return entity in shown or entity not in readers.manifest.notes
