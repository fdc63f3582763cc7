"""`import`: bring notes of other programs into the vault; a summary and lists on stdout, progress on stderr."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.cli.failures import INTERRUPTED, KNOWN_ERROR, UsageError
from graphrag.cli.options import examples
from graphrag.cli.session import opened

if TYPE_CHECKING:
    from datetime import tzinfo


class Trash(StrEnum):
    """What becomes of files whose note was removed at Leanote."""

    MOVE = "move"
    DELETE = "delete"
    KEEP = "keep"


import_ = typer.Typer(
    name="import",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Bring notes of other programs into the vault.",
)


@import_.callback()  # without it, the only subcommand would take the place of the group
def _group() -> None:
    """Bring notes of other programs into the vault."""


@import_.command(
    epilog=examples(
        "graphrag import leanote https://notes.example.org --user lin --into Leanote --private 日记",
        "graphrag import leanote ~/backup/leanote.tar.gz --vault ~/notes --dry-run",
    )
)
def leanote(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A server's address; or a dump, an export, or an archive of one.")
    ],
    into: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Folder of the vault; by default the last import's, or the vault itself."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="NOTEBOOK", help="Leave it out, with all below it; repeatable. '' for none."),
    ] = None,
    private: Annotated[
        list[str] | None, typer.Option(metavar="NOTEBOOK", help="Import it, but keep it from answers; as above.")
    ] = None,
    trash: Annotated[
        Trash | None,
        typer.Option(help="What becomes of files whose note was removed; by default move, unless most of them were."),
    ] = None,
    theirs: Annotated[bool, typer.Option("--theirs", help="Where both sides changed a note, take Leanote's.")] = False,
    ours: Annotated[bool, typer.Option("--ours", help="Where both sides changed a note, keep the vault's.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, write nothing, and tell what would be done.")
    ] = False,
    no_commit: Annotated[bool, typer.Option("--no-commit", help="Leave the files uncommitted.")] = False,
    user: Annotated[
        str,
        typer.Option(envvar="LEANOTE_USER", metavar="NAME", help="User or e-mail at the server, or in a dump of many."),
    ] = "",
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Holds a token; or set LEANOTE_TOKEN.")
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Holds the password; or set LEANOTE_PASSWORD, or be asked.")
    ] = None,
    files: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where files/ and public/upload/ of a dump are.")
    ] = None,
    site: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The server's, for links from a dump's notes to their originals.")
    ] = "",
    zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="For times without one, like Asia/Shanghai; by default yours.")
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show every line of the lists.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Bring a Leanote account into the vault, and keep it in step.

    A second run takes over only what changed, with the same --into, --exclude and --private unless they are given anew;
    [leanote] in graphrag.toml is their default. Notes changed on both sides are kept in both versions, and listed.
    An interrupted run goes on where it stopped. In a Git vault, what came in becomes one commit.
    """
    from graphrag.cli.leanote_login import login_of, with_login
    from graphrag.cli.progress import shown_progress
    from graphrag.cli.render_import import render_import
    from graphrag.cli.terminal import diagnostics, output, print_json
    from graphrag.vault.imports import LeanoteImport
    from vault_sync.leanote.write.import_plan import ConflictPolicy, TrashPolicy

    options.check_one_format(theirs=theirs, ours=ours)
    wanted = LeanoteImport(
        source=source,
        user=user,
        files=files.expanduser() if files else None,
        site=site,
        zone=_zone(zone),
        into=into,
        exclude=None if exclude is None else tuple(exclude),
        private=None if private is None else tuple(private),
        trash=TrashPolicy(trash.value) if trash else None,
        conflicts=ConflictPolicy.THEIRS if theirs else ConflictPolicy.OURS if ours else ConflictPolicy.BOTH,
        is_trial=dry_run,
        commits=not no_commit,
    )
    with opened(vault, index_dir) as app:
        login = login_of(app.settings.leanote, app.vault, wanted, token_file, password_file)
        wanted = with_login(*login) if wanted.is_address else login[0]
        try:
            with shown_progress(diagnostics()) as progress:
                report = app.import_leanote(wanted, progress)
        except KeyboardInterrupt as error:
            typer.echo("\ninterrupted: what came in stays; the same command goes on from there", err=True)
            raise typer.Exit(INTERRUPTED) from error
    print_json(report) if as_json else render_import(output(), report, show_all)
    if report.is_failure:
        raise typer.Exit(KNOWN_ERROR)


def _zone(name: str | None) -> "tzinfo | None":
    from zoneinfo import ZoneInfo

    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:  # unknown, or not a name of a zone at all
        raise UsageError(f"--zone: '{name}' is not a time zone. Write it like Asia/Shanghai.") from error
