"""A table of HTML -> the rows of a Markdown table: merged cells resolved, one head, every row of the same length.

The first row is the head, as nearly all tables made in an editor have it; Markdown knows no table without one.
A cell that spans rows is repeated in each, so that a row can be read alone; of one that spans columns, the rest is
empty.
"""

import re
from collections.abc import Callable, Iterator

from bs4 import Tag

_MAX_CELLS = 50_000  # of a whole table: spans can claim any number
_MAX_SPAN = 200


def rows_of(table: Tag) -> Iterator[list[Tag]]:
    """Yield the cells of each row that has any; those of a table within a cell are not among them."""
    waiting: list[Tag] = [table]
    while waiting:
        element = waiting.pop()
        children = [child for child in element.contents if isinstance(child, Tag)]
        if element.name == "tr":
            if cells := [child for child in children if child.name in ("td", "th")]:
                yield cells
        else:
            waiting += reversed([child for child in children if child.name in ("tr", "thead", "tbody", "tfoot", "div")])


def table_lines(rows: list[list[Tag]], convert: Callable[[Tag], str]) -> list[str]:
    """Return the lines of a table; `convert` gives the Markdown of a cell."""
    grid = _grid(rows, convert)
    width = max(len(row) for row in grid)
    lines = [_line([*row, *[""] * (width - len(row))]) for row in grid]
    return [lines[0], _line(["---"] * width), *lines[1:]]


def cell_text(text: str) -> str:
    """Return the Markdown of a cell on one line."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\|", r"\\|", "<br>".join(line for line in lines if line))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _grid(rows: list[list[Tag]], convert: Callable[[Tag], str]) -> list[list[str]]:
    grid: list[list[str]] = []
    from_above: dict[int, tuple[int, str]] = {}  # column -> how many rows more, and what stands in them
    room = _MAX_CELLS
    for cells in rows:
        row: list[str] = []
        for cell in cells:
            _take_from_above(row, from_above)
            text = cell_text(convert(cell))
            spans = _span(cell, "rowspan"), _span(cell, "colspan")
            down, across = spans if spans[0] * spans[1] <= room else (1, 1)
            room -= down * across
            for offset in range(across):
                if down > 1:
                    from_above[len(row)] = (down - 1, "" if offset else text)
                row.append("" if offset else text)
        _take_from_above(row, from_above)
        grid.append(row)
    return grid


def _take_from_above(row: list[str], from_above: dict[int, tuple[int, str]]) -> None:
    while (column := len(row)) in from_above:
        more, text = from_above.pop(column)
        if more > 1:
            from_above[column] = (more - 1, text)
        row.append(text)


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name) or "1").strip()
    return max(1, min(_MAX_SPAN, int(value))) if re.fullmatch(r"[0-9]{1,6}", value) else 1
