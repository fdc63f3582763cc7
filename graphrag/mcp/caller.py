"""Who asks over MCP: what they may ask, and how work on the vault as they may see it is run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from graphrag.domain.access import Scope

if TYPE_CHECKING:
    from graphrag.app import App

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
