"""Writes the whole graph for other programs: GraphML as Gephi and yEd read it, node-link JSON, Graphviz DOT."""

import io
import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from graphrag.cli.graph_export import drawing_of_graph, to_dot
from graphrag.domain.graph import VaultGraph

if TYPE_CHECKING:
    from networkx import MultiDiGraph

# XML has no way to write these, and reads a carriage return as a line's end.
_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACED = "\ufffd"


def to_graphml(graph: VaultGraph) -> str:
    """Return GraphML; nodes are numbered, since two ids may differ only in what XML cannot hold."""
    import networkx

    numbers = {entity.id: f"n{number}" for number, entity in enumerate(graph.entities)}
    written = io.BytesIO()
    networkx.write_graphml_xml(_graph(graph, numbers, lambda text: _NOT_IN_XML.sub(_REPLACED, text)), written)
    return written.getvalue().decode("utf-8")


def to_node_link(graph: VaultGraph) -> str:
    """Return the JSON that networkx reads back and D3 draws; nodes have the ids that every command takes."""
    import networkx

    ids = {entity.id: entity.id for entity in graph.entities}
    return json.dumps(networkx.node_link_data(_graph(graph, ids, str), edges="edges"), ensure_ascii=False, indent=1)


def to_graph_dot(graph: VaultGraph) -> str:
    """Return Graphviz DOT: what is inferred dashed, mentions dotted."""
    return to_dot(drawing_of_graph(graph))


def _graph(graph: VaultGraph, ids: Mapping[str, str], clean: Callable[[str], str]) -> "MultiDiGraph[str]":
    import networkx

    built: MultiDiGraph[str] = networkx.MultiDiGraph()
    for entity in graph.entities:
        built.add_node(ids[entity.id], label=clean(entity.title), kind=entity.kind.value, entity=clean(entity.id))
    for number, edge in enumerate(graph.edges):
        relation = edge.relation
        built.add_edge(
            ids[relation.source],
            ids[relation.target],
            key=f"e{number}",
            label=clean(relation.name or relation.kind),
            kind=relation.kind,
            relation=clean(relation.name),
            inferred=relation.kind == "inferred",
            note=clean(relation.note),
            line=relation.line,
            weight=edge.weight,
        )
    return built
