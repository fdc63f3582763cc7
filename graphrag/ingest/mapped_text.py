"""Text that knows where each of its characters came from, through any number of edits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the half-open range start..end by other text; the range is not empty."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class MappedText:
    """`text`, and for each of its characters the range of the original text that it stands for.

    Both arrays have the text's length and never decrease. A character that an edit put in stands for the whole range
    that the edit replaced.
    """

    text: str
    starts: Offsets
    ends: Offsets

    @classmethod
    def original(cls, text: str) -> "MappedText":
        """Return the unedited text."""
        starts = np.arange(len(text), dtype=np.int32)
        return cls(text, starts, starts + 1)

    def apply(self, edits: Sequence[Edit]) -> "MappedText":
        """Return the text after these edits, which are sorted and do not overlap."""
        if not edits:
            return self
        texts: list[str] = []
        kept: list[int] = []  # length of the stretch before each edit
        position = 0
        for edit in edits:
            texts += (self.text[position : edit.start], edit.text)
            kept.append(edit.start - position)
            position = edit.end
        texts.append(self.text[position:])
        starts = np.array([edit.start for edit in edits])
        ends = np.array([edit.end for edit in edits])
        sizes = np.array([len(edit.text) for edit in edits])
        # Kept stretches and inserted texts alternate; `first` and `last` are indexes into the arrays before the edits.
        lengths = np.append(np.column_stack((kept, sizes)).ravel(), len(self.text) - position)
        begins = np.append(np.column_stack((starts - kept, starts)).ravel(), position)
        lasts = np.append(np.column_stack((starts - kept, ends - 1)).ravel(), position)
        steps = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        steps *= np.repeat(np.arange(len(lengths)) % 2 == 0, lengths)
        first, last = np.repeat(begins, lengths) + steps, np.repeat(lasts, lengths) + steps
        return MappedText("".join(texts), self.starts[first], self.ends[last])

    def locate(self, offsets: Sequence[int]) -> list[int]:
        """Return where these original offsets lie now, each at the first character that starts there or later."""
        wanted = np.asarray(offsets, dtype=np.int32)  # another type would make numpy convert the whole array
        return [int(place) for place in np.searchsorted(self.starts, wanted, side="left")]

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text that a non-empty range of this one stands for."""
        return int(self.starts[start]), int(self.ends[end - 1])
