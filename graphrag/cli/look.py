"""`near`, `path`, `show`, `tags`, `categories`, `sample`: looking around the vault without a question."""

from typing import Annotated

import typer

from graphrag.cli import options
from graphrag.cli.options import check_one_format
from graphrag.cli.session import opened

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
    from graphrag.cli.graph_export import drawing_of_surroundings, to_dot, to_mermaid
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
    from graphrag.cli.graph_export import drawing_of_path, to_dot, to_mermaid
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
    from graphrag.cli.render_note import render_note
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        view = app.show(note)
        print_json(view) if as_json else render_note(output(), view, app.note_url, full)


def tags(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """List the tags with their note counts."""
    from graphrag.cli.render_note import render_facets
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        facets = app.tags()
    print_json(facets) if as_json else render_facets(output(), facets, "#", "tags")


def categories(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """List the categories with their note counts."""
    from graphrag.cli.render_note import render_facets
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
    from graphrag.cli.render_sample import render_sample
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        samples = app.sample(count, seed)
    if as_json:
        print_json(samples)
        return
    for item in samples:
        render_sample(output(), item, full)
    if not samples:
        typer.echo("The vault holds no notes.", err=True)
