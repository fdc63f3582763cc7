"""A question -> what it asks for in terms of the graph, when each of its words is understood.

The names of the ontology and the vault are found first; only words of a small list may stand between them. Where a
name means several things, every choice is read. There are three forms: one end and a property, two ends and a
property, or two ends alone. Word order gives the subject: `的`, `'s` and `of` make the property a noun of one end, `由`
and `被` name the subject, else the nearest name before the property is the subject.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice, product
from typing import NamedTuple

from graphrag.domain.ontology import (
    LINKED_FROM,
    LINKS_TO,
    Asked,
    AskedEnd,
    AskedFact,
    AskedTie,
    Label,
    NameKind,
    NameSpan,
    Ontology,
    QueryScope,
    Term,
    TermKind,
)


class Word(StrEnum):
    """What a small word does."""

    WHICH = "which"  # goes before a noun: which, what, 哪些
    WHO = "who"
    WHOSE = "whose"
    NOTES = "notes"
    LINKS = "links"
    BACKLINKS = "backlinks"
    TIE = "tie"  # asks how two things are related
    HOW = "how"
    WHETHER = "whether"
    ANY_WAY = "any way"  # directly or not
    DIRECTLY = "directly"
    OF = "of"  # stands before what is had: 的, 's
    OF_AFTER = "of after"  # stands before who has it
    BY = "by"
    HAVE = "have"
    AND = "and"
    FILLER = "filler"


# Of several that match at a place the longest counts.
_CHINESE = {
    Word.TIE: (
        r"有?(?:什么|啥|何)?(?:关系|联系)|有(?:什么|啥)(?:关联|相关)|(?:怎么|如何|怎样)(?:联系|关联)(?:起来|在一起)?"
    ),
    Word.ANY_WAY: r"(?:直接(?:或者?|和|还是|以及|、))?间接地?|间接(?:或者?|和|还是|以及|、)直接地?|直接(?:或者?|还是)",
    Word.DIRECTLY: r"直接地?",
    Word.BACKLINKS: r"反向链接|反链|入链",
    Word.LINKS: r"链接(?:到|至)?|链到|链向",
    Word.NOTES: r"笔记|页面",
    Word.WHO: r"谁|哪(?:些|几个|个)人|哪位|什么人",
    Word.WHICH: r"哪(?:一?[些个种项条篇份张]|几个)?|什么|啥|多少|几个?",
    Word.WHETHER: r"是不是|是否|吗",
    Word.BY: r"[由被归]",
    Word.HAVE: r"有",
    Word.OF: r"的",
    Word.AND: r"以及|[和与跟及同]",
    Word.FILLER: (
        r"请问?|告诉我|[帮给]我|列出来?|列一下|查一下|查查|看看|看一下|一下|目前|现在|当前|总共|一共|分别|全部|所有|到底|"
        r"究竟|这个|那个|之间|里面?|东西|[都中共个位些种名条篇项件份张了着呢呀啊吧是在于]"
    ),
}
_ENGLISH = {
    Word.TIE: r"relat(?:ed|ions?|ionship|e)|connect(?:ed|ions?)?",
    Word.ANY_WAY: (
        r"directly (?:or|and) (?:not|indirectly|otherwise)|indirectly (?:or|and) directly|indirectly|transitively|"
        r"directly or through others"
    ),
    Word.DIRECTLY: r"directly",
    Word.BACKLINKS: r"back ?links?|linked from",
    Word.LINKS: r"(?:is |are )?link(?:s|ed|ing)?(?: to)?|points? to",
    Word.NOTES: r"notes?|pages?",
    Word.WHO: r"who(?:['’]s)?|whom",
    Word.WHOSE: r"whose",
    Word.WHICH: r"which|what(?:['’]s)?|how many",
    Word.HOW: r"how",
    Word.WHETHER: r"does|do|is|are|was|were|did",
    Word.HAVE: r"ha(?:s|ve)",
    Word.OF_AFTER: r"of|for|to",
    Word.AND: r"and|with",
    Word.FILLER: (
        r"the|an?|be|been|can|could|you|please|tell|me|show|list|give|us|our|all|any|every|each|currently|now|there|in|"
        r"on|at|that|this|these|those|things?|between"
    ),
}
_PATTERNS = [(word, re.compile(text)) for word, text in _CHINESE.items()]
_PATTERNS += [(word, re.compile(rf"\b(?:{text})\b", re.IGNORECASE)) for word, text in _ENGLISH.items()]
_PATTERNS += [(Word.OF, re.compile(r"['’]s\b", re.IGNORECASE))]
_TIES = [pattern for word, pattern in _PATTERNS if word is Word.TIE]
_ASKING = {Word.TIE, Word.LINKS, Word.BACKLINKS, Word.WHO, Word.WHOSE, Word.WHICH, Word.WHETHER, Word.OF}
_CUES = [pattern for word, pattern in _PATTERNS if word in _ASKING]
_SILENT = re.compile(r"[\s?？!！.。,，:：;；、\"“”'‘’「」『』《》()（）`]")


def has_cue(text: str) -> bool:
    """Whether a text holds any word that a question about relations has."""
    return any(cue.search(text) for cue in _CUES)


def find_ties(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the words that ask how two things are related: they may look like names of properties."""
    return [found.span() for pattern in _TIES for found in pattern.finditer(text)]


def split_words(text: str) -> Iterator[Word | None]:
    """Yield the small words of a text in order, fillers left out; None where it holds any other word."""
    place = 0
    while place < len(text):
        word, end = _longest(text, place)
        if end == place:
            silent = _SILENT.match(text, place)
            if silent is None:
                yield None
                return
            end = place + 1  # an apostrophe among silent ones may begin a genitive
        elif word is not Word.FILLER:
            yield word
        place = end


def _longest(text: str, place: int) -> tuple[Word, int]:
    """Return the longest word at a place and its end; the end is the place itself where there is none."""
    ends = [(found.end(), word) for word, pattern in _PATTERNS if (found := pattern.match(text, place))]
    end, word = max(ends, key=lambda item: item[0], default=(place, Word.FILLER))
    return word, end


_MOST_NAMES, _MOST_READINGS = 8, 64
_LIGHT = frozenset({"属于", "隶属于", "归属", "belong to", "belongs to", "part of"})  # with 团队 behind them only verbs


class _Token(NamedTuple):
    role: Word | NameKind
    span: NameSpan | None = None

    @property
    def text(self) -> str:
        return self.span.text if self.span else ""

    def ids(self) -> tuple[str, ...]:
        if self.role is Word.LINKS:
            return (LINKS_TO,)
        if self.role is Word.BACKLINKS:
            return (LINKED_FROM,)
        return self.span.ids(self.role) if self.span and isinstance(self.role, NameKind) else ()


def read_questions(text: str, names: Sequence[NameSpan]) -> Iterator[Asked]:
    """Yield what a question may ask for; `names` are the names found in it, in their order.

    A reading in which 属于 is taken for a bare verb comes after all others.
    """
    ties = find_ties(text)
    spans = [span for span in names if not _is_tie(span, ties)]
    if len(spans) > _MOST_NAMES:
        return
    between = [_small_words(part) for part in _between(text, spans)]
    if None in between:
        return
    late: list[Asked] = []
    for chosen in islice(product(*map(_choices, spans)), _MOST_READINGS):
        tokens = [*(between[0] or ())]
        for name, words in zip(chosen, between[1:], strict=True):
            tokens += [*name, *(words or ())]
        if asked := _read(tokens):
            yield asked
        elif (lighter := _without_light_verb(tokens)) and (asked := _read(lighter)):
            late.append(asked)
    yield from late


def with_base_forms(ontology: Ontology) -> Ontology:
    """Return the ontology with English verbs also as questions have them: `what does it use` for `uses`."""
    terms = {
        iri: replace(term, labels=(*term.labels, *_base_forms(term))) if term.kind is TermKind.PROPERTY else term
        for iri, term in ontology.terms.items()
    }
    return replace(ontology, terms=terms)


def _base_forms(term: Term) -> Iterator[Label]:
    for label in term.labels:
        verb, space, rest = label.text.partition(" ")
        if label.language.lower().startswith("en") and verb.endswith("s") and len(verb) > 3:
            yield replace(label, text=verb[:-1] + space + rest, is_preferred=False)


def _is_tie(span: NameSpan, ties: list[tuple[int, int]]) -> bool:
    """Whether a name is only part of the words for a relation, as 有关 is in 有关系."""
    is_entity = bool(span.ids(NameKind.ENTITY))
    return not is_entity and any(span.start < end and start < span.end for start, end in ties)


def _between(text: str, spans: Sequence[NameSpan]) -> Iterator[str]:
    start = 0
    for span in spans:
        yield text[start : span.start]
        start = span.end
    yield text[start:]


def _small_words(text: str) -> list[_Token] | None:
    """Return the small words of a text, None when it holds any other."""
    tokens: list[_Token] = []
    for word in split_words(text):
        if word is None:
            return None
        tokens += [_Token(Word.WHO), _Token(Word.OF)] if word is Word.WHOSE else [_Token(word)]
    return tokens


def _choices(span: NameSpan) -> list[list[_Token]]:
    """Return what a name may be in a question: of each kind that it has, or the small words that it is made of."""
    choices = [[_Token(kind, span)] for kind in (NameKind.ENTITY, NameKind.PROPERTY, NameKind.CLASS) if span.ids(kind)]
    words = _small_words(span.text)
    return choices if words is None else [*choices, words]


def _read(tokens: Sequence[_Token]) -> Asked | None:
    roles = [token.role for token in tokens]
    entities = [place for place, role in enumerate(roles) if role is NameKind.ENTITY]
    properties = [place for place, token in enumerate(tokens) if _is_property(token)]
    if Word.TIE in roles:
        is_whole = len(entities) == 2 and not properties and not {Word.BY, NameKind.CLASS, Word.NOTES} & {*roles}
        return AskedTie(*(tokens[place].ids() for place in entities)) if is_whole else None
    if Word.HOW in roles or Word.AND in roles:
        return None
    if len(properties) != 1:
        return None
    if len(entities) == 1:
        return _read_end(tokens, entities[0], properties[0])
    is_check = len(entities) == 2 and Word.WHETHER in roles and not _slots(roles)
    return _read_fact(tokens, entities, properties[0]) if is_check else None


def _is_property(token: _Token) -> bool:
    return token.role in (NameKind.PROPERTY, Word.LINKS, Word.BACKLINKS)


def _slots(roles: Sequence[Word | NameKind]) -> list[int]:
    """Return the places of the words for what is asked for."""
    asking = (Word.WHICH, Word.WHO, Word.NOTES, NameKind.CLASS)
    return [place for place, role in enumerate(roles) if role in asking]


def _read_end(tokens: Sequence[_Token], entity: int, property_: int) -> AskedEnd | None:
    roles = [token.role for token in tokens]
    slots = _slots(roles)
    classes = [place for place in slots if roles[place] is NameKind.CLASS]
    is_had = bool({Word.OF, Word.OF_AFTER} & {*roles}) or roles[property_] is Word.BACKLINKS
    if len(classes) > 1 or not (slots or is_had):
        return None
    is_subject, is_noun = _order(tokens, entity, property_, _nearest(slots, property_))
    scopes = {Word.ANY_WAY: QueryScope.ANY_WAY, Word.DIRECTLY: QueryScope.DIRECTLY}
    return AskedEnd(
        entity=tokens[entity].ids(),
        is_subject=is_subject,
        properties=tokens[property_].ids(),
        name=tokens[property_].text,
        is_noun=is_noun,
        classes=tokens[classes[0]].ids() if classes else (),
        only_notes=Word.NOTES in roles,
        scope=next((scopes[role] for role in roles if isinstance(role, Word) and role in scopes), QueryScope.AS_ASKED),
    )


def _nearest(slots: Sequence[int], property_: int) -> int | None:
    """Return the place of what is asked for: the words for it before the property count before those behind it."""
    before = [place for place in slots if place < property_]
    return max(before, default=min(slots, default=None))


def _read_fact(tokens: Sequence[_Token], entities: Sequence[int], property_: int) -> AskedFact:
    first, second = entities
    is_subject, is_noun = _order(tokens, first, property_, second)
    subject, object_ = (first, second) if is_subject else (second, first)
    token = tokens[property_]
    return AskedFact(tokens[subject].ids(), token.ids(), tokens[object_].ids(), token.text, is_noun)


def _order(tokens: Sequence[_Token], one: int, property_: int, other: int | None) -> tuple[bool, bool]:
    """Return whether the end at `one`, not that at `other`, is the subject; and whether the property is a noun."""
    roles = [token.role for token in tokens]
    before = roles[property_ - 1] if property_ else None
    if before is Word.OF:
        return property_ - 2 == one or other is None, True
    if roles[property_ + 1 : property_ + 2] == [Word.OF_AFTER]:
        return one > property_, True
    if before is Word.WHICH and _is_noun(tokens[property_]):
        return True, True
    agents = [place for place in (one, other) if place is not None and Word.BY in roles[:place] and place < property_]
    if agents:
        return min(agents) == one, False
    nearer = [place for place in (one, other) if place is not None and place < property_]
    if len(nearer) == 2 and Word.HAVE in roles[min(nearer) : max(nearer)]:
        return one < property_ and min(nearer) == one, True
    return bool(nearer) and max(nearer) == one, False


def _is_noun(token: _Token) -> bool:
    """Whether a property's name is a class's, too, as 团队 is: what it says of something is a thing of that class."""
    return token.span is not None and bool(token.span.ids(NameKind.CLASS))


def _without_light_verb(tokens: Sequence[_Token]) -> list[_Token] | None:
    """Return the tokens without the verb of 属于哪个团队, where 团队 names the property."""
    properties = [place for place, token in enumerate(tokens) if token.role is NameKind.PROPERTY]
    verbs = [place for place in properties if (span := tokens[place].span) and span.text.casefold() in _LIGHT]
    nouns = [
        place for place in properties if place and tokens[place - 1].role is Word.WHICH and _is_noun(tokens[place])
    ]
    if len(properties) != 2 or len(verbs) != 1 or len(nouns) != 1 or verbs == nouns:
        return None
    return [token for place, token in enumerate(tokens) if place != verbs[0]]
