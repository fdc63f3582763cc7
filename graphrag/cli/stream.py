"""Shows an answer while a model writes it, with the model's `[来源1]` marks turned into `[1]` on the way."""

import re
import sys
from collections.abc import Callable

from graphrag.cli.terminal import plain

_MARK = re.compile(r"[\[【]\s*(?:来源|source)\s*(\d+)\s*[\]】]", re.IGNORECASE)
# Longer than any mark: an opening bracket that stays open for so long is ordinary text.
_MARK_LENGTH = 16


class AnswerStream:
    """Writes pieces to stdout as they come; holds back an open bracket until its mark is complete."""

    def __init__(self) -> None:
        self._held = ""
        self.before_first: Callable[[], None] | None = None  # called once, before anything is written
        self.has_written = False

    def __call__(self, piece: str) -> None:
        """Write the next piece."""
        text = _MARK.sub(r"[\1]", self._held + piece)
        opened = max(text.rfind("["), text.rfind("【"))
        is_open = (
            opened >= 0 and len(text) - opened < _MARK_LENGTH and not re.search(r"[\]】]", text[opened:])
        )
        cut = opened if is_open else len(text)
        self._held = text[cut:]
        self._write(text[:cut])

    def finish(self) -> None:
        """Write what was held back and end the line."""
        self._write(self._held)
        self._held = ""
        if self.has_written:
            self._write("\n")

    def _write(self, text: str) -> None:
        if text and not self.has_written:
            self.has_written = True
            if self.before_first is not None:
                self.before_first()
        if text:
            sys.stdout.write(plain(text))
            sys.stdout.flush()
