"""Graph files: packed where they lie, since most of what the engine writes is room to grow, and unpacked to be open.

Holds no statement of its own.
"""

import importlib
import importlib.util  # the engine looks Arrow up through it without importing it
import tempfile
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from graphrag.errors import MissingExtra

# Address space to reserve; the default of 8 TB fails where a limit is set on it.
_MAX_FILE_BYTES = 1 << 35
_WRITER_BUFFER_BYTES = 256 << 20
_READER_BUFFER_BYTES = 128 << 20
_DATABASE = "graph"  # the unpacked file, in a folder of its own with whatever the engine puts beside it


class GraphSession:
    """A database with one connection; statements of several threads take turns."""

    def __init__(self, database: Path, engine: ModuleType, *, read_only: bool, buffer_bytes: int) -> None:
        self._lock = threading.Lock()
        self._database: Any = engine.Database(
            str(database), buffer_pool_size=buffer_bytes, read_only=read_only, max_db_size=_MAX_FILE_BYTES
        )
        self._connection: Any = engine.Connection(self._database)

    def run(self, statement: str, parameters: Mapping[str, object] | None = None) -> list[list[Any]]:
        """Run a statement and return its rows."""
        with self._lock:
            result = self._connection.execute(statement, dict(parameters or {}))
            rows: list[list[Any]] = result.get_all()
            result.close()
            return rows

    def close(self) -> None:
        """Release the database."""
        self._connection.close()
        self._database.close()


def load_engine(name: str) -> ModuleType:
    """Return the engine of this name.

    Raises:
        MissingExtra: its package is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"The graph engine '{name}' is not installed. Run `pip install 'vault-graphrag[{name}]'`, "
            "or remove `graph_engine` under [index] in graphrag.toml."
        ) from error


def open_packed(file: Path, engine: ModuleType) -> GraphSession:
    """Open a packed file for reading.

    Raises:
        OSError, zlib.error, RuntimeError: it is missing or damaged.
    """
    # The folder goes at once, so that nothing is left behind however this process ends: the system keeps what is open.
    with tempfile.TemporaryDirectory(prefix="graphrag-", ignore_cleanup_errors=True) as folder:
        database = Path(folder) / _DATABASE
        database.write_bytes(zlib.decompress(file.read_bytes()))
        return GraphSession(database, engine, read_only=True, buffer_bytes=_READER_BUFFER_BYTES)


@contextmanager
def make_packed(file: Path, engine: ModuleType) -> Iterator[GraphSession]:
    """Give a new, empty database; when the block ends it is packed into the file."""
    with tempfile.TemporaryDirectory(prefix="graphrag-", ignore_cleanup_errors=True) as folder:
        database = Path(folder) / _DATABASE
        session = GraphSession(database, engine, read_only=False, buffer_bytes=_WRITER_BUFFER_BYTES)
        try:
            yield session
            session.run("CHECKPOINT")
        finally:
            session.close()
        file.write_bytes(zlib.compress(database.read_bytes(), level=1))
