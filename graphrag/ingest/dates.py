"""Dates as people and exporters write them -> datetime. A time without a zone is kept as written, in UTC."""

import re
from datetime import UTC, datetime

_FORM = re.compile(
    r"\s*(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?"
    r"(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?"
)


def parse_date(text: str) -> datetime | None:
    """Return the date that a property's text starts with; None when it has none, or an impossible one."""
    found = _FORM.match(text)
    if not found:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    clock = f"{int(hour or 0):02}:{minute or '00'}:{second or '00'}{zone or '+00:00'}"
    try:
        moment = datetime.fromisoformat(f"{year}-{int(month):02}-{int(day):02}T{clock}")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
