"""Obsidian's `==marked==` -> `<mark>`, as a rule of the Markdown parser beside those for `**` and `~~`.

Where a mark may begin is what the index goes by, too (`ingest/rules.py`): `a==b` in a formula or an address is none.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

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
