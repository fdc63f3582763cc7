"""An open graph file: loads the engine by name and runs statements; holds none of its own."""

import importlib
import importlib.util  # the engine looks Arrow up through it without importing it
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphrag.errors import MissingExtra

# Address space to reserve; the default of 8 TB fails where a limit is set on it.
_MAX_FILE_BYTES = 1 << 35


class GraphSession:
    """A database with one connection; statements of several threads take turns.

    Raises:
        MissingExtra: the engine's package is not installed.
    """

    def __init__(self, file: Path, engine: str, *, read_only: bool, buffer_bytes: int) -> None:
        module = _load(engine)
        self._lock = threading.Lock()
        self._database: Any = module.Database(
            str(file), buffer_pool_size=buffer_bytes, read_only=read_only, max_db_size=_MAX_FILE_BYTES
        )
        self._connection: Any = module.Connection(self._database)

    def run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        """Run a statement and return its rows."""
        with self._lock:
            result = self._connection.execute(statement, dict(parameters or {}))
            rows: list[list[Any]] = result.get_all()
            result.close()
            return rows

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
        self._database.close()


def _load(engine: str) -> Any:
    try:
        return importlib.import_module(engine)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"The graph engine '{engine}' is not installed. Run `pip install 'vault-graphrag[{engine}]'`, "
            "or remove `graph_engine` under [index] in graphrag.toml."
        ) from error
