"""Prints a note before and after cleaning, side by side and aligned by line, and what each rule changed."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

from graphrag.cli.terminal import one_line, plain, width_of
from graphrag.cli.wrap import wrap_text
from graphrag.domain.report import Sample

Row = tuple[str, str, bool]  # before, after, whether they differ

_PIPE_WIDTH = 160
_CONTEXT = 2  # unchanged lines shown around a change
_ALIGNED_LINES = 3000  # aligning takes quadratic time
_DIVIDER = " │ "


def render_sample(console: Console, sample: Sample, full: bool) -> None:
    """Print one note; runs of unchanged lines are folded unless `full`."""
    column = (min(width_of(console), _PIPE_WIDTH) - len(_DIVIDER)) // 2
    console.print(Text(one_line(sample.path), "bold"))
    for row in _fold(list(_rows(sample)), full):
        if isinstance(row, int):
            console.print(Text(f"⋯ {row} unchanged lines", "dim"))
        else:
            _render_row(console, row, column)
    effects = [
        f"{effect.rule} ×{effect.edits} ({-effect.removed_characters:+} characters)" for effect in sample.effects
    ]
    console.print(Text("; ".join(effects) or "no rule changed anything", "cyan"))
    console.print()


def _rows(sample: Sample) -> Iterator[Row]:
    before, after = plain(sample.before).splitlines(), plain(sample.after).splitlines()
    if max(len(before), len(after)) > _ALIGNED_LINES:
        for left, right in zip_longest(before, after, fillvalue=""):
            yield left, right, left != right
        return
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        for left, right in zip_longest(before[a:b], after[c:d], fillvalue=""):
            yield left, right, tag != "equal"


def _fold(rows: list[Row], full: bool) -> Iterator[Row | int]:
    """Yield the rows near a change, and for each run of others its length."""
    changed = [number for number, row in enumerate(rows) if row[2]]
    near = {number + step for number in changed for step in range(-_CONTEXT, _CONTEXT + 1)}
    skipped = 0
    for number, row in enumerate(rows):
        if full or number in near:
            if skipped:
                yield skipped
            skipped = 0
            yield row
        else:
            skipped += 1
    if skipped:
        yield skipped


def _render_row(console: Console, row: Row, column: int) -> None:
    before, after, is_changed = row
    left = wrap_text(Text(before, "red" if is_changed else ""), column)
    right = wrap_text(Text(after, "green" if is_changed else ""), column)
    for a, b in zip_longest(left, right, fillvalue=Text("")):
        console.print(Text.assemble(a, " " * (column - a.cell_len), (_DIVIDER, "dim"), b))
