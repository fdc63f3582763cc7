"""Picks the stretch of a chunk that holds most of the question's terms, and marks them."""

import re

from rich.cells import cell_len
from rich.text import Text

from graphrag.cli.terminal import plain
from graphrag.cli.wrap import ellipsize, wrap_text

_LINES = 2
_LEAD = 12  # characters shown before the first term
_SENTENCE_END = re.compile(r"[。！？；.!?;]\s*")


def snippet_lines(text: str, terms: tuple[str, ...], width: int) -> list[Text]:
    """Return at most two lines around the densest group of terms, the terms bold."""
    flat = " ".join(plain(text).split())
    pattern = _pattern(terms)
    fits = cell_len(flat) <= width * _LINES
    start = 0 if fits else _best_start(flat, pattern, width * _LINES // 2)
    shown = ("…" if start else "") + flat[start : start + width * _LINES]
    styled = Text(shown)
    if pattern is not None:
        styled.highlight_regex(pattern, "bold yellow")
    lines = wrap_text(styled, width)
    if len(lines) > _LINES or start + width * _LINES < len(flat):
        lines = [*lines[: _LINES - 1], ellipsize(lines[_LINES - 1], width)]
    return lines


def _pattern(terms: tuple[str, ...]) -> re.Pattern[str] | None:
    if not terms:
        return None
    return re.compile("|".join(_term_pattern(term) for term in sorted(terms, key=len, reverse=True)), re.IGNORECASE)


def _term_pattern(term: str) -> str:
    escaped = re.escape(term)
    # Inside longer words a short term is chance: `go` in `algorithm`.
    return rf"(?<![A-Za-z0-9]){escaped}(?![A-Za-z0-9])" if term.isascii() and len(term) < 4 else escaped


def _best_start(flat: str, pattern: re.Pattern[str] | None, length: int) -> int:
    matches = [(match.start(), match.group().casefold()) for match in pattern.finditer(flat)] if pattern else []
    best, best_count = 0, 0
    for index, (position, _) in enumerate(matches):
        group = {term for start, term in matches[index : index + 50] if start < position + length}
        if len(group) > best_count:
            best, best_count = position, len(group)
    return _sentence_start(flat, best) if best > _LEAD else 0


def _sentence_start(flat: str, position: int) -> int:
    """Return where the sentence around `position` starts; in a long one, a few characters before it."""
    window = flat[max(position - 3 * _LEAD, 0) : position]
    ends = list(_SENTENCE_END.finditer(window))
    if ends:
        return position - len(window) + ends[-1].end()
    lead = position - _LEAD
    return max(flat.find(" ", lead, position) + 1, lead)  # not inside a word
