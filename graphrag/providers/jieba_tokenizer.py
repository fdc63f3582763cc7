"""Terms for full-text search: jieba for Chinese, our own rules for identifiers; one function for text and questions.

Words of the lexicon (titles, aliases, tags, the user's dictionary) are added to what jieba finds, and never replace it:
text that was indexed before a word was known still matches by the word's parts.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from graphrag.domain.query import WordKind, WordSense
from graphrag.language.script import simplify
from graphrag.providers.jieba_dictionary import jieba_dictionary
from graphrag.providers.word_forms import (
    AMPERSAND,
    CJK,
    LATIN,
    THOUSANDS,
    canonical,
    components,
    counted_words,
    split_by_line_ends,
)

_LATIN_TERM = re.compile(rf"[{LATIN}0-9][{LATIN}0-9_.+#/:@&-]*")
_IDENTIFIER_RARITY = 0.9  # of what no Chinese dictionary counts
_ENGLISH_RARITY = 0.5  # of a word that may be any
_CHINESE_TERM = re.compile(r"[\u3400-\u9fff]")
_PLAIN_WORD = re.compile(r"(?:(?:\A|(?<=[.?!:] ))[\"'(]*[A-Z][a-z]*|\b[a-z]+)(?=[\s,.;:?!\"')]|\Z)")
# Nouns of all sorts, verbs and adjectives used as nouns, idioms, set phrases, abbreviations, words of other scripts.
_NOUNS = re.compile(r"n\w*|vn|an|[ilj]|eng")


class WordSenses:
    """Looks terms up in jieba's dictionary; words of the vault's own, which it lacks, are nouns."""

    def __init__(self, own_words: frozenset[str]) -> None:
        self._own_words = own_words

    def look_up(self, terms: Sequence[str], text: str) -> list[WordSense]:
        """Return the sense of each term of a text, in order."""
        ordinary = _ordinary_english(text)
        return [self._sense_of(term, ordinary) for term in terms]

    def _sense_of(self, term: str, ordinary: frozenset[str]) -> WordSense:
        if _LATIN_TERM.fullmatch(term):
            if term in ordinary:
                return WordSense(term, WordKind.ENGLISH, _ENGLISH_RARITY)
            return WordSense(term, WordKind.IDENTIFIER, _IDENTIFIER_RARITY)
        dictionary = jieba_dictionary()
        count = dictionary.count(term)
        if not count:
            if term in self._own_words:
                return WordSense(term, WordKind.NOUN, _IDENTIFIER_RARITY)
            return WordSense(term, WordKind.UNKNOWN, 0.0)
        total = dictionary.total
        rarity = -math.log((count + 1) / total) / math.log(total)
        return WordSense(term, _kind_of(dictionary.part_of_speech(term)), rarity)


def _ordinary_english(text: str) -> frozenset[str]:
    """Return the words that an English text writes in small letters, or with a capital only where a sentence begins."""
    if _CHINESE_TERM.search(text):
        return frozenset()
    return frozenset(word.lower() for word in _PLAIN_WORD.findall(text))


def _kind_of(part: str) -> WordKind:
    if _NOUNS.fullmatch(part):
        return WordKind.NOUN
    return WordKind.VERB if part.startswith("v") else WordKind.OTHER


_VERSION = "5"
_PIECE = re.compile(
    rf"{THOUSANDS}|{AMPERSAND}"
    rf"|[a-z]\+[{CJK}](?=[^+]|\Z)"  # B+树
    rf"|[a-z][a-z0-9]*(?:\+\+(?![{LATIN}])[0-9]*|#(?![{LATIN}0-9]))"  # C++, C++11, C#
    r"|\.(?:net)\b"
    rf"|[{LATIN}0-9_]+(?:[.\-/:@+][{LATIN}0-9_]+)*"  # identifiers, versions, paths
    rf"|[{CJK}]+"
    rf"|[^\W_{LATIN}0-9{CJK}]+"  # words of other scripts
)
_CHINESE = re.compile(rf"[{CJK}]")
_DASH = re.compile(r"(?<=[^\W\d_])[\u2010-\u2013\u2212](?=[^\W\d_])")  # a hyphen by another sign: on–call
_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de"
_CAMEL = re.compile(rf"[{_UPPER}]+(?=[{_UPPER}][{LATIN}])|[{_UPPER}]?[{LATIN}]+|[{_UPPER}]+|\d+")
_IDENTIFIER = re.compile(rf"[{_UPPER}{LATIN}0-9_]+")
_PARTICLES = frozenset("的了是吗呢吧啊呀么")
_CONNECTIVES = frozenset(("and", "or"))  # of a query language, whatever their size
_MAX_TERM = 64
_MAX_LEXICON_PARTS = 8

_STOP_WORDS_TEXT = """
的 了 吗 呢 吧 啊 呀 么 是 在 和 与 或 及 把 被 对 从 到 给 让 就 都 也 还 又 再 很 更 最 太 会 能 要 该 想 得
地 着 过 有 没 没有 不 我 你 他 她 它 我们 你们 他们 这 那 这个 那个 这些 那些 其 之 什么 怎么 怎样 如何
为什么 为何 为啥 哪 哪个 哪些 哪里 几 多少 谁 啥 是否 可以 应该 需要 一个 一下 一些 时候 时 里 中 上 下 个 种
次 去 来 说
a an the of to in on at for and or is are was were be been do does did how what why which who when where can
could should would will with by from as it its this that these those i you we they my our your me us if then
than there into about
"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
_PARTICLES = frozenset("的了着过吗呢吧啊是在把被也都就还我你他她它这那")


class JiebaTokenizer:
    """Tokenizer of the default index; `lexicon` holds words to find whole besides jieba's own dictionary."""

    def __init__(self, lexicon: Iterable[str] = ()) -> None:
        self._lexicon_words = tuple(lexicon)
        self._inner: dict[str, tuple[str, ...]] = {}

    @property
    def fingerprint(self) -> str:
        """Identity of the rules and of jieba's dictionary; the lexicon only adds terms and is not part of it."""
        return f"jieba-0.42.1:{_VERSION}"

    def tokenize(self, text: str) -> list[str]:
        """Return the terms of a passage in order, repeats kept; all that a question of its words would look for."""
        folded, original = _fold(text)
        terms = self._terms(folded, original, self._passage_terms, _spellings)
        return [*terms, *self._terms_across_lines(folded)]

    def tokenize_query(self, text: str) -> list[str]:
        """Return a question's distinct terms, without stop words, and without single characters if others remain."""
        folded, original = _fold(text)
        terms = list(dict.fromkeys(self._terms(folded, original, self._word_terms, _shared_spelling)))
        telling = [term for term in terms if not self._is_idle(term)]
        longer = [term for term in telling if len(term) > 1]
        return longer or telling or terms

    def look_up(self, terms: Sequence[str], text: str) -> list[WordSense]:
        """Return what jieba's dictionary knows of each term of a text, in order; a word of the lexicon is a noun."""
        counted = frozenset(counted_words(*_fold(text), _STOP_WORDS))
        senses = WordSenses(self._lexicon).look_up(terms, text)
        return [WordSense(it.term, WordKind.UNKNOWN, 0.0) if it.term in counted else it for it in senses]

    def find_words(self, words: Collection[str], texts: Iterable[str]) -> list[bool]:
        """Return for each text whether a run of Chinese characters of one of the words stands in it."""
        runs = self._split_runs(words)
        return [any(run in folded for run in runs) for folded in (_fold(text)[0] for text in texts)]

    def _is_idle(self, term: str) -> bool:
        """Whether a term tells nothing: a stop word, or a pair with a particle in it that makes no word."""
        if term in _STOP_WORDS:
            return True
        return len(term) == 2 and not _PARTICLES.isdisjoint(term) and not self._is_word(term)

    def _is_word(self, term: str) -> bool:
        return term in self._lexicon or jieba_dictionary().count(term) > 0

    def _terms(
        self,
        folded: str,
        original: str,
        chinese: Callable[[str], Iterator[str]],
        spell: Callable[[str], Iterable[str]],
    ) -> Iterator[str]:
        is_shouted = _is_shouted(original)
        for found in _PIECE.finditer(folded):
            piece, written = found.group(), original[found.start() : found.end()]
            if _CHINESE.match(piece):
                yield from chinese(piece)
            elif not is_shouted and _is_capital_name(piece, written):
                yield written
                if spell is _spellings:
                    yield piece
            else:
                for term in dict.fromkeys(_identifier_terms(piece, written)):
                    yield from spell(term)
        yield from counted_words(folded, original, _STOP_WORDS)

    def _word_terms(self, run: str) -> Iterator[str]:
        """Yield the words of a run of Chinese characters."""
        yield from self._terms_of(jieba_dictionary().cut(run))

    def _terms_across_lines(self, folded: str) -> Iterator[str]:
        """Yield what stands on both sides of a line end at once."""
        for left, right in split_by_line_ends(folded):
            apart = {*self._passage_terms(left), *self._passage_terms(right)}
            yield from (term for term in self._passage_terms(left + right) if term not in apart)

    def _passage_terms(self, run: str) -> Iterator[str]:
        """Yield the words, and what a question may find across their borders, since jieba may cut it otherwise.

        That is every word of two characters, and every pair with a single character, which may be half of a word that
        the dictionary lacks.
        """
        words = jieba_dictionary().cut(run)
        yield from self._terms_of(words)
        for first, second in pairwise(words):
            if len(first) == len(second) == 1:
                continue
            pair = first[-1] + second[0]
            if jieba_dictionary().count(pair) or _is_half_word(first) or _is_half_word(second):
                yield pair

    def _terms_of(self, words: list[str]) -> Iterator[str]:
        yield from self._lexicon_terms(words)
        for word in words:
            yield word
            if len(word) > 2:
                yield from self._inner_words(word)
        yield from _bigrams_of_singles(words)

    def _inner_words(self, word: str) -> tuple[str, ...]:
        """Return the dictionary's words of two or three characters inside a longer one, as jieba's search mode does."""
        if word not in self._inner:
            parts = (word[start : start + size] for size in (2, 3) for start in range(len(word) - size + 1))
            self._inner[word] = tuple(part for part in parts if part != word and jieba_dictionary().count(part))
        return self._inner[word]

    def _lexicon_terms(self, words: list[str]) -> Iterator[str]:
        """Yield every lexicon word that is made of neighbouring words."""
        for start, first in enumerate(words):
            if first not in self._lexicon_starts:
                continue
            joined = first
            for word in words[start + 1 : start + _MAX_LEXICON_PARTS]:
                joined += word
                if joined in self._lexicon:
                    yield joined

    @cached_property
    def _lexicon(self) -> frozenset[str]:
        """The lexicon's Chinese words that jieba would split."""
        return self._split_runs(self._lexicon_words)

    def _split_runs(self, words: Iterable[str]) -> frozenset[str]:
        runs = {run for word in words for run in re.findall(rf"[{CJK}]{{2,20}}", _fold(word)[0])}
        return frozenset(run for run in runs if not jieba_dictionary().count(run))

    @cached_property
    def _lexicon_starts(self) -> frozenset[str]:
        return frozenset(_first_word(word) for word in self._lexicon)


@lru_cache(maxsize=100_000)  # a watcher makes a tokenizer for every commit, with the same words but for a few
def _first_word(word: str) -> str:
    return jieba_dictionary().cut(word)[0]


def _fold(text: str) -> tuple[str, str]:
    """Return the text in compatibility form and simplified, lower-cased and as it was; both have the same length."""
    original = _DASH.sub("-", simplify(unicodedata.normalize("NFKC", text)).replace("\u0130", "I"))  # I with a dot
    lowered = original.lower()
    if len(lowered) != len(original):  # a few capitals have a longer small form
        lowered = "".join(low if len(low := character.lower()) == 1 else character for character in original)
    return lowered, original


def _is_shouted(original: str) -> bool:
    """Whether a text is written in capitals, so that they tell nothing."""
    return " " in original.strip() and original.isupper() and not _CHINESE.search(original)


def _is_capital_name(piece: str, written: str) -> bool:
    """Whether a stop word is written as a name: IT, US, WHO."""
    return len(piece) > 1 and written.isupper() and piece in _STOP_WORDS and piece not in _CONNECTIVES


def _spellings(term: str) -> Iterator[str]:
    """Yield a term as it is written and in the form that all its spellings share."""
    yield term[:_MAX_TERM]
    shared = canonical(term)
    if shared and shared != term:
        yield shared[:_MAX_TERM]


def _shared_spelling(term: str) -> Iterator[str]:
    yield (canonical(term) or term)[:_MAX_TERM]


def _identifier_terms(piece: str, original: str) -> Iterator[str]:
    """Yield an identifier whole, and its parts: at separators, between letters and digits, at humps of camel case."""
    whole = piece.strip("_").replace(" ", "")
    if not whole:
        return
    yield whole
    yield from components(whole)
    for word in _IDENTIFIER.findall(original):
        for sub in word.split("_"):
            humps = _CAMEL.findall(sub)
            yield from (part for part in (sub.lower(), *(hump.lower() for hump in humps if len(humps) > 1)) if part)


def _is_half_word(word: str) -> bool:
    return len(word) == 1 and word not in _PARTICLES


def _bigrams_of_singles(words: list[str]) -> Iterator[str]:
    """Yield neighbouring single characters as pairs: a word that the dictionary lacks falls into such a row."""
    for first, second in pairwise(words):
        if len(first) == 1 and len(second) == 1:
            yield first + second
