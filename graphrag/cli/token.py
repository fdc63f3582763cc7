"""`token`: who may ask a served vault."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.options import examples
from graphrag.cli.session import opened
from graphrag.cli.terminal import one_line, print_table, table_of
from graphrag.cli.words import say
from graphrag.domain.access import AccessToken

if TYPE_CHECKING:
    from graphrag.app import App
    from graphrag.domain.access import Limit
    from graphrag.vault.access_control import AccessTokens


_COLUMNS = ("name", "scope", "only", "created", "expires", "last use", "from")


def render_tokens(console: Console, tokens: Iterable[AccessToken]) -> None:
    """Print a line for each token."""
    from graphrag.vault.access_control import limit_text

    table = table_of(*map(say, _COLUMNS), "")
    for token in tokens:
        limit = limit_text(token.limit) or say("whole vault")
        moments = _day(token.created), _day(token.expires) or say("never"), _minute(token.last_used) or say("never")
        state = _state(token)
        cells = (token.name, token.scope, limit, *moments, token.last_address, state)
        table.add_row(*(Text(one_line(cell), "dim" if state else "") for cell in cells))
    if table.row_count:
        print_table(console, table)
    else:
        console.print(say("There are no tokens. Make one: graphrag token create NAME"))


def _state(token: AccessToken) -> str:
    if not token.is_enabled:
        return say("disabled")
    is_over = token.expires is not None and token.expires <= datetime.now(token.expires.tzinfo)
    return say("expired") if is_over else ""


def _day(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d}" if moment else ""


def _minute(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""


class TokenScope(StrEnum):
    """What a token allows; each holds what stands before it."""

    READ = "read"
    ASK = "ask"
    ADMIN = "admin"


Name = Annotated[str, typer.Argument(metavar="NAME", help="The token's name.")]

token = typer.Typer(
    name="token",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look after the tokens that let others ask a served vault.",
)


@token.command(
    epilog=examples(
        "graphrag token create phone --scope ask --expires 90d",
        'graphrag token create team --only "category:工作 tag:支付" --json',
    )
)
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it: who, or which machine, uses it.")],
    scope: Annotated[
        TokenScope, typer.Option("--scope", help="read: search and notes; ask: answers, too; admin: everything.")
    ] = TokenScope.READ,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="LIMIT",
            help="Only notes of these categories or with these tags: `category:工作 tag:支付`; repeatable.",
        ),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(
            "--expires",
            metavar="WHEN",
            help="After 12h, 30d, 8w or 1y, or with the end of a day: 2026-12-31, 下个月底.",
        ),
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Make a token, and print it this once.

    Only a hash of it is kept. Nothing of other notes than those of --only shows through it.
    """
    from datetime import UTC, datetime

    from graphrag.cli.terminal import print_json
    from graphrag.domain.access import Scope
    from graphrag.vault.access_control import read_expiry, read_limit

    now, limit = datetime.now(UTC), read_limit(only or ())
    until = read_expiry(expires, now) if expires is not None else None
    with _tokens(vault, index_dir) as (app, tokens):
        secret = tokens.create(name, Scope(scope.value), limit, until)
        _warn_of_unknown(app, limit)
    if as_json:
        print_json({"token": secret, "name": name.strip(), "scope": scope, "limit": limit, "expires": until})
    else:
        typer.echo(secret)
    typer.echo(say("This is shown once: keep it now. `graphrag token delete` takes it back."), err=True)


@token.command("list", epilog=examples("graphrag token list", "graphrag token list --vault ~/notes --json"))
def list_(vault: options.Vault = None, index_dir: options.IndexDir = None, as_json: options.Json = False) -> None:
    """List the tokens, with their last use."""
    from graphrag.cli.terminal import output, print_json

    with _tokens(vault, index_dir) as (_, tokens):
        found = tokens.all()
    print_json(found) if as_json else render_tokens(output(), found)


@token.command(epilog=examples("graphrag token enable phone", "graphrag token enable phone --vault ~/notes"))
def enable(name: Name, vault: options.Vault = None, index_dir: options.IndexDir = None) -> None:
    """Let a token in again."""
    with _tokens(vault, index_dir) as (_, tokens):
        tokens.enable(name)


@token.command(epilog=examples("graphrag token disable phone", "graphrag token disable phone --vault ~/notes"))
def disable(name: Name, vault: options.Vault = None, index_dir: options.IndexDir = None) -> None:
    """Turn a token away until it is enabled.

    A server that is running does so from the next request on.
    """
    with _tokens(vault, index_dir) as (_, tokens):
        tokens.disable(name)


@token.command(epilog=examples("graphrag token delete phone", "graphrag token delete phone --vault ~/notes"))
def delete(name: Name, vault: options.Vault = None, index_dir: options.IndexDir = None) -> None:
    """Forget a token.

    A server that is running turns it away from the next request on.
    """
    with _tokens(vault, index_dir) as (_, tokens):
        tokens.delete(name)


@contextmanager
def _tokens(vault: Path | None, index_dir: Path | None) -> "Iterator[tuple[App, AccessTokens]]":
    from graphrag.vault.access_control import AccessTokens

    with opened(vault, index_dir) as app:
        yield app, AccessTokens(app.index_folder())


def _warn_of_unknown(app: "App", limit: "Limit") -> None:
    """Say which names of a limit no indexed note has: they may be mistyped."""
    from graphrag.errors import SnapshotMissing
    from graphrag.vault.access_control import unknown_names

    if limit.is_empty:
        return
    try:
        unknown = unknown_names(limit, app.categories(), app.tags())
    except SnapshotMissing:
        typer.echo(
            say("warning: nothing is indexed yet, so nobody knows whether any note lies within --only."), err=True
        )
        return
    for kind, name in unknown:
        typer.echo(
            say(
                "warning: no note has the {kind} '{name}'. Until one has, the token shows nothing by it.",
                kind=say(kind),
                name=name,
            ),
            err=True,
        )
