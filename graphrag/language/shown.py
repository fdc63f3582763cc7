"""A passage's text -> what a person reads of it in snippets and quotes: what it says, without the marks of Markdown.

A row of a table is shown with the names of its columns: `| 芙蓉 | 陈静 |` is `主机: 芙蓉 · 负责人: 陈静`.
"""

import re
from collections.abc import Iterator

from graphrag.language.markdown import Markup, split_code

_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_MARKERS = re.compile(
    r"(?:[ \t]*>)*[ \t]*(?:#{1,6}[ \t]+|(?:(?P<item>[-*+]|\d+[.)])[ \t]+)?(?P<task>\[[ xX/-]\][ \t]+)?)"
)
_FIELD = re.compile(r"(?P<name>[(\[][^\s()\[\]:][^()\[\]:\n]{0,60})::[ \t]*(?=[^()\[\]\n]{1,1000}[)\]])")
_LINE_FIELD = re.compile(r"\A(?P<name>[^\s:`()\[\]][^:`()\[\]\n]{0,60}?)::[ \t]+(?=\S)")
_FOOTNOTE = re.compile(r"[ \t]?\^\[([^\[\]\n]{1,500})\]")  # that stands in the text itself
_CODE = re.compile(r"(?<!`)(`+)(?!`)[ ]?(?P<inner>.+?)[ ]?(?<!`)\1(?!`)")


def shown_text(text: str) -> str:
    """Return what a passage says, a line for each of its lines and rows."""
    lines: list[str] = []
    for part, is_code in split_code(text):
        if part.strip():
            lines += _code(part) if is_code else _prose(part.strip("\n"))
    return "\n".join(lines)


def shown_quote(quote: str) -> str:
    """Return a sentence or row that was taken from a passage, without the marks that sentences keep."""
    return _CODE.sub(r"\g<inner>", plain_fields(quote))


def plain_fields(text: str) -> str:
    """Return a line in Markdown, its inline fields and footnotes as running text: `产地:: 福鼎` is `产地: 福鼎`."""
    fields = _FIELD.sub(r"\g<name>: ", _LINE_FIELD.sub(r"\g<name>: ", text))
    return _FOOTNOTE.sub(r" (\1)", fields)


def _code(block: str) -> Iterator[str]:
    lines = block.rstrip("\n").split("\n")[1:]
    yield from lines[:-1] if lines and re.fullmatch(r"[ \t]*(?:`{3,}|~{3,})[ \t]*", lines[-1]) else lines


def _prose(part: str) -> Iterator[str]:
    lines = Markup(part).plain(0, len(part)).split("\n")
    names: list[str] = []
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if _is_rule(line):
            if _is_row(before) and not _is_row(after):
                yield " · ".join(names)  # a head without rows
        elif not _is_row(line):
            names = []
            yield _unmarked(line)
        elif _is_rule(after):
            names = _cells(line)
        else:
            yield _named(names, _cells(line))


def _named(names: list[str], cells: list[str]) -> str:
    if len(names) != len(cells):
        return " · ".join(cell for cell in cells if cell)
    return " · ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True) if cell)


def _unmarked(line: str) -> str:
    markers = _MARKERS.match(line)
    assert markers is not None  # it matches the empty text, too
    item = f"{markers['item']} " if markers["item"] else ""
    rest = line[markers.end() :]
    return item + shown_quote(rest)


def _cells(row: str) -> list[str]:
    bare = row.lstrip("> \t").strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [shown_quote(cell.strip().replace("\\|", "|")) for cell in _BAR.split(bare)]


def _is_row(line: str) -> bool:
    return line.lstrip("> \t").startswith("|") and not _is_rule(line)


def _is_rule(line: str) -> bool:
    return bool(_RULE.fullmatch(line)) and "-" in line
