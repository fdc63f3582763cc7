"""`import`: bring notes of other programs into the vault; a summary and lists on stdout, progress on stderr."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.options import examples
from graphrag.cli.session import INTERRUPTED, KNOWN_ERROR, UsageError, opened
from graphrag.cli.terminal import plain, print_text
from graphrag.cli.words import comma, say, semicolon, tell
from graphrag.errors import ConfigError, GraphragError

if TYPE_CHECKING:
    from datetime import tzinfo

    from graphrag.app import App
    from graphrag.settings import LeanoteSettings, Settings
    from graphrag.vault.imports import LeanoteImport
    from vault_sync.leanote.write.import_report import ImportReport, Item


_SECRET_BYTES = 10_000  # of a file that should hold a password or a token


def login_of(
    chosen: "LeanoteSettings", vault: Path, wanted: "LeanoteImport", token_file: Path | None, password_file: Path | None
) -> "tuple[LeanoteImport, Path | None, Path | None]":
    """Return the request with its files for `with_login`, as the settings say for this very source and no other.

    What was given on the command line or in the environment comes first; relative paths count from the vault.
    """
    is_same = bool(chosen.source) and _plain(chosen.source) == _plain(wanted.source)
    if not is_same or (wanted.user and wanted.user != chosen.user):
        return wanted, token_file, password_file
    wanted = replace(wanted, user=chosen.user)
    if token_file or password_file or os.environ.get("LEANOTE_TOKEN") or os.environ.get("LEANOTE_PASSWORD"):
        return wanted, token_file, password_file
    return wanted, in_vault(vault, chosen.token_file), in_vault(vault, chosen.password_file)


def in_vault(vault: Path, given: str) -> Path | None:
    """Return a path of the settings, None for an empty one."""
    return vault / Path(given).expanduser() if given else None


def _plain(source: str) -> str:
    return source.strip().rstrip("/")


def with_login(
    wanted: "LeanoteImport", token_file: Path | None, password_file: Path | None, may_ask: bool = True
) -> "LeanoteImport":
    """Return the request with a token, or with a user and a password; what is missing is asked for without echo."""
    token = _secret(token_file, "LEANOTE_TOKEN")
    if token:
        return replace(wanted, token=token)
    password = _secret(password_file, "LEANOTE_PASSWORD")
    if not (may_ask and sys.stdin.isatty()) and not (wanted.user and password):
        raise UsageError(
            "A server needs a login: a user with a password file or LEANOTE_PASSWORD, or a token file or LEANOTE_TOKEN."
        )
    user = wanted.user or typer.prompt(say("User or e-mail"), err=True)
    return replace(wanted, user=user, password=password or typer.prompt(say("Password"), hide_input=True, err=True))


def _secret(file: Path | None, variable: str) -> str:
    if file is None:
        return os.environ.get(variable, "")
    with file.expanduser().open("rb") as content:
        secret = content.read(_SECRET_BYTES).decode("utf-8-sig", "replace").strip()
    if not secret:
        raise UsageError(f"{file} is empty.")
    return secret


_SHOWN = 10
_SHORT = 7  # digits of a commit


def render_import(console: Console, report: "ImportReport", show_all: bool) -> None:
    """Print a report; of long lists the first lines, unless all are wanted."""
    lists = (
        (say("Conflicts"), report.conflicts, "yellow"),
        (say("Failed"), report.failures, "red"),
        (say("Moved"), report.moved, "cyan"),
        (say("Removed at Leanote"), report.removed, "red"),
        (say("Files that no note uses any more"), report.removed_files, "red"),
        (say("Kept from answers from now on"), report.made_private, "yellow"),
        (say("Skipped"), report.skipped, "dim"),
        (say("Empty"), report.empty, "dim"),
        (say("Missing files"), report.missing_files, "yellow"),
        (say("Links to notes that are not here"), report.unresolved_links, "yellow"),
        (say("Warnings"), report.warnings, "yellow"),
    )
    new = ((say("New"), report.imported, "green"), (say("Updated"), report.updated, "green"))
    for title, items, style in (*(new if show_all or report.is_trial else ()), *lists):
        if items:
            _render_list(console, title, items, style, show_all)
    print_text(console, Text(summary_line(report)))


def summary_line(report: "ImportReport") -> str:
    """Return what an import did, in one line."""
    start = say(
        "{would} from {source}",
        would=say("Would import") if report.is_trial else say("Imported"),
        source=plain(report.source),
    )
    if report.is_unchanged:
        notes = say(" ({unchanged} notes)", unchanged=f"{report.unchanged:,}") if report.unchanged else ""
        words = say("nothing has changed since the last import{notes}", notes=notes)
        return semicolon().join([say("{start}: {words}", start=start, words=words), *_commit(report), _seconds(report)])
    counts = (
        (len(report.imported), say("new")),
        (len(report.updated), say("updated")),
        (len(report.moved), say("moved")),
        (len(report.removed), say("removed")),
        (len(report.removed_files), say("no longer used")),
        (report.unchanged, say("unchanged")),
        (len(report.skipped), say("skipped")),
        (len(report.conflicts), say("in conflict")),
        (len(report.failures), say("failed")),
    )
    words = comma().join(f"{count:,} {word}" for count, word in counts if count) or say("no notes")
    return semicolon().join([say("{start}: {words}", start=start, words=words), *_commit(report), _seconds(report)])


def _seconds(report: "ImportReport") -> str:
    return say("{seconds} s", seconds=f"{report.seconds:.1f}")


def _commit(report: "ImportReport") -> list[str]:
    commit = [say("commit {report}", report=report.commit[:_SHORT])] if report.commit else []
    return (
        [*commit, say("not committed: {not_committed}", not_committed=plain(tell(report.not_committed)))]
        if report.not_committed
        else commit
    )


def _render_list(console: Console, title: str, items: "tuple[Item, ...]", style: str, show_all: bool) -> None:
    console.print(Text(f"{title} ({len(items):,})", f"bold {style}"))
    shown = items if show_all else items[:_SHOWN]
    for item in shown:
        line = Text(f"  {plain(tell(item.name))}".replace("\n", " "))
        if item.detail:
            line.append(f"  {plain(tell(item.detail))}".replace("\n", " "), "dim")
        console.print(line)
    if len(shown) < len(items):
        console.print(Text(say("  {items} more (--all shows them)", items=f"{len(items) - len(shown):,}"), "dim"))
    console.print()


_LONGEST_END = 5.0  # seconds that the end of a note is waited for


class Stopped(Exception):
    """The import is to end before it is done."""


@contextmanager
def leanote_schedule(app: "App", note: Callable[[str], None]) -> Iterator[None]:
    """Import as the settings say, at once and again and again, until the block ends.

    Raises:
        ConfigError: the settings name no source.
        UsageError: a server is named without a login.
    """
    wanted, stop = _wanted(app.settings, app.vault), Event()
    minutes = app.settings.leanote.every
    thread = Thread(target=_repeat, args=(app, wanted, minutes, note, stop), name="leanote", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_LONGEST_END)


def _repeat(app: "App", wanted: "LeanoteImport", minutes: float, note: Callable[[str], None], stop: Event) -> None:
    while not stop.is_set():
        started = time.monotonic()
        _import_once(app, wanted, minutes, note, stop)
        stop.wait(max(0.0, minutes * 60 - (time.monotonic() - started)))


def _import_once(app: "App", wanted: "LeanoteImport", minutes: float, note: Callable[[str], None], stop: Event) -> None:
    def progress(step: str, done: int, total: int) -> None:
        if stop.is_set():
            raise Stopped

    try:
        report = app.import_leanote(wanted, progress)
    except Stopped:
        return
    except Exception as error:  # a server that is down, a full disk: the next try may go well
        message = str(error) if isinstance(error, GraphragError | OSError) else repr(error)
        note(
            say(
                "Leanote not imported, will try again in {minutes} min: {text}",
                minutes=f"{minutes:g}",
                text=tell(" ".join(message.split())),
            )
        )
        return
    if report.has_news:
        note(summary_line(report))


def _wanted(settings: "Settings", vault: Path) -> "LeanoteImport":
    """Return what the settings ask for; relative paths count from the vault."""
    from graphrag.vault.imports import LeanoteImport

    chosen = settings.leanote
    if not chosen.source:
        raise ConfigError("--leanote: the settings name no source. Write [leanote] and source into graphrag.toml.")
    wanted = LeanoteImport(chosen.source, user=chosen.user)  # the rest of the settings holds for every import
    if not wanted.is_address:
        return replace(wanted, source=str(in_vault(vault, chosen.source)))
    token, password = in_vault(vault, chosen.token_file), in_vault(vault, chosen.password_file)
    try:
        return with_login(wanted, token, password, may_ask=False)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}. Mend [leanote] in graphrag.toml.") from error


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
    from graphrag.cli.index import shown_progress
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
            typer.echo(say("\ninterrupted: what came in stays; the same command goes on from there"), err=True)
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
