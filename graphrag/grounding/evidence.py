"""A sentence -> its `Claim`; a passage -> its `Source`: terms, figures, dates, names and clauses, ready to compare."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from graphrag.domain.ports import Tokenizer
from graphrag.domain.query import Context
from graphrag.language.dates import Dated, read_dates, read_hours, read_times
from graphrag.language.identifiers import Mentions, Named, read_named
from graphrag.language.negation import is_denied, split_clauses, without_denial
from graphrag.language.numbers import Figure, read_figures, stated_figures
from graphrag.language.sentences import PassageSentence, SentenceKind, find_sentences

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_NO_WORD = re.compile(r"[\d\W_]+")
_WITH_COUNT = re.compile(r"([\u3400-\u9fff]?)\d{1,3}([\u3400-\u9fff]?)")  # a number with what it counts: 8号
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，。！？：；（）［］"}
_FULL_WIDTH |= dict.fromkeys(map(ord, "\u2010\u2011\u2212"), ord("-")) | dict.fromkeys(
    map(ord, "\u00a0\u2009\u202f"), ord(" ")
)
_COUNTED = 12  # items of a list, up to which a sentence may say how many there are

# What sets a value says nothing about what it is a value of.
_SETTING_TEXT = """
统一 定为 设为 改为 调整 调整为 改成 设成 调成 默认 默认值 目前 现在 现行 当前 如今 已经 规定 设置 配置 最终 应该 大约
大概 左右 约为 一共 总共 共计
is are now currently set sets defaults default about
"""
SETTING = frozenset(_SETTING_TEXT.split())

Persons = Mapping[str, Collection[str]]  # a name -> all names of that person
Ground = tuple[int, int]  # a sentence of a block: the block's key, and where it starts in the block's text


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: its telling terms without those that deny, its numbers and dates, whether it denies."""

    text: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]
    dates: tuple[Dated, ...]
    is_denied: bool | None  # None where that is left open


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence of a reply says, to be found in its sources."""

    text: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]
    dates: tuple[Dated, ...]
    named: Named
    clauses: tuple[Clause, ...]
    is_chinese: bool

    @property
    def says_anything(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self.terms) or self.has_details

    @property
    def has_details(self) -> bool:
        """Whether it gives a number, a date, a name or an identifier."""
        return bool(self.figures or self.dates or self.named.names or self.named.identifiers)


def read_claim(sentence: str, tokenizer: Tokenizer, persons: Persons) -> Claim:
    """Return what a sentence claims."""
    text = fold_width(sentence)
    named = read_named(text, persons)
    dates, times = read_dates(text), read_times(text)
    bare = _blanked(text, [*dates, *times], named.names)
    return Claim(
        text=text,
        terms=terms_of(text, tokenizer),
        figures=(*times, *stated_figures(bare)),
        dates=tuple(dates),
        named=named,
        clauses=tuple(read_clause(part, tokenizer, is_denied(part), named.names) for part in split_clauses(text)),
        is_chinese=is_mostly_chinese(text),
    )


class Source:
    """What a numbered block says; everything that is compared is read when it is first asked for."""

    def __init__(self, key: int, head: str, text: str, tokenizer: Tokenizer) -> None:
        """`head` is title and heading path, and what else the note is called."""
        self.key = key
        self.head = fold_width(head)
        self._whole = fold_width(f"{head}\n{text}")
        self._text = fold_width(text)
        self._tokenizer = tokenizer
        self.is_chinese = is_mostly_chinese(self._whole)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Every term that a question of its words would look for."""
        return frozenset(self._tokenizer.tokenize(self._whole))

    @cached_property
    def head_terms(self) -> frozenset[str]:
        """The terms of its title, headings and other names: what its sentences are about without saying so."""
        return frozenset(self._tokenizer.tokenize(self.head))

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every number that it may be said to hold, those of dates aside."""
        return all_figures(self._whole)

    def figures_about(self, terms: frozenset[str]) -> tuple[Figure, ...]:
        """Return the numbers of its title and of the sentences that share a term, or stand beside one that does."""
        near = {place for place, own in enumerate(self.sentence_terms) if not terms.isdisjoint(own)}
        near |= {
            place + step
            for place in near
            if self.sentences[place].kind is SentenceKind.PROSE
            for step in (-1, 1)
            if 0 <= place + step < len(self.sentences)
        }
        texts = [self.head, *(self.sentences[place].text for place in sorted(near))]
        return tuple(figure for text in texts for figure in all_figures(text))

    @cached_property
    def dates(self) -> tuple[Dated, ...]:
        """The dates in it."""
        return tuple(read_dates(self._whole))

    @cached_property
    def mentions(self) -> Mentions:
        """The names in it."""
        return Mentions(self._whole)

    @cached_property
    def head_mentions(self) -> Mentions:
        """The names in its title, headings and other names."""
        return Mentions(self.head)

    @cached_property
    def sentence_mentions(self) -> list[Mentions]:
        """The names in each sentence and in what it is read under."""
        return [Mentions(fold_width(f"{item.lead}\n{item.text}")) for item in self.sentences]

    @cached_property
    def sentences(self) -> tuple[PassageSentence, ...]:
        """Its sentences, rows and lines of code."""
        return tuple(find_sentences(self._text))

    @cached_property
    def sentence_terms(self) -> list[frozenset[str]]:
        """The terms of each sentence, with those of the line that it is an item of; a table's head is in no row."""
        leads = [item.lead if item.kind is SentenceKind.PROSE else "" for item in self.sentences]
        pairs = zip(leads, self.sentences, strict=True)
        return [frozenset(self._tokenizer.tokenize(f"{lead}\n{item.text}")) for lead, item in pairs]

    @cached_property
    def place_terms(self) -> list[frozenset[str]]:
        """The terms of each sentence, with those of what it is read under, a table's head among them."""
        return [
            terms if item.kind is SentenceKind.PROSE else terms | frozenset(self._tokenizer.tokenize(item.lead))
            for terms, item in zip(self.sentence_terms, self.sentences, strict=True)
        ]

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The parts of its sentences; a row of a table is one."""
        return tuple(clause for sentence in self.sentences for clause in clauses_of(sentence, self._tokenizer))

    @cached_property
    def statements(self) -> tuple[Clause, ...]:
        """The clauses of its running text, and each sentence as a whole where none of its clauses denies anything."""
        parts = [clauses_of(item, self._tokenizer) for item in self.sentences if item.kind is SentenceKind.PROSE]
        plain = [
            replace(whole, is_denied=False)
            for clauses, whole in zip(parts, self.whole_sentences, strict=True)
            if len(clauses) > 1 and all(clause.is_denied is False for clause in clauses)
        ]
        return (*(clause for clauses in parts for clause in clauses), *plain)

    @cached_property
    def whole_sentences(self) -> tuple[Clause, ...]:
        """The sentences of its running text, each as one clause of which it is open what it denies."""
        texts = [sentence.text for sentence in self.sentences if sentence.kind is SentenceKind.PROSE]
        return tuple(read_clause(text, self._tokenizer, None) for text in texts)

    @cached_property
    def sizes(self) -> frozenset[int]:
        """How many items its lists and enumerations have: a sentence may count them."""
        items = [len(re.findall(r"^\s*(?:[-*+]|\d+[.)])\s", part, re.MULTILINE)) for part in self._text.split("\n\n")]
        named = [len(re.findall(r"[、/]", sentence.text)) + 1 for sentence in self.sentences]
        return frozenset(size for size in (*items, *named) if 1 < size <= _COUNTED)


def all_figures(text: str) -> tuple[Figure, ...]:
    """Return every number that a text may be said to hold: times of day and weekdays too, and none of its dates."""
    bare = _blanked(text, read_dates(text), ())
    return (*read_figures(bare), *read_times(text), *read_hours(text))


def read_sources(
    context: Context, tokenizer: Tokenizer, aliases: Callable[[str], Collection[str]]
) -> dict[int, Source]:
    """Return the blocks of a context by their keys; `aliases` says what else a note is called."""
    heads = {block.key: f"{block.chunk.title_path()} {' '.join(aliases(block.chunk.note))}" for block in context.blocks}
    return {block.key: Source(block.key, heads[block.key], block.chunk.text, tokenizer) for block in context.blocks}


def clauses_of(sentence: PassageSentence, tokenizer: Tokenizer) -> list[Clause]:
    """Return the parts of a source's sentence; what stands in a table or under a denial need not say that it denies."""
    if sentence.kind is not SentenceKind.PROSE:
        return [read_clause(sentence.text, tokenizer, None)]
    is_open = is_denied(sentence.lead) is not False
    parts = [(part, is_denied(part)) for part in split_clauses(sentence.text)]
    return [read_clause(part, tokenizer, None if is_open and not denied else denied) for part, denied in parts]


def read_clause(text: str, tokenizer: Tokenizer, denied: bool | None, names: Collection[str] = ()) -> Clause:
    """Return what a clause says, and whether it denies that; its numbers and their units are no terms.

    `names` are those of persons: in Chinese they would run together with the words beside them.
    """
    own = [name for name in names if not name.isascii() and name in text]
    dates = read_dates(text)
    bare = _blanked(text, dates, own)
    figures = stated_figures(bare)
    terms = terms_of(without_denial(_blanked(bare, figures, ())), tokenizer)
    return Clause(text, whole_terms(terms | set(own)), tuple(figures), tuple(dates), denied)


def terms_of(text: str, tokenizer: Tokenizer) -> frozenset[str]:
    """Return the distinct telling terms of a text; numbers are compared as such.

    What a number counts is a term where there is no other: 甲 of 甲1.
    """
    terms = [term for term in tokenizer.tokenize_query(text) if not _NO_WORD.fullmatch(term)]
    telling = [term for term in terms if not _WITH_COUNT.fullmatch(term)]
    return frozenset(telling or filter(None, (_WITH_COUNT.sub(r"\1\2", term) for term in terms)))


def whole_terms(terms: Collection[str]) -> frozenset[str]:
    """Return the terms that are no part of another one: 消息队列, and not 队列 as well."""
    return frozenset(term for term in terms if not any(term != other and term in other for other in terms))


def is_mostly_chinese(text: str) -> bool:
    """Whether a text has more Chinese characters than words in Latin letters: a heading or a name decides nothing."""
    return len(_CHINESE.findall(text)) > len(_LATIN_WORD.findall(text))


def fold_width(text: str) -> str:
    """Return a text with full-width letters and signs, hyphens and spaces as those of ASCII; its length stays."""
    return text.translate(_FULL_WIDTH)


def _blanked(text: str, spans: Sequence[Dated | Figure], names: Collection[str]) -> str:
    """Return a text of the same length with dates and names in Chinese out of the way: 张三 holds no number."""
    for span in spans:
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    for name in names:
        text = text if name.isascii() else text.replace(name, " " * len(name))
    return text
