"""A question and the names of a vault -> its `QueryPlan`: the ways to answer it, in order of precedence.

`understand` makes one plan a question. `_PRECEDENCE` orders the readings of rules; what no rule takes, the trained
router judges. No store is read here: the question's vector comes from a function, if there is one.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Protocol

from graphrag.domain.ports import Vectors
from graphrag.domain.query import AskedFor, PlanView, Question, Route
from graphrag.language.dates import NoSuchDay
from graphrag.language.interface import LanguageSetting, interface_language
from graphrag.language.periods import Period, find_period
from graphrag.understand.direct import direct_reply, is_for_model, speaks_of_notes
from graphrag.understand.listing import Listing, read_listing
from graphrag.understand.named_note import asks_for_a_note, names_asked_for, names_left_alone
from graphrag.understand.overview import read_group, read_overview, topic_left
from graphrag.understand.router import Judgement, judge


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
    """No note is needed. `reply` is what rules say; None where a chat model has to do it.

    What only the router takes for such a question is searched for where no chat model is at hand.
    """

    reply: str | None
    is_sure: bool = True
    route = Route.DIRECT


@dataclass(frozen=True, slots=True)
class Overview:
    """What the notes say as a whole, or about a topic; an empty topic stands for the whole.

    What only the router takes for such a question has to be about words that enough notes hold.
    """

    topic: str
    is_sure: bool = True
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
    sure: float | None = None  # how sure the router is of the route; None where a rule decided
    vector: Vectors | None = field(default=None, compare=False, repr=False)  # of the question, where it was needed

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
            sure=self.sure,
        )


def no_vector() -> None:
    """Return nothing: for questions that have no vector of the router's embedder."""


def understand(
    question: Question,
    names: NoteNames,
    now: datetime | None = None,
    language: LanguageSetting = "auto",
    vector_of: Callable[[], Vectors | None] = no_vector,
) -> QueryPlan:
    """Return the plan of a question; `now` is the moment that words such as 昨天 refer to.

    `vector_of` makes the question's vector, and is asked only where no rule decides.
    """
    text, now = question.text, now or datetime.now().astimezone()
    notes = _named_notes(text, names)
    first = _first_reading(text, notes, now, interface_language(language, text).is_chinese)
    vector = None if first else vector_of()
    judgement = judge(text, vector)
    route, sure = (first.route, None) if first else (_sure_route(judgement, text, vector, notes), judgement.sure)
    first = first or _judged_reading(route, text, names)
    readings = tuple(_readings(first, question, notes))
    period, no_such_day = _period(text, now.date())
    since, until = (period.first, period.last) if period else (None, None)
    beside_day = text
    if period and since and since == until and (of_day := names.notes_of(since)):
        notes = replace(notes, of_day=of_day)
        start, end = period.span
        beside_day = f"{text[:start]} {text[end:]}"
    asked = judgement.asked_for
    return QueryPlan(
        question, route, readings, notes, asked, since, until, beside_day, no_such_day, sure=sure, vector=vector
    )


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


def _speaks_of_links(question: str) -> bool:
    """Whether a question is about the links between notes."""
    return bool(_LINKS.search(question))


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
)


def _first_reading(text: str, notes: NamedNotes, now: datetime, in_chinese: bool) -> Reading | None:
    """Return the surest reading of rules: a note's own name asks for that note, whatever else it may mean."""
    if notes.called:
        return Lookup()
    readings = (read(text, now, in_chinese) for read in _PRECEDENCE)
    return next((reading for reading in readings if reading), None)


_SURE = 0.5  # how sure the router has to be of a route that is no search
_SURE_OF_DIRECT = 0.8  # with and without the vector


def _sure_route(judgement: Judgement, text: str, vector: Vectors | None, notes: NamedNotes) -> Route:
    """Return the route that the router is sure of, else that of a search."""
    if judgement.route is Route.DIRECT:
        is_of_notes = bool(notes.asked_about) or speaks_of_notes(text)
        return Route.DIRECT if not is_of_notes and _is_surely_direct(judgement, text, vector) else Route.HYBRID
    return judgement.route if judgement.sure >= _SURE else Route.HYBRID


def _is_surely_direct(judgement: Judgement, text: str, vector: Vectors | None) -> bool:
    """Whether both models take a question for one that needs no notes.

    One that is answered without the notes that it is about is worse than a search too many.
    """
    alone = judge(text)
    return vector is not None and alone.route is Route.DIRECT and min(alone.sure, judgement.sure) >= _SURE_OF_DIRECT


def _judged_reading(route: Route, text: str, names: NoteNames) -> Reading:
    """Return how a question of a route is read that no rule takes.

    A list that cannot be read is searched for, and so is a single note that is to be summed up.
    """
    match route:
        case Route.DIRECT:
            return Direct(None, is_sure=False)
        case Route.OVERVIEW:
            topic = read_group(text) or topic_left(text)
            return Search() if names.notes_called(topic) else Overview(topic, is_sure=False)
        case Route.LOOKUP:
            return Lookup()
        case Route.MULTI_HOP:
            return MultiHop()
        case Route.RELATION:
            return Relation()
        case _:
            return Search()


def _readings(first: Reading, question: Question, notes: NamedNotes) -> Iterator[Reading]:
    """Yield the surest reading and those that take its place when the vault has nothing for it."""
    may_be_group = isinstance(first, MultiHop | Search) or (isinstance(first, Overview) and not first.is_sure)
    if may_be_group and (group := read_group(question.text)):
        yield GroupOverview(group)
    if isinstance(first, Direct | Overview | ListOf):
        yield first
    if isinstance(first, Direct) and first.is_sure:
        return
    # A fact rests on several notes; which of them a filter should let through, nobody could tell.
    if question.filters.is_empty and not notes.called:
        yield Relation()
    yield first if isinstance(first, Lookup | MultiHop) else Search()
