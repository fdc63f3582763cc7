"""A claim and its sources -> the details that no source has: numbers, dates, names, identifiers, denials.

One missing detail decides alone, whatever other words agree. The module also finds clauses about the same subject,
names that stand elsewhere in a source, and numbers that have changed places.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from graphrag.domain.query import FlagReason
from graphrag.grounding.evidence import SETTING, Claim, Clause, Persons, Source
from graphrag.language.dates import Dated, names_date
from graphrag.language.identifiers import Mentions, is_unmistakable, read_named
from graphrag.language.negation import without_denial
from graphrag.language.numbers import COUNT, Figure, holds, stated_figures
from graphrag.language.sentences import PassageSentence, SentenceKind

_SAME_CONTENT = 0.75  # of a clause's terms, in a clause of the source that is about the same
_NO_MORE = 0.5  # of that clause's terms, in the claim's: else it says more than the claim
_FEWEST = 3  # terms that both must share; with fewer, the source has to hold all of them
_IDLE_SIGNS = frozenset("会可能以要了的地得就都也还在是把被对")


def similar_clauses(clause: Clause, sources: Sequence[Source]) -> list[Clause]:
    """Return the clauses about the same, rows of tables among them."""
    return [other for source in sources for other in source.clauses if is_similar(clause, other, source.head_terms)]


def similar_statements(clause: Clause, sources: Sequence[Source]) -> list[Clause]:
    """Return the clauses and sentences of running text about the same; of a few words, only those with its numbers."""
    return [
        other
        for source in sources
        for other in source.statements
        if is_similar(clause, other, source.head_terms) and (len(clause.terms) > _FEWEST or _has_numbers(clause, other))
    ]


def is_similar(clause: Clause, other: Clause, head: frozenset[str]) -> bool:
    """Whether two clauses share most of their terms, those aside that only the other one's title has."""
    theirs = other.terms - SETTING
    own = clause.terms - SETTING - (head - theirs)
    shared = len(own & theirs)
    if shared >= _FEWEST:
        return shared >= _SAME_CONTENT * len(own) and shared >= _NO_MORE * len(theirs)
    if shared and _signs(clause.text) == _signs(other.text):
        return True
    if len(own) == 1:
        return own == theirs and len(clause.terms) > 1
    return shared > 1 and all(_stands_in(term, theirs) for term in own) and shared >= _NO_MORE * len(theirs)


def _stands_in(term: str, terms: frozenset[str]) -> bool:
    """Whether a term is one of these, or a part of one in Chinese: 周三 in 每周三."""
    return term in terms or (not term.isascii() and any(term in other for other in terms))


def _has_numbers(clause: Clause, other: Clause) -> bool:
    """Whether a clause has all numbers and dates of another one."""
    has_figures = all(holds(other.figures, figure) for figure in clause.figures)
    return has_figures and all(any(own.fits(dated) for dated in other.dates) for own in clause.dates)


@lru_cache(maxsize=4096)
def _signs(text: str) -> frozenset[str]:
    """Return the telling characters of a clause, numbers and denials aside: its words may be cut otherwise."""
    return frozenset(re.sub(r"[\d\W]", "", without_denial(text))) - _IDLE_SIGNS


_REST = 0.5  # of the terms that the best sentence has, in another one that holds the rest as well
_FEWEST_TERMS = 2  # terms and dates in common that let two names stand in one place

Mentioned = Callable[[Mentions], bool]


def is_named_in_context(name: str, is_mentioned: Mentioned, claim: Claim, sources: Sequence[Source]) -> bool:
    """Whether a source has a name by the rest of its clause; always where no words compare, or no sentence has any."""
    holders = [source for source in sources if is_mentioned(source.mentions)]
    if any(source.is_chinese != claim.is_chinese or is_mentioned(source.head_mentions) for source in holders):
        return True
    rest = _rest(name, claim)
    places = [
        (source, place, len(rest & terms)) for source in sources for place, terms in enumerate(source.place_terms)
    ]
    most = max((held for *_, held in places), default=0)
    return not most or any(
        is_mentioned(mentions)
        for source, place, held in places
        if held >= _REST * most
        for mentions in source.sentence_mentions[max(0, place - 1) : place + 2]
    )


def other_names(claim: Claim, sources: Sequence[Source], persons: Persons) -> Iterator[tuple[str, str]]:
    """Yield names in whose place all that says the rest of a clause, or of the claim, has another, and such a one."""
    said = _names(claim.text, persons)
    dates = [dated for clause in claim.clauses for dated in clause.dates]
    terms = frozenset[str]().union(*(clause.terms for clause in claim.clauses))
    parts = [(clause.text, clause.terms, clause.dates) for clause in claim.clauses]
    for text, own, dated in dict.fromkeys([*parts, (claim.text, terms, tuple(dates))]):
        for name in _names(text, persons):
            rest = _without(own, [name])
            found = [other for source in sources for other in _saying(rest, dated, name, source, persons)]
            theirs = [_names(other.text, persons) for other in found]
            others = [[one for one in names if one not in said and one.isascii() == name.isascii()] for names in theirs]
            if others and all(others) and not any(name in names for names in theirs):
                yield name, others[0][0]


def _saying(
    rest: frozenset[str], dates: Sequence[Dated], name: str, source: Source, persons: Persons
) -> Iterator[Clause]:
    """Yield what a source says with all these terms and little more; its title may name a thing for all of it."""
    if name.isascii() and source.head_mentions.has_name(name):
        return
    for other in (*source.statements, *source.whole_sentences):
        common = len(rest) + any(one.fits(two) for one in dates for two in other.dates)
        is_same = rest <= other.terms and common >= _FEWEST_TERMS
        if is_same and len(_without(other.terms, _names(other.text, persons))) <= len(rest) / _REST:
            yield other


def _rest(name: str, claim: Claim) -> frozenset[str]:
    """Return the terms of the clauses with a name, without its own; those of the whole claim where they are no more."""
    terms = [clause.terms for clause in claim.clauses if name in clause.text]
    rest = _without(frozenset().union(*terms), [name])
    return rest or _without(claim.terms, [name])


def _without(terms: frozenset[str], names: Collection[str]) -> frozenset[str]:
    return frozenset(term for term in terms - SETTING if not any(term in name.casefold() for name in names))


def _names(text: str, persons: Persons) -> frozenset[str]:
    named = read_named(text, persons)
    return frozenset((*named.names, *named.identifiers))


_THING = re.compile(r"\s?(?:[A-Za-z]+|[\u4e00-\u9fff])")
_FROM = re.compile(r"(?:从|由|\bfrom)\s?\Z", re.IGNORECASE)
_TO = re.compile(r"\s?(?:[改调变升降涨提减增换]|到|至|to\b|→)", re.IGNORECASE)
_OLD_AND_NEW = re.compile(r"(?:旧|原|前|\bold|\bbefore|\bfrom).*(?:新|现|后|\bnew|\bafter|\bto\b)", re.IGNORECASE)


def reversed_numbers(claim: Claim, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    """Yield what a claim says and what all sentences about it say the other way round."""
    counts, changes = _counted(claim.text), _changes(claim.text)
    if counts or changes:
        sentences = [sentence for source in sources for sentence in _sentences_about(claim, source)]
        yield from _swapped_counts(counts, [sentence.text for sentence in sentences])
        yield from _turned_changes(changes, sentences)


def _sentences_about(claim: Claim, source: Source) -> Iterator[PassageSentence]:
    for sentence, terms in zip(source.sentences, source.sentence_terms, strict=True):
        if claim.terms & terms:
            yield sentence


def _swapped_counts(counts: Sequence[tuple[Decimal, str]], texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the counts of things of which a sentence has another number, and that number of another thing."""
    told = [_counted(text) for text in texts]
    for value, thing in counts:
        if any((value, thing) in pairs for pairs in told):
            continue
        for pairs in told:
            others = [other for other, same in pairs if same == thing]
            if others and any(other == value for other, _ in pairs):
                yield f"{value:f} {thing}", f"{others[0]:f} {thing}"


def _counted(text: str) -> list[tuple[Decimal, str]]:
    """Return the numbers of a text with what they count: the word after it, a classifier and the sign behind it."""
    pairs = ((one, _THING.match(text, one.end)) for one in stated_figures(text) if one.unit == COUNT)
    return [(one.value, text[one.end - 1] + found.group().strip()) for one, found in pairs if found]


def _turned_changes(
    changes: Sequence[tuple[Figure, Figure]], sentences: Sequence[PassageSentence]
) -> Iterator[tuple[str, str]]:
    """Yield the changes from one number to another that the sources tell only the other way round."""
    told = [change for sentence in sentences for change in _changes_of(sentence)]
    for one, two in changes:
        turned = [(first, second) for first, second in told if first.fits(two) and second.fits(one)]
        if turned and not one.fits(two) and not any(first.fits(one) and second.fits(two) for first, second in told):
            first, second = turned[0]
            yield f"{one.text} → {two.text}", f"{first.text} → {second.text}"


def _changes_of(sentence: PassageSentence) -> list[tuple[Figure, Figure]]:
    """Return the changes that a sentence tells, or a row of a table with an old and a new value."""
    if sentence.kind is not SentenceKind.ROW:
        return _changes(sentence.text)
    figures = stated_figures(sentence.text)
    return [(figures[0], figures[1])] if len(figures) == 2 and _OLD_AND_NEW.search(sentence.lead) else []


def _changes(text: str) -> list[tuple[Figure, Figure]]:
    figures = stated_figures(text)
    return [
        (one, two)
        for one, two in pairwise(figures)
        if _FROM.search(text[max(0, one.start - 6) : one.start]) and _TO.match(text, one.end)
    ]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a claim says and its sources do not."""

    reason: FlagReason
    detail: str
    is_contradicted: bool = False  # a source says otherwise; else none says it


def find_missing(claim: Claim, sources: Sequence[Source], persons: Persons) -> tuple[Finding, ...]:
    """Return what the sources together do not hold of a claim; nothing when they hold all of it."""
    others = dict(_other_numbers(claim, sources)) | dict(reversed_numbers(claim, sources))
    named = dict(other_names(claim, sources, persons))
    numbers = [text for text in dict.fromkeys(_numbers(claim, sources)) if text not in others]
    return (
        *(Finding(FlagReason.NUMBER, text) for text in numbers),
        *(Finding(FlagReason.NUMBER, f"{text} ≠ {other}", True) for text, other in others.items()),
        *(Finding(FlagReason.NAME, name) for name in claim.named.names if not _is_named(name, claim, sources, persons)),
        *(Finding(FlagReason.NAME, f"{name} ≠ {other}", True) for name, other in named.items()),
        *(
            Finding(FlagReason.IDENTIFIER, name)
            for name in claim.named.identifiers
            if not _has_code(name, claim, sources)
        ),
        *(Finding(FlagReason.NEGATION, text, True) for text in dict.fromkeys(_denials(claim, sources))),
    )


def count_held(claim: Claim, source: Source) -> int:
    """Return how many of a claim's numbers, dates, names and identifiers a source has as they are written."""
    named = sum(map(source.mentions.has_name, claim.named.names))
    named += sum(map(source.mentions.has_identifier, claim.named.identifiers))
    figures = sum(holds(source.figures, figure) for figure in claim.figures)
    return named + figures + sum(names_date(dated, source.dates, source.figures) for dated in claim.dates)


def _numbers(claim: Claim, sources: Sequence[Source]) -> Iterator[str]:
    every = [figure for source in sources for figure in source.figures]
    figures = [figure for source in sources for figure in _figures_about(claim, source)]
    dates = [dated for source in sources for dated in source.dates]
    sizes = {size for source in sources for size in source.sizes}
    for figure in claim.figures:
        is_counted = figure.unit in (COUNT, "") and figure.value in sizes
        if not holds(figures, figure) and not is_counted and not _is_part_of_date(figure, claim, sources):
            yield figure.text
    yield from (dated.text for dated in claim.dates if not names_date(dated, dates, every))


def _figures_about(claim: Claim, source: Source) -> tuple[Figure, ...]:
    """Return the numbers of a source that may be about the claim; where no words compare, all of them."""
    is_foreign = source.is_chinese != claim.is_chinese
    return source.figures if is_foreign or not claim.terms else source.figures_about(claim.terms)


def _is_part_of_date(figure: Figure, claim: Claim, sources: Sequence[Source]) -> bool:
    """Whether a number stands for a year or day of a date: 12 in `12 and 26 October`."""
    dates = [dated for source in sources for dated in source.dates]
    is_bare = not figure.unit and figure.value == int(figure.value)
    return is_bare and any(int(figure.value) in (dated.year, dated.month, dated.day) for dated in dates)


def _other_numbers(claim: Claim, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    """Yield numbers in whose place all clauses that say all the rest have others of that unit, each with such a one."""
    for clause in claim.clauses:
        units = {figure.unit for figure in clause.figures if figure.unit}
        terms = clause.terms - SETTING
        alike = [other for other in similar_clauses(clause, sources) if terms <= other.terms] if units else []
        for unit in units:
            own = [figure for figure in clause.figures if figure.unit == unit]
            theirs = [[figure for figure in found.figures if figure.unit == unit] for found in alike]
            if theirs and all(theirs) and (other := _number_apart(own, theirs)):
                yield other


def _number_apart(own: Sequence[Figure], theirs: Sequence[Sequence[Figure]]) -> tuple[str, str] | None:
    """Return a number that none of the others has, and one of these: where they are as many, each counts."""
    lost = [one for one in own if not any(holds(values, one) for values in theirs)]
    if lost and (len(lost) == len(own) or all(len(values) == len(own) for values in theirs)):
        return lost[0].text, next(one.text for one in theirs[0] if not holds(own, one))
    return None


def _is_named(name: str, claim: Claim, sources: Sequence[Source], persons: Persons) -> bool:
    """Whether a source names it; one in another language may spell it otherwise, unless it is unmistakable."""
    written = {name, *persons.get(name, ())}
    if any(source.mentions.has_name(way) for source in sources for way in written):
        return is_named_in_context(name, lambda mentions: any(map(mentions.has_name, written)), claim, sources)
    is_foreign = any(source.is_chinese != claim.is_chinese for source in sources)
    return is_foreign and not is_unmistakable(name) and name not in persons


def _has_code(name: str, claim: Claim, sources: Sequence[Source]) -> bool:
    is_there = any(source.mentions.has_identifier(name) for source in sources)
    return is_there and is_named_in_context(name, lambda mentions: mentions.has_identifier(name), claim, sources)


def _denials(claim: Claim, sources: Sequence[Source]) -> Iterator[str]:
    """Yield the clauses of the sources that deny what the claim says, or the reverse, where none says the same."""
    denies = any(clause.is_denied for clause in claim.clauses)
    for clause in claim.clauses:
        # A claim that denies something elsewhere may only divide its clauses otherwise.
        is_open = clause.is_denied is None or (denies and not clause.is_denied)
        alike = [] if is_open else similar_statements(clause, sources)
        if alike and all(other.is_denied is (not clause.is_denied) for other in alike):
            yield alike[0].text
