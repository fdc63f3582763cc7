"""The process that runs one Cypher query: a job as JSON from stdin, its rows or its failure as JSON to stdout.

Before the query runs, the process gives up opening files and sockets, writing files, and taking much more memory. So a
statement that the guard should not have let through still reads and writes nothing. Systems without resource limits
have the guard and the read-only database alone.
"""

import contextlib
import datetime
import decimal
import json
import math
import os
import sys
import uuid
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphrag.errors import GraphragError
from graphrag.stores.kuzu_graph import GraphSession, load_engine, open_packed

_MEMORY_BYTES = 768 << 20  # beyond what the open graph takes
_LONGEST_LIST = 500
_DEEPEST = 12
_CUT = "…"
_ENGINE_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, OverflowError)
# Loads what values are made of while files can still be opened.
_WARM_UP = "RETURN date('2024-01-01'), timestamp('2024-01-01'), uuid('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')"


def main() -> None:
    """Run the job on stdin."""
    reply = _run(json.load(sys.stdin.buffer))
    sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    os._exit(0)  # the engine has nothing to tidy up, and must not open anything to do so


def _run(job: Mapping[str, Any]) -> dict[str, object]:
    try:
        session = open_packed(Path(job["file"]), load_engine(job["engine"]))
        session.run(_WARM_UP)
        ids = session.vertex_ids()
    except (OSError, zlib.error, RuntimeError, GraphragError) as error:
        return {"failed": "store", "text": f"{job['file']}: {error}. Run `graphrag index --full` to rebuild it."}
    enclose()
    try:
        return query(session, job, ids)
    except MemoryError:
        return {"failed": "memory", "text": ""}
    except _ENGINE_ERRORS as error:
        return _failed(str(error))


def query(session: GraphSession, job: Mapping[str, Any], ids: Mapping[tuple[int, int], str]) -> dict[str, object]:
    """Return the rows of a job's statement, within its bounds."""
    session.limit_time(job["seconds"])
    columns, rows = session.fetch(job["statement"], job["parameters"], job["max_rows"] + 1)
    values = _Values(ids, job["max_text"])
    shown: list[list[object]] = []
    length = 0
    for row in rows[: job["max_rows"]]:
        made = [values.of(value) for value in row]
        length += len(json.dumps(made, ensure_ascii=False))
        if length > job["max_total"]:
            values.is_cut = True
            break
        shown.append(made)
    return {"columns": columns, "rows": shown, "is_cut": values.is_cut or len(rows) > job["max_rows"]}


def enclose() -> None:
    """Let this process open nothing more, write to no file, and take little more memory."""
    try:
        import resource
    except ImportError:  # not there on Windows
        return
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        taken = pages * resource.getpagesize() + _MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (taken, taken))
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, free))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # the reply goes to a pipe, which is no file


def _failed(text: str) -> dict[str, object]:
    if text.strip() == "Interrupted.":
        return {"failed": "time", "text": ""}
    if "bad_alloc" in text or "Unable to allocate memory" in text:
        return {"failed": "memory", "text": ""}
    return {"failed": "query", "text": text}


class _Values:
    """Turns the engine's values into what JSON knows, none longer than a bound."""

    def __init__(self, ids: Mapping[tuple[int, int], str], max_text: int) -> None:
        self._ids = ids
        self._max_text = max_text
        self.is_cut = False

    def of(self, value: object, depth: int = 0) -> object:
        """Return a value as JSON knows it."""
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, decimal.Decimal):
            return float(value) if value.is_finite() else None
        if depth > _DEEPEST:
            self.is_cut = True
            return _CUT
        if isinstance(value, Mapping):
            return self._of_mapping(value, depth)
        if isinstance(value, list | tuple | set):
            return self._of_list(list(value), depth)
        return self._of_text(_text(value))

    def _of_text(self, text: str) -> str:
        if len(text) <= self._max_text:
            return text
        self.is_cut = True
        return text[: self._max_text - 1] + _CUT

    def _of_list(self, items: list[Any], depth: int) -> list[object]:
        self.is_cut |= len(items) > _LONGEST_LIST
        return [self.of(item, depth + 1) for item in items[:_LONGEST_LIST]]

    def _of_mapping(self, value: Mapping[Any, Any], depth: int) -> object:
        """Return a note, topic or tag, a relation with the ids of its ends, a path, or any other mapping."""
        inner = {str(key).lower(): item for key, item in value.items()}
        if inner.keys() == {"_nodes", "_rels"}:
            parts = {"nodes": inner["_nodes"], "relations": inner["_rels"]}
            return {name: self.of(part, depth + 1) for name, part in parts.items()}
        if inner.keys() == {"offset", "table"}:
            return self._ids.get((inner["table"], inner["offset"]), f"{inner['table']}:{inner['offset']}")
        own = {str(key): item for key, item in value.items() if "_label" not in inner or not str(key).startswith("_")}
        if "_label" in inner and "_src" in inner:
            own = {"source": inner["_src"], "target": inner["_dst"], **own}
        self.is_cut |= len(own) > _LONGEST_LIST
        shown = [*own.items()][:_LONGEST_LIST]
        return {self._of_text(key): self.of(item, depth + 1) for key, item in shown}


def _text(value: object) -> str:
    if isinstance(value, datetime.date):  # a datetime is one
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, str | uuid.UUID | datetime.timedelta) else repr(value)


if __name__ == "__main__":
    main()
