"""Markdown text -> blocks, sections, code and comments, all in offsets of the text; markdown-it-py does the reading.

Only its block rules run: inline parsing would cost more than everything else and is not needed here.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
from markdown_it import MarkdownIt
from markdown_it.token import Token
from numpy.typing import NDArray

from graphrag.domain.note import Block, BlockKind, Section, Span
from graphrag.ingest.html import TAG, read_closed_html, stands_at_line_start

Range = tuple[int, int]

_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_COMMENT = re.compile(r"%%|<!--")


def mask(text: str, ranges: Iterable[Range], filler: str = " ") -> str:
    """Return the text with the characters of these sorted ranges replaced, newlines and length kept."""
    pieces, position = [], 0
    for start, end in ranges:
        start = max(start, position)
        if start < end:
            pieces.append(text[position:start])
            pieces.append(re.sub(r"[^\n]", filler, text[start:end]))
            position = end
    return "".join(pieces) + text[position:]


def comments(text: str, code: Iterable[Range], start: int = 0) -> tuple[Range, ...]:
    """Return the ranges of `%%…%%` and `<!--…-->` outside code; of two that overlap, the first.

    A `%%` that begins a line opens a comment of any length; one within a line is closed in the same paragraph, else it
    is text, as in Obsidian.
    """
    masked = mask(text, code)
    marks = {"%%": "%%", "<!--": "-->"}
    found: list[Range] = []
    position = start
    while opening := _COMMENT.search(masked, position):
        mark = opening.group()
        closing = marks.get(mark)
        end = masked.find(closing, opening.end()) if closing else -1
        if closing and end < 0:
            marks.pop(mark)  # there is no closing mark further on either: look for it once only
        is_text = end < 0 or (mark == "%%" and _leaves_paragraph(masked, opening.start(), end))
        position = opening.end() if is_text else end + len(mark if mark == "%%" else "-->")
        if not is_text:
            found.append((opening.start(), position))
    return tuple(found)


def _leaves_paragraph(text: str, start: int, end: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return not stands_at_line_start(line) and _BLANK_LINE.search(text, start, end) is not None


_SIDE = r"(?:(?!<{7}|={7}\n|>{7})[^\n]*\n)*+"
_CONFLICT = re.compile(
    rf"^<{{7}}(?: [^\n]*)?\n(?P<ours>{_SIDE})={{7}}\n(?P<theirs>{_SIDE})>{{7}}(?: [^\n]*)?$",
    re.MULTILINE,
)
_BASE = re.compile(r"^\|{7}(?: [^\n]*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A merge conflict that was committed: its two sides, and the lines that Git put around them."""

    ours: Range
    theirs: Range
    marks: tuple[Range, ...]


def find_conflicts(text: str) -> tuple[Conflict, ...]:
    """Return the conflicts in a text, but those that a block of code shows."""
    if "<<<<<<<" not in text:
        return ()
    tokens = _parser().parse(text)
    code = list(_code_blocks(tokens, 1, LineIndex(text)))
    return tuple(
        _conflict(text, found)
        for found in _CONFLICT.finditer(text)
        if not any(start <= found.start() and found.end() <= end for start, end in code)
    )


def _conflict(text: str, found: re.Match[str]) -> Conflict:
    ours, theirs = found.span("ours"), found.span("theirs")
    base = _BASE.search(text, *ours)
    marks = [(found.start(), ours[0]), (ours[1], theirs[0]), (theirs[1], found.end())]
    return Conflict(ours, theirs, tuple(sorted([*marks, base.span()] if base else marks)))


MATH = re.compile(
    r"(?<![\\$])\$\$(?!\$)(?:[^$\\]|\\.|\$(?!\$)){1,8000}?\$\$(?!\$)"
    r"|(?<![\\$\w])\$(?=[^\s$])(?:[^$\\\n]|\\.){0,999}?(?<=[^\s\\])\$(?![\d$A-Za-z])",
    re.DOTALL,
)


def math_ranges(text: str, code: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges of `$$…$$` and `$…$` outside code; sums of money make none."""
    if "$" not in text:
        return ()
    masked = mask(text, code)
    found = (formula.span() for formula in MATH.finditer(masked))
    return tuple(span for span in found if "\n\n" not in masked[slice(*span)])


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


_KINDS = {
    "paragraph_open": BlockKind.TEXT,
    "html_block": BlockKind.TEXT,
    "hr": BlockKind.TEXT,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "heading_open": BlockKind.TEXT,  # a heading inside a list or quote opens no section
}
_TABLE = re.compile(r"\s*<table\b", re.IGNORECASE)
_MAX_TITLE = 300  # a line of a megabyte that starts with '#' must not stand in front of every passage


class LineIndex:
    """Line numbers of offsets and offsets of lines for one text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._length = len(text)

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return bisect_right(self._starts, offset)

    def lines_of(self, offsets: NDArray[np.int32]) -> NDArray[np.intp]:
        """Return the 1-based line of each offset."""
        return np.searchsorted(self._starts, offsets, side="right")

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
    read_closed_html(parser)
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
        if token.type == "html_block" and _TABLE.match(token.content):
            kind = BlockKind.TABLE
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


_VERBATIM = re.compile(
    r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|(?<![\\$\w])(\$)(?=\S)([^$\n]+)(?<=\S)\$(?![\d$A-Za-z])|\\([!-/:-@\[-`{-~])"
)
_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)"), r"\1"),
    (TAG, ""),
    (re.compile(r"(\*\*|__|==|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"\s*\{#[\w-]+\}\s*\Z|\s+\^[\w-]+\s*\Z"), ""),
    (re.compile("[\u200b-\u200f\u2060\ufeff]"), ""),
    (re.compile(r"\s+"), " "),
)
_KEPT = 0xE000  # private characters that stand for what no rule may touch


def plain_inline(text: str) -> str:
    """Return a heading's or title's text without inline markup; code, formulas and escaped characters as they are."""
    verbatim: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if len(verbatim) == _MAX_TITLE:
            return found.group()
        is_formula = found.group(3)
        verbatim.append(found.group() if is_formula else found.group(2) or found.group(5))
        return chr(_KEPT + len(verbatim) - 1)

    text = _VERBATIM.sub(keep, text[: 2 * _MAX_TITLE])
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    text = html.unescape(text)
    text = "".join(
        verbatim[place] if 0 <= (place := ord(sign) - _KEPT) < len(verbatim) else sign for sign in text
    ).strip()
    return text if len(text) <= _MAX_TITLE else text[: _MAX_TITLE - 1] + "…"
