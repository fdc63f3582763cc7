"""`log`, `changes`, `open`: how a note and the vault came to be, and the exact lines behind a citation."""

from enum import StrEnum
from typing import Annotated

import typer

from graphrag.cli import options
from graphrag.cli.options import check_one_format
from graphrag.cli.session import opened


class Viewer(StrEnum):
    """Where `open` shows a passage, other than on the terminal."""

    OBSIDIAN = "obsidian"
    EDITOR = "editor"


def log(
    note: Annotated[str, typer.Argument(metavar="NOTE", help="By path, title or alias; a note that is gone by path.")],
    count: Annotated[
        int | None, typer.Option("-n", "--number", min=1, metavar="N", help="Only the last N revisions.")
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List the commits that changed a note.

    Newest first, through the names that the note had before.
    """
    from graphrag.cli.render_history import render_log
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        revisions = app.log(note)[:count]
    print_json(revisions) if as_json else render_log(output(), revisions)


def changes(
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="DATE|REV",
            help="From the start of a day (YYYY-MM-DD) or month, for some days or weeks (7d, 2w), or after a commit, "
            "tag or branch; by default 7d.",
        ),
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print every section and link.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List what changed in the vault.

    Notes, and in them sections and links. What is committed counts, not what is only saved.
    """
    from graphrag.cli.render_history import render_changes
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        view = app.changes(since)
        print_json(view) if as_json else render_changes(output(), view, app.note_url, show_all)


def open_(
    citation: Annotated[
        list[str],
        typer.Argument(
            metavar="CITATION",
            help="note.md:12-20@3f2a91c; lines and commit may be left out, a title or alias may name the note.",
        ),
    ],
    viewer: Annotated[Viewer | None, typer.Option("--in", help="Open it there instead of printing it.")] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Print the lines behind a citation.

    In exactly the version that it names. What is known about them goes to stderr, so that a pipe gets the lines alone.
    """
    from graphrag.cli.render_history import render_passage
    from graphrag.cli.terminal import diagnostics, output, print_json
    from graphrag.cli.viewers import open_in_editor, open_in_obsidian

    check_one_format(**{"json": as_json, "in": viewer is not None})
    with opened(vault, index_dir) as app:
        passage = app.open_citation(" ".join(citation))
        if viewer is Viewer.OBSIDIAN:
            open_in_obsidian(passage)
        elif viewer is Viewer.EDITOR:
            open_in_editor(app, passage)
        elif as_json:
            print_json(passage)
        else:
            render_passage(output(), diagnostics(), passage, app.note_url)
