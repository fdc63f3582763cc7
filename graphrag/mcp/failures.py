"""What an agent is told of a failure: one line with what to do, and nothing of the machine's folders."""

import logging
from typing import TYPE_CHECKING

from pydantic import ValidationError

from graphrag.domain.course import Stopped
from graphrag.errors import ConfigError, GraphragError, NoteNotFound, SnapshotMissing, StoreError
from graphrag.mcp.arguments import describe_invalid
from graphrag.mcp.words import one_line

if TYPE_CHECKING:
    from graphrag.app import App

_LOG = logging.getLogger("graphrag.mcp")
_INSIDE = (StoreError, ConfigError)  # their messages name files of this machine


def failure_line(error: Exception, app: "App | None" = None) -> str:
    """Return what may be told; what may not goes to the log."""
    if isinstance(error, ValidationError):
        return describe_invalid(error)
    if isinstance(error, SnapshotMissing):
        return "Nothing is indexed yet. On the machine that holds the vault, run: graphrag index"
    if isinstance(error, Stopped):
        return "Stopped, since nobody waited for it any more."
    if isinstance(error, GraphragError) and not isinstance(error, _INSIDE):
        return _told(error, app)
    _LOG.error("%s: %s", type(error).__name__, error, exc_info=None if isinstance(error, _INSIDE) else error)
    if isinstance(error, GraphragError):
        return "The index cannot be used now; the server's log says why. `graphrag doctor` looks further."
    return "Something went wrong inside; the server's log says what."


def _told(error: GraphragError, app: "App | None") -> str:
    message = str(error)
    others = [path for path in getattr(error, "candidates", ()) if path not in message]
    if isinstance(error, NoteNotFound) and others:
        message += f" Notes like it: {', '.join(others)}"
    return one_line(message.replace(str(app.vault), app.vault.name) if app else message)
