"""Note text -> the links, tags and inline fields written in it, never inside code or comments.

Links follow Obsidian's forms; inline fields follow Dataview's. What a link points at is decided in `resolve.py`.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from graphrag.domain.note import ODD_SPACES, Link, LinkKind
from graphrag.ingest.structure import LineIndex, Range, mask, plain_inline

# Of a template. What opens a second one ends the first, or a line of openings would take the square of its length.
PLACEHOLDER = re.compile(r"\{\{[ \t]{0,20}[^\s{}][^{}\n]{0,500}\}\}|<%(?:[^<%]|<(?!%)|%(?!>)){0,2000}%>")
WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,1000})\]\]")
_LINK = (
    r"\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]{0,200}\]){0,1000})\]"
    r"\([ \t]{0,20}+(<[^<>\n]{0,2000}>|(?:\\[()]|[^()\s\\]|\\|\((?:\\[()]|[^()\s]){0,500}\)){0,2000})"
    r"(?:[ \t]{1,20}+[\"'(][^\n]{0,500}?[\"')])?[ \t]{0,20}+\)"
)
MARKDOWN_LINK = re.compile(r"(?<!\\)(!?)" + _LINK)
MARKDOWN_IMAGE = re.compile(r"(?<!\\)(!)" + _LINK)
REFERENCE_LINK = re.compile(r"(!?)\[([^\[\]\n]{1,500})\](?:\[([^\[\]\n]{0,200})\])?(?![(:\[])")
DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)([^\[\]\n]{1,200})\]:[ \t]*(<[^<>\n]{1,2000}>|\S{1,2000})[^\n]*$", re.MULTILINE
)
_MAX_NESTED = 8  # bracketed fields that a line's field may hold
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|#")
_EMOJI = "\U0001f1e6-\U0001faff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3"  # with what joins them
_TAG = re.compile(rf"(?:^|(?<=[\s(（\[，,、。；;：「『“]))#([\w/\-{_EMOJI}]{{1,200}})", re.MULTILINE)
_NAME = rf"[\w{_EMOJI}][\w{_EMOJI} /\-]{{0,60}}?"
_BOLD = r"(?:\*\*|__|_|\*)?"
_LINE_FIELD = re.compile(
    rf"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?{_BOLD}({_NAME}){_BOLD}::"
    r"(?![A-Za-z_]\w*(?:[(<{]|::))(?:\*\*(?=[ \t]))?[ \t]*([^\s:][^\n]*)$",  # but not std::move(x)
    re.MULTILINE,
)
_BRACKET_FIELD = re.compile(
    rf"[\[(]{_BOLD}({_NAME}){_BOLD}::[ \t]*((?:\[\[[^\[\]\n]{{1,500}}\]\]|[^\[\]()\n]){{1,1000}})[\])]"
)


@dataclass(frozen=True, slots=True)
class InlineField:
    """`key:: value`, with the range of the value."""

    key: str
    value: str
    span: Range


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    link: Link


def find_fields(masked: str) -> list[InlineField]:
    """Return the inline fields of masked text in order."""
    fields = [
        InlineField(found.group(1).strip(), found.group(2).strip().replace("\\|", "|"), found.span(2))
        for pattern in (_LINE_FIELD, _BRACKET_FIELD)
        for found in pattern.finditer(masked)
    ]
    return sorted(fields, key=lambda field: field.span)


def find_tags(masked: str) -> Iterator[str]:
    """Yield inline tags without '#', in order; a tag needs a character that is not a digit."""
    for found in _TAG.finditer(masked):
        tag = re.sub("/{2,}", "/", found.group(1)).strip("/")
        if re.search(r"[^\d/\-_]", tag):
            yield tag


def find_links(masked: str, fields: list[InlineField], lines: LineIndex) -> list[Link]:
    """Return the links of masked text in order; one inside an inline field's value is typed by the field's key."""
    found = [*_wikilinks(masked, lines)]
    taken = [(item.start, item.end) for item in found]
    rest = mask(masked, taken)
    found += _markdown_links(rest, lines)
    found += _reference_links(rest, lines)
    found.sort(key=lambda item: item.start)
    index = _FieldIndex(fields)
    return [_typed(item, index) for item in found]


def parse_wikilink(inner: str, line: int, kind: LinkKind = LinkKind.WIKI, relation: str = "") -> Link | None:
    """Return the link between `[[` and `]]`; None when nothing is named."""
    target, _, alias = _CONTROL.sub("", ODD_SPACES.sub(" ", inner)).replace("\\|", "|").partition("|")
    name, _, heading = target.strip().partition("#")
    name, heading = name.strip(), heading.strip()
    if not name and not heading:
        return None
    is_block = heading.startswith("^")  # an id that says nothing to a reader
    text = alias.strip() or (f"{name} > {heading}" if name and heading and not is_block else name or heading)
    return Link(name, kind, line, text, heading.rpartition("#")[2], relation)


def link_target(raw: str) -> tuple[str, str] | None:
    """Return path and heading of a Markdown link's target; None for an address outside the vault."""
    raw = unescape(raw.strip("<>").strip())
    if not raw or _SCHEME.match(raw):
        return None
    path, _, heading = raw.partition("#")
    path = _CONTROL.sub("", unquote(path.partition("?")[0])).strip()
    return (path, unquote(heading)) if path else None


_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def unescape(text: str) -> str:
    """Return the text with CommonMark's entities and backslash escapes read."""
    return _ESCAPED.sub(r"\1", html.unescape(text))


def _wikilinks(masked: str, lines: LineIndex) -> Iterator[_Found]:
    for found in WIKILINK.finditer(masked):
        kind = LinkKind.EMBED if found.group(1) else LinkKind.WIKI
        if link := parse_wikilink(found.group(2), lines.line_of(found.start()), kind):
            yield _Found(found.start(), found.end(), link)


def _markdown_links(masked: str, lines: LineIndex) -> Iterator[_Found]:
    for found in MARKDOWN_LINK.finditer(masked):
        if target := link_target(found.group(3)):
            yield _found(found, target, found.group(2), bool(found.group(1)), lines)


def _reference_links(masked: str, lines: LineIndex) -> Iterator[_Found]:
    targets = {
        found.group(1).casefold(): target
        for found in DEFINITION.finditer(masked)
        if (target := link_target(found.group(2)))
    }
    if not targets:
        return
    for found in REFERENCE_LINK.finditer(masked):
        label = (found.group(3) or found.group(2)).casefold()
        if label in targets:
            yield _found(found, targets[label], found.group(2), bool(found.group(1)), lines)


def _found(found: re.Match[str], target: tuple[str, str], text: str, is_embed: bool, lines: LineIndex) -> _Found:
    kind = LinkKind.EMBED if is_embed else LinkKind.MARKDOWN
    text = (plain_inline(text) if "](" in text else text).strip() or target[0]  # an image may be what is clicked
    link = Link(target[0], kind, lines.line_of(found.start()), text, target[1])
    return _Found(found.start(), found.end(), link)


class _FieldIndex:
    """Finds the innermost field whose value holds a range."""

    def __init__(self, fields: list[InlineField]) -> None:
        self._fields = fields
        self._starts = [field.span[0] for field in fields]

    def key_at(self, start: int, end: int) -> str:
        position = bisect_right(self._starts, start) - 1
        for field in reversed(self._fields[max(0, position - _MAX_NESTED) : position + 1]):
            if end <= field.span[1]:
                return field.key
        return ""


def _typed(item: _Found, fields: _FieldIndex) -> Link:
    link = item.link
    key = "" if link.kind is LinkKind.EMBED else fields.key_at(item.start, item.end)
    return Link(link.target, LinkKind.PROPERTY, link.line, link.text, link.heading, key) if key else link
