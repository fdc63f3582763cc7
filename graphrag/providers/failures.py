"""What a library or a server raised, as one short line for a message."""

import json

_LONGEST = 200
_TOLD = ("error", "message", "detail", "msg")  # where servers put what went wrong, the outermost first


def reason_of(error: Exception) -> str:
    """Return the first line of an error's text, its type's name when it has none."""
    return first_line(str(error)) or type(error).__name__


def first_line(text: str) -> str:
    """Return the first line of a text, shortened, without a full stop."""
    lines = text.strip().splitlines()
    return lines[0][:_LONGEST].rstrip(" .") if lines else ""


def message_in(body: str) -> str:
    """Return what the body of a refusal says; one that says nothing in words is returned whole, in one line."""
    try:
        said = message_of(json.loads(body))
    except (ValueError, RecursionError):
        return body
    return said or " ".join(body.split())


def message_of(reply: object) -> str:
    """Return the first text in the JSON of a failure, empty without one: servers put it at different depths."""
    waiting = [reply]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            waiting += [value[key] for key in reversed(_TOLD) if key in value]
    return ""
