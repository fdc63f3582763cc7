"""What may be told of a failure to whoever asks a served vault, over HTTP or as an agent; the rest goes to the log."""

import logging
import re
from pathlib import Path

from graphrag.errors import ConfigError, GraphragError, SnapshotMissing, StoreError

_INSIDE = (StoreError, ConfigError)  # their messages name files of this machine
_PLACE = re.compile(r"^(?:/|[A-Za-z]:\\)[^:]*: ")  # the folder of the vault, in front of what is wrong with it


def told(error: Exception, log: logging.Logger, vault: Path | None = None) -> str:
    """Return the text of a failure without folders of this machine, or that there is one; such a one is logged."""
    if isinstance(error, SnapshotMissing):
        return "Nothing is indexed yet. On the machine that holds the vault, run: graphrag index"
    if isinstance(error, GraphragError) and not isinstance(error, _INSIDE):
        text = _PLACE.sub("", str(error))
        return text.replace(str(vault), vault.name) if vault else text
    if isinstance(error, GraphragError):
        log.error("%s: %s", type(error).__name__, error)
        return "The index cannot be used now. The server's log says why; `graphrag doctor` looks further."
    log.error("unexpected failure", exc_info=error)
    return "Something went wrong inside. The server's log says what."
