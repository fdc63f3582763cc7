"""Text -> its folded form for matching, with the way back to the original offsets.

Each character is folded for itself: NFKD, case-folded, NFKD again. Decomposed forms make that sound: what two texts
have in common after NFKC they also have after NFKD, and NFKD of a text is that of its characters one after the other.
"""

import re
import unicodedata

# Han, kana, Hangul, Thai, Lao, Khmer, Burmese: words follow each other without a space, or endings stick to them
_UNSPACED = re.compile(
    r"[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\u1100-\u11ff\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\U00020000-\U0003ffff]"
)


class FoldedText:
    """A text folded, runs of white space as one space."""

    def __init__(self, original: str) -> None:
        self.original = original
        pieces: list[str] = []
        self._starts: list[int] = []  # of each folded character, in the original
        self._ends: list[int] = []
        for place, character in enumerate(original):
            if character.isspace():
                if pieces and pieces[-1] == " ":
                    self._ends[-1] = place + 1
                    continue
                folded = " "
            else:
                folded = _fold_character(character)
            pieces += folded
            self._starts += [place] * len(folded)
            self._ends += [place + 1] * len(folded)
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the original range of a folded one; None where it cuts a word or a character in two."""
        if self._cuts(start) or self._cuts(end):
            return None
        return self._starts[start], self._ends[end - 1]

    def _cuts(self, place: int) -> bool:
        if not 0 < place < len(self.text):
            return False
        left, right = self.text[place - 1], self.text[place]
        if self._starts[place - 1] == self._starts[place] or unicodedata.combining(right):
            return True
        return _is_spaced_word(left) and _is_spaced_word(right)


def fold(text: str) -> str:
    """Return the folded form of a name, without white space around it."""
    return FoldedText(text).text.strip()


def is_loose(folded: str) -> bool:
    """Whether a name is a single character that nothing sets apart from its neighbours, like `人`."""
    return len(folded) == 1 and not _is_spaced_word(folded)


def _fold_character(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character)
    return unicodedata.normalize("NFKD", decomposed.casefold())


def _is_spaced_word(character: str) -> bool:
    """Whether a character belongs to words that have spaces or punctuation around them."""
    is_word = character.isalnum() or character == "_" or unicodedata.combining(character) > 0
    return is_word and not _UNSPACED.match(character)
