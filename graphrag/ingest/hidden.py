"""The stretches of a note that its author did not write as text to be read: code spans and comments.

Code blocks come from the block structure; links, tags and headings inside any of these are none.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

Range = tuple[int, int]

_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_COMMENT = re.compile(r"%%|<!--")


def mask(text: str, ranges: Iterable[Range]) -> str:
    """Return the text with these sorted ranges blanked, newlines and length kept."""
    pieces, position = [], 0
    for start, end in ranges:
        start = max(start, position)
        if start < end:
            pieces.append(text[position:start])
            pieces.append(re.sub(r"[^\n]", " ", text[start:end]))
            position = end
    return "".join(pieces) + text[position:]


def comments(text: str, code: Iterable[Range], start: int = 0) -> tuple[Range, ...]:
    """Return the ranges of `%%…%%` and `<!--…-->` outside code; of two that overlap, the first."""
    masked = mask(text, code)
    marks = {"%%": "%%", "<!--": "-->"}
    found: list[Range] = []
    position = start
    while opening := _COMMENT.search(masked, position):
        mark = opening.group()
        closing = marks.get(mark)
        end = masked.find(closing, opening.end()) if closing else -1
        if closing and end >= 0:
            position = end + len(closing)
            found.append((opening.start(), position))
        else:
            marks.pop(mark, None)  # there is no closing mark further on either: look for it once only
            position = opening.end()
    return tuple(found)


def code_ranges(blocks: tuple[Range, ...], spans: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return code blocks and code spans as one sorted list."""
    return tuple(sorted((*blocks, *spans)))


def code_spans(text: str, paragraphs: Iterable[Range]) -> Iterator[Range]:
    """Yield `code` in running text: a run of backticks up to the next run of the same length in the same paragraph."""
    for start, end in paragraphs:
        borders = [start, *(blank.end() for blank in _BLANK_LINE.finditer(text, start, end)), end]
        for first, last in pairwise(borders):
            yield from _pair_runs(text, first, last)


def _pair_runs(text: str, start: int, end: int) -> Iterator[Range]:
    runs = [found.span() for found in _BACKTICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}
    for position in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[position][1] - runs[position][0], []).append(position)
    position = 0
    while position < len(runs):
        first, last = runs[position]
        first += _is_escaped(text, first)
        same = later.get(last - first, [])
        while same and same[-1] <= position:
            same.pop()
        if same and first < last:
            yield first, runs[same[-1]][1]
            position = same[-1]
        position += 1


def _is_escaped(text: str, position: int) -> bool:
    before = position
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1
