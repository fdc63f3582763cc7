"""Names in passages: titles and aliases that stand in a text without a link, and terms that few passages share.

All names are looked for at once by an Aho-Corasick automaton (1975), the leftmost and longest winning, so that the cost
is that of the text and not of the names.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from graphrag.domain.walk import fold_words, name_forms

_LATIN = re.compile(r"[a-z0-9_\u00df-\u024f\u0370-\u052f]")
_NUMBERS = re.compile(r"[\d\s\-_/.:年月日第周]+")  # a daily note's title says nothing of what it is about
_LINKING = r"(?:of|the|de|von|van|and|der|la|le|du|da|di|al|for|in)"
_CAPITALISED = re.compile(rf"\b[A-Z][\w'’.\-]*(?:\s+(?:{_LINKING}\s+){{0,2}}[A-Z0-9][\w'’.\-]*)*")
_IDENTIFIER = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Za-z]\w*_\w+|\w*[A-Za-z]\d+\w*)\b", re.ASCII)
_QUOTED = re.compile(r"[《「『]([^《》「」『』\n]{2,30})[》」』]")
_SHORTEST = 2
_STARTERS_TEXT = """
the a an he she it in on his her they this that these those at as after before during from for with when where while its
but and or if to of by we our you your i my there here what who how why not no yes all some many january february march
april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
"""
_STARTERS = frozenset(_STARTERS_TEXT.split())


class NameMatch(NamedTuple):
    """A name found in a text; `is_mention` is false where only a common word was written like it."""

    name: str  # folded
    is_mention: bool


class NameFinder:
    """Finds titles and aliases, given as they are written."""

    def __init__(self, names: Iterable[str]) -> None:
        written = {fold_words(form): form for name in names for form in name_forms(name)}
        self._written = {name: form for name, form in written.items() if _is_telling(name)}
        self._names = sorted(self._written)
        self._automaton = AhoCorasick(self._names, matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> Iterator[NameMatch]:
        """Yield the names in a text; words of spaced scripts only where they stand for themselves."""
        folded = fold_words(text)
        for number, start, end in self._automaton.find_matches_as_indexes(folded):
            if not _cuts_a_word(folded, start) and not _cuts_a_word(folded, end):
                name = self._names[number]
                yield NameMatch(name, self._has_its_case(name, text, folded, start))

    def knows(self, name: str) -> bool:
        """Whether a folded name is looked for."""
        return name in self._written

    def _has_its_case(self, name: str, text: str, folded: str, start: int) -> bool:
        """Whether a capitalised name has its capital in the text as well: `Film` is a title, `film` a word."""
        if len(text) != len(folded) or not self._written[name][0].isupper():
            return True
        return not text[start].islower()


def find_terms(text: str, user_words: Collection[str]) -> set[str]:
    """Return the terms of a text, folded: identifiers, capitalised names, quoted titles, and words of the user's own.

    The user's words are folded already.
    """
    terms = {fold_words(match.group()) for match in _IDENTIFIER.finditer(text)}
    terms |= {fold_words(match.group(1)) for match in _QUOTED.finditer(text)}
    terms |= {word for match in _CAPITALISED.finditer(text) if (word := _without_starters(match.group()))}
    folded = fold_words(text) if user_words else ""
    terms |= {word for word in user_words if word in folded}
    return {term for term in terms if len(term) >= _SHORTEST}


def _without_starters(name: str) -> str:
    """Return a capitalised name, folded, without the words that are capitalised for beginning a sentence."""
    words = fold_words(name.strip(".'’-")).split()
    while words and words[0] in _STARTERS:
        del words[0]
    return " ".join(words)


def _is_telling(name: str) -> bool:
    return len(name) >= _SHORTEST and not _NUMBERS.fullmatch(name)


def _cuts_a_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and bool(_LATIN.match(text[place - 1]) and _LATIN.match(text[place]))
