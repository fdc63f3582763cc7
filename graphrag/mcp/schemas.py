"""JSON schemas of what tools take and return, and results as JSON: both as short as they can be said.

An agent reads all of it, so that titles, references and empty fields cost more than they tell.
"""

import dataclasses
from typing import Any

from pydantic import BaseModel, TypeAdapter

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
