"""`near`, `path`, `show`, `tags`, `categories`, `sample`: looking around the vault without a question."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.options import check_one_format
from graphrag.cli.render_answer import location_of, source_lines
from graphrag.cli.render_results import snippet_lines
from graphrag.cli.session import opened
from graphrag.cli.terminal import linked, one_line, padded, plain, shorten, text_width_of, width_of, wrap_text
from graphrag.cli.words import say, semicolon, tell
from graphrag.domain.graph import Facet, NoteSummary, Relation
from graphrag.domain.note import Chunk
from graphrag.domain.report import NoteView, Sample

Row = tuple[str, str, bool]  # before, after, whether they differ

_PIPE_WIDTH = 160
_CONTEXT = 2  # unchanged lines shown around a change
_ALIGNED_LINES = 3000  # aligning takes quadratic time
_DIVIDER = " │ "


def render_sample(console: Console, sample: Sample, full: bool) -> None:
    """Print one note; runs of unchanged lines are folded unless `full`."""
    column = (min(width_of(console), _PIPE_WIDTH) - len(_DIVIDER)) // 2
    console.print(Text(one_line(sample.path), "bold"))
    for row in _fold(list(_rows(sample)), full):
        if isinstance(row, int):
            console.print(Text(say("⋯ {row} unchanged lines", row=row), "dim"))
        else:
            _render_row(console, row, column)
    effects = [
        say(
            "{rule} ×{edits} ({removed_characters} characters)",
            rule=say(effect.rule),
            edits=effect.edits,
            removed_characters=f"{-effect.removed_characters:+}",
        )
        for effect in sample.effects
    ]
    console.print(Text(semicolon().join(effects) or say("no rule changed anything"), "cyan"))
    console.print()


def _rows(sample: Sample) -> Iterator[Row]:
    before, after = plain(sample.before).splitlines(), plain(sample.after).splitlines()
    if max(len(before), len(after)) > _ALIGNED_LINES:
        for left, right in zip_longest(before, after, fillvalue=""):
            yield left, right, left != right
        return
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        for left, right in zip_longest(before[a:b], after[c:d], fillvalue=""):
            yield left, right, tag != "equal"


def _fold(rows: list[Row], full: bool) -> Iterator[Row | int]:
    """Yield the rows near a change, and for each run of others its length."""
    changed = [number for number, row in enumerate(rows) if row[2]]
    near = {number + step for number in changed for step in range(-_CONTEXT, _CONTEXT + 1)}
    skipped = 0
    for number, row in enumerate(rows):
        if full or number in near:
            if skipped:
                yield skipped
            skipped = 0
            yield row
        else:
            skipped += 1
    if skipped:
        yield skipped


def _render_row(console: Console, row: Row, column: int) -> None:
    before, after, is_changed = row
    left = wrap_text(Text(before, "red" if is_changed else ""), column)
    right = wrap_text(Text(after, "green" if is_changed else ""), column)
    for a, b in zip_longest(left, right, fillvalue=Text("")):
        console.print(Text.assemble(a, " " * (column - a.cell_len), (_DIVIDER, "dim"), b))


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
            console.print(Text.assemble((f"  {padded(name, 10)}", "dim"), line))
            name = ""
    _render_relations(console, say("Links to"), "→", view.outgoing, lambda relation: relation.target)
    _render_relations(console, say("Linked from"), "←", view.backlinks, lambda relation: relation.source)
    for item in view.diagnostics:
        where = say("line {line}: ", line=item.line) if item.line else ""
        console.print(Text(f"! {where}{plain(tell(item.message))}", "yellow"))
    console.print(Text(say("\nChunks ({chunks})", chunks=len(view.chunks)), "bold"))
    for chunk in view.chunks:
        _render_chunk(console, chunk, note_url, full)


def render_facets(console: Console, facets: Sequence[Facet], mark: str, plural: str) -> None:
    """Print names with counts, the counts aligned."""
    if not facets:
        console.print(Text(say(f"No {plural}."), "dim"))
        return
    widest = len(str(max(facet.notes for facet in facets)))
    for facet in facets:
        console.print(Text.assemble((f"{facet.notes:>{widest}}", "cyan"), f"  {mark}{one_line(facet.name)}"))


def _facts(note: NoteSummary) -> list[tuple[str, str]]:
    facts = [
        (say("aliases"), ", ".join(note.aliases)),
        (say("tags"), " ".join(f"#{tag}" for tag in note.tags)),
        (say("category"), note.category),
        (say("created"), _day(note.created)),
        (say("updated"), _day(note.updated)),
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
        console.print(
            Text.assemble(("  " + arrow + " ", "cyan"), label, (say("  line {line}", line=relation.line), "dim"))
        )
    if len(relations) > _LINKS_SHOWN:
        console.print(
            Text(say("    {relations} more (graphrag near shows them)", relations=len(relations) - _LINKS_SHOWN), "dim")
        )


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


NoteName = Annotated[str, typer.Argument(metavar="NOTE", help="A note by path, title or alias.")]


def near(
    note: Annotated[str, typer.Argument(metavar="NAME", help="A note by path, title or alias, a topic, tag or term.")],
    hops: Annotated[int, typer.Option("--hops", min=1, max=5, metavar="N", help="How far to go.")] = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many to show.")] = 30,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
    as_dot: options.Dot = False,
    as_mermaid: options.Mermaid = False,
) -> None:
    """Show what lies around a note, and why.

    What links to it and from it, what inference joins to it, which notes it names or is named by without a link,
    which share its tags and rare terms, and which are similar. Of a term that several notes hold: which ones.
    """
    from graphrag.cli.export import drawing_of_surroundings, to_dot, to_mermaid
    from graphrag.cli.render_graph import render_surroundings
    from graphrag.cli.terminal import output, print_json

    check_one_format(json=as_json, dot=as_dot, mermaid=as_mermaid)
    with opened(vault, index_dir) as app:
        view = app.near(note, hops, limit)
        if as_json:
            print_json(view)
        elif as_dot or as_mermaid:
            typer.echo((to_dot if as_dot else to_mermaid)(drawing_of_surroundings(view)))
        else:
            render_surroundings(output(), view, app.note_url)


def path(
    start: Annotated[str, typer.Argument(metavar="A", help="Where to start: a note, topic or tag.")],
    end: Annotated[str, typer.Argument(metavar="B", help="Where to arrive.")],
    hops: Annotated[int, typer.Option("--hops", min=1, max=10, metavar="N", help="Longest chain.")] = 4,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
    as_dot: options.Dot = False,
    as_mermaid: options.Mermaid = False,
) -> None:
    """Show a shortest chain of links between two notes.

    Each step names the note and the line that say it.
    """
    from graphrag.cli.export import drawing_of_path, to_dot, to_mermaid
    from graphrag.cli.render_graph import render_path
    from graphrag.cli.terminal import output, print_json

    check_one_format(json=as_json, dot=as_dot, mermaid=as_mermaid)
    with opened(vault, index_dir) as app:
        view = app.path(start, end, hops)
        if as_json:
            print_json(view)
        elif as_dot or as_mermaid:
            typer.echo((to_dot if as_dot else to_mermaid)(drawing_of_path(view)))
        else:
            render_path(output(), view, hops, app.note_url)


def show(
    note: NoteName,
    full: Annotated[bool, typer.Option("--full", help="Print every chunk's whole text.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Show one note as it is indexed."""
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        view = app.show(note)
        print_json(view) if as_json else render_note(output(), view, app.note_url, full)


def tags(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """List the tags with their note counts."""
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        facets = app.tags()
    print_json(facets) if as_json else render_facets(output(), facets, "#", "tags")


def categories(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """List the categories with their note counts."""
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        facets = app.categories()
    print_json(facets) if as_json else render_facets(output(), facets, "", "categories")


def sample(
    count: Annotated[int, typer.Argument(metavar="N", min=1, help="How many notes.")] = 5,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="The same number gives the same notes.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print the unchanged lines too.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Show random notes before and after cleaning.

    Side by side, with what each rule changed.
    """
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        samples = app.sample(count, seed)
    if as_json:
        print_json(samples)
        return
    for item in samples:
        render_sample(output(), item, full)
    if not samples:
        typer.echo(say("The vault holds no notes."), err=True)
