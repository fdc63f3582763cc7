"""The sentences of an answer and its other passages -> where the notes contradict each other.

Two clauses of different notes are in conflict when they have the same words except for one value of one kind, or for a
denial. A further word on one side, another number, a condition or a past time rules a conflict out. The rule prefers
missing a conflict to reporting a false one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphrag.domain.ports import Tokenizer
from graphrag.domain.query import Context, ContextBlock
from graphrag.grounding.evidence import Ground, Persons, fold_width, read_clause, read_sources, terms_of, whole_terms
from graphrag.grounding.stated_value import (
    PLACE,
    Frame,
    Value,
    may_be_one,
    read_frame,
    read_values,
    subject_of,
    with_verbs,
)
from graphrag.language.dates import Dated, read_dates
from graphrag.language.negation import is_denied, split_clauses
from graphrag.language.numbers import Figure
from graphrag.language.sentences import PassageSentence, SentenceKind

_FEWEST = 2.5  # words around the value, two Chinese characters being one
_FEWEST_ASKED = 2  # of them that are of this thing alone; enough where the question has all, or the titles share a term
_FEWEST_BEFORE = 1.5  # words before a value
_MOST_VALUES = 3  # more of them are no dispute, but a field that every note of a kind has
_DENIAL = -1  # the place of a denial among the values
# A sentence about another time, a case of its own or a proposal is not at odds with one that is not.
_OTHER_CASE = re.compile(
    r"如果|假如|若(?!干)|时候|期间|除非|例如|比如|原来|原先|以前|之前|从前|曾|旧|当时|后来|历史|临时"
    r"|[上下本这那][次周月期]|今[天年日晚早]|昨|明天|计划|打算|建议|提议|可能|大促|测试|压测"
    r"|\b(?:if|when|while|during|unless|e\.g|formerly|previously|used to|was|were|had|until|proposed?|planned"
    r"|might|may|old|this|next|last|today|tomorrow)\b",
    re.IGNORECASE,
)
_DIARY = re.compile(r"我(?!们|的)|\bI\b")  # what its writer did one day
_POINTING = re.compile(r"\A\s*(?:[它他她其该此这那本]|(?i:it|its|he|she|they|this|that|these|those)\b)")
_ANY_THING = re.compile(
    r"项目|服务|系统|接口|模块|产品|公司|团队|会议|活动|文档|笔记|任务|计划|project|service|system|module|product|team|meeting"
)
_CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of a source, with the sentence that it stands in."""

    key: int  # of its block
    note: str
    sentence: PassageSentence
    text: str
    is_denied: bool
    values: tuple[Value, ...]
    frame: Frame
    matter: frozenset[str]  # its terms without those of values and denials
    about: str  # the line or heading that it stands under most closely, else its note's title
    head: frozenset[str]  # terms of all that it stands under
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
        self._blocks = {block.key: block for block in context.blocks}
        self._heads = {key: frozenset(tokenizer.tokenize(source.head)) for key, source in self._sources.items()}
        self._titles = {block.key: terms_of(block.chunk.title, tokenizer) for block in context.blocks}
        self._read: dict[Ground, list[Statement]] = {}

    def find(self, grounds: Iterable[Ground]) -> tuple[Dispute, ...]:
        """Return what is disputed of the sentences that an answer rests on, what was asked for first."""
        rested = set(grounds)
        own = [
            item
            for key, sentence in self._sentences()
            if (key, sentence.start) in rested
            for item in self._statements(key, sentence)
        ]
        disputes: list[Dispute] = []
        seen: set[tuple[Ground, str, int]] = set()
        for statement in own:
            for place, sides in self._sides(statement):
                places = {(_ground(side.statement), side.statement.text, place) for side in sides}
                if seen.isdisjoint(places) and self._is_wanted(sides, own, rested):
                    seen |= places
                    disputes.append(Dispute(_subject(sides), tuple(_distinct(sides))))
        return tuple(sorted(disputes, key=lambda dispute: -len(self._asked & dispute.sides[0].statement.matter)))

    def _is_wanted(self, sides: Sequence[Side], own: Sequence[Statement], rested: set[Ground]) -> bool:
        """Whether a dispute is about what was asked, or the answer itself gives two sides of it."""
        asked = self._asked & sides[0].statement.matter
        is_asked = not any(asked < self._asked & statement.matter for statement in own)
        return is_asked or sum(_ground(side.statement) in rested for side in sides) > 1

    def _sides(self, own: Statement) -> Iterator[tuple[int, list[Side]]]:
        """Yield each place of a statement that others dispute, with the statement and all that disagree with it."""
        found: dict[int, list[Statement]] = {}
        for other in self._others(own):
            place = self._difference(own, other)
            if place is not None:
                found.setdefault(place, []).append(other)
        for place, others in found.items():
            values = [other.values[place] for other in others if place != _DENIAL]
            if 1 + len(self._different(values)) <= _MOST_VALUES:
                yield place, [_side(statement, place) for statement in (own, *others)]

    def _others(self, own: Statement) -> Iterator[Statement]:
        """Yield what other notes state in some of the same words."""
        for key, sentence in self._sentences():
            # Whoever shares no terms as they are written shares none when they are told apart, which takes longer.
            text = sentence.text.casefold()
            shared = sum(term in text for term in own.matter)
            if self._blocks[key].chunk.note != own.note and shared >= min(_FEWEST_ASKED, len(own.matter)):
                yield from self._statements(key, sentence)

    def _sentences(self) -> Iterator[tuple[int, PassageSentence]]:
        return ((key, sentence) for key, source in self._sources.items() for sentence in source.sentences)

    def _statements(self, key: int, sentence: PassageSentence) -> list[Statement]:
        """Return what a sentence states; nothing for rows and code, and for a case of its own."""
        place = key, sentence.start
        if place not in self._read:
            is_other = sentence.kind is not SentenceKind.PROSE or _OTHER_CASE.search(f"{sentence.lead} {sentence.text}")
            clauses = (
                [] if is_other or is_denied(sentence.lead) is not False else split_clauses(with_verbs(sentence.text))
            )
            read = (self._statement(self._blocks[key], sentence, clause) for clause in clauses)
            self._read[place] = [statement for statement in read if statement]
        return self._read[place]

    def _statement(self, block: ContextBlock, sentence: PassageSentence, text: str) -> Statement | None:
        """Return what a clause states; nothing where it leaves that open, or its subject to another sentence."""
        denied = is_denied(text)
        if denied is None or _DIARY.search(text) or _POINTING.match(text):
            return None
        values = read_values(text, self._persons)
        bare = text
        for value in values:
            bare = bare[: value.start] + " " * (value.end - value.start) + bare[value.end :]
        chunk = block.chunk
        return Statement(
            key=block.key,
            note=chunk.note,
            sentence=sentence,
            text=text,
            is_denied=denied,
            values=values,
            frame=read_frame(text, values),
            matter=whole_terms(read_clause(bare, self._tokenizer, denied).terms),
            about=sentence.lead or (chunk.heading[-1] if chunk.heading else chunk.title),
            head=self._heads[block.key].union(self._tokenizer.tokenize(sentence.lead)),
            title=self._titles[block.key],
            is_dated=any(dated.day for dated in read_dates(chunk.note.rpartition("/")[2])),
        )

    def _difference(self, one: Statement, other: Statement) -> int | None:
        """Return the place of the only value that two statements give differently, None when they do not disagree."""
        pairs = list(zip(one.values, other.values, strict=False))
        is_similar = len(one.values) == len(other.values) and all(first.kind == second.kind for first, second in pairs)
        if not is_similar or (one.is_dated and other.is_dated) or not self._is_same_matter(one, other):
            return None
        places = [place for place, pair in enumerate(pairs) if not self._is_same_value(*pair)]
        if one.is_denied != other.is_denied:
            places.append(_DENIAL)
        return places[0] if len(places) == 1 else None

    def _is_same_matter(self, one: Statement, other: Statement) -> bool:
        """Whether both say the same but for their values, and the question does not ask for one of them alone."""
        if not _is_same_frame(one, other) or self._asked.isdisjoint(one.matter & other.matter):
            return False
        said = one.matter | other.matter | self._terms_of_values(one) | self._terms_of_values(other)
        if (self._asked - said) & one.head != (self._asked - said) & other.head:
            return False
        fuller = max(one, other, key=lambda statement: len(statement.frame))
        is_plain = bool(one.title & other.title) or one.matter | other.matter <= self._asked
        is_enough = _size(fuller.frame, _ANY_THING) >= _FEWEST_ASKED and _names_subject(fuller)
        return is_enough and (is_plain or _size(fuller.frame) >= _FEWEST)

    def _terms_of_values(self, statement: Statement) -> frozenset[str]:
        return terms_of(" ".join(value.text for value in statement.values), self._tokenizer)

    def _is_same_value(self, one: Value, other: Value) -> bool:
        """Whether two values of one kind may be the same."""
        if isinstance(one.what, Dated) and isinstance(other.what, Dated):
            return one.what.fits(other.what)
        if isinstance(one.what, Figure) and isinstance(other.what, Figure):
            return one.what.value == other.what.value
        if one.kind == "version":
            parts = one.text.strip("vV").split("."), other.text.strip("vV").split(".")
            return all(first == second for first, second in zip(*parts, strict=False))
        if one.kind == "state":
            return one.what == other.what
        return may_be_one(one.text, other.text) or other.text in self._persons().get(one.text, ())

    def _different(self, values: Sequence[Value]) -> list[Value]:
        """Return the first of all values that are the same."""
        different: list[Value] = []
        for value in values:
            if not any(self._is_same_value(value, other) for other in different):
                different.append(value)
        return different


def _is_same_frame(one: Statement, other: Statement) -> bool:
    """Whether two frames are the same, where the shorter one may leave its subject to what it stands under."""
    longer, shorter = (one, other) if len(one.frame) >= len(other.frame) else (other, one)
    rest = longer.frame[: len(longer.frame) - len(shorter.frame)]
    if longer.frame[len(rest) :] != shorter.frame or not shorter.frame:
        return False
    return not rest or (PLACE not in rest and " ".join(rest) in " ".join(read_frame(shorter.about, ())))


def _names_subject(statement: Statement) -> bool:
    """Whether a clause says what it is about before it gives a value: 改完 10 秒生效 does not."""
    first = statement.values[0] if statement.values else None
    if first is None or first.kind == "name":
        return True
    return _size(read_frame(statement.text[: first.start], ())) >= _FEWEST_BEFORE


def _size(frame: Frame, but: re.Pattern[str] | None = None) -> float:
    """Return how many words there are in a frame."""
    words = [
        token for token in frame if token.isalnum() and not _CHINESE.match(token) and not (but and but.fullmatch(token))
    ]
    text = "".join(token if _CHINESE.match(token) else " " for token in frame)
    return len(words) + len(_CHINESE.findall(but.sub("", text) if but else text)) / 2


def _side(statement: Statement, place: int) -> Side:
    return Side(statement.text if place == _DENIAL else statement.values[place].text, statement)


def _ground(statement: Statement) -> Ground:
    return statement.key, statement.sentence.start


def _subject(sides: Sequence[Side]) -> str:
    """Return what is disputed, in the words of the side that says more of it, or of the one that affirms it."""
    one, other = (side.statement for side in sides[:2])
    if one.is_denied != other.is_denied:
        return other.text if one.is_denied else one.text
    fuller = other if len(other.frame) > len(one.frame) else one
    side = sides[1] if fuller is other else sides[0]
    value = next(value for value in fuller.values if value.text == side.value)
    return subject_of(fuller.text, value)


def _distinct(sides: Sequence[Side]) -> Iterator[Side]:
    """Yield the sides, of those that say the same in one block the first."""
    seen: set[tuple[int, str]] = set()
    for side in sides:
        if (side.statement.key, side.value) not in seen:
            seen.add((side.statement.key, side.value))
            yield side
