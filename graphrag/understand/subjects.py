"""What was said before -> what a follow-up is about: whom a pronoun means, what another subject takes the place of."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphrag.language.language import is_chinese
from graphrag.understand.leaning import Names, is_subject

Kinds = Callable[[str], frozenset[str]]  # the classes of what a name means, all that the notes or the ontology say
PERSON = "urn:vault-graphrag:core#Person"  # a class of the core ontology, and the one above it
AGENT = "urn:vault-graphrag:core#Agent"
_PERSONAL = re.compile(r"[他她](?:们|俩)?|he|him|his|she|hers?", re.IGNORECASE)
_IMPERSONAL = re.compile(r"它(?:们|俩)?|its?", re.IGNORECASE)
_PLURAL = re.compile(r"[它他她][们俩]|they|them|theirs?|these|those", re.IGNORECASE)
_ASKS_WHO = re.compile(
    r"谁|哪位|什么人|(?:[\u4e00-\u9fff]人|上级|下属|领导|老板|导师|师父|徒弟|搭档|同事)(?:是|有|呢|叫|为|\Z)"
    r"|\bwho(?:m|se)?\b|\b(?:owner|manager|boss|lead)\b",
    re.IGNORECASE,
)
_HEAD_ZH = 2  # characters at the end of a name that say what it is: 支付模块, 订单模块
_SMALL_EN = re.compile(
    r"the|an?|of|in|on|for|to|by|my|our|your|its|their|this|that|and|or|is|are|does|do|who|what", re.I
)


@dataclass(frozen=True, slots=True)
class Before:
    """A turn that a follow-up may lean on: a question that stands by itself, and what may be named of its answer."""

    question: str
    sources: tuple[str, ...] = ()  # titles, in their order; empty for one that must not be named
    keys: tuple[int, ...] = ()  # of the sources, where they are known
    named: tuple[str, ...] = ()  # entities in the answer that the question does not name
    answer: str = ""  # its text, as long as the conversation is open
    is_own_words: bool = True  # whether the question is made of the user's words alone


def no_kinds(_: str) -> frozenset[str]:
    """Return nothing: for notes of which no class is known."""
    return frozenset()


def find_subject(before: Sequence[Before], names: Names, kinds: Kinds, pronoun: str) -> tuple[str, bool]:
    """Return what a question without a subject is about, empty for nothing, and whether the user named it.

    That is the first name in the newest question that has one. A person's pronoun means persons, those of the last
    answer first, unless the question is about a person itself and asks for no other; 它 and `it` mean none, as far as
    the notes say what is a person.
    """
    last = before[-1]
    is_of_person = not _ASKS_WHO.search(last.question) and any(
        PERSON in kinds(name) for name in named_in(last.question, names)
    )
    if _PERSONAL.fullmatch(pronoun) and not is_of_person and (people := _people(last, kinds)):
        return _joined(people, pronoun), False
    for turn in reversed(before):
        found = named_in(turn.question, names)
        if fitting := [name for name in found if _fits(pronoun, kinds(name))]:
            return _joined(fitting, pronoun), True
        if turn is last and (fitting := [name for name in turn.named if found and _fits(pronoun, kinds(name))]):
            return _joined(fitting, pronoun), False
        if found:
            return _joined(found, pronoun), True
        titles = {title for title in turn.sources if title}
        if len(titles) == 1:
            return titles.pop(), False
    return "", True


def named_in(question: str, names: Names) -> list[str]:
    """Return the names of notes and topics in a question, after them those of tags."""
    spans = [span for span in names(question) if is_subject(span)]
    ordered = sorted(spans, key=lambda span: all(meaning.id.startswith("#") for meaning in span.meanings))
    return list(dict.fromkeys(span.text for span in ordered))


def switch_subject(part: str, before: Sequence[Before], names: Names, kinds: Kinds) -> str:
    """Return the newest question that names something, asked of the part instead; empty when there is none.

    The part takes the place of what is like it: ends in the same word, or is of the same class.
    """
    for turn in reversed(before):
        if found := named_in(turn.question, names):
            alike = max(found, key=lambda name: (_share_head(name, part), len(kinds(name) & kinds(part))))
            return turn.question.replace(alike, part, 1)
    return ""


def switch_alike(part: str, question: str, names: Names) -> str:
    """Return a question with a part of it replaced by one that no note is called, which ends in the same word.

    Empty when nothing in the question ends so: the part may then be anything.
    """
    if not part.isascii():
        alike = [name for name in named_in(question, names) if _share_head(name, part)]
        return question.replace(alike[0], part, 1) if alike else ""
    *modifiers, head = part.split()
    if not modifiers:
        return ""
    found = re.search(rf"((?:\b[\w.\-]+\s+){{1,4}}){re.escape(head)}\b", question, re.IGNORECASE)
    if found is None:
        return ""
    words = found[1].split()
    kept = next((place for place in range(len(words), 0, -1) if _SMALL_EN.fullmatch(words[place - 1])), 0)
    if kept == len(words):
        return ""
    before = f"{' '.join(words[:kept])} " if kept else ""
    return f"{question[: found.start()]}{before}{part}{question[found.end() :]}"


def _people(last: Before, kinds: Kinds) -> list[str]:
    """Return the persons in the last answer; where the notes do not say who is one, whoever it must have named."""
    if people := [name for name in last.named if PERSON in kinds(name)]:
        return people
    may_be = [name for name in last.named if kinds(name) <= {AGENT}]
    return may_be[:1] if _ASKS_WHO.search(last.question) else []


def _fits(pronoun: str, classes: frozenset[str]) -> bool:
    if _PERSONAL.fullmatch(pronoun):
        return PERSON in classes
    return not (_IMPERSONAL.fullmatch(pronoun) and PERSON in classes)


def _joined(found: Sequence[str], pronoun: str) -> str:
    both = ("和" if is_chinese(pronoun) else " and ").join(found[:2])
    return both if _PLURAL.fullmatch(pronoun) else found[0]


def _share_head(one: str, other: str) -> bool:
    """Whether two names end in the same word, which says what both are."""
    if one.isascii() and other.isascii():
        return len(one.split()) > 1 and one.split()[-1].casefold() == other.split()[-1].casefold()
    return min(len(one), len(other)) > _HEAD_ZH and one[-_HEAD_ZH:] == other[-_HEAD_ZH:]
