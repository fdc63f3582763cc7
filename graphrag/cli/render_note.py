"""Prints one note as indexed, and the lists of tags and categories."""

from collections.abc import Callable, Sequence
from datetime import datetime

from rich.console import Console
from rich.text import Text

from graphrag.cli.snippet import snippet_lines
from graphrag.cli.source_line import location_of, source_lines
from graphrag.cli.terminal import linked, one_line, plain, text_width_of, width_of
from graphrag.cli.wrap import shorten, wrap_text
from graphrag.domain.graph import Facet, NoteSummary, Relation
from graphrag.domain.note import Chunk
from graphrag.domain.report import NoteView

NoteUrl = Callable[[str, int | None], str]

_SNIPPET_WIDTH = 100
_LINKS_SHOWN = 20


def render_note(console: Console, view: NoteView, note_url: NoteUrl, full: bool) -> None:
    """Print what the index knows of a note."""
    note = view.note
    console.print(Text(one_line(note.title), "bold"))
    console.print(Text.assemble("  ", linked(note.path, note_url(note.path, None), "blue")))
    for name, value in _facts(note):
        for line in wrap_text(Text(plain(value)), text_width_of(console) - 12):
            console.print(Text.assemble((f"  {name:<10}", "dim"), line))
            name = ""
    _render_relations(console, "Links to", "→", view.outgoing, lambda relation: relation.target)
    _render_relations(console, "Linked from", "←", view.backlinks, lambda relation: relation.source)
    for item in view.diagnostics:
        where = f"line {item.line}: " if item.line else ""
        console.print(Text(f"! {where}{plain(item.message)}", "yellow"))
    console.print(Text(f"\nChunks ({len(view.chunks)})", "bold"))
    for chunk in view.chunks:
        _render_chunk(console, chunk, note_url, full)


def render_facets(console: Console, facets: Sequence[Facet], mark: str, plural: str) -> None:
    """Print names with counts, the counts aligned."""
    if not facets:
        console.print(Text(f"No {plural}.", "dim"))
        return
    widest = len(str(max(facet.notes for facet in facets)))
    for facet in facets:
        console.print(Text.assemble((f"{facet.notes:>{widest}}", "cyan"), f"  {mark}{one_line(facet.name)}"))


def _facts(note: NoteSummary) -> list[tuple[str, str]]:
    facts = [
        ("aliases", ", ".join(note.aliases)),
        ("tags", " ".join(f"#{tag}" for tag in note.tags)),
        ("category", note.category),
        ("created", _day(note.created)),
        ("updated", _day(note.updated)),
    ]
    return [(name, value) for name, value in facts if value]


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""


def _render_relations(
    console: Console,
    heading: str,
    arrow: str,
    relations: tuple[Relation, ...],
    other: Callable[[Relation], str],
) -> None:
    if not relations:
        return
    console.print(Text(f"\n{heading}", "bold"))
    for relation in relations[:_LINKS_SHOWN]:
        name = f" ({plain(relation.name)})" if relation.name else ""
        label = shorten(f"{plain(other(relation))}{name}", width_of(console) - 16)
        console.print(Text.assemble(("  " + arrow + " ", "cyan"), label, (f"  line {relation.line}", "dim")))
    if len(relations) > _LINKS_SHOWN:
        console.print(Text(f"    {len(relations) - _LINKS_SHOWN} more (graphrag near shows them)", "dim"))


def _render_chunk(console: Console, chunk: Chunk, note_url: NoteUrl, full: bool) -> None:
    first, last = chunk.span.first_line, chunk.span.last_line
    prefix = f"{chunk.ordinal + 1:>3}  "
    location = location_of(chunk.note, (first, last), note_url(chunk.note, first))
    for line in source_lines(prefix, "", chunk.heading, location, "", width_of(console)):
        console.print(line)
    room = min(width_of(console), _SNIPPET_WIDTH) - len(prefix)
    lines = wrap_text(Text(plain(chunk.text)), room) if full else snippet_lines(chunk.text, (), room)
    for line in lines:
        console.print(Text.assemble(" " * len(prefix), line))
