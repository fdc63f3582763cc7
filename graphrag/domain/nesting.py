"""Names nested with '/', as tags and categories are: whatever bears `a/b` is also found under `a`."""

from collections.abc import Iterable


def fold_name(name: str) -> str:
    """Return the form under which names are compared: case folded, without '#' and outer slashes."""
    return "/".join(_parts(name)).casefold()


def with_parents(name: str) -> list[str]:
    """Return the name after all of its parents, outermost first; nothing for an empty name."""
    parts = _parts(name)
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def folded_with_parents(names: Iterable[str]) -> list[str]:
    """Return the distinct folded names and parents of several names."""
    return list(dict.fromkeys(fold_name(level) for name in names for level in with_parents(name)))


def _parts(name: str) -> list[str]:
    return [part for raw in name.strip().removeprefix("#").split("/") if (part := raw.strip())]
