"""Emphasis beside Chinese words: where Markdown's marks are seen, and the punctuation that stands outside them.

CommonMark, which Obsidian follows, sees no end of an emphasis in `**中文，**后面`: a mark between punctuation and a
word counts for nothing. Leanote's editor, and HTML, ask for none of that.
"""

import unicodedata

PUNCTUATION = "，。、；：？！“”‘’（）《》〈〉【】「」『』…—·,.;:?\"'"


def without_punctuation(text: str) -> tuple[str, str, str]:
    """Return the punctuation before a text, the text, and the punctuation behind it."""
    inner = text.lstrip(PUNCTUATION)
    before = text[: len(text) - len(inner)]
    text, inner = inner, inner.rstrip(PUNCTUATION)
    if inner.endswith("\\"):
        return before, text, ""
    return before, inner, text[len(inner) :]


def is_seen(before: str, inner: str, after: str) -> bool:
    """Whether marks around a text count, between the characters before and behind them, empty at an end."""
    is_opening = not _is_sign(inner[:1]) or _is_apart(before)
    is_closing = not _is_sign(inner[-1:]) or _is_apart(after)
    return is_opening and is_closing and inner == inner.strip() != ""


def _is_apart(char: str) -> bool:
    return not char or char.isspace() or _is_sign(char)


def _is_sign(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] in "PS"
