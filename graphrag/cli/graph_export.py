"""Writes a graph, or a part of one, as DOT or as a Mermaid flowchart; titles may hold any character."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from graphrag.domain.graph import Entity, EntityKind, InferredNeighbor, MentionNeighbor, Relation, VaultGraph
from graphrag.domain.report import PathView, Surroundings

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MERMAID_ESCAPES = str.maketrans(
    {
        "#": "#35;",
        '"': "#quot;",
        "&": "#amp;",
        "<": "#lt;",
        ">": "#gt;",
        "`": "#96;",
        "\\": "#92;",
        "\n": " ",
    }
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What both formats draw: titles by entity id, which of them have no note, and the arrows."""

    titles: Mapping[str, str]
    topics: frozenset[str]
    relations: tuple[Relation, ...]
    inferred: tuple[Relation, ...] = ()  # drawn dashed: no single line says them
    mentions: tuple[Relation, ...] = ()  # drawn dotted: a name, and no link


def drawing_of_surroundings(view: Surroundings) -> Drawing:
    """Return the centre with what links, inference and mentions join to it; shared tags and likeness are no arrows."""
    inferred = tuple(_arrow(view.center, neighbor, "inferred", neighbor.name) for neighbor in view.inferred)
    mentions = tuple(_arrow(view.center, neighbor, "mention", "") for neighbor in view.mentions)
    linked = [neighbor.entity for neighbor in view.neighbors]
    unlinked: tuple[InferredNeighbor | MentionNeighbor, ...] = (*view.inferred, *view.mentions)
    entities = [view.center, *linked, *(neighbor.entity for neighbor in unlinked)]
    relations = dict.fromkeys(neighbor.relation for neighbor in view.neighbors)
    titles = {entity.id: entity.title for entity in entities}
    topics = frozenset(entity.id for entity in entities if entity.kind is EntityKind.TOPIC)
    return replace(_complete(titles, topics, tuple(relations)), inferred=inferred, mentions=mentions)


def _arrow(center: Entity, neighbor: InferredNeighbor | MentionNeighbor, kind: str, name: str) -> Relation:
    ends = (neighbor.entity.id, center.id) if neighbor.is_backlink else (center.id, neighbor.entity.id)
    return Relation(*ends, kind, name, neighbor.places[0].path, neighbor.places[0].line)


def drawing_of_path(view: PathView) -> Drawing:
    """Return the chain; without one, its two ends unconnected."""
    ends = {end: end for end in (view.start, view.end)}
    return _complete({**ends, **view.titles}, frozenset(), view.relations)


def drawing_of_graph(graph: VaultGraph) -> Drawing:
    """Return all entities with all that joins them."""
    titles = {entity.id: entity.title for entity in graph.entities}
    topics = frozenset(entity.id for entity in graph.entities if entity.kind is EntityKind.TOPIC)
    relations = [edge.relation for edge in graph.edges]
    inferred = tuple(relation for relation in relations if relation.kind == "inferred")
    mentions = tuple(relation for relation in relations if relation.kind == "mention")
    written = tuple(relation for relation in relations if relation.kind not in ("inferred", "mention"))
    return Drawing(titles, topics, written, inferred, mentions)


def to_dot(drawing: Drawing) -> str:
    """Return the drawing as Graphviz DOT."""
    lines = ["digraph vault {", "  rankdir=LR;", "  node [shape=box];"]
    for entity_id, title in drawing.titles.items():
        style = ", style=dashed" if entity_id in drawing.topics else ""
        lines.append(f"  {_dot_quote(entity_id)} [label={_dot_quote(title)}{style}];")
    for relation in drawing.relations:
        label = f" [label={_dot_quote(relation.name)}]" if relation.name else ""
        lines.append(f"  {_dot_quote(relation.source)} -> {_dot_quote(relation.target)}{label};")
    for relation in drawing.inferred:
        ends = f"{_dot_quote(relation.source)} -> {_dot_quote(relation.target)}"
        lines.append(f"  {ends} [label={_dot_quote(relation.name)}, style=dashed];")
    lines += [
        f"  {_dot_quote(relation.source)} -> {_dot_quote(relation.target)} [style=dotted];"
        for relation in drawing.mentions
    ]
    return "\n".join([*lines, "}"])


def to_mermaid(drawing: Drawing) -> str:
    """Return the drawing as a Mermaid flowchart."""
    keys = {entity_id: f"n{number}" for number, entity_id in enumerate(drawing.titles)}
    lines = ["flowchart LR"]
    for entity_id, title in drawing.titles.items():
        style = ":::topic" if entity_id in drawing.topics else ""
        lines.append(f"  {keys[entity_id]}[{_mermaid_quote(title)}]{style}")
    for relation in drawing.relations:
        arrow = f"-->|{_mermaid_quote(relation.name)}|" if relation.name else "-->"
        lines.append(f"  {keys[relation.source]} {arrow} {keys[relation.target]}")
    lines += [
        f"  {keys[relation.source]} -.->|{_mermaid_quote(relation.name)}| {keys[relation.target]}"
        for relation in drawing.inferred
    ]
    # Mermaid has one broken line only: a mention is the one without a name.
    lines += [f"  {keys[relation.source]} -.-> {keys[relation.target]}" for relation in drawing.mentions]
    if drawing.topics:
        lines.append("  classDef topic stroke-dasharray: 4 3")
    return "\n".join(lines)


def _complete(titles: dict[str, str], topics: frozenset[str], relations: tuple[Relation, ...]) -> Drawing:
    for relation in relations:
        titles.setdefault(relation.source, relation.source)
        titles.setdefault(relation.target, relation.target)
    return Drawing(titles, topics, relations)


def _dot_quote(text: str) -> str:
    escaped = _CONTROL.sub("\ufffd", text.replace("\n", " ")).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _mermaid_quote(text: str) -> str:
    return f'"{text.translate(_MERMAID_ESCAPES)}"'
