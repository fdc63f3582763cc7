"""The small words of a question, Chinese and English: what asks, what joins, what only fills.

A question is read only when each of its words is a name or stands here. So whatever is left out below (no, when, why,
before, except) keeps a question away from an answer that would not heed it.
"""

import re
from collections.abc import Iterator
from enum import StrEnum


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
