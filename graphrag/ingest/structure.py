"""Markdown text -> blocks, sections, code and comments, all in offsets of the text; markdown-it-py does the reading.

Only its block rules run: inline parsing would cost more than everything else and is not needed here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphrag.domain.note import Block, BlockKind, Section, Span
from graphrag.ingest.hidden import Range, code_ranges, code_spans, comments

_KINDS = {
    "paragraph_open": BlockKind.TEXT,
    "html_block": BlockKind.TEXT,
    "hr": BlockKind.TEXT,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "heading_open": BlockKind.TEXT,  # a heading inside a list or quote opens no section
}
_MAX_TITLE = 300  # a line of a megabyte that starts with '#' must not stand in front of every passage


class LineIndex:
    """Line numbers of offsets and offsets of lines for one text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._length = len(text)

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return bisect_right(self._starts, offset)

    def start_of(self, line: int) -> int:
        """Return the offset at which a 1-based line starts, the text's length past the last one."""
        return self._starts[line - 1] if line <= len(self._starts) else self._length

    def span(self, start: int, end: int) -> Span:
        """Return the span of a half-open range."""
        return Span(start, end, self.line_of(start), self.line_of(max(start, end - 1)))


@dataclass(frozen=True, slots=True)
class Structure:
    """The block structure of a note's body."""

    sections: tuple[Section, ...]
    code_blocks: tuple[Range, ...]
    code_spans: tuple[Range, ...]
    comments: tuple[Range, ...]
    first_h1: str  # its text as written; empty without one


@dataclass(frozen=True, slots=True)
class _Leaf:
    kind: BlockKind
    line: int  # 0-based within the body
    level: int
    heading: str


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def read_structure(text: str, body_line: int, lines: LineIndex) -> Structure:
    """Return the structure of the text from the 1-based `body_line` on; blocks tile the body without gaps."""
    start = lines.start_of(body_line)
    tokens = _parser().parse(text[start:])
    leaves = list(_leaves(tokens))
    if not leaves and text[start:].strip():
        leaves = [_Leaf(BlockKind.TEXT, 0, 0, "")]  # the parser gives up on what is nested too deeply
    offsets = [lines.start_of(body_line + leaf.line) for leaf in leaves]
    offsets[:1] = [start] if leaves else []
    ends = [*offsets[1:], len(text)][: len(leaves)]
    ranges = list(zip(offsets, ends, strict=True))
    code = tuple(_code_blocks(tokens, body_line, lines))
    spans = tuple(code_spans(text, _paragraphs(text, leaves, ranges)))
    remarks = comments(text, code_ranges(code, spans), start)
    leaves = list(_without_hidden_headings(leaves, offsets, remarks))
    blocks = [Block(leaf.kind, lines.span(*span), leaf.level) for leaf, span in zip(leaves, ranges, strict=True)]
    h1 = next((leaf.heading for leaf in leaves if leaf.kind is BlockKind.HEADING and leaf.level == 1), "")
    return Structure(tuple(_sections(leaves, blocks, lines)), code, spans, remarks, h1)


def _paragraphs(text: str, leaves: list[_Leaf], ranges: list[Range]) -> Iterator[Range]:
    """Yield the stretches in which inline marks pair up: blocks, and the single rows of a table."""
    for leaf, (start, end) in zip(leaves, ranges, strict=True):
        if leaf.kind is BlockKind.TABLE:
            rows = [start, *(start + found.end() for found in re.finditer("\n", text[start:end])), end]
            yield from pairwise(rows)
        elif leaf.kind is not BlockKind.CODE:
            yield start, end


def _without_hidden_headings(leaves: list[_Leaf], offsets: list[int], remarks: tuple[Range, ...]) -> Iterator[_Leaf]:
    """Yield the leaves; a heading that was commented out is text."""
    starts = [start for start, _ in remarks]
    for leaf, offset in zip(leaves, offsets, strict=True):
        before = bisect_right(starts, offset) - 1
        is_hidden = leaf.kind is BlockKind.HEADING and before >= 0 and remarks[before][1] > offset
        yield replace(leaf, kind=BlockKind.TEXT, level=0, heading="") if is_hidden else leaf


def _leaves(tokens: list[Token]) -> Iterator[_Leaf]:
    """Yield the innermost blocks in order, at most one per line; those inside a list are told apart."""
    lists, last_line = 0, -1
    for position, token in enumerate(tokens):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists -= 1
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None or token.map[0] <= last_line:
            continue
        last_line = token.map[0]
        if token.type == "heading_open" and token.level == 0:
            yield _Leaf(BlockKind.HEADING, last_line, int(token.tag[1]), tokens[position + 1].content)
        else:
            yield _Leaf(BlockKind.LIST if lists and kind is BlockKind.TEXT else kind, last_line, 0, "")


def _code_blocks(tokens: list[Token], body_line: int, lines: LineIndex) -> Iterator[Range]:
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map is not None:
            yield lines.start_of(body_line + token.map[0]), lines.start_of(body_line + token.map[1])


def _sections(leaves: list[_Leaf], blocks: list[Block], lines: LineIndex) -> Iterator[Section]:
    stack: list[tuple[int, str]] = []
    collected: list[Block] = []
    for leaf, block in zip(leaves, blocks, strict=True):
        if leaf.kind is BlockKind.HEADING:
            if collected:
                yield _section(stack, collected, lines)
            stack = [entry for entry in stack if entry[0] < leaf.level]
            stack.append((leaf.level, plain_inline(leaf.heading)))
            collected = []
        collected.append(block)
    if collected:
        yield _section(stack, collected, lines)


def _section(stack: list[tuple[int, str]], blocks: list[Block], lines: LineIndex) -> Section:
    heading = tuple(title for _, title in stack if title)
    return Section(heading, lines.span(blocks[0].span.start, blocks[-1].span.end), tuple(blocks))


_INLINE = (
    (re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>\n]*>"), ""),
    (re.compile(r"(\*\*|__|==|~~|`)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"\s*\{#[\w-]+\}\s*\Z|\s+\^[\w-]+\s*\Z"), ""),
    (re.compile("[\u200b-\u200f\u2060\ufeff]"), ""),
    (re.compile(r"\s+"), " "),
)


def plain_inline(text: str) -> str:
    """Return a heading's or title's text without inline markup."""
    text = text[: 2 * _MAX_TITLE]
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    text = text.strip()
    return text if len(text) <= _MAX_TITLE else text[: _MAX_TITLE - 1] + "…"
