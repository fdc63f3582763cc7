"""A question and the names of a vault -> its `QueryPlan`: the ways to answer it, in order of precedence.

`understand` makes one plan a question. Only `_PRECEDENCE` orders the readings. No store and no file is read here.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Protocol

from graphrag.domain.query import AskedFor, PlanView, Question, Route
from graphrag.language.dates import NoSuchDay
from graphrag.language.interface import LanguageSetting, interface_language
from graphrag.language.periods import Period, find_period
from graphrag.understand.asked_for import asked_for
from graphrag.understand.direct import direct_reply, is_for_model
from graphrag.understand.listing import Listing, read_listing
from graphrag.understand.named_note import asks_for_a_note, names_asked_for, names_left_alone
from graphrag.understand.overview import read_group, read_overview


class NoteNames(Protocol):
    """What a vault's notes are called."""

    def notes_called(self, name: str) -> frozenset[str]:
        """Return the paths of the notes whose title, alias or file name this is, word for word."""
        ...

    def notes_of(self, day: date) -> frozenset[str]:
        """Return the paths of the notes that are about a day."""
        ...


@dataclass(frozen=True, slots=True)
class Direct:
    """No note is needed. `reply` is what rules say; None where a chat model has to do it."""

    reply: str | None
    route = Route.DIRECT


@dataclass(frozen=True, slots=True)
class Overview:
    """What the notes say as a whole, or about a topic; an empty topic stands for the whole."""

    topic: str
    route = Route.OVERVIEW


@dataclass(frozen=True, slots=True)
class GroupOverview:
    """What the notes of a folder, category or tag say, if the vault has one of that name."""

    name: str
    route = Route.OVERVIEW


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of notes, tags, categories or folders."""

    listing: Listing
    route = Route.LIST


@dataclass(frozen=True, slots=True)
class Relation:
    """How things hang together; whether the notes state it is for the graph to say."""

    route = Route.RELATION


@dataclass(frozen=True, slots=True)
class Lookup:
    """A note, or the place of an identifier, asked for by its name."""

    route = Route.LOOKUP


@dataclass(frozen=True, slots=True)
class MultiHop:
    """A thing is described instead of named, so that it has to be found first."""

    route = Route.MULTI_HOP


@dataclass(frozen=True, slots=True)
class Search:
    """Passages that answer."""

    route = Route.HYBRID


Reading = Direct | Overview | GroupOverview | ListOf | Relation | Lookup | MultiHop | Search


@dataclass(frozen=True, slots=True)
class NamedNotes:
    """The paths of the notes that a question names."""

    called: frozenset[str] = frozenset()  # the question is the name, word for word
    asked_for: frozenset[str] = frozenset()  # besides: named in a question for a note
    asked_about: frozenset[str] = frozenset()  # besides: named, with nothing around but idle words
    of_day: frozenset[str] = frozenset()  # about the one day that the question names


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What a question asks for. The last of the readings is always one that passages answer."""

    question: Question
    route: Route
    readings: tuple[Reading, ...]
    notes: NamedNotes
    asked_for: AskedFor
    since: date | None  # of the period that the question names
    until: date | None
    beside_day: str  # its text, without a day that notes are about
    no_such_day: str = ""  # a day that it names, which no calendar has

    @property
    def passages(self) -> Reading:
        """The reading that passages answer: a lookup, several steps, or a search."""
        return self.readings[-1]

    def view(self) -> PlanView:
        """Return the plan as people and programs are shown it."""
        readings = tuple(reading.route for reading in self.readings)
        return PlanView(
            route=self.route,
            readings=tuple(dict.fromkeys(readings)),
            asked_for=self.asked_for,
            since=self.since,
            until=self.until,
            notes=tuple(sorted(self.notes.asked_about)),
            filters=self.question.filters,
        )


def understand(
    question: Question, names: NoteNames, now: datetime | None = None, language: LanguageSetting = "auto"
) -> QueryPlan:
    """Return the plan of a question; `now` is the moment that words such as 昨天 refer to."""
    text, now = question.text, now or datetime.now().astimezone()
    notes = _named_notes(text, names)
    first = _first_reading(text, notes, now, interface_language(language, text).is_chinese)
    readings = tuple(_readings(first, question, notes))
    period, no_such_day = _period(text, now.date())
    since, until = (period.first, period.last) if period else (None, None)
    beside_day = text
    if period and since and since == until and (of_day := names.notes_of(since)):
        notes = replace(notes, of_day=of_day)
        start, end = period.span
        beside_day = f"{text[:start]} {text[end:]}"
    asked = asked_for(text)
    return QueryPlan(question, first.route, readings, notes, asked, since, until, beside_day, no_such_day)


def _period(text: str, today: date) -> tuple[Period | None, str]:
    """Return the period that a question names, and a day in it that there is not."""
    try:
        return find_period(text, today), ""
    except NoSuchDay as error:
        return None, str(error)


def _named_notes(text: str, names: NoteNames) -> NamedNotes:
    called = names.notes_called(text)
    asked_for_too = called.union(*map(names.notes_called, names_asked_for(text)))
    left_alone = next(filter(None, map(names.notes_called, names_left_alone(text))), frozenset[str]())
    return NamedNotes(called, asked_for_too, asked_for_too | left_alone)


_LINKS = re.compile(
    r"反向?链接?|反链|链接(?:到|着|过)|(?:直接|互相|相互)?(?:连着|相连|连到|引用)|指向|隔着|顺着(?:链接|双链)"
    r"|\bback-?links?\b|\blinks?\s+(?:to|from)\b|\blinked\s+(?:to|from)\b|\bconnect(?:s|ed|ion)?\b",
    re.IGNORECASE,
)
_RELATIONS = re.compile(
    r"依赖|负责|(?:什么|啥|何种?|有无|有没有).{0,6}(?:关系|关联|联系)|之间.{0,8}(?:关系|关联|联系)|影响(?:到)?(?:谁|哪|什么)"
    r"|属于(?:谁|哪|什么)|归谁|谁(?:的|管)|上级|下级|汇报给|取代|替代了"
    r"|\bdepend(?:s|ed|encies|ency)?\s*(?:on)?\b|\b(?:who|which\s+team)\s+(?:owns?|maintains?|manages?|is\s+responsible)\b"
    r"|\bowner\s+of\b|\bpart\s+of\b|\brelat(?:ed|ion|ionship)\b|\breports?\s+to\b",
    re.IGNORECASE,
)


def _speaks_of_links(question: str) -> bool:
    """Whether a question is about the links between notes."""
    return bool(_LINKS.search(question))


def _speaks_of_relations(question: str) -> bool:
    """Whether a question is about who is responsible, what depends on what, and the like."""
    return bool(_RELATIONS.search(question))


_LONGEST_CHAIN = 300  # characters
_ASKS = r"(?:什么|啥|哪|谁|多少|几[个次点天年]|吗|怎|如何|是否|为何)"
_ASKS_EN = r"(?:which|what|who|whom|whose|when|where|how|does|do|did|is|are|was|were|can)"
# A thing described by what it did or by what it belongs to, of which something else is asked.
_CHAINS = (
    re.compile(rf"(?:[的里中上用过]\s*那(?:个|种|家|位|篇|本|款|项|次|类|套|些)|那(?:篇|本|个)[里中]).*{_ASKS}"),
    re.compile(rf"[^，,]{{2,40}}(?:的|里|中)[^，,]{{1,16}}[，,].*{_ASKS}"),
    re.compile(rf"[^的，,]{{2,}}的[^的，,]{{1,}}的[^的，,]*{_ASKS}"),
    re.compile(rf"\bthe\b[^:,?]{{3,60}}\b(?:that|which|who|of|by|behind)\b[^:,?]{{2,80}}[:,]\s*{_ASKS_EN}\b", re.I),
    re.compile(rf"\b{_ASKS_EN}\b.*\b(?:of|by|for|in|with|from)\s+the\s+[\w\s-]{{2,40}}\b(?:that|which|who)\b", re.I),
    re.compile(rf"\b{_ASKS_EN}\b.*\bthe\s+[\w\s-]{{2,30}}\bof\s+the\s+[\w\s-]{{2,30}}\bof\b", re.I),
)


def _describes_a_thing(question: str) -> bool:
    """Whether a question describes a thing instead of naming it, and asks something about that thing."""
    return len(question) <= _LONGEST_CHAIN and any(form.search(question) for form in _CHAINS)


def _read_direct(text: str, now: datetime, in_chinese: bool) -> Reading | None:
    reply = direct_reply(text, in_chinese, now)
    return Direct(reply) if reply is not None or is_for_model(text) else None


def _read_overview(text: str, *_: object) -> Reading | None:
    topic = read_overview(text)
    return None if topic is None else Overview(topic)


def _read_list(text: str, now: datetime, _: bool) -> Reading | None:
    listing = read_listing(text, now.date())
    return ListOf(listing) if listing else None


# The kinds of questions, the surest first; a question is of the first kind whose reader takes it.
_PRECEDENCE: tuple[Callable[[str, datetime, bool], Reading | None], ...] = (
    _read_direct,
    _read_overview,
    _read_list,
    lambda text, *_: Relation() if _speaks_of_links(text) else None,
    lambda text, *_: Lookup() if asks_for_a_note(text) else None,
    lambda text, *_: MultiHop() if _describes_a_thing(text) else None,
    lambda text, *_: Relation() if _speaks_of_relations(text) else None,
)


def _first_reading(text: str, notes: NamedNotes, now: datetime, in_chinese: bool) -> Reading:
    """Return the surest reading: a note's own name asks for that note, whatever else it may mean."""
    if notes.called:
        return Lookup()
    for read in _PRECEDENCE:
        if reading := read(text, now, in_chinese):
            return reading
    return Search()


def _readings(first: Reading, question: Question, notes: NamedNotes) -> Iterator[Reading]:
    """Yield the surest reading and those that take its place when the vault has nothing for it."""
    if isinstance(first, Direct):
        yield first
        return
    if isinstance(first, Overview | ListOf):
        yield first
    elif isinstance(first, MultiHop | Search) and (group := read_group(question.text)):
        yield GroupOverview(group)
    # A fact rests on several notes; which of them a filter should let through, nobody could tell.
    if question.filters.is_empty and not notes.called:
        yield Relation()
    yield first if isinstance(first, Lookup | MultiHop) else Search()
