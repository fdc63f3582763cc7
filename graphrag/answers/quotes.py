"""The units that answer best -> quotes: what a person reads of a note, in the shape of what is asked for.

A fact takes a sentence or a row with the names of its columns. Steps, lists, reasons and comparisons take the whole
list, table, code block or paragraph that the unit stands in: never a lead-in without its list, never a row alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag.answers.units import Unit
from graphrag.domain.query import AskedFor
from graphrag.language.sentences import SentenceKind
from graphrag.language.shown import plain_fields, shown_quote, shown_text

MOST_LINES = 12  # of one quote
_MOST_CHARACTERS = 600
_MAX_SENTENCE = 220  # characters
_WHOLE = frozenset({AskedFor.LIST, AskedFor.STEPS, AskedFor.COMPARISON, AskedFor.REASON})
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])[ \t]|[ \t>]*\d+、")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})")
_INDENTED = re.compile(r"[ \t]{2,}\S|\t")
_LEAD_IN = re.compile(r"[:：][*_ \t]*\Z")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_RULE = "|---|"


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a block's text as it is shown, in Markdown; `more` is how many of its lines are left out."""

    text: str
    unit: Unit  # that it is shown for
    start: int  # in the block's text
    end: int
    more: int = 0

    @property
    def key(self) -> int:
        """The number of its block."""
        return self.unit.key


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_row(self) -> bool:
        return self.text.lstrip("> \t").startswith("|")

    @property
    def is_item(self) -> bool:
        return bool(_ITEM.match(self.text))

    @property
    def is_blank(self) -> bool:
        return not self.text.strip("> \t")


def quote_of(unit: Unit, passage: str, asked: AskedFor) -> Quote:
    """Return what is shown of a passage for a unit of it."""
    lines = [*_lines(passage)]
    place = next(number for number, line in enumerate(lines) if unit.said.start <= line.end)
    if unit.said.kind is SentenceKind.CODE:
        return _code(unit, lines, place)
    if unit.said.kind in (SentenceKind.ROW, SentenceKind.HEAD):
        return _rows(unit, lines, place, is_whole=asked in _WHOLE or unit.said.kind is SentenceKind.HEAD)
    is_lead_in = bool(_LEAD_IN.search(lines[place].text)) and _leads(lines, place)
    if is_lead_in or (asked in _WHOLE and lines[place].is_item):
        return _structure(unit, lines, place)
    if asked in _WHOLE:
        return _paragraph(unit, lines, place)
    return Quote(shorten(plain_fields(unit.text)), unit, unit.said.start, unit.said.end)


def line_of(unit: Unit, passage: str) -> str:
    """Return a unit by itself, a row with the names of its columns."""
    if unit.said.kind not in (SentenceKind.ROW, SentenceKind.HEAD):
        return shorten(shown_quote(unit.text))
    lines = [*_lines(passage)]
    place = next(number for number, line in enumerate(lines) if unit.said.start <= line.end)
    return _rows(unit, lines, place, is_whole=False).text


def shorten(text: str) -> str:
    """Return the start of a long sentence; code that is cut off ends with its backtick."""
    if len(text) <= _MAX_SENTENCE:
        return text
    start = text[: _MAX_SENTENCE - 2].rstrip()
    return f"{start}…`" if start.count("`") % 2 else f"{start}…"


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


def _leads(lines: list[_Line], place: int) -> bool:
    """Whether a list, a table or code follows a line."""
    after = next((line for line in lines[place + 1 :] if not line.is_blank), None)
    return after is not None and (after.is_item or after.is_row or bool(_FENCE.match(after.text)))


def _structure(unit: Unit, lines: list[_Line], place: int) -> Quote:
    """Return the list, table or code that a line is in, or leads to, with the lead-in."""
    if lines[place].is_item and not _LEAD_IN.search(lines[place].text):
        first, last = _list_around(lines, place)
        lead = _lead_in(lines, first)
        if place - lead >= MOST_LINES:  # the unit itself is always shown
            return _shown(unit, lines, place, last, left_out=place - lead)
        return _shown(unit, lines, lead, last)
    inner = next(number for number in range(place + 1, len(lines)) if not lines[number].is_blank)
    if _FENCE.match(lines[inner].text):
        return _fenced(unit, lines, place, inner)
    if lines[inner].is_row:
        return _shown(unit, lines, place, _end_of_rows(lines, inner))
    return _shown(unit, lines, place, _list_around(lines, inner)[1])


def _list_around(lines: list[_Line], place: int) -> tuple[int, int]:
    """Return the first and the last line of the list that a line is in."""

    def belongs(number: int) -> bool:
        line = lines[number]
        if line.is_item or _INDENTED.match(line.text):
            return True
        return line.is_blank and 0 < number < len(lines) - 1 and lines[number + 1].is_item and lines[number - 1].is_item

    first = last = place
    while first > 0 and belongs(first - 1):
        first -= 1
    while last + 1 < len(lines) and belongs(last + 1):
        last += 1
    return first, last


def _lead_in(lines: list[_Line], first: int) -> int:
    """Return the line that a list, a table or code is introduced by, itself where there is none."""
    before = first - 1
    while before >= 0 and lines[before].is_blank:
        before -= 1
    is_lead = before >= 0 and _LEAD_IN.search(lines[before].text) and not _HEADING.match(lines[before].text)
    return before if is_lead else first


def _paragraph(unit: Unit, lines: list[_Line], place: int) -> Quote:
    def is_text(line: _Line) -> bool:
        return not (
            line.is_blank or line.is_item or line.is_row or _HEADING.match(line.text) or _FENCE.match(line.text)
        )

    first = last = place
    while first > 0 and is_text(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and is_text(lines[last + 1]):
        last += 1
    start, end = lines[first].start, lines[last].end
    if end - start > _MOST_CHARACTERS:  # from the unit on, to the end of a line that still has room
        first = place
        while last > first and lines[last].end - lines[first].start > _MOST_CHARACTERS:
            last -= 1
        if lines[last].end - lines[first].start > _MOST_CHARACTERS:
            return Quote(shorten(unit.text), unit, unit.said.start, unit.said.end)
    return _shown(unit, lines, first, last)


def _rows(unit: Unit, lines: list[_Line], place: int, *, is_whole: bool) -> Quote:
    first = place
    while first > 0 and lines[first - 1].is_row:
        first -= 1
    last = _end_of_rows(lines, place)
    if is_whole and last - first > 2 and place - first < MOST_LINES:
        return _shown(unit, lines, first, last)
    row = lines[place]
    text = shown_text(f"{lines[first].text}\n{_RULE}\n{row.text}") if first != place else shown_text(row.text)
    return Quote(shorten(text), unit, row.start, row.end)


def _end_of_rows(lines: list[_Line], place: int) -> int:
    while place + 1 < len(lines) and lines[place + 1].is_row:
        place += 1
    return place


def _code(unit: Unit, lines: list[_Line], place: int) -> Quote:
    first = place
    while first > 0 and not _FENCE.match(lines[first].text):
        first -= 1
    return _fenced(unit, lines, _lead_in(lines, first), first)


def _fenced(unit: Unit, lines: list[_Line], first: int, fence: int) -> Quote:
    """Return a block of code with what introduces it."""
    last = next((n for n in range(fence + 1, len(lines)) if _FENCE.match(lines[n].text)), len(lines) - 1)
    inner = [line.text for line in lines[fence + 1 : last]]
    lead = shown_text("\n".join(line.text for line in lines[first:fence]))
    mark = lines[fence].text.strip()
    code = "\n".join([mark, *inner[:MOST_LINES], mark.rstrip("abcdefghijklmnopqrstuvwxyz+#0123456789 ")])
    text = f"{lead}\n{code}" if lead.strip() else code
    return Quote(text, unit, lines[first].start, lines[last].end, max(0, len(inner) - MOST_LINES))


def _shown(unit: Unit, lines: list[_Line], first: int, last: int, left_out: int = 0) -> Quote:
    text = "\n".join(line.text for line in lines[first : last + 1])
    shown = [line for line in shown_text(text).split("\n") if line.strip()]
    kept, used = 0, 0
    while kept < len(shown) and kept < MOST_LINES and (not kept or used + len(shown[kept]) <= _MOST_CHARACTERS):
        used += len(shown[kept])
        kept += 1
    more = len(shown) - kept + left_out
    return Quote("\n".join(map(shorten, shown[:kept])), unit, lines[first].start, lines[last].end, more)
