"""`export`: the whole graph, for other programs."""

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag.cli import options
from graphrag.cli.session import UsageError, opened
from graphrag.domain.graph import Entity, EntityKind, InferredNeighbor, MentionNeighbor, Relation, VaultGraph
from graphrag.domain.report import PathView, Surroundings

if TYPE_CHECKING:
    from networkx import MultiDiGraph


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


Format = Annotated[
    Literal["graphml", "json", "dot"],
    typer.Option("--format", help="GraphML for Gephi and yEd, node-link JSON, or Graphviz DOT."),
]


def export(
    format_: Format = "graphml",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Export the whole graph of the vault.

    Notes, topics and tags; links with the relations that they name, inferred relations, and mentions.
    """

    # A vault takes a while to read: what cannot be written is said before.
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"--out: there is no folder '{out.parent}'. Make it first, or name another.")
    if out is not None and out.exists() and not force:
        raise UsageError(f"--out: '{out}' is there already. --force overwrites it.")
    write = {"graphml": to_graphml, "json": to_node_link, "dot": to_graph_dot}[format_]
    with opened(vault, index_dir) as app:
        text = write(app.graph())
    if out is None:
        typer.echo(text)
        return
    # A file that appeared meanwhile is kept as well.
    with out.open("w" if force else "x", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(f"{text}\n")
