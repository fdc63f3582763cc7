"""A name of a claim -> whether its sources say the rest of the claim of that name, and not of another one.

A block may hold both and yet say it of somebody else: a name counts in the sentence that holds the rest of its clause,
right beside that, or in the title.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from graphrag.grounding.evidence import SETTING, Claim, Clause, Persons, Source
from graphrag.language.dated import Dated
from graphrag.language.named import Mentions, read_named

_REST = 0.5  # of the terms that the best sentence has, in another one that holds the rest as well
_FEWEST = 2  # terms and dates in common that let two names stand in one place

Mentioned = Callable[[Mentions], bool]


def is_beside(name: str, is_mentioned: Mentioned, claim: Claim, sources: Sequence[Source]) -> bool:
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
    for other in (*source.statements, *source.wholes):
        common = len(rest) + any(one.fits(two) for one in dates for two in other.dates)
        is_same = rest <= other.terms and common >= _FEWEST
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
