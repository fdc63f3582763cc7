"""A question -> the n-grams by which the trained router judges it, each as a number.

There are three families: characters, English words, and the question's frame. The frame keeps the common words and
signs and puts one mark in the place of all others: `写迁移方案的那位去了哪个团队` has the frame `写■的那位■了哪个■`.
"""

import re
from collections import Counter
from collections.abc import Container
from zlib import crc32

from graphrag.language.script import half_width, simplify

LONGEST = 400  # characters of a question that are read
_CHARACTERS, _WORDS, _FRAME = 3, 2, 4  # the longest n-gram of each family
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|`[^`]*`")
_WORD = re.compile(r"[a-z']+")
_TOKEN = re.compile(r"[a-z']+|\d+|[^\sa-z\d]")
_OTHER = "■"


def normal_form(question: str) -> str:
    """Return the beginning of a question in small, simplified, half-width characters."""
    return simplify(half_width(question[:LONGEST].lower()))


def tokens(normal: str) -> list[str]:
    """Return the words, numbers and signs of a question in its normal form; a quotation and a number are one sign."""
    return ["0" if token.isdigit() else token for token in _TOKEN.findall(_QUOTED.sub("《》", normal))]


def number_of(family: str, gram: str) -> int:
    """Return the number of an n-gram, the same on every machine."""
    return crc32(f"{family}{gram}".encode("utf-8", "surrogatepass"))


def grams(question: str, kept: Container[int]) -> tuple[Counter[int], ...]:
    """Return the n-grams of each family with how often they occur; `kept` numbers the tokens that a frame keeps."""
    normal = normal_form(question)
    return (
        Counter(number_of("c", gram) for gram in _n_grams(normal, _CHARACTERS, "")),
        Counter(number_of("w", gram) for gram in _n_grams(_WORD.findall(normal), _WORDS, " ")),
        Counter(number_of("f", gram) for gram in _n_grams(_frame(tokens(normal), kept), _FRAME, " ")),
    )


def _frame(found: list[str], kept: Container[int]) -> list[str]:
    frame = ["^"]
    for token in found:
        shown = token if number_of("t", token) in kept else _OTHER
        if shown != _OTHER or frame[-1] != _OTHER:
            frame.append(shown)
    return [*frame, "$"]


def _n_grams(parts: str | list[str], longest: int, joint: str) -> list[str]:
    return [
        joint.join(parts[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(parts) - length + 1)
    ]
