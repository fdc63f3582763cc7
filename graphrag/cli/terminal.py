"""Where output goes: results to stdout, the rest to stderr; laid out for a terminal, unwrapped for a pipe."""

import re

import typer
from rich.console import Console
from rich.style import Style
from rich.text import Text

from graphrag.cli.wrap import wrap_text
from graphrag.jsonable import dump

UNLIMITED = 100_000
_READABLE = 100
# Escape sequences inside a note must not reach the terminal, nor marks that turn the direction of what follows.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


def output() -> Console:
    """Return the console of stdout; lines are laid out by us, so it neither wraps nor crops."""
    return Console(highlight=False, emoji=False, markup=False, soft_wrap=True)


def diagnostics() -> Console:
    """Return the console of stderr."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False, soft_wrap=True)


def width_of(console: Console) -> int:
    """Return the cells that a line may take: a pipe has no limit."""
    return console.width if console.is_terminal else UNLIMITED


def text_width_of(console: Console) -> int:
    """Return the cells that a line of running text should take."""
    return min(width_of(console), _READABLE) if console.is_terminal else UNLIMITED


def print_text(console: Console, text: Text) -> None:
    """Print running text, wrapped on a terminal."""
    for line in wrap_text(text, text_width_of(console)):
        console.print(line)


def print_json(value: object) -> None:
    """Print a value as JSON to stdout."""
    typer.echo(dump(value))


def plain(text: str) -> str:
    """Return text that is safe to print: without control characters, except newline and tab."""
    return _CONTROL.sub("", text).expandtabs(4)


def one_line(text: str) -> str:
    """Return a name that is safe to print, whatever it holds, in one line."""
    return plain(text).replace("\n", " ")


def linked(text: str, url: str, style: str = "") -> Text:
    """Return a name that opens a URL where the terminal can."""
    return Text(one_line(text), Style.parse(style) + Style(link=plain(url)) if url else Style.parse(style))
