"""Vectors as a server would give them, and the ways in which they are wrong."""

from collections.abc import Sequence
from enum import StrEnum

from tests.fakes.embedder import HashingEmbedder


class Flaw(StrEnum):
    """What is wrong with a reply's vectors."""

    NONE = "none"
    FEWER = "fewer"  # one for all texts
    MORE = "more"
    RAGGED = "ragged"  # of two lengths
    EMPTY = "empty"  # without a number
    NULL = "null"
    NAN = "nan"
    ZERO = "zero"
    HUGE = "huge"  # whose length is no number


def make_vectors(texts: Sequence[str], flaw: Flaw) -> list[list[float | None]]:
    """Return a vector for each text, not of unit length; similar texts get similar ones."""
    rows: list[list[float | None]] = [[3.0 * float(x) for x in row] for row in HashingEmbedder().embed_passages(texts)]
    if flaw is Flaw.FEWER:
        return rows[:1] if len(rows) > 1 else []
    if flaw is Flaw.MORE:
        return [*rows, rows[0]]
    if flaw is Flaw.RAGGED:
        return [rows[0], *(row[:-1] for row in rows)]
    wrong: dict[Flaw, list[float | None]] = {
        Flaw.EMPTY: [],
        Flaw.NULL: [None, 1.0],
        Flaw.NAN: [float("nan"), 1.0],
        Flaw.ZERO: [0.0, 0.0],
        Flaw.HUGE: [1e308, 1e308],
    }
    return [wrong[flaw] for _ in rows] if flaw in wrong else rows
