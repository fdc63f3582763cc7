"""A value that pydantic refused -> what is wrong with it and what is taken, in plain words."""

from collections.abc import Iterable

from pydantic_core import ErrorDetails

_TAKEN = {  # the first part of a fault's type -> what is taken there
    "int": "takes a whole number",
    "float": "takes a number",
    "finite": "takes a finite number",
    "bool": "takes true or false",
    "string": "takes text",
    "date": "is no day. Write it like 2024-06-16",
    "list": 'takes a list, like ["a", "b"]',
    "tuple": 'takes a list, like ["a", "b"]',
    "model": 'takes names with values, like {"name": "value"}',
    "dict": 'takes names with values, like {"name": "value"}',
}
_BOUNDS = {  # the type of a fault -> what is taken, with the bound that pydantic tells
    "missing": "is required",
    "too_short": "is empty",
    "too_long": "takes {max_length} {unit} at most",
    "greater_than_equal": "takes {ge} or more",
    "less_than_equal": "takes {le} at most",
    "greater_than": "takes more than {gt}",
    "less_than": "takes less than {lt}",
    "literal_error": "takes {expected}",
}


def wrong_value(fault: ErrorDetails, unknown: str) -> str:
    """Return what is wrong with a value, without a full stop; `unknown` is said of a name that there is not."""
    kind = fault["type"].replace("string_too", "too")
    if kind == "extra_forbidden":
        return unknown
    if kind == "value_error":  # raised by the project itself
        return fault["msg"].removeprefix("Value error, ")
    if kind in _BOUNDS:
        unit = "characters" if isinstance(fault["input"], str) else "values"
        return _BOUNDS[kind].format(unit=unit, **{name: _plain(value) for name, value in fault.get("ctx", {}).items()})
    return _TAKEN.get(kind.partition("_")[0], "cannot be used")


def wrong_union(faults: Iterable[ErrorDetails], unknown: str) -> str:
    """Return what is wrong with a value that may be of several kinds, by the faults that it has as each of them."""
    first, *others = dict.fromkeys(wrong_value(fault, unknown) for fault in faults)
    return ", or ".join((first, *(other.removeprefix("takes ") for other in others)))


def _plain(value: object) -> object:
    """Return a bound as people write it: 1 for 1.0, and names in the quotation marks of the files."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.replace("'", '"') if isinstance(value, str) else value
