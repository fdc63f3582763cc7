"""How the tables of an evaluation look: bare columns, figures with their intervals."""

from rich.console import Console
from rich.table import Table

from graphrag.evaluate.figures import Figure

_WIDTH = 100


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


def share(figure: Figure | None) -> str:
    """Return a mean to three places, a dash where nothing measures it."""
    return "-" if figure is None else f"{figure.value:.3f}"


def ends(figure: Figure | None) -> str:
    """Return the interval to two places without the zero before the point: .73-.90."""
    return "" if figure is None else f"{_short(figure.low)}-{_short(figure.high)}"


def with_interval(figure: Figure | None) -> str:
    """Return a mean with its interval."""
    return "-" if figure is None else f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _short(value: float) -> str:
    text = f"{value:.2f}"
    return "1.0" if text == "1.00" else text.removeprefix("0")
