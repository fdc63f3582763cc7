"""Obsidian's callouts, quotes that begin with `[!type] Title` -> blocks with a title, folded where the note says so.

A block has one of five looks, by a class of its own; its title and its text are Markdown like any other.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

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
