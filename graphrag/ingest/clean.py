"""Note -> cleaned text for searching and embedding, by ordered named rules; code is never touched.

Each rule looks at the text that the rules before it left and returns edits. The mapping back to the file survives all
of them, so that a citation points at the lines as the author wrote them.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html.entities import html5

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.note import Note
from graphrag.domain.report import RuleEffect
from graphrag.ingest.canvas import canvas_items, is_canvas
from graphrag.ingest.html import RAW, TAG, is_block, name_of, stands_at_line_start, table_cells
from graphrag.ingest.inline import (
    DEFINITION,
    MARKDOWN_IMAGE,
    MARKDOWN_LINK,
    REFERENCE_LINK,
    WIKILINK,
    parse_wikilink,
)
from graphrag.ingest.structure import LineIndex, Range, code_ranges, comments, find_conflicts, math_ranges

Offsets = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the half-open range start..end by other text; the range is not empty."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class MappedText:
    """`text`, and for each of its characters the range of the original text that it stands for.

    Both arrays have the text's length and never decrease. A character that an edit put in stands for the whole range
    that the edit replaced.
    """

    text: str
    starts: Offsets
    ends: Offsets

    @classmethod
    def original(cls, text: str) -> "MappedText":
        """Return the unedited text."""
        starts = np.arange(len(text), dtype=np.int32)
        return cls(text, starts, starts + 1)

    def apply(self, edits: Sequence[Edit]) -> "MappedText":
        """Return the text after these edits, which are sorted and do not overlap."""
        if not edits:
            return self
        texts: list[str] = []
        kept: list[int] = []  # length of the stretch before each edit
        position = 0
        for edit in edits:
            texts += (self.text[position : edit.start], edit.text)
            kept.append(edit.start - position)
            position = edit.end
        texts.append(self.text[position:])
        starts = np.array([edit.start for edit in edits])
        ends = np.array([edit.end for edit in edits])
        sizes = np.array([len(edit.text) for edit in edits])
        # Kept stretches and inserted texts alternate; `first` and `last` are indexes into the arrays before the edits.
        lengths = np.append(np.column_stack((kept, sizes)).ravel(), len(self.text) - position)
        begins = np.append(np.column_stack((starts - kept, starts)).ravel(), position)
        lasts = np.append(np.column_stack((starts - kept, ends - 1)).ravel(), position)
        steps = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        steps *= np.repeat(np.arange(len(lengths)) % 2 == 0, lengths)
        first, last = np.repeat(begins, lengths) + steps, np.repeat(lasts, lengths) + steps
        return MappedText("".join(texts), self.starts[first], self.ends[last])

    def locate(self, offsets: Sequence[int]) -> list[int]:
        """Return where these original offsets lie now, each at the first character that starts there or later."""
        wanted = np.asarray(offsets, dtype=np.int32)  # another type would make numpy convert the whole array
        return [int(place) for place in np.searchsorted(self.starts, wanted, side="left")]

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text that a non-empty range of this one stands for."""
        return int(self.starts[start]), int(self.ends[end - 1])


_HTML_IMAGE = re.compile(r"<img\b([^<>]{0,8000})>", re.IGNORECASE)
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_TABLE = re.compile(r"<table\b(?:\s[^<>]{0,4000})?>", re.IGNORECASE)
_TABLE_MARK = re.compile(r"<(/?)table\b[^<>]{0,4000}>", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"(?<![*\\])(?P<mark>\*\*\*|\*\*|\*)(?=[^\s*])(?P<inner>[^*\n]{0,299}[^\s*\\])(?P=mark)(?!\*)")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,6}|#[xX][0-9a-fA-F]{1,5});")
_TEMPLATER = re.compile(r"<%|%>")
_DATAVIEW_FENCE = re.compile(r"\s*(?:```+|~~~+)\s*dataview(?:js)?\b", re.IGNORECASE)
_DATAVIEW_INLINE = re.compile(r"`+\s*\$?=\s")
_HIGHLIGHT = re.compile(r"(?<![=!<>A-Za-z0-9_)\]])==(?=[^\s=])((?:[^\n=]|=(?!=)){1,1000})(?<=[^\s=])==(?!=)")
_CALLOUT = re.compile(r"^((?:[ \t]*+>)++[ \t]*+)\[![\w\-]{1,40}(?:\|[^\]\n]{0,40})?\][+\-]?[ \t]?", re.MULTILINE)
_BLOCK_ID = re.compile(
    r"(?:(?<![ \t])[ \t]++|^)\^[A-Za-z0-9\-]{1,80}(?:[ \t]++\^[A-Za-z0-9\-]{1,80}){0,3}[ \t]*+$", re.MULTILINE
)
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]+")
_ODD_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]+")
_TRAILING = re.compile(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_BLANK_LINES = re.compile(r"(?<=\n\n)\n+")
_ATTACHMENT = re.compile(r"(?:getAttach|attach/download|getAllAttachs|attach/downloadAll)\b")
_IMAGE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|heic|pdf|mp[34]|mov|webm|wav|m4a|ogg)\Z", re.IGNORECASE)
_LONGEST_LINE = 10_000  # characters of a line so far that are looked at
_PLACEHOLDER_ALT = frozenset({"title", "图片标题", "image", "img", "alt", "enter image description here"})

Rule = Callable[[str, "Code"], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class Code:
    """Code ranges in the text that a rule sees."""

    ranges: tuple[Range, ...]
    blocks: frozenset[Range]
    starts: Sequence[int]

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a range touches code."""
        return any(self._touched(start, end))

    def overlaps_block(self, start: int, end: int) -> bool:
        """Whether a range touches a code block."""
        return any(span in self.blocks for span in self._touched(start, end))

    def _touched(self, start: int, end: int) -> Iterator[Range]:
        for span in self.ranges[max(0, bisect_right(self.starts, start) - 1) :]:
            if span[0] >= end:
                break
            if span[1] > start:
                yield span


def _substitute(
    pattern: re.Pattern[str], text: str, code: Code, replace: Callable[[re.Match[str]], str | None]
) -> Iterator[Edit]:
    """Yield an edit per match outside code; `replace` returns None to leave a match alone."""
    for found in pattern.finditer(text):
        if found.start() == found.end() or code.overlaps(*found.span()):
            continue
        replacement = replace(found)
        if replacement is not None and replacement != found.group():
            yield Edit(found.start(), found.end(), replacement)


def _conflicts(text: str, code: Code) -> Iterator[Edit]:
    """Drop the lines that Git writes around the sides of a conflict."""
    for conflict in find_conflicts(text):
        yield from (Edit(start, end, "\n" if text[end - 1] == "\n" else "") for start, end in conflict.marks)


def _comments(text: str, code: Code) -> Iterator[Edit]:
    for start, end in comments(text, code.ranges):
        yield Edit(start, end, "")


def _templater(text: str, code: Code) -> Iterator[Edit]:
    return _paired(((found, found.group() == "%>", "%") for found in _TEMPLATER.finditer(text)), code.overlaps)


def _paired(marks: Iterable[tuple[re.Match[str], bool, str]], is_kept: Callable[[int, int], bool]) -> Iterator[Edit]:
    """Drop what stands between a closing mark and the last opening one of the same name before it."""
    opening: tuple[re.Match[str], str] | None = None
    for found, is_closing, name in marks:
        if not is_closing:
            opening = (found, name)
        elif opening and opening[1] == name:
            if not is_kept(opening[0].start(), found.end()):
                yield Edit(opening[0].start(), found.end(), "")
            opening = None


def _dataview(text: str, code: Code) -> Iterator[Edit]:
    for start, end in code.ranges:
        is_block = (start, end) in code.blocks
        if (_DATAVIEW_FENCE if is_block else _DATAVIEW_INLINE).match(text, start, end):
            yield Edit(start, end, "")


def _scripts(text: str, code: Code) -> Iterator[Edit]:
    """Drop scripts and styles whole; code spans in them are the script's own."""
    marks = (found for found in RAW.finditer(text) if not code.overlaps(*found.span()))
    return _paired(((found, bool(found.group(1)), found.group(2).lower()) for found in marks), code.overlaps_block)


def _images(text: str, code: Code) -> Iterator[Edit]:
    edits = [
        *_unwrap(MARKDOWN_IMAGE, text, code, _image_of_link, ("[图片: ", "]")),
        *_substitute(MARKDOWN_LINK, text, code, _attachment_of_link),
        *_substitute(WIKILINK, text, code, _image_of_embed),
        *_substitute(_HTML_IMAGE, text, code, _image_of_tag),
    ]
    return _without_overlaps(edits)


def _unwrap(
    pattern: re.Pattern[str],
    text: str,
    code: Code,
    replace: Callable[[re.Match[str]], str | None],
    around: tuple[str, str],
) -> Iterator[Edit]:
    """Yield an edit per link; of one with code in its text, only what stands around the text is replaced."""
    for found in pattern.finditer(text):
        replacement = replace(found)
        if replacement is None:
            continue
        if not code.overlaps(*found.span()):
            yield Edit(found.start(), found.end(), replacement)
        elif not code.overlaps(found.start(), found.start(2)) and not code.overlaps(found.end(2), found.end()):
            yield Edit(found.start(), found.start(2), around[0])
            yield Edit(found.end(2), found.end(), around[1])


def _image_of_link(found: re.Match[str]) -> str:
    return _label("图片", found.group(2))


def _attachment_of_link(found: re.Match[str]) -> str | None:
    is_attachment = not found.group(1) and _ATTACHMENT.search(found.group(3))
    return _label("附件", found.group(2)) if is_attachment else None


def _image_of_embed(found: re.Match[str]) -> str | None:
    target, _, alias = found.group(2).replace("\\|", "|").partition("|")
    if not found.group(1) or not _IMAGE_NAME.search(target.partition("#")[0].strip()):
        return None
    caption = alias.strip()
    return _label("图片", target.strip().rpartition("/")[2] if not caption or caption.isdigit() else caption)


def _image_of_tag(found: re.Match[str]) -> str:
    alt = _ALT.search(found.group(1))
    return _label("图片", (alt.group(1) or alt.group(2) or "") if alt else "")


def _label(kind: str, text: str) -> str:
    words = " ".join(text.split("|")[0].replace("[", "").replace("]", "").split())
    return f"[{kind}: {words}]" if words and words.lower() not in _PLACEHOLDER_ALT else f"[{kind}]"


def _links(text: str, code: Code) -> Iterator[Edit]:
    defined = {found.group(1).casefold() for found in DEFINITION.finditer(text)}
    edits = [
        *_substitute(WIKILINK, text, code, _text_of_wikilink),
        *_unwrap(MARKDOWN_LINK, text, code, lambda found: None if found.group(1) else found.group(2), ("", "")),
        *_substitute(DEFINITION, text, code, lambda _: ""),
    ]
    if defined:
        edits += _substitute(REFERENCE_LINK, text, code, lambda found: _text_of_reference(found, defined))
    return _without_overlaps(edits)


def _text_of_wikilink(found: re.Match[str]) -> str | None:
    link = parse_wikilink(found.group(2), 0)
    return link.text if link else None


def _text_of_reference(found: re.Match[str], defined: set[str]) -> str | None:
    if (found.group(3) or found.group(2)).casefold() not in defined:
        return None
    return _label("图片", found.group(2)) if found.group(1) else found.group(2)


def _html_tables(text: str, code: Code) -> Iterator[Edit]:
    """Write an HTML table as one of Markdown, so that its rows and its head are known as such."""
    position = 0
    while opening := _TABLE.search(text, position):
        position = opening.end()
        end = _end_of_table(text, opening.start())
        cells = list(table_cells(text, opening.start(), end)) if end else []
        if not cells or code.overlaps_block(opening.start(), end) or code.overlaps(*opening.span()):
            continue
        yield from _rows(text, opening.start(), end, cells)
        position = end


_HEAD_CELL = re.compile(r"<th(?:ead)?\b", re.IGNORECASE)
_BOLD_CELL = re.compile(r"\s*(?:<(?:b|strong)\b|\*\*\S)", re.IGNORECASE)


def _end_of_table(text: str, start: int) -> int:
    """Return where the table that starts there ends, 0 when it does not."""
    depth = 0
    for mark in _TABLE_MARK.finditer(text, start):
        depth += -1 if mark.group(1) else 1
        if not depth:
            return mark.end()
    return 0


def _rows(text: str, start: int, end: int, cells: Sequence[tuple[int, int, bool]]) -> Iterator[Edit]:
    """Yield the edits that put bars between cells and line ends between rows.

    A first row that is not marked as one of names is a row like the others, below a head without names.
    """
    width = next((count for count, cell in enumerate(cells[1:], 1) if cell[2]), len(cells))
    head = "\n|" + " --- |" * width
    before = "" if start == 0 or text[start - 1] == "\n" else "\n\n"
    if not _names_columns(text, start, cells[:width]):
        before, head = f"{before}|{'  |' * width}{head}\n", ""
    position = start
    for count, (first, last, is_new) in enumerate(cells):
        if first > position:
            border = before + "| " if not count else " |\n| " if is_new else " | "
            yield Edit(position, first, border.replace("|\n", f"|{head}\n") if count == width and is_new else border)
        yield from (
            Edit(first + gap.start(), first + gap.end(), " ") for gap in re.finditer(r"\s*\n\s*", text[first:last])
        )
        yield from (
            Edit(first + bar.start(), first + bar.end(), "\\|") for bar in re.finditer(r"(?<!\\)\|", text[first:last])
        )
        position = last
    if end > position:
        after = "" if text[end : end + 1] in ("\n", "") else "\n\n"
        yield Edit(position, end, f" |{head if len(cells) == width else ''}{after}")


def _names_columns(text: str, start: int, row: Sequence[tuple[int, int, bool]]) -> bool:
    """Whether the first row of an HTML table names the columns: it says so, or all of it is bold."""
    is_said = _HEAD_CELL.search(text, start, row[-1][0]) is not None
    return is_said or all(_BOLD_CELL.match(text, first, last) for first, last, _ in row)


def _html(text: str, code: Code) -> Iterator[Edit]:
    """Drop tags: `<br>` and what stands on lines of its own ends a line, in a table's row it is a space."""
    line_end, is_row, written = 0, False, ""
    position = 0
    for tag in TAG.finditer(text):
        if code.overlaps(*tag.span()) or _is_generic(tag, text):
            continue
        if tag.start() >= line_end:
            line_start = text.rfind("\n", 0, tag.start()) + 1
            line_end = text.find("\n", tag.start())
            line_end = len(text) if line_end < 0 else line_end
            is_row = "|" in text[line_start:line_end]
        written = (written + text[position : tag.start()])[-_LONGEST_LINE:]
        replacement = _text_of_tag(tag, text, written.rpartition("\n")[2], is_row)
        written += replacement
        position = tag.end()
        yield Edit(tag.start(), tag.end(), replacement)


def _text_of_tag(tag: re.Match[str], text: str, line: str, is_row: bool) -> str:
    """Return what stands in a tag's place, behind the line so far."""
    name = name_of(tag)
    if name == "br":
        return " " if is_row else "\n"
    if name in ("td", "th"):
        return "" if stands_at_line_start(line) or line.endswith(" ") else " "
    if not is_block(name):
        return ""
    is_new = stands_at_line_start(line)
    if is_row:
        return "" if is_new or line.endswith((" ", "|")) else " "
    if name == "li" and tag["opened"]:
        return "- " if is_new else "\n- "
    return "" if is_new or text[tag.end() : tag.end() + 1] in ("\n", "") else "\n"


def _is_generic(tag: re.Match[str], text: str) -> bool:
    """Whether a type in angle brackets is meant: List<Object>."""
    name = tag["opened"] or ""
    is_named = len(name) > 1 and name[0].isupper() and name[1].islower()
    return is_named and text[max(0, tag.start() - 1) : tag.start()].isalnum()


def _entities(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_ENTITY, text, code, _character_of)


def _character_of(found: re.Match[str]) -> str | None:
    name = found.group()[1:]
    return html.unescape(found.group()) if name.startswith("#") or name in html5 else None


def _escapes(text: str, code: Code) -> Iterator[Edit]:
    """Drop the backslash of `get\\_user`; a bar stays escaped where it would part cells."""
    return _substitute(_ESCAPE, text, code, lambda found: None if found.group(1) == "|" else found.group(1))


def _emphasis(text: str, code: Code) -> Iterator[Edit]:
    """Drop the asterisks of emphasis that begins or ends inside a word: `叶**绿**体`."""
    for found in _EMPHASIS.finditer(text):
        inner = found["inner"]
        begins = text[max(0, found.start() - 1) : found.start()].isalnum() and inner[0].isalnum()
        ends = text[found.end() : found.end() + 1].isalnum() and inner[-1].isalnum()
        is_product = found["mark"] == "*" and (
            text[max(0, found.start() - 1) : found.start()].isdigit() or len(inner) < 2
        )
        marks = (found.start(), found.start("inner")), (found.end("inner"), found.end())
        if (begins or ends) and not is_product and not any(code.overlaps(*mark) for mark in marks):
            yield from (Edit(*mark, "") for mark in marks)


def _highlights(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_HIGHLIGHT, text, code, lambda found: found.group(1))


def _callouts(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_CALLOUT, text, code, lambda found: found.group(1))


def _block_ids(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_BLOCK_ID, text, code, lambda _: "")


def _spaces(text: str, code: Code) -> Iterator[Edit]:
    edits = [
        *_substitute(_ZERO_WIDTH, text, code, lambda _: ""),
        *_substitute(_ODD_SPACE, text, code, lambda found: " " * len(found.group())),
    ]
    return _without_overlaps(edits)


def _trailing_spaces(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_TRAILING, text, code, lambda _: "")


def _blank_lines(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_BLANK_LINES, text, code, lambda _: "")


def _without_overlaps(edits: list[Edit]) -> Iterator[Edit]:
    """Yield the edits in order; of two that overlap, the one that starts first."""
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= position:
            yield edit
            position = edit.end


RULES: tuple[tuple[str, Rule], ...] = (
    ("conflicts", _conflicts),
    ("comments", _comments),
    ("templater", _templater),
    ("dataview", _dataview),
    ("scripts", _scripts),
    ("images", _images),
    ("links", _links),
    ("html_tables", _html_tables),
    ("html", _html),
    ("highlights", _highlights),
    ("emphasis", _emphasis),
    ("callouts", _callouts),
    ("block_ids", _block_ids),
    ("entities", _entities),
    ("escapes", _escapes),
    ("spaces", _spaces),
    ("trailing_spaces", _trailing_spaces),
    ("blank_lines", _blank_lines),
)


@dataclass(frozen=True, slots=True)
class CleanText:
    """The cleaned text of a note with its way back, and what each rule did."""

    mapped: MappedText
    effects: tuple[RuleEffect, ...]


def clean_note(note: Note) -> CleanText:
    """Return the note's cleaned text."""
    mapped = MappedText.original(note.text)
    effects: list[RuleEffect] = []
    if is_canvas(note.path):
        mapped = _apply(mapped, "canvas_cards", _canvas_edits(note.text), effects)
    else:
        mapped = _apply(mapped, "front_matter", list(_front_edits(note)), effects)
        mapped = _apply(mapped, "drawing", [Edit(*data, "") for data in _moved(mapped, note.hidden)], effects)
    spans = code_ranges(note.code_spans, math_ranges(note.text, code_ranges(note.code_blocks, note.code_spans)))
    code = _code(mapped, note, spans)
    for name, rule in RULES:
        changed = _apply(mapped, name, list(rule(mapped.text, code)), effects)
        if changed is not mapped:
            mapped, code = changed, _code(changed, note, spans)
    return CleanText(mapped, tuple(effects))


def _apply(mapped: MappedText, name: str, edits: Sequence[Edit], effects: list[RuleEffect]) -> MappedText:
    if not edits:
        return mapped
    changed = mapped.apply(edits)
    effects.append(RuleEffect(name, len(edits), len(mapped.text) - len(changed.text)))
    return changed


def _code(mapped: MappedText, note: Note, spans: tuple[Range, ...]) -> Code:
    """Return what no rule may touch: code, and formulas as if they were code in running text."""
    blocks = _moved(mapped, note.code_blocks)
    ranges = code_ranges(blocks, _moved(mapped, spans))
    return Code(ranges, frozenset(blocks), [start for start, _ in ranges])


def _moved(mapped: MappedText, ranges: Sequence[Range]) -> tuple[Range, ...]:
    starts = mapped.locate([start for start, _ in ranges])
    ends = mapped.locate([end for _, end in ranges])
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def _front_edits(note: Note) -> Iterator[Edit]:
    """Leave of the front matter what it says in words, a property a line, and a blank line behind."""
    lines = LineIndex(note.text)
    body = lines.start_of(note.body_line)
    position = 0
    for key, text, first, last in sorted(note.front_texts, key=lambda item: item.first_line):
        start, end = max(lines.start_of(first), position), min(lines.start_of(last + 1), body)
        if start >= end:
            continue
        if start > position:
            yield Edit(position, start, "\n" if position else "")
        end -= note.text[end - 1] == "\n"
        yield Edit(start, end, f"{key}: {text}")
        position = end
    if body > position:
        yield Edit(position, body, "\n\n" if position else "")


def _canvas_edits(text: str) -> list[Edit]:
    edits: list[Edit] = []
    position = 0
    for item in canvas_items(text):
        start, end = item.span
        if start > position:
            edits.append(Edit(position, start, "\n\n" if edits else ""))
        edits.append(Edit(start, end, item.text))
        position = end
    if position < len(text):
        edits.append(Edit(position, len(text), ""))
    return edits
