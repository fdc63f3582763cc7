"""Breaks and shortens text by terminal cells: a Chinese character takes two, and may end any line."""

from rich.cells import cell_len
from rich.text import Text

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
