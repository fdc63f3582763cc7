"""HTML in Markdown: which `<` begins a tag, which block a tag opens, and what of it an unclosed one may swallow.

A tag is what CommonMark calls one, of an element that HTML has, and without made-up attributes: `n <p 时`,
`List<String>` and `a <b and c> d` are text. Both the index and the note's page read by these rules.
"""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block

_ELEMENTS = (
    "a|abbr|address|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|cite|code|"
    "col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|"
    "form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|i|iframe|img|input|ins|kbd|label|legend|li|link|main|map|mark|"
    "menu|meta|meter|nav|noframes|noscript|o:p|object|ol|optgroup|option|output|p|param|picture|pre|progress|q|rp|rt|ruby|"
    "s|samp|section|select|small|source|span|strike|strong|sub|summary|sup|svg|path|table|tbody|td|template|tfoot|th|"
    "thead|time|tr|track|tt|u|ul|var|video|wbr"
)
RAW_ELEMENTS = "script|style|title|textarea|xmp|plaintext|noembed"  # what stands in them is no text of the note
_SWITCHES = (
    "allowfullscreen|async|autoplay|checked|compact|controls|defer|disabled|download|hidden|ismap|loop|multiple|muted|"
    "nohref|noshade|novalidate|nowrap|open|readonly|required|reversed|selected"
)
_VALUE = r"\s{0,9}=\s{0,9}(?:[^\s\"'=<>`]{1,2000}|'[^']{0,4000}'|\"[^\"]{0,4000}\")"
_ATTRIBUTES = rf"(?:\s{{1,200}}(?:[A-Za-z_:][\w.:\-]{{0,80}}{_VALUE}|(?:{_SWITCHES})(?![\w.:\-=])))*+"
TAG = re.compile(
    rf"<(?:/(?P<closed>{_ELEMENTS})\s*+>|(?P<opened>{_ELEMENTS}){_ATTRIBUTES}\s{{0,200}}/?>)",
    re.IGNORECASE | re.ASCII,
)
RAW = re.compile(rf"<(/?)({RAW_ELEMENTS})\b(?:{_ATTRIBUTES})\s{{0,200}}>", re.IGNORECASE | re.ASCII)
_BLOCKS = frozenset(
    (  # noqa: SIM905
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure"
        " footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol optgroup option p pre section summary"
        " table tbody tfoot thead tr ul"
    ).split()
)
_LINE_START = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?\Z")
_OPENING = re.compile(
    rf"<(?:(?P<raw>script|pre|style|textarea)(?=[\s>]|\Z)|(?P<rest>!--|\?|!\[CDATA\[|!(?=[A-Za-z]))|/?(?:{RAW_ELEMENTS})\b)",
    re.IGNORECASE,
)
_ENDS = {"!--": "-->", "?": "?>", "![cdata[": "]]>", "!": ">"}


def name_of(tag: re.Match[str]) -> str:
    """Return the name of the element that a match of `TAG` opens or closes."""
    return (tag["opened"] or tag["closed"]).lower()


def is_block(name: str) -> bool:
    """Whether an element begins and ends a line of its own."""
    return name in _BLOCKS


def stands_at_line_start(line: str) -> bool:
    """Whether a line so far holds nothing but the mark of a quote or a list."""
    return _LINE_START.match(line) is not None


def read_closed_html(parser: MarkdownIt) -> None:
    """Let a parser take an unclosed `<!--`, `<script>` or the like for text: it would swallow the rest of the note."""
    parser.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})


def _html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = state.bMarks[start] + state.tShift[start]
    opening = _OPENING.match(state.src, first)
    if opening and not _is_closed(state.src, opening):
        return False
    return html_block(state, start, end, silent)


def _is_closed(source: str, opening: re.Match[str]) -> bool:
    if opening["rest"]:
        return source.find(_ENDS[opening["rest"].lower()], opening.end()) >= 0
    name = opening.group().strip("</").lower()
    if opening.group().startswith("</"):
        return False
    return re.compile(rf"</{name}\s*>", re.IGNORECASE).search(source, opening.end()) is not None


def table_cells(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the range of each cell of an HTML table, and whether a new row begins with it; no table in it is read."""
    depth, begin, starts_row = 0, -1, True
    for tag in TAG.finditer(text, start, end):
        name, opens = name_of(tag), bool(tag["opened"])
        if name == "table":
            depth += 1 if opens else -1
        if depth > 1:
            continue
        if begin >= 0 and (name in ("td", "th", "tr") or (name in ("table", "tbody", "tfoot") and not opens)):
            yield begin, tag.start(), starts_row
            begin, starts_row = -1, False
        if name in ("td", "th") and opens:
            begin = tag.end()
        elif name == "tr":
            starts_row = True
