"""Prints what lies around an entity as a tree, and a path as a chain with the lines that say each step."""

from collections import defaultdict
from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from graphrag.cli.render_answer import relation_name
from graphrag.cli.terminal import linked, one_line, plain, shorten, width_of
from graphrag.cli.words import say
from graphrag.domain.graph import (
    Entity,
    EntityKind,
    InferredNeighbor,
    MentionNeighbor,
    Neighbor,
    Relation,
    SimilarNeighbor,
    TagNeighbor,
    TermNeighbor,
)
from graphrag.domain.ontology import Place
from graphrag.domain.report import PathView, Surroundings

NoteUrl = Callable[[str, int | None], str]

_GUIDE_WIDTH = 4  # cells that rich draws before a branch, per level
_PLAIN_KINDS = {"wiki", "markdown", "property"}


def render_surroundings(console: Console, view: Surroundings, note_url: NoteUrl) -> None:
    """Print the tree: → what the centre links to, ← what links to it, further hops below; then the other kinds."""
    children: dict[str, list[Neighbor]] = defaultdict(list)
    for neighbor in view.neighbors:
        children[neighbor.via].append(neighbor)
    width = width_of(console)
    tree = Tree(_center(view.center, width, note_url), guide_style="dim")
    _grow(tree, view.center.id, children, 1, width, note_url)
    is_term = view.center.kind is EntityKind.TERM
    if not view.neighbors and not is_term:
        tree.add(Text(say("no links from or to it"), "dim"))
    if view.omitted:
        tree.add(Text(say("{omitted} more (--limit shows them)", omitted=view.omitted), "dim"))
    room = width - 2 * _GUIDE_WIDTH
    _add_group(tree, say("inferred relations"), [_inferred(item, room, note_url) for item in view.inferred])
    head = say("notes that hold it") if is_term else say("mentions without a link")
    _add_group(tree, head, [_mentioned(item, room, note_url) for item in view.mentions])
    _add_group(tree, say("shared tags"), [_tagged(item, room, note_url) for item in view.shared_tags])
    _add_group(tree, say("shared terms"), [_with_terms(item, room, note_url) for item in view.shared_terms])
    _add_group(tree, say("similar"), [_similar(item, room, note_url) for item in view.similar])
    console.width = width  # a pipe gets every line whole
    console.print(tree)


def _add_group(tree: Tree, head: str, lines: list[Text]) -> None:
    if lines:
        branch = tree.add(Text(head, "bold"))
        for line in lines:
            branch.add(line)


def _inferred(neighbor: InferredNeighbor, room: int, note_url: NoteUrl) -> Text:
    """Return the entity with the relation's name, and the lines that it follows from where there is room for them."""
    arrow = "⇠ " if neighbor.is_backlink else "⇢ "
    label = Text.assemble((arrow, "cyan"), plain(neighbor.entity.title), (f" ({plain(neighbor.name)})", "green"))
    return _with_places(label, neighbor.places, " + ", room, note_url)


def _mentioned(neighbor: MentionNeighbor, room: int, note_url: NoteUrl) -> Text:
    arrow = "← " if neighbor.is_backlink else "→ "
    label = Text.assemble((f"{neighbor.weight:.2f} {arrow}", "cyan"), plain(neighbor.entity.title))
    return _with_places(label, neighbor.places, ", ", room, note_url)


def _with_places(label: Text, places: tuple[Place, ...], joint: str, room: int, note_url: NoteUrl) -> Text:
    for number, place in enumerate(places):
        gap = "  " if number == 0 else joint
        source = linked(f"{place.path}:{place.line}", note_url(place.path, place.line), "blue")
        if label.cell_len + len(gap) + source.cell_len > room:
            return Text.assemble(label, f"{gap}…")
        label = Text.assemble(label, gap, source)
    return label


def _tagged(neighbor: TagNeighbor, room: int, note_url: NoteUrl) -> Text:
    tags = " ".join(f"#{plain(tag)}" for tag in neighbor.tags)
    label = Text.assemble((f"{neighbor.weight:.2f} ", "cyan"), plain(neighbor.entity.title), (f" ({tags})", "green"))
    return _with_path(label, neighbor.entity, room, note_url)


def _with_terms(neighbor: TermNeighbor, room: int, note_url: NoteUrl) -> Text:
    terms = ", ".join(one_line(term) for term in neighbor.terms)
    label = Text.assemble((f"{neighbor.weight:.2f} ", "cyan"), plain(neighbor.entity.title), (f" ({terms})", "green"))
    return _with_path(label, neighbor.entity, room, note_url)


def _similar(neighbor: SimilarNeighbor, room: int, note_url: NoteUrl) -> Text:
    label = Text.assemble((f"{neighbor.weight:.2f} ", "cyan"), plain(neighbor.entity.title))
    return _with_path(label, neighbor.entity, room, note_url)


def render_path(console: Console, view: PathView, max_hops: int, note_url: NoteUrl) -> None:
    """Print the chain, one relation a line, each with the note and line that say it."""
    if view.start == view.end:
        console.print(say("Both names mean {start}.", start=plain(_title(view, view.start))))
        return
    if not view.relations:
        ends = say("{title} and {title2}", title=_title(view, view.start), title2=_title(view, view.end))
        console.print(
            say(
                "Nothing connects {ends} within {hops} (--hops widens the search).",
                ends=plain(ends),
                hops=_hops(max_hops),
            )
        )
        return
    console.print(Text(plain(_title(view, view.start)), "bold"))
    current = view.start
    for relation in view.relations:
        current, step = _step(view, relation, current)
        source = linked(f"{relation.note}:{relation.line}", note_url(relation.note, relation.line), "blue")
        if step.cell_len + source.cell_len + 2 <= width_of(console):
            console.print(Text.assemble(step, "  ", source))
        else:
            console.print(step)
            console.print(Text.assemble("      ", source))


def _hops(count: int) -> str:
    return say("1 hop") if count == 1 else say("{count} hops", count=count)


def _step(view: PathView, relation: Relation, current: str) -> tuple[str, Text]:
    name = plain(relation.name) or relation_name(relation.kind)
    is_forward = relation.source == current
    following = relation.target if is_forward else relation.source
    arrow = f"  ─{name}→ " if is_forward else f"  ←{name}─ "
    return following, Text.assemble((arrow, "cyan"), (plain(_title(view, following)), "bold"))


def _title(view: PathView, entity_id: str) -> str:
    return view.titles.get(entity_id, entity_id)


def _center(center: Entity, width: int, note_url: NoteUrl) -> Text:
    label = Text(shorten(plain(center.title), width), "bold")
    return _with_path(label, center, width, note_url)


def _grow(
    tree: Tree, parent: str, children: dict[str, list[Neighbor]], depth: int, width: int, note_url: NoteUrl
) -> None:
    # Popped, so that no cycle in the data can make this endless.
    for neighbor in sorted(children.pop(parent, []), key=lambda item: item.is_backlink):
        branch = tree.add(_branch(neighbor, width - depth * _GUIDE_WIDTH, note_url))
        _grow(branch, neighbor.entity.id, children, depth + 1, width, note_url)


def _branch(neighbor: Neighbor, room: int, note_url: NoteUrl) -> Text:
    entity, relation = neighbor.entity, neighbor.relation
    kind = "" if relation.kind in _PLAIN_KINDS else relation.kind
    name = plain(relation.name or kind)
    suffix = f" ({name})" if name else ""
    if entity.kind is EntityKind.TOPIC:
        suffix += " ?"
    title = shorten(plain(entity.title), room - 2 - cell_len(suffix))
    label = Text.assemble(("← " if neighbor.is_backlink else "→ ", "cyan"), title, (suffix, "green"))
    if entity.kind is EntityKind.TOPIC:
        label.stylize("dim")
    return _with_path(label, entity, room, note_url)


def _with_path(label: Text, entity: Entity, room: int, note_url: NoteUrl) -> Text:
    """Return the label with the note's path behind it, where there is room for the whole path."""
    if entity.kind is not EntityKind.NOTE:
        return label
    path = linked(entity.id, note_url(entity.id, None), "blue")
    return Text.assemble(label, "  ", path) if label.cell_len + 2 + path.cell_len <= room else label
