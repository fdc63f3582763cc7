"""Note text -> the links, tags and inline fields written in it, never inside code or comments.

Links follow Obsidian's forms; inline fields follow Dataview's. What a link points at is decided in `resolve.py`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from graphrag.domain.note import Link, LinkKind
from graphrag.ingest.structure import LineIndex, Range

WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,1000})\]\]")
MARKDOWN_LINK = re.compile(
    r"(!?)\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]{0,200}\]){0,1000})\]"
    r"\([ \t]*(<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,500}\)){0,2000})(?:[ \t]+[\"'(][^\n]{0,500}?[\"')])?[ \t]*\)"
)
REFERENCE_LINK = re.compile(r"(!?)\[([^\[\]\n]{1,500})\](?:\[([^\[\]\n]{0,200})\])?(?![(:\[])")
DEFINITION = re.compile(r"^ {0,3}\[(?!\^)([^\[\]\n]{1,200})\]:[ \t]*(<[^<>\n]{1,2000}>|\S{1,2000})[^\n]*$", re.MULTILINE)
_COMMENT = re.compile(r"%%|<!--")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|#")
_TAG = re.compile(r"(?:^|(?<=[\s(（\[，,、。；;：:「『“\"]))#([\w/\-\U0001F300-\U0001FAFF☀-➿]{1,200})", re.MULTILINE)
_NAME = r"[\w一-鿿][\w一-鿿 /\-]{0,60}?"
_LINE_FIELD = re.compile(
    rf"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?(?:\*\*|__|_|\*)?({_NAME})(?:\*\*|__|_|\*)?::"
    r"(?=[ \t]|\[\[|[一-鿿])[ \t]*(\S[^\n]*)$",
    re.MULTILINE,
)
_BRACKET_FIELD = re.compile(rf"[\[(]({_NAME})::[ \t]*((?:\[\[[^\[\]\n]{{1,500}}\]\]|[^\[\]()\n]){{1,1000}})[\])]")


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


def mask(text: str, ranges: Iterable[Range]) -> str:
    """Return the text with these sorted ranges blanked, newlines and length kept."""
    pieces, position = [], 0
    for start, end in ranges:
        if start < position:
            continue
        pieces.append(text[position:start])
        pieces.append(re.sub(r"[^\n]", " ", text[start:end]))
        position = end
    return "".join(pieces) + text[position:]


def comments(text: str, code: tuple[Range, ...]) -> list[Range]:
    """Return the ranges of `%%…%%` and `<!--…-->` outside code; an opening mark without its end is text."""
    masked = mask(text, code)
    found: list[Range] = []
    position = 0
    while opening := _COMMENT.search(masked, position):
        close = "%%" if opening.group() == "%%" else "-->"
        end = masked.find(close, opening.end())
        position = opening.end() if end < 0 else end + len(close)
        if end >= 0:
            found.append((opening.start(), position))
    return found


def find_fields(masked: str) -> list[InlineField]:
    """Return the inline fields of masked text in order."""
    fields = [
        InlineField(found.group(1).strip(), found.group(2).strip(), found.span(2))
        for pattern in (_LINE_FIELD, _BRACKET_FIELD)
        for found in pattern.finditer(masked)
    ]
    return sorted(fields, key=lambda field: field.span)


def find_tags(masked: str) -> Iterator[str]:
    """Yield inline tags without '#', in order; a tag needs a character that is not a digit."""
    for found in _TAG.finditer(masked):
        tag = found.group(1).strip("/")
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
    return [_typed(item, fields) for item in found]


def parse_wikilink(inner: str, line: int, kind: LinkKind = LinkKind.WIKI, relation: str = "") -> Link | None:
    """Return the link between `[[` and `]]`; None when nothing is named."""
    target, _, alias = inner.replace("\\|", "|").partition("|")
    name, _, heading = target.strip().partition("#")
    name, heading = name.strip(), heading.strip()
    if not name and not heading:
        return None
    text = alias.strip() or (f"{name} > {heading}" if name and heading else name or heading)
    return Link(name, kind, line, text, heading.rpartition("#")[2], relation)


def link_target(raw: str) -> tuple[str, str] | None:
    """Return path and heading of a Markdown link's target; None for an address outside the vault."""
    raw = raw.strip("<>").strip()
    if not raw or _SCHEME.match(raw):
        return None
    path, _, heading = raw.partition("#")
    path = unquote(path.partition("?")[0])
    return (path, unquote(heading)) if path and not path.endswith("/") else None


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
    link = Link(target[0], kind, lines.line_of(found.start()), text.strip() or target[0], target[1])
    return _Found(found.start(), found.end(), link)


def _typed(item: _Found, fields: list[InlineField]) -> Link:
    link = item.link
    if link.kind is LinkKind.EMBED:
        return link
    for field in fields:
        if field.span[0] <= item.start and item.end <= field.span[1]:
            return Link(link.target, LinkKind.PROPERTY, link.line, link.text, link.heading, field.key)
    return link


def code_ranges(blocks: tuple[Range, ...], spans: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return code blocks and code spans as one sorted list."""
    return tuple(sorted((*blocks, *spans)))
