"""A clause of a claim -> the clauses of its sources that are about the same, whatever they say of it.

What a note is about stands in its title and headings, and its sentences need not repeat it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from graphrag.grounding.evidence import SETTING, Clause, Source
from graphrag.language.figures import holds
from graphrag.language.polarity import without_denial

_SAME_CONTENT = 0.75  # of a clause's terms, in a clause of the source that is about the same
_NO_MORE = 0.5  # of that clause's terms, in the claim's: else it says more than the claim
_FEWEST = 3  # terms that both must share; with fewer, the source has to hold all of them
_IDLE_SIGNS = frozenset("会可能以要了的地得就都也还在是把被对")


def alike_clauses(clause: Clause, sources: Sequence[Source]) -> list[Clause]:
    """Return the clauses about the same, rows of tables among them."""
    return [other for source in sources for other in source.clauses if is_alike(clause, other, source.head_terms)]


def alike_statements(clause: Clause, sources: Sequence[Source]) -> list[Clause]:
    """Return the clauses and sentences of running text about the same; of a few words, only those with its numbers."""
    return [
        other
        for source in sources
        for other in source.statements
        if is_alike(clause, other, source.head_terms) and (len(clause.terms) > _FEWEST or _has_numbers(clause, other))
    ]


def is_alike(clause: Clause, other: Clause, head: frozenset[str]) -> bool:
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
