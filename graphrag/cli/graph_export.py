"""Writes a neighbourhood or a path as Graphviz DOT or a Mermaid flowchart; titles may hold any character."""

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag.domain.graph import Entity, EntityKind, Neighborhood, Relation
from graphrag.domain.report import PathView

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


def drawing_of_neighborhood(view: Neighborhood) -> Drawing:
    """Return the centre and everything around it."""
    entities: list[Entity] = [view.center, *(neighbor.entity for neighbor in view.neighbors)]
    relations = dict.fromkeys(neighbor.relation for neighbor in view.neighbors)
    titles = {entity.id: entity.title for entity in entities}
    topics = frozenset(entity.id for entity in entities if entity.kind is EntityKind.TOPIC)
    return _complete(titles, topics, tuple(relations))


def drawing_of_path(view: PathView) -> Drawing:
    """Return the chain; without one, its two ends unconnected."""
    ends = {end: end for end in (view.start, view.end)}
    return _complete({**ends, **view.titles}, frozenset(), view.relations)


def to_dot(drawing: Drawing) -> str:
    """Return the drawing as Graphviz DOT."""
    lines = ["digraph vault {", "  rankdir=LR;", "  node [shape=box];"]
    for entity_id, title in drawing.titles.items():
        style = ", style=dashed" if entity_id in drawing.topics else ""
        lines.append(f"  {_dot_quote(entity_id)} [label={_dot_quote(title)}{style}];")
    for relation in drawing.relations:
        label = f" [label={_dot_quote(relation.name)}]" if relation.name else ""
        lines.append(f"  {_dot_quote(relation.source)} -> {_dot_quote(relation.target)}{label};")
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
    if drawing.topics:
        lines.append("  classDef topic stroke-dasharray: 4 3")
    return "\n".join(lines)


def _complete(titles: dict[str, str], topics: frozenset[str], relations: tuple[Relation, ...]) -> Drawing:
    for relation in relations:
        titles.setdefault(relation.source, relation.source)
        titles.setdefault(relation.target, relation.target)
    return Drawing(titles, topics, relations)


def _dot_quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def _mermaid_quote(text: str) -> str:
    return f'"{text.translate(_MERMAID_ESCAPES)}"'
