"""What a text says, as terms and numbers, to tell whether a passage supports a sentence."""

import re
from dataclasses import dataclass

from graphrag.domain.ports import Tokenizer

_NUMBER = re.compile(r"\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)*")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_NUMERAL = re.compile(r"[一二两三四五六七八九十]{1,3}")
_DIGITS = {digit: value for value, digit in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The distinct terms and numbers of a passage, and whether it is in Chinese for the most part."""

    terms: frozenset[str]
    numbers: frozenset[str]
    is_chinese: bool


def read_evidence(passage: str, tokenizer: Tokenizer) -> Evidence:
    """Return what a passage says; its numerals in words count as numbers as well."""
    words = {str(value) for found in _NUMERAL.findall(passage) if (value := _value_of(found))}
    words |= {str(_WORDS.index(word) + 1) for word in _LATIN_WORD.findall(passage.lower()) if word in _WORDS}
    return Evidence(terms_of(passage, tokenizer), numbers_of(passage) | words, is_mostly_chinese(passage))


def terms_of(text: str, tokenizer: Tokenizer) -> frozenset[str]:
    """Return the distinct telling terms of a text."""
    return frozenset(tokenizer.tokenize_query(text))


def numbers_of(text: str) -> frozenset[str]:
    """Return the numbers of a text in one form: without thousands separators and leading zeros."""
    bare = (found.replace(",", "") for found in _NUMBER.findall(text))
    return frozenset(number.lstrip("0") if number.strip("0") and "." not in number else number for number in bare)


def is_mostly_chinese(text: str) -> bool:
    """Whether a text has more Chinese characters than words in Latin letters: a heading or a name decides nothing."""
    return len(_CHINESE.findall(text)) > len(_LATIN_WORD.findall(text))


def _value_of(numeral: str) -> int | None:
    """Return the value of a Chinese numeral below 100, None for one that is not well formed."""
    tens, ten, ones = numeral.rpartition("十")
    if not ten:
        return _DIGITS.get(numeral)
    if (tens and tens not in _DIGITS) or (ones and ones not in _DIGITS):
        return None
    return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(ones, 0)
