"""The kind and rarity of terms, from jieba's dictionary, whose lines are a word, its count and its part of speech.

The dictionary lies in memory as it is in its file, and a word is looked up where it stands: a question has a few of
them, and reading all parts of speech takes longer than answering it.
"""

import math
import mmap
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from graphrag.domain.words import WordKind, WordSense

_LATIN = re.compile(r"[a-z0-9\u00df-\u00f6\u00f8-\u024f][a-z0-9\u00df-\u00f6\u00f8-\u024f_.+#/:@-]*")
_IDENTIFIER_RARITY = 0.9  # of what no Chinese dictionary counts
_ENGLISH_RARITY = 0.5  # of a word that may be any
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_PLAIN_WORD = re.compile(r"(?:(?:\A|(?<=[.?!:] ))[\"'(]*[A-Z][a-z]*|\b[a-z]+)(?=[\s,.;:?!\"')]|\Z)")
# Nouns of all sorts, verbs and adjectives used as nouns, idioms, set phrases, abbreviations, words of other scripts.
_NOUNS = re.compile(r"n\w*|vn|an|[ilj]|eng")


class WordSenses:
    """Looks terms up in jieba's dictionary; words of the vault's own, which it lacks, are nouns."""

    def __init__(self, dictionary: Any, own_words: frozenset[str]) -> None:
        self._dictionary = dictionary
        self._own_words = own_words

    def look_up(self, terms: Sequence[str], text: str) -> list[WordSense]:
        """Return the sense of each term of a text, in order."""
        ordinary = _ordinary_english(text)
        return [self._sense_of(term, ordinary) for term in terms]

    def _sense_of(self, term: str, ordinary: frozenset[str]) -> WordSense:
        if _LATIN.fullmatch(term):
            if term in ordinary:
                return WordSense(term, WordKind.ENGLISH, _ENGLISH_RARITY)
            return WordSense(term, WordKind.IDENTIFIER, _IDENTIFIER_RARITY)
        count = self._dictionary.FREQ.get(term)
        if not count:
            if term in self._own_words:
                return WordSense(term, WordKind.NOUN, _IDENTIFIER_RARITY)
            return WordSense(term, WordKind.UNKNOWN, 0.0)
        total = self._dictionary.total
        return WordSense(
            term, _kind_of(_part_of_speech(self._dictionary, term)), -math.log((count + 1) / total) / math.log(total)
        )


def _ordinary_english(text: str) -> frozenset[str]:
    """Return the words that an English text writes in small letters, or with a capital only where a sentence begins."""
    if _CHINESE.search(text):
        return frozenset()
    return frozenset(word.lower() for word in _PLAIN_WORD.findall(text))


def _kind_of(part: str) -> WordKind:
    if _NOUNS.fullmatch(part):
        return WordKind.NOUN
    return WordKind.VERB if part.startswith("v") else WordKind.OTHER


@lru_cache(maxsize=10_000)
def _part_of_speech(dictionary: Any, word: str) -> str:
    """Return jieba's tag of a word, empty for one that was added to the dictionary without one."""
    lines = _dictionary_file(dictionary)
    start = lines.find(f"\n{word} ".encode())
    line = lines[start + 1 : lines.find(b"\n", start + 1)].decode() if start >= 0 else ""
    return line.split()[2] if line.count(" ") == 2 else ""


@lru_cache(maxsize=1)
def _dictionary_file(dictionary: Any) -> mmap.mmap:
    with dictionary.get_dict_file() as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
