"""How the list of tokens looks."""

from collections.abc import Iterable
from datetime import datetime

from rich.console import Console
from rich.text import Text

from graphrag.cli.render_tables import print_table, table_of
from graphrag.cli.terminal import one_line
from graphrag.domain.access import AccessToken
from graphrag.vault.access import limit_text


def render_tokens(console: Console, tokens: Iterable[AccessToken]) -> None:
    """Print a line for each token."""
    table = table_of("name", "scope", "only", "created", "expires", "last use", "from", "")
    for token in tokens:
        limit = limit_text(token.limit) or "whole vault"
        moments = _day(token.created), _day(token.expires) or "never", _minute(token.last_used) or "never"
        state = _state(token)
        cells = (token.name, token.scope, limit, *moments, token.last_address, state)
        table.add_row(*(Text(one_line(cell), "dim" if state else "") for cell in cells))
    if table.row_count:
        print_table(console, table)
    else:
        console.print("There are no tokens. Make one: graphrag token create NAME")


def _state(token: AccessToken) -> str:
    if not token.is_enabled:
        return "disabled"
    is_over = token.expires is not None and token.expires <= datetime.now(token.expires.tzinfo)
    return "expired" if is_over else ""


def _day(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d}" if moment else ""


def _minute(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""
