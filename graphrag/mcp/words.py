"""Text cut to the length that an agent should have to read."""

import re
from collections.abc import Collection, Sequence

_ELLIPSIS = "…"
_LEAD = 40  # characters before the first term


def one_line(text: str) -> str:
    """Return text with every stretch of white space as one space."""
    return " ".join(text.split())


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text, at most so many characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + _ELLIPSIS


def excerpt(text: str, terms: Collection[str], length: int) -> str:
    """Return a stretch of a passage that holds one of the terms, in one line of at most so many characters."""
    flat = one_line(text)
    found = re.search("|".join(map(re.escape, sorted(terms, key=len, reverse=True))), flat, re.IGNORECASE)
    start = max(found.start() - _LEAD, 0) if found and terms and found.end() > length else 0
    return shorten(flat[start:] if not start else _ELLIPSIS + flat[start:], length)


def heading_path(title: str, heading: Sequence[str]) -> str:
    """Return a title and the headings below it as one line."""
    return one_line(" › ".join([title, *(name for name in heading if name != title)]))
