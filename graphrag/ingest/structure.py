"""Markdown text -> top-level blocks, sections and code ranges, all in offsets of the text; markdown-it-py does the reading.

Only its block rules run: inline parsing would cost more than everything else and is not needed here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphrag.domain.note import Block, BlockKind, Section, Span

_KINDS = {
    "paragraph_open": BlockKind.TEXT,
    "html_block": BlockKind.TEXT,
    "hr": BlockKind.TEXT,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "heading_open": BlockKind.TEXT,  # a heading inside a list or quote opens no section
}
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")

Range = tuple[int, int]


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
    offsets = [lines.start_of(body_line + leaf.line) for leaf in leaves]
    offsets[:1] = [start] if leaves else []
    ends = [*offsets[1:], len(text)][: len(leaves)]
    blocks = [
        Block(leaf.kind, lines.span(first, last), leaf.level)
        for leaf, first, last in zip(leaves, offsets, ends, strict=True)
    ]
    code = tuple(_code_blocks(tokens, body_line, lines))
    h1 = next((leaf.heading for leaf in leaves if leaf.kind is BlockKind.HEADING and leaf.level == 1), "")
    return Structure(
        sections=tuple(_sections(leaves, blocks, lines)),
        code_blocks=code,
        code_spans=tuple(_code_spans(text, start, code)),
        first_h1=h1,
    )


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


def _code_spans(text: str, start: int, code_blocks: tuple[Range, ...]) -> Iterator[Range]:
    """Yield `code` in running text: a run of backticks up to the next run of the same length in the same paragraph."""
    for first, last in outside(code_blocks, start, len(text)):
        segment_start = first
        for blank in [*_BLANK_LINE.finditer(text, first, last), None]:
            segment_end = blank.start() if blank else last
            yield from _pair_runs(text, segment_start, segment_end)
            segment_start = blank.end() if blank else last


def _pair_runs(text: str, start: int, end: int) -> Iterator[Range]:
    runs = [found.span() for found in _BACKTICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}
    for position in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[position][1] - runs[position][0], []).append(position)
    position = 0
    while position < len(runs):
        same = later[runs[position][1] - runs[position][0]]
        while same and same[-1] <= position:
            same.pop()
        if same:
            yield runs[position][0], runs[same[-1]][1]
            position = same[-1]
        position += 1


def outside(ranges: tuple[Range, ...], start: int, end: int) -> Iterator[Range]:
    """Yield what the sorted ranges leave of start..end."""
    for first, last in ranges:
        if last <= start:
            continue
        if first >= end:
            break
        if first > start:
            yield start, first
        start = max(start, last)
    if start < end:
        yield start, end


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
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text.strip()
