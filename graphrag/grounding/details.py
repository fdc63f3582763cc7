"""A claim and its sources -> what of it they do not hold: numbers, dates, names, identifiers, and which way it denies.

Each of these decides alone: a sentence that shares all other words with its source is still wrong with another number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphrag.domain.query import FlagReason
from graphrag.grounding.alike import alike_clauses, alike_statements
from graphrag.grounding.beside import is_beside, other_names
from graphrag.grounding.evidence import SETTING, Claim, Persons, Source
from graphrag.grounding.swapped import swapped_numbers
from graphrag.language.dated import names_date
from graphrag.language.figures import Figure, holds
from graphrag.language.named import is_unmistakable
from graphrag.language.units import COUNT


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a claim says and its sources do not."""

    reason: FlagReason
    detail: str
    is_contradicted: bool = False  # a source says otherwise; else none says it


def find_missing(claim: Claim, sources: Sequence[Source], persons: Persons) -> tuple[Finding, ...]:
    """Return what the sources together do not hold of a claim; nothing when they hold all of it."""
    others = dict(_other_numbers(claim, sources)) | dict(swapped_numbers(claim, sources))
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
        alike = [other for other in alike_clauses(clause, sources) if terms <= other.terms] if units else []
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
        return is_beside(name, lambda mentions: any(map(mentions.has_name, written)), claim, sources)
    is_foreign = any(source.is_chinese != claim.is_chinese for source in sources)
    return is_foreign and not is_unmistakable(name) and name not in persons


def _has_code(name: str, claim: Claim, sources: Sequence[Source]) -> bool:
    is_there = any(source.mentions.has_identifier(name) for source in sources)
    return is_there and is_beside(name, lambda mentions: mentions.has_identifier(name), claim, sources)


def _denials(claim: Claim, sources: Sequence[Source]) -> Iterator[str]:
    """Yield the clauses of the sources that deny what the claim says, or the reverse, where none says the same."""
    denies = any(clause.is_denied for clause in claim.clauses)
    for clause in claim.clauses:
        # A claim that denies something elsewhere may only divide its clauses otherwise.
        is_open = clause.is_denied is None or (denies and not clause.is_denied)
        alike = [] if is_open else alike_statements(clause, sources)
        if alike and all(other.is_denied is (not clause.is_denied) for other in alike):
            yield alike[0].text
