"""Lines of Leanote's Markdown -> lines that mean in Obsidian what they meant there. What is code stays as it is.

Single newlines are left alone: like Leanote, Obsidian shows each as a break, unless it is told to be strict. A list
that follows a paragraph without a blank line becomes one, as CommonMark has it: that is what its author meant.
"""

import re

from vault_sync.leanote.convert.diagrams import mermaid
from vault_sync.leanote.convert.dialect_blocks import Block, Blocks, LineKind

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
