"""The Markdown of a note -> HTML that runs nothing, whatever the note holds.

Notes are data: their own HTML is read as a browser would, and only what is on the lists below is left of it. Blocks say
which lines they stand for (`data-line` to `data-end`), so that a citation can be shown in its place.
"""

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from graphrag.domain.report import NotePage
from graphrag.ingest.html import RAW, RAW_ELEMENTS, TAG, name_of, read_closed_html
from graphrag.ingest.inline import WIKILINK, link_target, parse_wikilink
from graphrag.ingest.structure import MATH, LineIndex, mask, read_structure

_SIGN = "=="
_RUN = re.compile("=+")
_NO_BEGINNING = re.compile(r"[!<>A-Za-z0-9_)\]]")  # what stands before a comparison


def add_marks(parser: MarkdownIt) -> None:
    """Let a parser read marks."""
    parser.inline.ruler.after("emphasis", "mark", _read_sign)
    parser.inline.ruler2.after("emphasis", "mark", _make_marks)


def _read_sign(state: StateInline, silent: bool) -> bool:
    """Keep a sign as text, for now, and note whether it may begin or end a mark."""
    run = _RUN.match(state.src, state.pos)
    if silent or not run:
        return False
    before = state.src[run.start() - 1 : run.start()]  # empty at the beginning
    after = state.src[run.end() : run.end() + 1]
    state.push("text", "", 0).content = run.group()
    if run.group() == _SIGN:
        opens = bool(after.strip()) and not _NO_BEGINNING.match(before)
        closes = bool(before.strip())
        token = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord("="), 0, token=token, end=-1, open=opens, close=closes))
    state.pos = run.end()
    return True


def _make_marks(state: StateInline) -> None:
    """Turn the signs that belong together into tags, in the text and inside its links."""
    inside = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for signs in (state.delimiters, *inside):
        for sign in signs:
            if sign.marker == ord("=") and sign.end != -1:
                state.tokens[sign.token] = Token("mark_open", "mark", 1, markup=_SIGN)
                state.tokens[signs[sign.end].token] = Token("mark_close", "mark", -1, markup=_SIGN)


_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,80})\](:?)")


def add_footnotes(parser: MarkdownIt) -> None:
    """Let a parser show footnotes where they stand: `[^1]` is a number set high, `[^1]: text` a paragraph with it."""
    parser.block.ruler.before("reference", "footnote", _keep_footnote, {"alt": ["paragraph"]})
    parser.inline.ruler.before("link", "footnote", _read_footnote)


def _keep_footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take the text of a footnote for a paragraph; CommonMark would take it for the address of a link."""
    first, last = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    found = _FOOTNOTE.match(state.src, first, last)
    if not found or not found[2]:
        return False
    if silent:
        return True
    line = start + 1
    while (
        line < end
        and not state.isEmpty(line)
        and not _FOOTNOTE.match(state.src, state.bMarks[line] + state.tShift[line])
    ):
        line += 1
    opening = state.push("paragraph_open", "p", 1)
    opening.map = [start, line]
    text = state.push("inline", "", 0)
    text.content = state.getLines(start, line, state.blkIndent, False).strip()
    text.map, text.children = [start, line], []
    state.push("paragraph_close", "p", -1)
    state.line = line
    return True


def _read_footnote(state: StateInline, silent: bool) -> bool:
    found = _FOOTNOTE.match(state.src, state.pos)
    if not found or state.src[found.end() : found.end() + 1] == "(":
        return False
    if not silent:
        state.push("sup_open", "sup", 1)
        state.push("text", "", 0).content = found[1]
        state.push("sup_close", "sup", -1)
    state.pos = found.end()
    return True


_FIRST_LINE = re.compile(r"\[!([\w\-]{1,40})(?:\|[^\]\n]{0,40})?\]([+\-]?)[ \t]*([^\n]*)\n?")
_LOOKS = {  # a look -> the types that have it; any other looks like a note
    "tip": "tip hint important success check done",
    "warning": "warning caution attention question help faq",
    "danger": "danger error bug failure fail missing",
    "quote": "quote cite",
}
_LOOK_OF = {name: look for look, names in _LOOKS.items() for name in names.split()}
_TITLE = "framed-title"
CALLOUT_CLASSES = frozenset({_TITLE, "framed-note", *(f"framed-{look}" for look in _LOOKS)})


def add_callouts(parser: MarkdownIt) -> None:
    """Let a parser read callouts, before it reads the text of their titles."""
    parser.core.ruler.before("inline", "callouts", _read_callouts)


def _read_callouts(state: StateCore) -> None:
    read: list[Token] = []
    quotes: list[Token] = []  # those that are open
    for place, token in enumerate(state.tokens):
        if token.type == "blockquote_open":
            quotes.append(token)
        elif token.type == "blockquote_close":
            token.tag = quotes.pop().tag
        found = _FIRST_LINE.match(token.content) if token.type == "inline" and _is_first_in_quote(read) else None
        if found:
            _frame(quotes[-1], found)
            read += _title_and_rest(found, read.pop(), token, state.tokens[place + 1])
        else:
            read.append(token)
    state.tokens = read


def _is_first_in_quote(before: list[Token]) -> bool:
    """Whether a text with these tokens before it is the first paragraph of a quote."""
    return [token.type for token in before[-2:]] == ["blockquote_open", "paragraph_open"]


def _frame(quote: Token, found: re.Match[str]) -> None:
    """Make a quote the block that its first line asks for."""
    quote.attrSet("class", f"framed-{_LOOK_OF.get(found[1].lower(), 'note')}")
    if found[2]:
        quote.tag = "details"
    if found[2] == "+":
        quote.attrSet("open", "")


def _title_and_rest(found: re.Match[str], opening: Token, text: Token, closing: Token) -> list[Token]:
    """Return a paragraph cut after its first line, which becomes the title; its end, made to fit, is left out."""
    rest = text.content[found.end() :]
    title = found[3].strip() or found[1].replace("-", " ").capitalize()
    first, last = text.map or (0, 1)
    heads = {"tag": "summary" if found[2] else "p", "map": [first, first + 1]}
    begin = opening.copy(**heads, attrs={"class": _TITLE})
    words = text.copy(content=title, map=heads["map"], children=[])
    if not rest:
        closing.tag = begin.tag
        return [begin, words]
    below = [first + 1, last]
    return [
        begin,
        words,
        closing.copy(tag=begin.tag),
        opening.copy(map=below),
        text.copy(content=rest, map=below, children=[]),
    ]


NOTE_ADDRESS = "#/note/"  # of the page, in front of a note's path
_TAGS = frozenset(
    (  # noqa: SIM905
        "a abbr b blockquote br caption cite code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i "
        "ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var"
    ).split()
)
_LINES = {"data-line", "data-end"}
_ATTRIBUTES = {
    "*": _LINES,
    "a": {"href"},
    "blockquote": {"class"},
    "code": {"class"},
    "details": {"class", "open"},
    "ol": {"start"},
    "p": {"class"},
    "span": {"class"},
    "summary": {"class"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_LONGEST_BODY = 500_000  # characters; the Markdown is there in full
_LONGEST_PARAGRAPH = 20_000
_SCHEMES = {"http", "https", "mailto"}
_LANGUAGE = re.compile(r"language-[\w+#.-]{1,40}")
_OWN_CLASSES = {"image", "unresolved", *CALLOUT_CLASSES}
_HOLDERS = frozenset(("details", "div", "table", "center", "section", "ul", "ol", "dl", "blockquote", "article"))
_LONGEST_GROUP = 2000  # tokens within which a block of HTML is closed
_RAW = re.compile(
    rf"<(?:({RAW_ELEMENTS}|iframe|noframes|noscript|template|svg|math|select|object)(?=[\s>/])|(!--))", re.IGNORECASE
)
_SIZE = re.compile(r"\d{1,5}(?:x\d{1,5})?")  # of a picture: ![[a.png|480]]
_NUMBER = re.compile(r"\d{1,7}")
_OUTSIDE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def render_note(page: NotePage) -> str:
    """Return the body of a note as safe HTML; of a canvas, its cards."""
    is_canvas = page.view.note.path.endswith(".canvas")
    return _render_cards(page) if is_canvas else _render_body(page)


def _render_body(page: NotePage) -> str:
    body = "\n".join(page.text.split("\n")[page.body_line - 1 :])
    if len(body) > _LONGEST_BODY:
        body = f"{body[:_LONGEST_BODY]}\n\n…"
    return _render(body, page.targets, page.body_line)


def _render(text: str, targets: Mapping[str, str], first: int | None) -> str:
    """Return Markdown as safe HTML; each block is made safe by itself, so that an unclosed tag ends with it."""
    parser, env = _parser(), {"targets": targets, "first": first}
    tokens = parser.parse(_without_comments(text), env)
    blocks = (str(parser.renderer.render(block, parser.options, env)) for block in _blocks(tokens))
    return "".join(_clean(_with_raw_as_text(block)) for block in blocks)


def _without_comments(text: str) -> str:
    """Return the text without `%%…%%`; its lines keep their numbers."""
    lines = LineIndex(text)
    structure = read_structure(text, 1, lines)
    return mask(text, (span for span in structure.comments if text.startswith("%%", span[0])))


def _blocks(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each block; blocks between an HTML tag and the block that closes it are one."""
    start, depth, end = 0, 0, 0
    for place, token in enumerate(tokens):
        depth += token.nesting
        if token.type == "html_block" and not depth and place >= end:
            end = _closing_block(tokens, place)
        if not depth and place >= end:
            yield tokens[start : place + 1]
            start = place + 1
    if start < len(tokens):
        yield tokens[start:]


def _closing_block(tokens: Sequence[Token], place: int) -> int:
    """Return the place of the block that closes the first tag that this one leaves open, its own without one."""
    open_tags: list[str] = []
    for number, token in enumerate(tokens[place : place + _LONGEST_GROUP], place):
        if token.type != "html_block" or token.level:
            continue
        for tag in TAG.finditer(token.content):
            if tag["opened"] and name_of(tag) in _HOLDERS:
                open_tags.append(name_of(tag))
            elif tag["closed"] and name_of(tag) in open_tags:
                del open_tags[len(open_tags) - 1 - open_tags[::-1].index(name_of(tag)) :]
        if not open_tags:
            return number
    return place


def _with_raw_as_text(html: str) -> str:
    """Return HTML in which a `<script>`, `<title>` or `<!--` that nothing closes is text."""
    pieces, position = [], 0
    while opening := _RAW.search(html, position):
        name = (opening.group(1) or opening.group(2)).lower()
        closing = re.compile("-->" if name == "!--" else rf"</{name}\s*>", re.IGNORECASE).search(html, opening.end())
        pieces.append(html[position : opening.start()])
        end = closing.end() if closing else opening.end()
        pieces.append(html[opening.start() : end] if closing else "&lt;" + html[opening.start() + 1 : end])
        position = end
    return "".join(pieces) + html[position:]


def _render_tag(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """Return a tag as it is written, and as text when HTML has no such element: `List<String>`, `<log-in>`."""
    content = tokens[place].content
    is_tag = TAG.fullmatch(content) or _RAW.match(content) or content.startswith(("<!--", "</"))
    is_tag = is_tag and not (content.startswith("</") and not TAG.fullmatch(content) and not RAW.fullmatch(content))
    return content if is_tag else _escape(content)


def _render_cards(page: NotePage) -> str:
    """Return each card in a block that stands for its lines of the file."""
    cards = []
    for chunk in page.view.chunks:
        html = _render(chunk.text, page.targets, None)
        cards.append(f'<div data-line="{chunk.span.first_line}" data-end="{chunk.span.last_line}">{html}</div>')
    return "".join(cards)


def _clean(html: str) -> str:
    return nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_keep,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


def note_address(path: str) -> str:
    """Return the address of a note in the page."""
    return NOTE_ADDRESS + quote(path)


def _keep(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute that is on the list, or None for one that a note must not set so.

    An address without a scheme would lead into the page itself, where a fragment may mean more than a place. `rel` is
    no choice of the note's.
    """
    if name == "href":
        return value if value.startswith(NOTE_ADDRESS) or _OUTSIDE.match(value) else None
    if name == "class":
        return value if value in _OWN_CLASSES or _LANGUAGE.fullmatch(value) else None
    if name == "open":
        return ""
    return value if name == "rel" or _NUMBER.fullmatch(value) else None


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 40}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "wikilink", _read_wikilink)
    add_marks(parser)
    add_callouts(parser)
    parser.core.ruler.at("inline", _parse_inline)
    parser.core.ruler.push("lines", _number_lines)
    parser.core.ruler.push("links", _resolve_links)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("html_inline", _render_tag)
    parser.inline.ruler.before("escape", "formula", _read_formula)
    read_closed_html(parser)
    add_footnotes(parser)
    return parser


def _parse_inline(state: StateCore) -> None:
    """Parse running text, but for a paragraph so long that it is none: its brackets alone could take minutes."""
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > _LONGEST_PARAGRAPH:
            token.children = [Token("text", "", 0, content=token.content)]
        elif token.type == "inline":
            token.children = token.children if token.children is not None else []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _number_lines(state: StateCore) -> None:
    first, lines = state.env["first"], state.src.split("\n")
    for token in state.tokens if first else ():
        if token.map and token.nesting >= 0 and token.type not in ("inline", "html_block"):
            start, end = token.map
            while end > start + 1 and not lines[end - 1].strip():  # blank lines after a list are none of it
                end -= 1
            token.attrSet("data-line", str(first + start))
            token.attrSet("data-end", str(first + end - 1))


def _read_wikilink(state: StateInline, silent: bool) -> bool:
    """Read `[[T#H|alias]]` or `![[T]]`."""
    found = WIKILINK.match(state.src, state.pos)
    link = parse_wikilink(found.group(2), 0) if found else None
    if not found or not link:
        return False
    if not silent:
        target = state.env["targets"].get(link.target)
        if target:
            state.push("link_open", "a", 1).attrs = {"href": note_address(target)}
        else:
            state.push("span_open", "span", 1).attrs = {"class": "image" if found.group(1) else "unresolved"}
        is_size = found.group(1) and _SIZE.fullmatch(link.text)
        state.push("text", "", 0).content = link.target if is_size else link.text
        state.push("link_close", "a", -1) if target else state.push("span_close", "span", -1)
    state.pos = found.end()
    return True


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Read `$…$` and `$$…$$` as the text that they are: no emphasis, no escapes."""
    found = MATH.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push("text", "", 0).content = found.group()
    state.pos = found.end()
    return True


def _resolve_links(state: StateCore) -> None:
    """Let links to other notes lead to their place in the page, and links to anything else in the vault nowhere."""
    targets: Mapping[str, str] = state.env["targets"]
    for block in state.tokens:
        for token in block.children or ():
            href = str(token.attrGet("href") or "")
            if token.type == "link_open" and not href.startswith(NOTE_ADDRESS) and not _OUTSIDE.match(href):
                named = link_target(unquote(href))
                target = targets.get(named[0]) if named else None
                token.attrs = {"href": note_address(target)} if target else {}


def _render_image(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """Return what stands in the place of a picture, which the page does not load: what it shows, in words."""
    words, _, size = renderer.renderInlineAsText(tokens[place].children, options, env).partition("|")
    words = f"{words}|{size}" if size and not _SIZE.fullmatch(size.strip()) else words
    span = Token("span_open", "span", 1, attrs={"class": "image"})
    return renderer.renderToken([span], 0, options, env) + _escape(words) + "</span>"


def _escape(text: str) -> str:
    return nh3.clean_text(text)
