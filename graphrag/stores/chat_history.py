"""The questions of a conversation as JSON lines in the folder of the index, for its owner alone.

A line holds what was asked, what it means in the user's own words, and the paths of the notes that were cited. No
text of a note is written, so that one that becomes private leaves none behind.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from graphrag.errors import StoreError

CHAT_FILE = "chat.jsonl"
DAMAGED_FILE = "chat.damaged.jsonl"
KEPT = 200  # turns
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation."""

    asked: str  # as typed
    question: str  # the same so that it stands by itself, where the user's own words suffice for that
    notes: tuple[str, ...]  # paths of the sources of its answer, in the order of their keys


class ChatHistory:
    """The history of one vault; `prepare` makes the folder of the index, which ignores itself in Git."""

    def __init__(self, folder: Path, prepare: Callable[[], None]) -> None:
        self._file = folder / CHAT_FILE
        self._damaged = folder / DAMAGED_FILE
        self._prepare = prepare

    def load(self) -> tuple[list[Turn], str]:
        """Return the turns, oldest first, and a line that says so when the file could not be used."""
        try:
            lines = self._file.read_text(encoding="utf-8").split("\n")  # a question may hold other separators of lines
            return [_read_turn(line) for line in lines if line][-KEPT:], ""
        except FileNotFoundError:
            return [], ""
        except ValueError:  # also of what is no UTF-8
            return [], self._set_aside()
        except OSError as error:
            return [], f"{self._file}: cannot be read: {error.strerror}. The conversation begins anew."

    def add(self, turn: Turn) -> str:
        """Write a turn down behind the others, of which the last 200 stay; return why not, when it cannot be."""
        turns, warning = self.load()  # another session may have written since
        try:
            self._prepare()
            self._write([*turns, turn][-KEPT:])
        except OSError as error:
            return f"{self._file}: cannot be written: {error.strerror}. This conversation is not remembered."
        except StoreError as error:
            return f"This conversation is not remembered: {error}"
        return warning

    def clear(self) -> None:
        """Delete the history.

        Raises:
            StoreError: the system refuses.
        """
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self._file}: cannot be deleted: {error.strerror}. Delete it by hand.") from error

    def _write(self, turns: list[Turn]) -> None:
        unfinished = self._file.with_name(f"{CHAT_FILE}.{os.getpid()}.tmp")
        text = "".join(json.dumps(asdict(turn), ensure_ascii=False) + "\n" for turn in turns)
        with suppress(FileNotFoundError):
            unfinished.unlink()
        try:
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
            unfinished.replace(self._file)
        except OSError:
            with suppress(OSError):
                unfinished.unlink()
            raise

    def _set_aside(self) -> str:
        try:
            self._file.replace(self._damaged)
        except OSError as error:
            return f"{self._file}: damaged, and cannot be moved away: {error.strerror}. Delete it by hand."
        return f"{self._file}: damaged; it is now {self._damaged.name}, and the conversation begins anew."


def _read_turn(line: str) -> Turn:
    """Return the turn of a line; a ValueError when it is none."""
    data = json.loads(line)
    if not isinstance(data, dict) or not isinstance(notes := data.get("notes"), list):
        raise ValueError("no turn")
    texts = (data.get("asked"), data.get("question"), *notes)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("no turn")
    return Turn(str(data["asked"]), str(data["question"]), tuple(map(str, notes)))
