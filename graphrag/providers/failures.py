"""What a library or a server raised, as one short line for a message."""

_LONGEST = 200


def reason_of(error: Exception) -> str:
    """Return the first line of an error's text, its type's name when it has none."""
    return first_line(str(error)) or type(error).__name__


def first_line(text: str) -> str:
    """Return the first line of a text, shortened, without a full stop."""
    lines = text.strip().splitlines()
    return lines[0][:_LONGEST].rstrip(" .") if lines else ""
