"""A passage's text -> which of its characters are marks of Markdown, are struck out, or must not be parted.

What is struck out is no longer said: no sentence holds it. Code keeps its backticks, and the marks in it are its own.
"""

import re
from collections.abc import Callable, Container, Iterator

CODE_SPAN = r"(?P<code>(?<!`)`{1,3}(?!`)[^`\n]+`{1,3})"
_LABEL = r"(?:来源|sources?)"
_KEYS = rf"\d{{1,3}}(?:\s*[,，、;；]\s*{_LABEL}?\s*[:：]?\s*\d{{1,3}})*"
_NAMED = rf"[\[［【（(]\s*{_LABEL}\s*[:：]?\s*{_KEYS}\s*[\]］】）)]"
_BARE = rf"[\[［【]\s*\^?{_KEYS}\s*[\]］】]"
_MORE = rf"(?:[ \t]*(?:{_NAMED}|{_BARE}))*"
_SENTENCE_ENDS = r"(?=\s*(?:[。！？!?，；、]|\.(?:\s|\Z)|\Z)|[ \t]*\n)"
# A bare number right after a Latin letter or digit is an index, a[1], unless it ends a sentence: then it may be either.
_MARK = re.compile(
    rf"{CODE_SPAN}|(?:(?<=\w)[ \t]+)?(?:(?P<sure>{_NAMED}{_MORE}|(?<![A-Za-z0-9_)\]]){_BARE}{_MORE}(?![(:]))"
    rf"|(?P<maybe>{_BARE}{_MORE}){_SENTENCE_ENDS})",
    re.IGNORECASE,
)
_KEYS_OF_MARK = re.compile(rf"[\[［【（(]\s*\^?{_LABEL}?\s*[:：]?\s*({_KEYS})", re.IGNORECASE)
_NAMED_MARK = re.compile(_NAMED, re.IGNORECASE)
_FENCED_OR_CODE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_OTHER_BRACKETS = str.maketrans("[［【（(]］】）)", "〔〔〔〔〔〕〕〕〕〕")


def split_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of a text in order, each with whether it is fenced code; an open fence lasts to the end."""
    end = 0
    for fence in _FENCED_OR_CODE.finditer(text):
        yield text[end : fence.start()], False
        yield fence.group(), True
        end = fence.end()
    yield text[end:], False


def replace_marks(prose: str, known: Container[int], write: Callable[[list[int]], str]) -> str:
    """Return the text with each mark replaced by what `write` makes of its known keys; inline code stays as it is."""

    def _replace(found: re.Match[str]) -> str:
        if found["code"]:
            return found.group()
        numbers = " ".join(_KEYS_OF_MARK.findall(found.group()))
        keys = [key for number in re.findall(r"\d+", numbers) if (key := int(number)) in known]
        if found["maybe"] and not keys:
            return found.group()
        return write(list(dict.fromkeys(keys)))

    return _MARK.sub(_replace, prose)


def disarm(text: str) -> str:
    """Return a note's text with its own `[来源9]` and `[9]` in other brackets, so that none passes for one of ours."""
    stretches = [part if is_code else _MARK.sub(_disarm_mark, part) for part, is_code in split_code(text)]
    return _NAMED_MARK.sub(_other_brackets, "".join(stretches))


def _disarm_mark(found: re.Match[str]) -> str:
    return found.group() if found["code"] else _other_brackets(found)


def _other_brackets(found: re.Match[str]) -> str:
    return found.group().translate(_OTHER_BRACKETS)


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
