"""Where output goes: results to stdout, the rest to stderr; laid out for a terminal, unwrapped for a pipe."""

import re

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

_WIDTH = 100

# Punctuation that may not start a line, and brackets that may not end one.
_NO_START = frozenset("，。、；：？！）】》」』〉”’…—·,.;:?!)]}%")
_NO_END = frozenset("（【《「『〈“‘([{")
_ELLIPSIS = "…"


def wrap_text(text: Text, width: int) -> list[Text]:
    """Return the lines of a text, none wider than `width` cells; styles are kept."""
    lines: list[Text] = []
    for paragraph in text.split("\n", allow_blank=True):
        pieces = paragraph.divide(_break_offsets(paragraph.plain, width))
        for piece in pieces:
            piece.rstrip()
            lines.append(piece)
    return lines


def shorten(text: str, width: int) -> str:
    """Return the text cut to `width` cells, with an ellipsis in place of what was cut."""
    return text if cell_len(text) <= width else ellipsize(Text(text), width).plain


def padded(text: str, width: int) -> str:
    """Return the text with spaces behind it up to `width` cells."""
    return text + " " * (width - cell_len(text))


def ellipsize(text: Text, width: int) -> Text:
    """Return the text with an ellipsis behind it, cut where the two are wider than `width` cells."""
    used, kept = cell_len(_ELLIPSIS), 0
    for character in text.plain:
        used += cell_len(character)
        if used > width:
            break
        kept += 1
    cut = text[:kept]
    cut.rstrip()
    return cut.append(_ELLIPSIS)


def _break_offsets(text: str, width: int) -> list[int]:
    offsets: list[int] = []
    start, used, allowed = 0, 0, 0
    for position, character in enumerate(text):
        if position > start and _may_break(text[position - 1], character):
            allowed = position
        size = cell_len(character)
        # A space that overflows is trimmed from the end of the line; it needs no line of its own.
        if used + size > width and position > start and not character.isspace():
            start = allowed if allowed > start else position
            offsets.append(start)
            used = cell_len(text[start:position])
        used += size
    return offsets


def _may_break(left: str, right: str) -> bool:
    if left.isspace():
        return not right.isspace()
    is_wide = cell_len(left) == 2 or cell_len(right) == 2
    # Marks like [1] belong to the sentence before them.
    return is_wide and cell_len(right) > 0 and right not in _NO_START and right != "[" and left not in _NO_END


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
    from graphrag.shapes import dump

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


def table_of(*left: str, gap: int = 2) -> Table:
    """Return a table with these columns of text, `gap` cells apart; columns of figures are added by the caller."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for name in left:
        table.add_column(name, no_wrap=True)
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table and an empty line."""
    if not console.is_terminal:
        console.width = _WIDTH  # a pipe has no width of its own, and 80 would cut columns off
    console.print(table)
    console.print()
