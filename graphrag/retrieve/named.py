"""A text -> the identifiers and names that it mentions, and whether another text has them, however they are spaced."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    r"https?://[^\s<>\"'）)】\]，。；]+"
    r"|(?<![\w@./-])@[A-Za-z][\w.-]*\w"  # a handle
    r"|(?<![\w-])--[A-Za-z][\w-]*"  # a flag
    r"|(?<![\w.])[~.]{0,2}/[\w.@-]+(?:/[\w.@-]+)*"  # a path
    r"|(?<![\w])\d+\.\d+\.\d+(?:[.\-+]\w+)*(?::\d{2,5})?"  # a version, an address
    r"|(?<![A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]*(?:(?:[.\-/:@#]|::|\+{1,2})?[A-Za-z0-9_]+|\+\+|#)*(?:\(\))?",
)
_DOTTED_LETTERS = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]\.?|etc|vs|cf|al", re.IGNORECASE)  # e.g, U.S, p.m
_IDENTIFIER = re.compile(
    r"https?:|[@~/]|--|\.{1,2}/|.*_|\d+\.\d|.*(?:::|#|\+\+|\(\))|[a-z]+[A-Z]|.*[A-Za-z]-?\d|.*\w\.[A-Za-z]|.*:\d"
    r"|[\w.-]+/[\w.-]+/"
)
_CAPITAL = re.compile(r"[A-Z]")
_INNER = re.compile(r"\w*[A-Z]\w*[A-Z]|\w*[a-z][A-Z]|.*\d")  # RocketMQ, TCC, RSA2: no ordinary word at the start
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;。！？：；“\"‘(（>|\n]|\A[-*+]|\d[.)])[\s*_“\"'(（]*\Z")
_PIECE = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[a-z0-9](?:[\w.\-/:@#]*[a-z0-9])?", re.ASCII)
_JOINTS = re.compile(r"[\s_\-./:@#]+")
_ORDINARY_TEXT = """
i ok yes no api id ids url urls http https ip ui app apps pc cpu gpu ram os sql json html pdf faq qa tps qps sla ai
am pm utc md readme todo note notes mr mrs ms dr january february march april may june july august september
october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays english chinese
"""
_ORDINARY = frozenset(_ORDINARY_TEXT.split())


@dataclass(frozen=True, slots=True)
class Named:
    """What a text mentions by name: code, versions, paths, and names in capital letters or of known persons."""

    identifiers: tuple[str, ...]
    names: tuple[str, ...]


class Mentions:
    """What a source mentions, to be asked for names and identifiers."""

    def __init__(self, text: str) -> None:
        self._text = text.casefold()
        self._words = frozenset(_singular(word) for word in _PIECE.findall(self._text))
        whole = [_JOINTS.sub("", word) for word in _WORD.findall(self._text)]
        self._joined = frozenset([*whole, *(first + second for first, second in pairwise(whole))])

    def has_identifier(self, identifier: str) -> bool:
        """Whether the text holds an identifier, written together or apart, with or without a leading v."""
        folded = identifier.casefold().removesuffix("()")
        bare = folded[1:] if re.match(r"v\d", folded) else folded
        return _stands_in(bare, self._text) or _JOINTS.sub("", folded) in self._joined

    def has_name(self, name: str) -> bool:
        """Whether the text holds every word of a name, or the name written together or apart."""
        folded = name.casefold()
        words = [_singular(word) for word in _PIECE.findall(folded)]
        if words and all(word in self._words for word in words):
            return True
        return folded in self._text if not folded.isascii() else _JOINTS.sub("", folded) in self._joined


def read_named(text: str, persons: Mapping[str, object]) -> Named:
    """Return what a sentence mentions by name, each once."""
    identifiers: dict[str, None] = {}
    names: dict[str, None] = {}
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip(".-:/")
        if len(token) < 2 or _DOTTED_LETTERS.fullmatch(token) or token.casefold() in _ORDINARY:
            continue
        if _IDENTIFIER.match(token):
            identifiers[token] = None
        elif _CAPITAL.match(token) and (_INNER.match(token) or not _is_first(match)):
            names[token] = None
    names |= dict.fromkeys(_longest(name for name in persons if not name.isascii() and name in text))
    return Named(tuple(identifiers), tuple(names))


def is_unmistakable(name: str) -> bool:
    """Whether a name is written so that no translation would spell it otherwise: RocketMQ, TCC."""
    return name.isascii() and bool(_INNER.match(name))


def _is_first(word: re.Match[str]) -> bool:
    """Whether a word begins a sentence, where any word is written with a capital letter."""
    return _SENTENCE_START.search(word.string, max(0, word.start() - 12), word.start()) is not None


def _longest(names: Iterable[str]) -> list[str]:
    """Return the names that are no part of another one."""
    found = list(names)
    return [name for name in found if not any(name != other and name in other for other in found)]


def _stands_in(word: str, text: str) -> bool:
    """Whether a word stands in a text, and not inside a longer one."""
    before = r"(?<![a-z0-9_])(?<!\d\.)v?" if word[:1].isdigit() else r"(?<![a-z0-9_])"
    return re.search(rf"{before}{re.escape(word)}(?![a-z0-9_]|\.\d)", text) is not None


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
