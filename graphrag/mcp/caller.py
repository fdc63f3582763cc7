"""Who asks over MCP: what they may ask, and how work on the vault as they may see it is run."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import ValidationError

from graphrag.domain.access import Scope
from graphrag.domain.request_course import Stopped
from graphrag.errors import NoteNotFound, public_message
from graphrag.mcp.arguments import describe_invalid
from graphrag.mcp.results import one_line

if TYPE_CHECKING:
    from graphrag.app import App


_LOG = logging.getLogger("graphrag.mcp")


def failure_line(error: Exception, app: "App | None" = None) -> str:
    """Return what may be told; what may not goes to the log."""
    if isinstance(error, ValidationError):
        return describe_invalid(error)
    if isinstance(error, Stopped):
        return "Stopped, since nobody waited for it any more."
    line = public_message(error, _LOG, app.vault if app else None)
    others = [path for path in error.candidates if path not in line] if isinstance(error, NoteNotFound) else []
    return one_line(f"{line} Notes like it: {', '.join(others)}" if others else line)


Result = TypeVar("Result")


class WithVault(Protocol):
    """Runs work in a thread that holds the vault as one caller may see it, until the work has ended."""

    async def __call__(self, work: "Callable[[App], Result]", scope: Scope) -> Result:
        """Return what the work returns; `scope` says how much it may cost. Cancelling it stops the work, too.

        Raises:
            Refusal: it cannot be done now.
        """


@dataclass(frozen=True, slots=True)
class Caller:
    """One who asks."""

    scope: Scope
    with_vault: WithVault
    may_write: bool = False


class Refusal(Exception):
    """A request that cannot be met; its text is what the caller is told: one line, with what to do.

    `is_mistake` says that the request itself is to be mended, and no fault of the server.
    """

    def __init__(self, message: str, is_mistake: bool = False) -> None:
        super().__init__(message)
        self.is_mistake = is_mistake
