"""What a request may hold, with its bounds: the framework checks it and describes it."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Annotated, Any, get_origin, get_type_hints

from fastapi import Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from graphrag.domain.query import Filters
from graphrag.errors import QuestionError
from graphrag.server.problems import invalid
from graphrag.understand.filters import first_day_given, last_day_given

QUESTION_CHARACTERS = 2_000
_LONGEST_NAME = 1_000
_MOST_VALUES = 20


def _clean(text: str) -> str:
    """Return text as it is compared; lone surrogates and NUL are taken by no engine."""
    replaced = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    return unicodedata.normalize("NFC", replaced).strip()


def _full(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


_WORDS = WithJsonSchema({"type": "string"})  # a day in any way that a question may name it
FirstDay = Annotated[date, BeforeValidator(first_day_given), _WORDS]
LastDay = Annotated[date, BeforeValidator(last_day_given), _WORDS]
Text = Annotated[str, AfterValidator(_clean)]
Name = Annotated[Text, Field(min_length=1, max_length=_LONGEST_NAME), AfterValidator(_full)]
Question = Annotated[Text, Field(min_length=1, max_length=QUESTION_CHARACTERS), AfterValidator(_full)]
Names = Annotated[list[Name], Field(max_length=_MOST_VALUES)]


class Values(BaseModel):
    """Named values of one request; an unknown name is refused, so that a misspelt one does not go unseen."""

    model_config = ConfigDict(extra="forbid")


class AskedFilters(Values):
    """Only these notes: of one kind one value has to fit, of all kinds given."""

    tags: Names = Field([], description="with one of these tags, or one below it")
    categories: Names = Field([], description="of one of these categories, or one below it")
    paths: Names = Field([], description="in one of these folders, or these notes")
    since: FirstDay | None = Field(None, description="last changed on this day or later: 2024-06-16, 7d, 上周")
    until: LastDay | None = Field(None, description="last changed on this day or earlier")
    types: Names = Field([], description="whose `type` has one of these values")

    def read(self) -> Filters:
        """Return them as the facade takes them.

        Raises:
            QuestionError: no note can match.
        """
        if self.since and self.until and self.since > self.until:
            raise QuestionError(f"since {self.since} is later than until {self.until}: no note can match.")
        return Filters(
            tags=tuple(tag.lstrip("#").rstrip("/") for tag in self.tags),
            categories=tuple(name.rstrip("/") for name in self.categories),
            paths=tuple(path.removeprefix("./").rstrip("/") for path in self.paths),
            since=self.since,
            until=self.until,
            types=tuple(self.types),
        )


class AskBody(Values):
    """A question with its filters."""

    question: Question
    filters: AskedFilters = AskedFilters()


class FilterQuery(Values):
    """The filters of a query; each but the days may be given several times."""

    tag: Names = []
    category: Names = []
    path: Names = []
    type: Names = []
    since: FirstDay | None = None
    until: LastDay | None = None

    def read(self) -> Filters:
        """Return them as the facade takes them."""
        return AskedFilters(
            tags=self.tag,
            categories=self.category,
            paths=self.path,
            types=self.type,
            since=self.since,
            until=self.until,
        ).read()


class SearchQuery(FilterQuery):
    """A search."""

    q: Question
    top_k: int | None = Field(None, ge=1, le=200)
    explain: bool = Field(False, description="also say what was dropped, and at which stage")


class NotesQuery(FilterQuery):
    """A list of notes."""

    q: Annotated[Text, Field(max_length=_LONGEST_NAME)] = Field("", description="words that title, alias or path hold")
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000)


class NoteQuery(Values):
    """How to return a note."""

    raw: bool = Field(False, description="return the Markdown as the vault has it now")


class NearQuery(Values):
    """What lies around a name."""

    name: Name = Field(description="a note by path, title or alias; a topic, tag or term")
    hops: int = Field(1, ge=1, le=5)
    limit: int = Field(30, ge=1, le=200)


class PathQuery(Values):
    """How two names hang together."""

    start: Name = Field(alias="from")
    end: Name = Field(alias="to")
    hops: int = Field(4, ge=1, le=10)


class OverviewQuery(Values):
    """How much of the graph to return."""

    limit: int = Field(100, ge=1, le=500)


class FactQuery(Values):
    """A fact."""

    fact: Name = Field(description="like `张三 负责 支付模块`, or `A --relation--> B` for names of several words")


class ChangesQuery(Values):
    """Since when."""

    since: Name = Field("7d", description="a time like 7d, 2024-06 or 上周, a commit, tag or branch")


async def check_given_once(request: Request) -> None:
    """Refuse what would leave out a value: a parameter given several times that takes one.

    Raises:
        Problem: there is one.
    """
    given = Counter(name for name, _ in request.query_params.multi_items())
    single = _single_parameters(request.scope["endpoint"])
    faults = [
        (f"query.{name}", f"is given {times} times; it takes one value")
        for name, times in given.items()
        if times > 1 and name in single
    ]
    if faults:
        raise invalid(faults)


@cache
def _single_parameters(endpoint: Callable[..., Any]) -> frozenset[str]:
    """Return the parameters of an endpoint's query that take one value."""
    query = get_type_hints(endpoint).get("query")
    fields = query.model_fields.items() if query else ()
    return frozenset(field.alias or name for name, field in fields if get_origin(field.annotation) is not list)
