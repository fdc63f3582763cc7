"""The line that names a place in a note: `[1] title › heading  path:12-20  2024-06-16`."""

from rich.cells import cell_len
from rich.text import Text

from graphrag.cli.terminal import linked, one_line, plain
from graphrag.cli.wrap import shorten
from graphrag.domain.reference import Reference

_SEPARATOR = " › "
_GAP = "  "
# A label shortened below this says too little; then the path moves to a line of its own.
_MIN_LABEL = 24


def source_lines(
    prefix: str, title: str, heading: tuple[str, ...], location: Text, date: str, width: int
) -> list[Text]:
    """Return one line where it fits, with the label shortened if need be, else two; the path is never cut."""
    tail = Text.assemble(_GAP, location, (_GAP + date if date else "", "dim"))
    label = label_of(title, heading)
    room = width - cell_len(prefix) - tail.cell_len
    if room >= min(cell_len(label), _MIN_LABEL):
        return [Text.assemble((prefix, "bold cyan"), (fit_label(label, room), "bold"), tail)]
    label = fit_label(label, width - cell_len(prefix))
    indent = " " * max(cell_len(prefix) - len(_GAP), 0)
    if len(indent) + tail.cell_len > width:
        tail = Text.assemble(_GAP, location)
    return [Text.assemble((prefix, "bold cyan"), (label, "bold")), Text.assemble(indent, tail)]


def origin_line(indent: int, origin: str) -> Text:
    """Return where a note was taken from, which opens where the terminal can."""
    return Text.assemble(" " * indent, ("↗ ", "dim"), linked(origin, origin, "dim blue"))


def location_of(note: str, lines: tuple[int, int], url: str, version: str = "") -> Text:
    """Return `path:first-last`, which opens the note where the terminal can, with `@version` where there is one."""
    place = linked(str(Reference(note, lines)), url, "blue")
    return Text.assemble(place, (f"@{plain(version)}", "dim")) if version else place


def label_of(title: str, heading: tuple[str, ...]) -> str:
    """Return title and heading path; a first heading that repeats the title is said once."""
    parts = [part for part in (title, *(part for part in heading if part != title)) if part]
    return one_line(_SEPARATOR.join(parts))


def fit_label(label: str, room: int) -> str:
    """Return the label within `room` cells: the middle of the heading path goes first, then the end."""
    parts = label.split(_SEPARATOR)
    if cell_len(label) > room and len(parts) > 2:
        label = _SEPARATOR.join([parts[0], "…", parts[-1]])
    return shorten(label, room)
