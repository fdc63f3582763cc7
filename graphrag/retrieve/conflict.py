"""The sentences that an answer rests on, and all others it was given -> what its sources disagree on.

Two clauses of different notes disagree when they say the same of the same thing, with another number, date or person in
one place, or one denying what the other says. Whatever may make them speak of two things speaks against it: a word of
its own on either side, another number, a condition, a time that is past. Much is missed that way; little is wrong.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from graphrag.domain.ports import Tokenizer
from graphrag.domain.query import Context
from graphrag.retrieve.dated import read_dates
from graphrag.retrieve.evidence import (
    SETTING,
    Clause,
    Ground,
    Persons,
    fold_width,
    read_clause,
    read_sources,
    terms_of,
    whole_terms,
)
from graphrag.retrieve.figures import Figure
from graphrag.retrieve.polarity import is_denied, split_clauses
from graphrag.retrieve.sentences import PassageSentence, SentenceKind
from graphrag.retrieve.units import COUNT

_FEWEST = 3  # terms that both clauses must share, and of those one with the question
_FEWEST_TITLED = 2  # the same, where the notes' titles share a term too: a short clause leaves its subject to the title
_MOST_VALUES = 3  # more of them are no dispute, but a field that every note of a kind has
# A sentence about another time, a case of its own or a proposal is not at odds with one that is not.
_OTHER_CASE = re.compile(
    r"如果|假如|若(?!干)|时候|期间|除非|例如|比如|原来|原先|以前|之前|从前|曾|旧|当时|后来|历史|临时"
    r"|[上下本这那][次周月期]|今[天年日晚早]|昨|明天|计划|打算|建议|提议|可能|大促|测试|压测"
    r"|\b(?:if|when|while|during|unless|e\.g|formerly|previously|used to|was|were|had|until|proposed?|planned"
    r"|might|may|old|this|next|last|today|tomorrow)\b",
    re.IGNORECASE,
)
_RESPONSIBLE = re.compile(
    r"负责|维护|作者|组长|导师|接口人|主持|牵头|\b(?:owners?|owned|maintain\w*|authors?|mentors?|leads?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of a source, with the sentence that it stands in."""

    key: int  # of its block
    note: str
    sentence: PassageSentence
    clause: Clause
    persons: frozenset[str]  # who is made responsible
    matter: frozenset[str]  # terms of the clause without those of values and of setting them
    about: frozenset[str]  # terms of the clause, and of the headings that it stands under
    title: frozenset[str]
    is_dated: bool  # whether its note is one of a day, and tells of that day


@dataclass(frozen=True, slots=True)
class Side:
    """What one statement says of the disputed thing."""

    value: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Dispute:
    """One thing that sources say differently; the first side is the one that the answer rests on."""

    subject: str
    sides: tuple[Side, ...]


class DisputeFinder:
    """Compares the sentences of one context."""

    def __init__(self, question: str, context: Context, tokenizer: Tokenizer, persons: Callable[[], Persons]) -> None:
        self._asked = terms_of(fold_width(question), tokenizer)
        self._persons = persons
        self._tokenizer = tokenizer
        self._sources = read_sources(context, tokenizer, lambda note: ())
        self._notes = {block.key: block.chunk.note for block in context.blocks}
        self._titles = {block.key: terms_of(block.chunk.title, tokenizer) for block in context.blocks}
        self._read: dict[Ground, list[Statement]] = {}

    def find(self, grounds: Iterable[Ground]) -> tuple[Dispute, ...]:
        """Return what is disputed of the sentences that an answer rests on."""
        rested = set(grounds)
        disputes: dict[frozenset[str], Dispute] = {}
        for key, sentence in self._sentences():
            for own in self._statements(key, sentence) if (key, sentence.start) in rested else ():
                sides = self._sides(own)
                if 1 < len({side.value for side in sides}) <= _MOST_VALUES:
                    disputes.setdefault(own.matter, Dispute(_subject(sides), tuple(_distinct(sides))))
        return tuple(disputes.values())

    def _sides(self, own: Statement) -> list[Side]:
        """Return the statement and all that disagree with it."""
        sides = [Side("", own)]
        for key, sentence in self._sentences():
            # Whoever shares no two terms as they are written shares none when they are told apart, which takes longer.
            text = sentence.text.casefold()
            if self._notes[key] == own.note or sum(term in text for term in own.matter) < _FEWEST_TITLED:
                continue
            for other in self._statements(key, sentence):
                if values := self._difference(own, other):
                    sides[0] = Side(values[0], own)
                    sides.append(Side(values[1], other))
        return sides

    def _sentences(self) -> Iterator[tuple[int, PassageSentence]]:
        return ((key, sentence) for key, source in self._sources.items() for sentence in source.sentences)

    def _statements(self, key: int, sentence: PassageSentence) -> list[Statement]:
        """Return what a sentence states; nothing for rows and code, and for a case of its own."""
        place = key, sentence.start
        if place not in self._read:
            is_other = sentence.kind is not SentenceKind.PROSE or _OTHER_CASE.search(f"{sentence.lead} {sentence.text}")
            clauses = [] if is_other else split_clauses(sentence.text)
            self._read[place] = [self._statement(key, sentence, text) for text in clauses]
        return self._read[place]

    def _statement(self, key: int, sentence: PassageSentence, text: str) -> Statement:
        is_plain = is_denied(sentence.lead) is False
        clause = read_clause(text, self._tokenizer, is_denied(text) if is_plain else None)
        persons = self._responsible(text)
        names = {part for name in persons for part in terms_of(name, self._tokenizer)}
        return Statement(
            key=key,
            note=self._notes[key],
            sentence=sentence,
            clause=clause,
            persons=persons,
            matter=whole_terms(clause.terms - SETTING - names),
            title=self._titles[key],
            is_dated=any(dated.day for dated in read_dates(self._notes[key].rpartition("/")[2])),
            about=clause.terms | frozenset(self._tokenizer.tokenize(f"{self._sources[key].head}\n{sentence.lead}")),
        )

    def _responsible(self, text: str) -> frozenset[str]:
        """Return the persons in a clause that says who is responsible for something."""
        if not _RESPONSIBLE.search(text):
            return frozenset()
        return frozenset(name for name in self._persons() if name in text)

    def _difference(self, one: Statement, other: Statement) -> tuple[str, str] | None:
        """Return the values that two statements give to the same thing, None when they do not disagree."""
        if not self._is_same_matter(one, other):
            return None
        values = _other_number(one, other) or _other_date(one, other)
        return values or self._other_person(one, other) or _denial(one, other)

    def _is_same_matter(self, one: Statement, other: Statement) -> bool:
        """Whether both are about the same: all the terms that count, and the same part of the question."""
        first, second = one.matter, other.matter
        shared = first & second
        fewest = _FEWEST_TITLED if one.title & other.title else _FEWEST
        if len(shared) < fewest or (first - shared and second - shared) or (one.is_dated and other.is_dated):
            return False
        rest = (first | second) - shared
        asked = self._asked & shared
        return bool(asked) and len(rest) < len(shared) and self._asked & one.about == self._asked & other.about

    def _other_person(self, one: Statement, other: Statement) -> tuple[str, str] | None:
        """Return the persons who differ, where each side makes a single one responsible."""
        if len(one.persons) != 1 or len(other.persons) != 1:
            return None
        first, second = next(iter(one.persons)), next(iter(other.persons))
        is_same = first == second or second in self._persons()[first]
        return None if is_same or not _agree(one, other, ()) else (first, second)


def _other_number(one: Statement, other: Statement) -> tuple[str, str] | None:
    """Return the numbers of one unit that differ, where each side has a single one of it and agrees on all others."""
    for figure in one.clause.figures:
        found = [item for item in other.clause.figures if item.unit == figure.unit]
        own = [item for item in one.clause.figures if item.unit == figure.unit]
        if len(found) != 1 or len(own) != 1 or not figure.unit or found[0].value == figure.value:
            continue
        is_alike = figure.unit != COUNT or figure.text[-1] == found[0].text[-1]
        if is_alike and _agree(one, other, (figure.unit,)) and one.clause.is_denied == other.clause.is_denied:
            return figure.text, found[0].text
    return None


def _other_date(one: Statement, other: Statement) -> tuple[str, str] | None:
    """Return the days that differ, where each side names a single one."""
    days = [[dated for dated in item.clause.dates if dated.day] for item in (one, other)]
    if any(len(item.clause.dates) != 1 for item in (one, other)) or not all(days) or days[0][0].fits(days[1][0]):
        return None
    return (days[0][0].text, days[1][0].text) if _same_figures(one, other, ()) else None


def _denial(one: Statement, other: Statement) -> tuple[str, str] | None:
    """Return both clauses where one denies what the other says."""
    denied = (one.clause.is_denied, other.clause.is_denied)
    if None in denied or denied[0] == denied[1] or len(one.clause.terms & other.clause.terms) < _FEWEST:
        return None
    return (one.clause.text, other.clause.text) if _agree(one, other, ()) else None


def _agree(one: Statement, other: Statement, but: Collection[str]) -> bool:
    """Whether two statements give the same dates and the same numbers, except in some units."""
    is_same_time = (
        not one.clause.dates
        or not other.clause.dates
        or all(first.fits(second) for first, second in zip(one.clause.dates, other.clause.dates, strict=False))
    )
    return is_same_time and _same_figures(one, other, but)


def _same_figures(one: Statement, other: Statement, but: Collection[str]) -> bool:
    """Whether the numbers that both give are the same, except in some units."""
    first, second = (_values(item.clause.figures, but) for item in (one, other))
    return not first or not second or first == second


def _values(figures: Sequence[Figure], but: Collection[str]) -> set[tuple[str, str]]:
    return {(str(figure.value), figure.unit) for figure in figures if figure.unit not in but}


def _subject(sides: Sequence[Side]) -> str:
    """Return the words that two clauses have in common in a row."""
    one, other = (side.statement.clause.text for side in sides[:2])
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return one[match.a : match.a + match.size].strip(" ，,:：的为是")


def _distinct(sides: Sequence[Side]) -> Iterator[Side]:
    """Yield the sides, of those that say the same in one block the first."""
    seen: set[tuple[int, str]] = set()
    for side in sides:
        if (side.statement.key, side.value) not in seen:
            seen.add((side.statement.key, side.value))
            yield side
