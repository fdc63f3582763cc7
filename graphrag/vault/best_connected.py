"""The whole graph -> its best-connected part, small enough to be drawn, in groups that hang together."""

from collections import Counter

from graphrag.domain.graph import VaultGraph
from graphrag.domain.report import GraphOverview, OverviewEdge, OverviewEntity

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
