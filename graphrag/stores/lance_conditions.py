"""Filters and ids -> the conditions that rows of both tables are read by; it needs no engine."""

from collections.abc import Iterable
from datetime import date

from graphrag.domain.query import Filters, fold_name, folder_name

_EPOCH = date(1970, 1, 1).toordinal()


def to_day(day: date) -> int:
    """Return the days since 1970 that the `changed` column holds."""
    return day.toordinal() - _EPOCH


def quote(value: str) -> str:
    """Return a SQL string literal."""
    return "'" + value.replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that a column equals one of the values; there must be at least one."""
    return f"{column} IN ({', '.join(quote(value) for value in values)})"


def to_predicate(filters: Filters) -> str | None:
    """Return the condition that a row passes the filters, or None when every row does."""
    conditions = [
        _any_of("tags", (fold_name(tag) for tag in filters.tags)),
        _any_of("categories", (fold_name(category) for category in filters.categories)),
        _any_of("types", (value.strip().casefold() for value in filters.types)),
        " OR ".join(_below(path) for path in filters.paths),
        f"changed >= {to_day(filters.since)}" if filters.since else "",
        f"changed <= {to_day(filters.until)}" if filters.until else "",
    ]
    return " AND ".join(f"({condition})" for condition in conditions if condition) or None


def both(restriction: str | None, condition: str) -> str:
    """Return a condition, restricted by another if there is one."""
    return f"{restriction} AND {condition}" if restriction else condition


def _any_of(column: str, values: Iterable[str]) -> str:
    return " OR ".join(f"array_has({column}, {quote(value)})" for value in values)


def _below(path: str) -> str:
    """A folder and a note look alike without the disk, so both readings are tried."""
    name = folder_name(path)
    return f"note = {quote(name)} OR starts_with(note, {quote(name + '/')})" if name else "true"
