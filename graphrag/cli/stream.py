"""Shows what a chat model writes while it writes; the checked answer takes its place."""

from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from graphrag.cli.terminal import plain


class AnswerDraft:
    """A region of the terminal that holds the draft, dim, and vanishes at the end; first a sign of life."""

    def __init__(self, console: Console, waiting: str) -> None:
        self._text = ""
        self._live = Live(
            Spinner("dots", Text(waiting, "dim")), console=console, transient=True, vertical_overflow="ellipsis"
        )

    def __enter__(self) -> "AnswerDraft":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, piece: str) -> None:
        """Add the next piece to the draft."""
        self._text += piece
        self._live.update(Text(plain(self._text), "dim"))
