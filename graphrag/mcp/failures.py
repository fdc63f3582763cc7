"""What an agent is told of a failure: one line with what to do, and nothing of the machine's folders."""

import logging
from typing import TYPE_CHECKING

from pydantic import ValidationError

from graphrag.domain.course import Stopped
from graphrag.errors import NoteNotFound
from graphrag.mcp.arguments import describe_invalid
from graphrag.mcp.words import one_line
from graphrag.told import told

if TYPE_CHECKING:
    from graphrag.app import App

_LOG = logging.getLogger("graphrag.mcp")


def failure_line(error: Exception, app: "App | None" = None) -> str:
    """Return what may be told; what may not goes to the log."""
    if isinstance(error, ValidationError):
        return describe_invalid(error)
    if isinstance(error, Stopped):
        return "Stopped, since nobody waited for it any more."
    line = told(error, _LOG, app.vault if app else None)
    others = [path for path in error.candidates if path not in line] if isinstance(error, NoteNotFound) else []
    return one_line(f"{line} Notes like it: {', '.join(others)}" if others else line)
