"""A claim -> those of its numbers that a source has in each other's places.

Counts of things (64 个库 where the source says 16 个库、64 张表), and changes (从 5 改为 3 where it says 从 3 改为 5).
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from graphrag.grounding.evidence import Claim, Source
from graphrag.language.figures import Figure, stated_figures
from graphrag.language.sentences import PassageSentence, SentenceKind
from graphrag.language.units import COUNT

_THING = re.compile(r"\s?(?:[A-Za-z]+|[\u4e00-\u9fff])")
_FROM = re.compile(r"(?:从|由|\bfrom)\s?\Z", re.IGNORECASE)
_TO = re.compile(r"\s?(?:[改调变升降涨提减增换]|到|至|to\b|→)", re.IGNORECASE)
_OLD_AND_NEW = re.compile(r"(?:旧|原|前|\bold|\bbefore|\bfrom).*(?:新|现|后|\bnew|\bafter|\bto\b)", re.IGNORECASE)


def swapped_numbers(claim: Claim, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
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
