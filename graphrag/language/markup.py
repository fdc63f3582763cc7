"""A passage's text -> which of its characters are marks of Markdown, are struck out, or must not be parted.

What is struck out is no longer said: no sentence holds it. Code keeps its backticks, and the marks in it are its own.
"""

import re

# Over the lines of one paragraph: a blank line ends it, and so does a line that starts something else.
_INSIDE = r"(?:[^\n]|\n(?![ \t>]*(?:\n|[-*+][ \t]|\d+[.)][ \t]|#{1,6}[ \t]|\||```|~~~|\Z)))+?"
_SPAN = re.compile(
    rf"(?P<code>(?<!`)(?P<ticks>`+)(?!`){_INSIDE}(?<!`)(?P=ticks)(?!`))"
    r"|(?P<whole>\[\[[^\]\n]+\]\]|\[[^\]\n]+\]\([^)\s]+\)|(?<![\w$])\$(?=\S)[^$\n]+(?<=\S)\$(?![\w$]))"
    r"|(?P<footnote>^[ \t>]*\[\^[^\]\s]+\]:[ \t]*|[ \t]*\[\^[^\]\s]+\])"
    rf"|(?P<struck>(?<![\\~])~~(?=[^\s~]){_INSIDE}(?<=\S)~~(?!~))"
    # A mark has a word right inside it: 2 ** 3 holds none.
    r"|(?<!\\)(?P<mark>\*\*\*|\*\*|(?<![A-Za-z0-9_=])==(?!=)|(?<![A-Za-z0-9_])__|(?<![A-Za-z0-9_*])\*(?!\*))"
    rf"(?=\S)(?P<inner>{_INSIDE})(?<=\S)(?P=mark)(?![A-Za-z0-9_])",
    re.MULTILINE,
)
_FENCED = re.compile(r"^[ \t>]*(```|~~~).*?(?:^[ \t>]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_STRAY = re.compile(r"(?<![*\\])\*\*(?!\*)")
_FREE = re.compile(r"[\s\u3000-\u9fff\uff00-\uffef]|")  # what a mark may stand beside, the edge of the text too


class Markup:
    """The marks of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._dropped = bytearray(len(text))
        self._whole = bytearray(len(text))
        bare = _FENCED.sub(lambda found: "\n" * len(found[0]), text)
        self._read(bare, 0, len(bare))
        for stray in _STRAY.finditer(bare):
            if not (self._whole[stray.start()] or self._dropped[stray.start()]) and _is_mark(bare, *stray.span()):
                self._drop(*stray.span())

    def kept(self, start: int, end: int) -> list[int]:
        """Return the places of the characters in a stretch that are said."""
        return [place for place in range(start, end) if not self._dropped[place]]

    def is_whole(self, place: int) -> bool:
        """Whether a sentence cannot end there: within code, a link or a formula."""
        return bool(self._whole[place])

    def plain(self, start: int, end: int) -> str:
        """Return what a stretch says."""
        return "".join(self._text[place] for place in self.kept(start, end))

    def _read(self, text: str, start: int, end: int) -> None:
        for span in _SPAN.finditer(text, start, end):
            if span["mark"]:
                self._drop(span.start(), span.start("inner"))
                self._drop(span.end("inner"), span.end())
                self._read(text, *span.span("inner"))
            elif span["struck"]:
                self._drop(span.start(), _end_of_struck(text, *span.span()))
            elif span["footnote"]:
                self._drop(*span.span())
            else:
                self._whole[span.start() : span.end()] = b"\1" * (span.end() - span.start())
                if span["code"] and "\n" in span["code"]:  # sentences end with their lines, and part its ticks
                    self._drop(*span.span("ticks"))
                    self._drop(span.end() - len(span["ticks"]), span.end())

    def _drop(self, start: int, end: int) -> None:
        self._dropped[start:end] = b"\1" * (end - start)


def _end_of_struck(text: str, start: int, end: int) -> int:
    """Return where the text goes on: one of two spaces goes with what stood between them."""
    is_apart = start == 0 or text[start - 1].isspace()
    return end + len(text[end:]) - len(text[end:].lstrip(" \t")) if is_apart else end


def _is_mark(text: str, start: int, end: int) -> bool:
    """Whether two asterisks without a partner are a mark, not an operator or a part of a path."""
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    is_operator = before in (" ", "\t") and after in (" ", "\t")
    return not is_operator and "/" not in before + after and any(map(_FREE.fullmatch, (before, after)))
