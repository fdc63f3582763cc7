"""What each tool takes: checked where a call comes in, with one line for what is wrong."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from graphrag.settings import wrong_value
from graphrag.shapes import NAME_CHARACTERS, FilterShape, Name, Question, Text

_NOISE = ("title", "$defs", "minLength", "maxLength", "maxItems")  # the bounds are far from what anyone writes


def lean_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema with its references written out and without what only repeats names."""
    described = {key: value for key, value in schema.items() if key != "description"}  # the tool has one
    lean: dict[str, Any] = _lean(described, schema.get("$defs", {}))
    return lean


def _lean(schema: Any, definitions: dict[str, Any]) -> Any:
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


Offset = Annotated[int, Field(ge=0, le=1_000_000)]


class Arguments(BaseModel):
    """Named values of one call; an unknown name is refused, so that a misspelt filter does not go unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_out_null(cls, given: object) -> object:
        """Take null for what is not given: agents fill in every argument that they know of."""
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given


class FilterArguments(Arguments, FilterShape):
    """Only these notes: of one kind one value has to fit, of all kinds given."""

    @model_validator(mode="before")
    @classmethod
    def _take_single_names(cls, given: object) -> object:
        """Take a single name for a list of one: agents forget the brackets."""
        if not isinstance(given, dict):
            return given
        days = ("since", "until")
        return {key: [value] if isinstance(value, str) and key not in days else value for key, value in given.items()}


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
    relation: Annotated[Text, Field(max_length=NAME_CHARACTERS)] = Field(
        "", description="name of the relation to prove, e.g. 负责人 or depends on; empty: how the two are connected"
    )


class ListArguments(Filtered):
    """Of list_notes."""

    words: Annotated[Text, Field(max_length=NAME_CHARACTERS)] = Field("", description="that title, alias or path hold")
    limit: int = Field(20, ge=1, le=50)
    offset: Offset = 0


_MOST_PARAMETERS = 20


class CypherArguments(Arguments):
    """Of cypher."""

    query: Annotated[Text, Field(min_length=1, max_length=4_000)] = Field(description="one reading statement")
    parameters: dict[str, str | bool | int | float] = Field(
        {}, max_length=_MOST_PARAMETERS, description="values of $names"
    )
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
