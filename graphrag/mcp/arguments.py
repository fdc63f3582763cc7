"""What each tool takes: checked where a call comes in, with one line for what is wrong."""

import dataclasses
import unicodedata
from datetime import date
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from graphrag.domain.query import Filters
from graphrag.settings import wrong_value
from graphrag.understand.filters import first_day_given, last_day_given

_NOISE = ("title", "$defs", "minLength", "maxLength", "maxItems")  # the bounds are far from what anyone writes


def input_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a tool's arguments."""
    schema = arguments.model_json_schema()
    del schema["description"]  # the tool has one
    lean: dict[str, Any] = _lean(schema, schema.get("$defs", {}))
    return lean


def output_schema(result: type) -> dict[str, Any]:
    """Return the schema of a tool's result; what `without_empty` leaves out is not required."""
    schema = TypeAdapter(result).json_schema()
    lean: dict[str, Any] = _lean(schema, schema.get("$defs", {}))
    return lean


def without_empty(result: object) -> Any:
    """Return a result as JSON knows it, without the fields that hold their defaults."""
    if dataclasses.is_dataclass(result):
        fields = ((field, getattr(result, field.name)) for field in dataclasses.fields(result))
        return {field.name: without_empty(value) for field, value in fields if value != field.default}
    if isinstance(result, tuple):
        return [without_empty(item) for item in result]
    return result


def _lean(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return a schema with its references written out and without what only repeats names."""
    if isinstance(schema, list):
        return [_lean(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if name := schema.get("$ref", "").removeprefix("#/$defs/"):
        schema = definitions[name] | {key: value for key, value in schema.items() if key != "$ref"}
    kept = {key: value for key, value in schema.items() if key not in (*_NOISE, "properties")}
    if kept.get("default", 0) in ("", None) or isinstance(kept.get("default"), list | dict):  # which is to say nothing
        del kept["default"]
    lean = {key: _lean(value, definitions) for key, value in kept.items()}
    if "properties" in schema:  # the names in there are no keywords
        lean["properties"] = {name: _lean(value, definitions) for name, value in schema["properties"].items()}
    return _without_null(lean)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an optional value's schema as that of the value: leaving it out is how it is not given."""
    choices: list[dict[str, Any]] = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) != 1:
        return schema
    return {key: value for key, value in schema.items() if key != "anyOf"} | choices[0]


_LONGEST_QUESTION = 2_000
_LONGEST_NAME = 1_000
_MOST_VALUES = 20


def _clean(value: object) -> object:
    """Return text in the form in which it is compared; lone surrogates and NUL are taken by no engine."""
    if not isinstance(value, str):
        return value
    text = value.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    return unicodedata.normalize("NFC", text).strip()


def _as_list(value: object) -> object:
    """Return a single name as a list of one: agents forget the brackets."""
    return [value] if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_clean)]
Question = Annotated[Text, Field(min_length=1, max_length=_LONGEST_QUESTION)]
Name = Annotated[Text, Field(min_length=1, max_length=_LONGEST_NAME)]
Names = Annotated[tuple[Name, ...], Field(max_length=_MOST_VALUES), BeforeValidator(_as_list)]
Offset = Annotated[int, Field(ge=0, le=1_000_000)]


class Arguments(BaseModel):
    """Named values of one call; an unknown name is refused, so that a misspelt filter does not go unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_out_null(cls, given: object) -> object:
        """Take null for what is not given: agents fill in every argument that they know of."""
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given


_WORDS = WithJsonSchema({"type": "string"})  # a day in any way that a question may name it
FirstDay = Annotated[date, BeforeValidator(first_day_given), _WORDS]
LastDay = Annotated[date, BeforeValidator(last_day_given), _WORDS]


class FilterArguments(Arguments):
    """Only these notes: of one kind one value has to fit, of all kinds given."""

    tags: Names = Field((), description="with one of these tags, or one below it")
    categories: Names = Field((), description="of one of these categories, or one below it")
    paths: Names = Field((), description="in one of these folders, or these notes")
    since: FirstDay | None = Field(None, description="last changed on this day or later: 2024-06-16, 7d, 上周")
    until: LastDay | None = Field(None, description="last changed on this day or earlier")

    @model_validator(mode="after")
    def _check_order(self) -> "FilterArguments":
        if self.since and self.until and self.since > self.until:
            raise ValueError(f"since {self.since} is later than until {self.until}: no note can match")
        return self

    def filters(self) -> Filters:
        """Return them as the facade takes them."""
        return Filters(
            tags=tuple(tag.lstrip("#").rstrip("/") for tag in self.tags),
            categories=tuple(name.rstrip("/") for name in self.categories),
            paths=tuple(path.removeprefix("./").rstrip("/") for path in self.paths),
            since=self.since,
            until=self.until,
        )


class Filtered(Arguments):
    """A call that can be narrowed."""

    filter: FilterArguments = FilterArguments()


class SearchArguments(Filtered):
    """Of search_notes."""

    query: Question = Field(description="words or a question, in the language of the notes where possible")
    limit: int = Field(5, ge=1, le=8)


class AskArguments(Filtered):
    """Of ask_notes."""

    question: Question = Field(description="one question, complete in itself")


class SaveArguments(AskArguments):
    """Of save_answer."""

    name: Annotated[Text, Field(max_length=200)] = Field("", description="title of the new note; empty: the question")


class NoteArguments(Arguments):
    """Of get_note."""

    note: Name = Field(description="path, title or alias, or a ref like `folder/note.md:12-40` or `…@3f2a91c`")


class RelatedArguments(Arguments):
    """Of related_notes."""

    name: Name = Field(description="a note by path, title or alias; a topic; a #tag; or a term")
    hops: int = Field(1, ge=1, le=3, description="how far to follow links")
    limit: int = Field(12, ge=1, le=30, description="how many linked notes")


class RelationArguments(Arguments):
    """Of explain_relation."""

    subject: Name
    object: Name
    relation: Annotated[Text, Field(max_length=_LONGEST_NAME)] = Field(
        "", description="name of the relation to prove, e.g. 负责人 or depends on; empty: how the two are connected"
    )


class ListArguments(Filtered):
    """Of list_notes."""

    words: Annotated[Text, Field(max_length=_LONGEST_NAME)] = Field("", description="that title, alias or path hold")
    limit: int = Field(20, ge=1, le=50)
    offset: Offset = 0


class CypherArguments(Arguments):
    """Of cypher."""

    query: Annotated[Text, Field(min_length=1, max_length=4_000)] = Field(description="one reading statement")
    parameters: dict[str, str | bool | int | float] = Field({}, max_length=_MOST_VALUES, description="values of $names")
    limit: int = Field(20, ge=1, le=100, description="how many rows")


class ChangesArguments(Arguments):
    """Of recent_changes."""

    since: Name = Field("7d", description="a time like 7d, 2024-06 or 上周, a commit, tag or branch")
    limit: int = Field(20, ge=1, le=50)


def describe_invalid(error: ValidationError) -> str:
    """Return what is wrong with the first wrong argument, and what there is instead."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "arguments"
    return f"{where}: {wrong_value(first, 'there is no such argument. tools/list shows which there are')}."
