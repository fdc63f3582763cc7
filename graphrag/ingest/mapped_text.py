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
        starts: list[Offsets] = []
        ends: list[Offsets] = []
        position = 0
        for edit in edits:
            texts += (self.text[position : edit.start], edit.text)
            starts.append(self.starts[position : edit.start])
            ends.append(self.ends[position : edit.start])
            if edit.text:
                size = len(edit.text)
                starts.append(np.full(size, self.starts[edit.start], dtype=np.int32))
                ends.append(np.full(size, self.ends[edit.end - 1], dtype=np.int32))
            position = edit.end
        texts.append(self.text[position:])
        starts.append(self.starts[position:])
        ends.append(self.ends[position:])
        return MappedText("".join(texts), np.concatenate(starts), np.concatenate(ends))

    def locate(self, offsets: Sequence[int]) -> list[int]:
        """Return where these original offsets lie now, each at the first character that starts there or later."""
        wanted = np.asarray(offsets, dtype=np.int32)  # another type would make numpy convert the whole array
        return np.searchsorted(self.starts, wanted, side="left").tolist()

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text that a non-empty range of this one stands for."""
        return int(self.starts[start]), int(self.ends[end - 1])
