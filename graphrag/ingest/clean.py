"""Note -> cleaned text for searching and embedding, by ordered named rules; code is never touched.

Each rule looks at the text that the rules before it left and returns edits. The mapping back to the file survives all
of them, so that a citation points at the lines as the author wrote them.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from graphrag.domain.note import Note
from graphrag.domain.report import RuleEffect
from graphrag.ingest.canvas import canvas_items
from graphrag.ingest.inline import DEFINITION, MARKDOWN_LINK, WIKILINK, code_ranges, comments, parse_wikilink
from graphrag.ingest.mapped_text import Edit, MappedText
from graphrag.ingest.structure import LineIndex, Range

CLEANER_VERSION = "1"

_TAGS = (
    "a|abbr|address|article|aside|b|bdi|bdo|big|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|del|"
    "details|dfn|div|dl|dt|em|embed|figcaption|figure|font|footer|form|h[1-6]|header|head|hr|html|i|iframe|input|ins|kbd|"
    "label|li|link|main|mark|meta|nav|o:p|ol|object|p|param|pre|q|s|samp|section|small|source|span|strike|strong|sub|"
    "summary|sup|svg|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video|wbr"
)
_BREAK = re.compile(r"<br\s{0,20}/?>", re.IGNORECASE)
_HTML_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]{{0,4000}})?/?>", re.IGNORECASE)
_HTML_IMAGE = re.compile(r"<img\b([^<>]{0,8000})>", re.IGNORECASE)
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_SCRIPT_OPEN = re.compile(r"<(script|style)\b[^<>]{0,4000}>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:nbsp|amp|lt|gt|quot|apos|ldquo|rdquo|lsquo|rsquo|mdash|ndash|hellip|middot|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_TEMPLATER = re.compile(r"<%[^%]{0,2000}(?:%(?!>)[^%]{0,2000}){0,50}%>")
_DATAVIEW_FENCE = re.compile(r"\s*(?:```+|~~~+)\s*dataview(?:js)?\b", re.IGNORECASE)
_DATAVIEW_INLINE = re.compile(r"`+\s*\$?=\s")
_HIGHLIGHT = re.compile(r"(?<![=!<>])==(?=[^\s=])([^\n]{0,1000}?[^\s=])==(?!=)")
_CALLOUT = re.compile(r"^((?:[ \t]*>)+[ \t]*)\[![\w\-]{1,40}(?:\|[^\]\n]{0,40})?\][+\-]?[ \t]?", re.MULTILINE)
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9\-]{1,80}[ \t]*$|^\^[A-Za-z0-9\-]{1,80}[ \t]*$", re.MULTILINE)
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]+")
_ODD_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_ATTACHMENT = re.compile(r"(?:getAttach|attach/download|getAllAttachs|attach/downloadAll)\b")
_IMAGE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|heic|pdf|mp[34]|mov|webm|wav|m4a|ogg)\Z", re.IGNORECASE)
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
        index = bisect_right(self.starts, start) - 1
        if index >= 0 and self.ranges[index][1] > start:
            return True
        return index + 1 < len(self.ranges) and self.ranges[index + 1][0] < end


@dataclass(frozen=True, slots=True)
class CleanText:
    """The cleaned text of a note with its way back, and what each rule did."""

    mapped: MappedText
    effects: tuple[RuleEffect, ...]


def clean_note(note: Note) -> CleanText:
    """Return the note's cleaned text."""
    mapped = MappedText.original(note.text)
    effects: list[RuleEffect] = []
    if note.path.endswith(".canvas"):
        mapped = _apply(mapped, "canvas_cards", _canvas_edits(note.text), effects)
    elif start := LineIndex(note.text).start_of(note.body_line):
        mapped = _apply(mapped, "front_matter", [Edit(0, start, "")], effects)
    code = _code(mapped, note)
    for name, rule in RULES:
        changed = _apply(mapped, name, list(rule(mapped.text, code)), effects)
        if changed is not mapped:
            mapped, code = changed, _code(changed, note)
    return CleanText(mapped, tuple(effects))


def _apply(mapped: MappedText, name: str, edits: Sequence[Edit], effects: list[RuleEffect]) -> MappedText:
    if not edits:
        return mapped
    changed = mapped.apply(edits)
    effects.append(RuleEffect(name, len(edits), len(mapped.text) - len(changed.text)))
    return changed


def _code(mapped: MappedText, note: Note) -> Code:
    blocks = _moved(mapped, note.code_blocks)
    ranges = code_ranges(blocks, _moved(mapped, note.code_spans))
    return Code(ranges, frozenset(blocks), [start for start, _ in ranges])


def _moved(mapped: MappedText, ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    starts = mapped.locate([start for start, _ in ranges])
    ends = mapped.locate([end for _, end in ranges])
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start < end)


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


def _comments(text: str, code: Code) -> Iterator[Edit]:
    for start, end in comments(text, code.ranges):
        yield Edit(start, end, "")


def _templater(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_TEMPLATER, text, code, lambda _: "")


def _dataview(text: str, code: Code) -> Iterator[Edit]:
    for start, end in code.ranges:
        is_block = (start, end) in code.blocks
        if (_DATAVIEW_FENCE if is_block else _DATAVIEW_INLINE).match(text, start, end):
            yield Edit(start, end, "")


def _scripts(text: str, code: Code) -> Iterator[Edit]:
    lowered, position = text.lower(), 0
    while opening := _SCRIPT_OPEN.search(text, position):
        position = opening.end()
        if code.overlaps(*opening.span()):
            continue
        closing = f"</{opening.group(1).lower()}>"
        end = lowered.find(closing, opening.end())
        position = len(text) if end < 0 else end + len(closing)
        yield Edit(opening.start(), position, "")


def _images(text: str, code: Code) -> Iterator[Edit]:
    edits = [
        *_substitute(MARKDOWN_LINK, text, code, _image_of_link),
        *_substitute(WIKILINK, text, code, _image_of_embed),
        *_substitute(_HTML_IMAGE, text, code, _image_of_tag),
    ]
    return _without_overlaps(edits)


def _image_of_link(found: re.Match[str]) -> str | None:
    if found.group(1):
        return _label("图片", found.group(2))
    return _label("附件", found.group(2)) if _ATTACHMENT.search(found.group(3)) else None


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
    edits = [
        *_substitute(WIKILINK, text, code, _text_of_wikilink),
        *_substitute(MARKDOWN_LINK, text, code, lambda found: None if found.group(1) else found.group(2)),
        *_substitute(DEFINITION, text, code, lambda _: ""),
    ]
    return _without_overlaps(edits)


def _text_of_wikilink(found: re.Match[str]) -> str | None:
    link = parse_wikilink(found.group(2), 0)
    return link.text if link else None


def _html(text: str, code: Code) -> Iterator[Edit]:
    edits = [
        *_substitute(_BREAK, text, code, lambda found: " " if _is_table_row(text, found.start()) else "\n"),
        *_substitute(_HTML_TAG, text, code, lambda found: None if _BREAK.match(found.group()) else ""),
    ]
    return _without_overlaps(edits)


def _is_table_row(text: str, offset: int) -> bool:
    return text[text.rfind("\n", 0, offset) + 1 : offset].lstrip().startswith("|")


def _entities(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_ENTITY, text, code, lambda found: html.unescape(found.group()))


def _highlights(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_HIGHLIGHT, text, code, lambda found: found.group(1))


def _callouts(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_CALLOUT, text, code, lambda found: found.group(1))


def _block_ids(text: str, code: Code) -> Iterator[Edit]:
    return _substitute(_BLOCK_ID, text, code, lambda _: "")


def _spaces(text: str, code: Code) -> Iterator[Edit]:
    edits = [
        *_substitute(_ZERO_WIDTH, text, code, lambda _: ""),
        *_substitute(_ODD_SPACE, text, code, lambda _: " "),
    ]
    return _without_overlaps(edits)


def _blank_lines(text: str, code: Code) -> Iterator[Edit]:
    trailing = list(_substitute(_TRAILING, text, code, lambda _: ""))
    return _without_overlaps([*trailing, *_substitute(_BLANK_LINES, text, code, lambda _: "\n\n")])


def _without_overlaps(edits: list[Edit]) -> Iterator[Edit]:
    """Yield the edits in order; of two that overlap, the one that starts first."""
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= position:
            yield edit
            position = edit.end


RULES: tuple[tuple[str, Rule], ...] = (
    ("comments", _comments),
    ("templater", _templater),
    ("dataview", _dataview),
    ("scripts", _scripts),
    ("images", _images),
    ("links", _links),
    ("html", _html),
    ("entities", _entities),
    ("highlights", _highlights),
    ("callouts", _callouts),
    ("block_ids", _block_ids),
    ("spaces", _spaces),
    ("blank_lines", _blank_lines),
)
