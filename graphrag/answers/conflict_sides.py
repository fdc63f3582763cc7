"""Disputes among an answer's sources -> conflicts to show: each side with its citation and date, the newer first."""

from collections.abc import Iterable
from datetime import date

from graphrag.answers.citing import CitedPassages, Lines
from graphrag.domain.query import ConflictSide, SourceConflict
from graphrag.grounding.conflict import Dispute, Side
from graphrag.language.dated import read_dates
from graphrag.retrieve.readers import SnapshotReaders


def tell_conflicts(
    disputes: Iterable[Dispute], passages: CitedPassages, readers: SnapshotReaders
) -> tuple[SourceConflict, ...]:
    """Return the conflicts; a side that the answer does not cite yet is added to its passages."""

    def tell(side: Side) -> ConflictSide:
        statement = side.statement
        place = statement.key, statement.sentence.start, statement.sentence.end
        key = passages.name(*place, statement.sentence.text)
        return ConflictSide(side.value, key, day_of(readers, statement.note, passages.lines_of(*place)))

    return tuple(newest_first(dispute.subject, map(tell, dispute.sides)) for dispute in disputes)


def newest_first(subject: str, sides: Iterable[ConflictSide]) -> SourceConflict:
    """Return a conflict with its sides in order, those without a date last."""
    return SourceConflict(subject, tuple(sorted(sides, key=lambda side: side.date, reverse=True)))


def day_of(readers: SnapshotReaders, note: str, lines: Lines) -> str:
    """Return the first day on which the lines are known to have said this, as ISO text; empty when none is known.

    That is the earliest of the date in the note's file name, the last change of the lines in Git, and the note's own
    last change: no line is newer than any of them. For a note that tells none of these, it is when it was created.
    """
    named = [(day.year, day.month, day.day) for day in read_dates(note.rpartition("/")[2]) if day.year and day.day]
    known = readers.graph.note(note)
    moments = [readers.line_date(note, *lines), known.updated if known else None]
    days = [moment.date().isoformat() for moment in moments if moment]
    days += [date(*parts).isoformat() for parts in named if _is_day(*parts)]
    created = known.created.date().isoformat() if known and known.created else ""
    return min(days, default=created)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
