"""What a request may hold, with its bounds: the framework checks it and describes it."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, get_origin, get_type_hints

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from graphrag.server.problems import invalid
from graphrag.shapes import NAME_CHARACTERS, FilterShape, Name, Question, Text


class Values(BaseModel):
    """Named values of one request; an unknown name is refused, so that a misspelt one does not go unseen."""

    model_config = ConfigDict(extra="forbid")


class AskBody(Values):
    """A question with its filters."""

    question: Question
    filters: FilterShape = FilterShape()


_SINGULAR = {"tags": "tag", "categories": "category", "paths": "path", "types": "type"}


class FilterQuery(FilterShape):
    """The filters of a query; each but the days may be given several times."""

    model_config = ConfigDict(alias_generator=lambda name: _SINGULAR.get(name, name))


class SearchQuery(FilterQuery):
    """A search."""

    q: Question
    top_k: int | None = Field(None, ge=1, le=200)
    explain: bool = Field(False, description="also say what was dropped, and at which stage")


class NotesQuery(FilterQuery):
    """A list of notes."""

    q: Annotated[Text, Field(max_length=NAME_CHARACTERS)] = Field(
        "", description="words that title, alias or path hold"
    )
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
    return frozenset(field.alias or name for name, field in fields if get_origin(field.annotation) is not tuple)
