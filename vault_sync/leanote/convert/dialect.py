"""A body in Leanote's Markdown -> Markdown that Obsidian shows the same way. No I/O; code stays byte for byte.

text -> its lines put right -> blocks -> their running text (`dialect_inline.py`), raw HTML that
holds something of Leanote's through `rich_text.py`, since Obsidian shows no picture of the vault inside raw HTML.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from markdown_it import MarkdownIt

from vault_sync.leanote.convert.dialect_inline import InlineText, label_of
from vault_sync.leanote.convert.link_writer import LinkWriter
from vault_sync.leanote.links import parse_leanote_address
from vault_sync.leanote.pictures import is_data_address

_NAME = r"\w[\w ]{0,60}"
_MESSAGE = re.compile(rf"({_NAME})(--?>>?)({_NAME}):\s*([^;#]+)")
_NOTE = re.compile(rf"note\s+(left of|right of|over)\s+({_NAME}(?:,\s*{_NAME})?):\s*([^;#]+)", re.IGNORECASE)
_TITLE = re.compile(r"title:\s*([^;#]+)", re.IGNORECASE)
_PARTICIPANT = re.compile(rf"participant\s+({_NAME})", re.IGNORECASE)
_ARROWS = {"->": "->>", "-->": "-->>", "->>": "-)", "-->>": "--)"}
_SHAPE = re.compile(r"([A-Za-z]\w{0,40})=>(start|end|operation|subroutine|condition|inputoutput):\s*([^|\"<>]+)")
_STEP = re.compile(r"([A-Za-z]\w{0,40})(?:\(([\w, ]{0,40})\))?")
_SHAPES = {
    "start": '(["{}"])',
    "end": '(["{}"])',
    "operation": '["{}"]',
    "subroutine": '[["{}"]]',
    "condition": '{{"{}"}}',
    "inputoutput": '[/"{}"/]',
}
_ANSWERS = ("yes", "no", "true", "false")
_SIDES = frozenset(("left", "right", "top", "bottom"))


def mermaid(language: str, lines: Sequence[str]) -> list[str] | None:
    """Return a diagram's lines as Mermaid has them, None when it is not a diagram that is surely understood."""
    convert = {"sequence": _sequence, "flow": _flow}.get(language)
    stripped = [line.strip() for line in lines if line.strip()]
    if convert is None or not stripped:
        return None
    try:
        return list(convert(stripped))
    except _NotUnderstoodError:
        return None


class _NotUnderstoodError(Exception):
    """A line has no sure meaning."""


def _sequence(lines: list[str]) -> Iterator[str]:
    yield "sequenceDiagram"
    for line in lines:
        if found := _TITLE.fullmatch(line):
            yield f"    title {found.group(1)}"
        elif found := _PARTICIPANT.fullmatch(line):
            yield f"    participant {_participant(found.group(1))}"
        elif found := _NOTE.fullmatch(line):
            names = ",".join(_participant(name) for name in found.group(2).split(","))
            yield f"    Note {found.group(1).lower()} {names}: {_broken(found.group(3))}"
        elif found := _MESSAGE.fullmatch(line):
            sender, arrow, receiver, text = found.groups()
            yield f"    {_participant(sender)}{_ARROWS[arrow]}{_participant(receiver)}: {_broken(text)}"
        else:
            raise _NotUnderstoodError


def _participant(name: str) -> str:
    name = name.strip()
    if name.lower().split()[0] in ("end", "as", "note", "title", "participant", "loop", "alt", "opt", "par"):
        raise _NotUnderstoodError
    return name


def _broken(text: str) -> str:
    return text.replace("\\n", "<br/>").strip()


def _flow(lines: list[str]) -> Iterator[str]:
    yield "flowchart TD"
    known: set[str] = set()
    for line in lines:
        if "=>" not in line:
            yield from _steps(line, known)
            continue
        found = _SHAPE.fullmatch(line)
        if not found or ":>" in line:
            raise _NotUnderstoodError
        known.add(found.group(1))
        yield f"    {found.group(1)}_{_SHAPES[found.group(2)].format(found.group(3).strip())}"


def _steps(line: str, known: set[str]) -> Iterator[str]:
    """Yield an arrow for each step of `a->b(yes)->c`; an underscore keeps names apart from Mermaid's own words."""
    steps = [_STEP.fullmatch(step.strip()) for step in line.split("->")]
    before = ""
    for step in steps:
        if not step or step.group(1) not in known:
            raise _NotUnderstoodError
        if before:
            yield f"    {before} {step.group(1)}_"
        words = [word.strip() for word in (step.group(2) or "").split(",") if word.strip()]
        answers = [word for word in words if word in _ANSWERS]
        if len(answers) > 1 or not _SIDES.issuperset(set(words) - set(answers)):
            raise _NotUnderstoodError
        before = f"{step.group(1)}_ -->|{answers[0]}|" if answers else f"{step.group(1)}_ -->"
    if len(steps) < 2:
        raise _NotUnderstoodError


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


_INVISIBLE = re.compile("[\u200b\u200e\u200f\u2060\ufeff\u00ad]+")
_INDENT = re.compile("[ \t\u00a0]*")
_CODE_SPAN = re.compile("(`+[^`]+`+)")
_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_TABLE_OF_CONTENTS = re.compile(r"[ \t]*\[toc\][ \t]*", re.IGNORECASE)
_HEADING = re.compile(r"((?:>[ \t]?)*)(#{1,6})(?!#)[ \t]*(?=\S)")
_ATTRIBUTES = re.compile(r"\{[#.][^{}\n]{0,200}\}[ \t]*#{0,6}[ \t]*\Z")
_TODO = re.compile(r"([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,10})\[([ xX]?)\](?![(\[:])[ \t]{0,10}(?=\S)")
_INFO = re.compile(r"([ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3,}|~{3,}))[ \t]*([^`\n]*?)[ \t]*\Z")
_CLASS = re.compile(r"\{[^{}]{0,100}?\.([\w+#\-]{1,40})[^{}]{0,100}\}")
_DISPLAY = re.compile(r"\$\$|\\\\?[\[\]]")


def tidy_lines(blocks: Blocks) -> str:
    """Return the text with its headings, check items, fences and odd spaces put right, and `[TOC]` dropped."""
    lines = list(blocks.lines)
    for block in reversed(list(blocks.runs())):  # from the end, for a diagram changes the number of lines
        if block.kind is LineKind.CODE:
            for number in reversed(range(block.start, block.end)):
                if number in blocks.fences:
                    _tidy_fence(lines, number, blocks.fences[number])
        elif block.kind is not LineKind.HTML:
            _tidy_block(lines, block, blocks)
    return "\n".join(lines)


def _tidy_fence(lines: list[str], first: int, end: int) -> None:
    """Put right the line that opens a fence; a diagram that is surely understood becomes one that Obsidian draws."""
    lines[first] = fence_line(lines[first])
    drawn = mermaid(lines[first].lstrip("`~"), lines[first + 1 : end - 1])
    if drawn and re.fullmatch(r"`{3,}|~{3,}", lines[end - 1]):
        lines[first:end] = [f"{lines[end - 1]}mermaid", *drawn, lines[end - 1]]


def fence_line(line: str) -> str:
    """Return the line that opens a fence, with its language in lower case and without a list of attributes."""
    found = _INFO.fullmatch(line)
    if not found or not found.group(2):
        return line
    info = found.group(2)
    language, _, rest = info.partition(" ")
    if named := _CLASS.match(info):
        language, rest = named.group(1), ""
    elif "{" in info:
        language, rest = info.partition("{")[0].strip(), ""
    return f"{found.group(1)}{language.lower()}{' ' + rest if rest else ''}"


def _tidy_block(lines: list[str], block: Block, blocks: Blocks) -> None:
    numbers = range(block.start, block.end)
    in_formula = False
    for number in numbers:
        line = lines[number] = visible_line(lines[number])
        was_in_formula, in_formula = in_formula, _is_open_after(line, in_formula)
        if was_in_formula or block.kind is LineKind.TABLE:
            continue
        if _TABLE_OF_CONTENTS.fullmatch(line) and _is_paragraph(lines, number):
            lines[number] = ""
            continue
        if number in blocks.underlines:
            _tidy_underlined(lines, number, max(block.start, blocks.underlines[number]))
        lines[number] = _tidy_line(line)


def _is_paragraph(lines: list[str], number: int) -> bool:
    """Whether a line is a paragraph of its own."""
    around = (lines[number - 1] if number else "", lines[number + 1] if number + 1 < len(lines) else "")
    return all(not line.strip() or line.startswith("#") for line in around)


def _tidy_line(line: str) -> str:
    if found := _HEADING.match(line):
        line = f"{found.group(1)}{found.group(2)} {line[found.end() :]}"
        return _ATTRIBUTES.sub("", line).rstrip()
    if found := _TODO.match(line):
        return f"{found.group(1)}[{found.group(2).lower() or ' '}] {line[found.end() :]}"
    return line


def _tidy_underlined(lines: list[str], underline: int, first: int) -> None:
    """Make the heading of the last line only, as in the original; CommonMark takes the whole paragraph."""
    lines[underline - 1] = _ATTRIBUTES.sub("", lines[underline - 1]).rstrip()
    if underline - 1 > first:
        lines[underline - 1] = "\n" + lines[underline - 1]


def visible_line(line: str) -> str:
    """Return a line of text without what cannot be seen, with plain spaces; none of them makes it code."""
    indent = _INDENT.match(line)
    start = indent.end() if indent else 0
    pieces = _CODE_SPAN.split(line[start:])  # every second is code
    pieces[::2] = [_INVISIBLE.sub("", piece).replace("\u00a0", " ") for piece in pieces[::2]]
    plain = line[:start].replace("\u00a0", "") + "".join(pieces)
    return line if _FENCE.match(plain) and not _FENCE.match(line) else plain


def _is_open_after(line: str, is_open: bool) -> bool:
    """Whether a formula of several lines is open after a line."""
    for mark in _DISPLAY.findall(line):
        is_open = not is_open if mark == "$$" else mark.endswith("[")
    return is_open


_DEFINITION = re.compile(r" {0,3}\[(?!\^)([^\[\]\n]{1,200})\]:[ \t]{0,20}(?:<([^<>\n]+)>|(\S+))[^\n]*")
_ADDRESS = re.compile(r"(?<![\w\-])(?:src|href)\s{0,5}=\s{0,5}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))", re.IGNORECASE)
_CENTER = re.compile(r"[ \t]*</?center\b[^<>]*>[ \t]*", re.IGNORECASE)


def markdown_of_dialect(body: str, links: LinkWriter) -> str:
    """Return the body as Obsidian shows it the same way; what it links to is told to `links`."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    blocks = read_blocks(tidy_lines(read_blocks(text)))
    definitions = _take_definitions(blocks)
    pieces: list[str] = []
    last = 0
    for block in blocks.runs():
        pieces += blocks.lines[last : block.start]
        pieces.append(_converted(block, blocks, links, definitions))
        last = block.end
    return "\n".join([*pieces, *blocks.lines[last:]])


def _take_definitions(blocks: Blocks) -> dict[str, str]:
    """Blank the definitions that name something of Leanote's, and return their addresses by label."""
    found: dict[str, str] = {}
    for number, line in enumerate(blocks.lines):
        if blocks.kinds[number] is not LineKind.TEXT or not (definition := _DEFINITION.fullmatch(line)):
            continue
        address = definition.group(2) or definition.group(3)
        if parse_leanote_address(address) or is_data_address(address):
            found.setdefault(label_of(definition.group(1)), address)
            blocks.lines[number] = ""
    return found


def _converted(block: Block, blocks: Blocks, links: LinkWriter, definitions: dict[str, str]) -> str:
    text = "\n".join(blocks.lines[block.start : block.end])
    if block.kind is LineKind.CODE:
        return text
    if block.kind is LineKind.HTML and not text.lstrip().startswith("<!--"):
        return _converted_html(text, links, definitions)
    return InlineText(text, links, definitions, block.kind is LineKind.TABLE).converted()


def _converted_html(text: str, links: LinkWriter, definitions: dict[str, str]) -> str:
    """Return raw HTML as it was, unless it holds Markdown to be centred or something of Leanote's."""
    if _CENTER.match(text) and "](" in text:
        return InlineText(_CENTER.sub("\n", text).strip("\n"), links, definitions).converted()
    addresses = ("".join(found.groups(default="")) for found in _ADDRESS.finditer(text))
    if not any(is_data_address(address) or parse_leanote_address(address, is_embedded=False) for address in addresses):
        return text
    from vault_sync.leanote.convert.rich_text import markdown_of_html

    return f"\n{markdown_of_html(text, links)}\n"
