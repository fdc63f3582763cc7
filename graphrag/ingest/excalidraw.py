"""A note of the Excalidraw plugin -> the ranges that are data of its drawing; the rest, text elements too, is its text.

The plugin writes a banner, sections (`Text Elements`, `Element Links`, `Embedded Files`, `Drawing`) under headings of
its own, and `%%` around some of them, where depends on its version.
"""

import re
from collections.abc import Iterable, Iterator

Range = tuple[int, int]

DRAWING_SUFFIX = ".excalidraw"
_KEY = "excalidraw-plugin"
_BANNER = re.compile(r"^==[^\n]*EXCALIDRAW VIEW[^\n]*$", re.MULTILINE)
_MARKS = re.compile(r"^[ \t]*%%[ \t]*$", re.MULTILINE)
_HEADING = re.compile(
    r"^#{1,6}[ \t]+(?P<name>Excalidraw Data|Text Elements|Element Links|Embedded Files|Drawing)[ \t]*$", re.MULTILINE
)
_ELEMENT_ID = re.compile(r"^[\w-]{8,64}:[ \t]+", re.MULTILINE)  # before a link, a file or a formula
_SCENE = re.compile(
    r"^[ \t]*(```+|~~~+)[ \t]*(?:compressed-json|json)\b.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)


def names_drawing(keys: Iterable[str]) -> bool:
    """Whether a note with these keys in its front matter is one of the plugin's."""
    return any(key.casefold() == _KEY for key in keys)


def holds_drawing(text: str) -> bool:
    """Whether a text without such a key, as a converted note, still has the plugin's data."""
    return "# Excalidraw Data" in text and "```compressed-json" in text


def drawing_data(text: str, body: int) -> tuple[Range, ...]:
    """Return the ranges of the body, which starts at an offset, that are no text of the note; sorted, apart."""
    headings = list(_HEADING.finditer(text, body))
    if not headings:
        return tuple(found.span() for found in _BANNER.finditer(text, body))
    found = [banner.span() for banner in _BANNER.finditer(text, body)]
    found += [mark.span() for mark in _MARKS.finditer(text, _start_of_data(text, body, headings[0].start()))]
    found += [heading.span() for heading in headings]
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        found += _data_of(heading["name"], text, heading.end(), end)
    return tuple(_apart(found))


def _start_of_data(text: str, body: int, heading: int) -> int:
    """Return where the plugin's part starts: at a `%%` right before its first heading, else there."""
    before = text[body:heading].rstrip()
    return body + len(before) - 2 if before.endswith("%%") else heading


def _data_of(name: str, text: str, start: int, end: int) -> Iterator[Range]:
    if name == "Drawing":
        yield start, end
        return
    if name in ("Element Links", "Embedded Files"):
        yield from (found.span() for found in _ELEMENT_ID.finditer(text, start, end))
    yield from (found.span() for found in _SCENE.finditer(text, start, end))


def _apart(ranges: Iterable[Range]) -> Iterator[Range]:
    position = 0
    for start, end in sorted(ranges):
        if end > position:
            yield max(start, position), end
            position = end
