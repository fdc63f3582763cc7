"""jieba's dictionary, read where it lies, and jieba's cut of a run of Chinese characters without new words (HMM off).

The file is sorted by first character. Only the words of the characters that a text holds are read, so a new process
starts in a millisecond; jieba itself, which reads all 349,000 words, is never imported.
"""

import importlib.util
import mmap
import re
from functools import lru_cache
from itertools import pairwise
from math import log
from pathlib import Path

from graphrag.errors import MissingExtra

_KNOWN = re.compile("[\u4e00-\u9fd5]+")  # what jieba looks up; it takes every other character by itself
_FIRST_LINE = "\n一 ".encode()  # the sorted part begins here; above it are words with Latin letters
_TOTAL = 60_101_967  # all counts of the file


class JiebaDictionary:
    """Words with how often they occur and their part of speech; safe to use from several threads."""

    total = _TOTAL

    def __init__(self, file: Path) -> None:
        with file.open("rb") as opened:
            self._lines = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        self._start = self._lines.find(_FIRST_LINE) + 1
        self._read: set[str] = set()  # first characters
        self._counts: dict[str, int] = {}  # of words, and 0 of what only begins one
        self._parts: dict[str, str] = {}

    def count(self, word: str) -> int:
        """Return how often a word occurs in jieba's corpus, 0 for what is no word of the dictionary."""
        self._read_words_of(word[:1])
        return self._counts.get(word, 0)

    def part_of_speech(self, word: str) -> str:
        """Return jieba's tag of a word, empty for what is no word of the dictionary."""
        self._read_words_of(word[:1])
        return self._parts.get(word, "")

    def cut(self, run: str) -> list[str]:
        """Return the words of a run of Chinese characters, which together make it up."""
        self._read_words_of(run)
        words: list[str] = []
        done = 0
        for known in _KNOWN.finditer(run):
            words += run[done : known.start()]
            words += self._likeliest(known.group())
            done = known.end()
        return words + list(run[done:])

    def _likeliest(self, run: str) -> list[str]:
        """Return the row of words whose probabilities have the largest product."""
        counts, size, log_total = self._counts, len(run), log(_TOTAL)
        best = [(0.0, 0)] * (size + 1)  # of what follows each place: logarithm, and where its first word ends
        for start in range(size - 1, -1, -1):
            ends = []
            end = start + 1
            while end <= size and (count := counts.get(run[start:end])) is not None:
                if count:
                    ends.append((log(count) - log_total + best[end][0], end))
                end += 1
            best[start] = max(ends) if ends else (log(1) - log_total + best[start + 1][0], start + 1)
        borders = [0]
        while borders[-1] < size:
            borders.append(best[borders[-1]][1])
        return [run[start:end] for start, end in pairwise(borders)]

    def _read_words_of(self, characters: str) -> None:
        for first in {*characters} - self._read:
            for line in self._lines_of(first):
                word, count, part = line.split(" ")
                for end in range(1, len(word)):
                    self._counts.setdefault(word[:end], 0)
                self._counts[word] = int(count)
                self._parts.setdefault(word, part)
            self._read.add(first)

    def _lines_of(self, first: str) -> list[str]:
        lines = self._lines[self._place_of(ord(first)) : self._place_of(ord(first) + 1)]
        return lines.decode().splitlines()

    def _place_of(self, code: int) -> int:
        """Return where the lines begin whose first character is not before this one."""
        first = chr(code).encode("utf-8", "surrogatepass")  # sorts as the characters do
        low, high = self._start, len(self._lines)
        while low < high:
            middle = self._lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
            if self._lines[middle : middle + len(first)] < first:
                low = self._lines.find(b"\n", middle) + 1 or len(self._lines)
            else:
                high = middle
        return low


@lru_cache(maxsize=1)
def jieba_dictionary() -> JiebaDictionary:
    """Return the dictionary of the jieba that is installed."""
    found = importlib.util.find_spec("jieba")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("jieba is not installed. Run: pip install vault-graphrag")
    return JiebaDictionary(Path(found.submodule_search_locations[0]) / "dict.txt")
