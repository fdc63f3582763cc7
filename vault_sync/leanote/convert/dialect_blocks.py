"""Markdown text -> what each of its lines is: code, raw HTML, a row of a table, or text. Nothing is changed here.

markdown-it-py does the reading; only its block rules run.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from markdown_it import MarkdownIt


class LineKind(Enum):
    """What a line belongs to."""

    TEXT = "text"
    CODE = "code"
    HTML = "html"
    TABLE = "table"


_KINDS = {
    "fence": LineKind.CODE,
    "code_block": LineKind.CODE,
    "html_block": LineKind.HTML,
    "table_open": LineKind.TABLE,
}


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `start` to `end` (half-open, from 0) of one kind; those of a text have no blank line among them."""

    kind: LineKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """The lines of a text with the kind of each."""

    lines: list[str]
    kinds: list[LineKind]
    fences: dict[int, int]  # the line that opens a fence -> the line after it
    underlines: dict[int, int]  # the underline of a heading -> the first line of the paragraph that it makes one

    def runs(self) -> Iterator[Block]:
        """Yield blocks in order; blank lines between them are in none."""
        start = 0
        while start < len(self.lines):
            kind = self.kinds[start]
            if kind is not LineKind.CODE and not self.lines[start].strip():
                start += 1
                continue
            end = start + 1
            while (
                end < len(self.lines) and self.kinds[end] is kind and (kind is LineKind.CODE or self.lines[end].strip())
            ):
                end += 1
            yield Block(kind, start, end)
            start = end


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.disable("reference")  # it takes minutes over a definition whose address is a picture of megabytes
    return parser


def read_blocks(text: str) -> Blocks:
    """Return the structure of a text whose lines end with a newline only."""
    lines = text.split("\n")
    kinds = [LineKind.TEXT] * len(lines)
    fences: dict[int, int] = {}
    underlines: dict[int, int] = {}
    for token in _parser().parse(text):
        if token.map is None:
            continue
        if kind := _KINDS.get(token.type):
            kinds[token.map[0] : token.map[1]] = [kind] * (min(token.map[1], len(lines)) - token.map[0])
            if token.type == "fence":
                fences[token.map[0]] = token.map[1]
        elif token.type == "heading_open" and token.markup in ("=", "-"):
            underlines[token.map[1] - 1] = token.map[0]
    return Blocks(lines, kinds, fences, underlines)
