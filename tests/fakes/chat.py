"""Chat models that say what a test wrote down."""

from collections.abc import Iterator

from graphrag.errors import ProviderError


class ScriptedChat:
    """Yields the pieces one by one, then raises `error` if there is one; `prompts` keeps what it was asked."""

    model_id = "scripted"

    def __init__(self, *pieces: str, error: ProviderError | None = None) -> None:
        self._pieces = pieces
        self._error = error
        self.prompts: list[tuple[str, str]] = []
        self.yielded = 0

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def stream(self, system: str, user: str) -> Iterator[str]:
        self.prompts.append((system, user))
        for piece in self._pieces:
            self.yielded += 1
            yield piece
        if self._error is not None:
            raise self._error


class TurnByTurnChat:
    """Gives one reply a call, in order; `prompts` keeps what it was asked."""

    model_id = "turn by turn"

    def __init__(self, *replies: str | ProviderError) -> None:
        self._replies = list(replies)
        self.prompts: list[tuple[str, str]] = []

    def check(self) -> None:
        return None

    def stream(self, system: str, user: str) -> Iterator[str]:
        self.prompts.append((system, user))
        reply = self._replies.pop(0)
        if isinstance(reply, ProviderError):
            raise reply
        yield from reply
