"""Runs one Cypher query on a published graph file in a process of its own.

A query may take any time and memory, and the engine may end its process; neither must harm whoever asked. The process
opens the graph, then gives up opening anything else (see `cypher_child`), and is ended when its time is up.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from graphrag.domain.graph import GraphQuery, GraphTable
from graphrag.domain.request_course import present_course
from graphrag.domain.snapshot import NoteBatch
from graphrag.errors import GraphragError, QuestionError, StoreError
from graphrag.stores.failures import reading
from graphrag.stores.graph_files import links_file_of
from graphrag.stores.kuzu_graph import KuzuGraphWriter

MAX_ROWS = 10_000
MAX_SECONDS = 120.0
_START_SECONDS = 15.0  # that the process has to open the graph, beside the time of the query
_SCHEMA = "docs/graph.md shows the schema."
_PACKAGES = Path(__file__).parents[2]
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class KuzuGraphQueries:
    """Answers queries on one published graph file; safe to use from several threads."""

    def __init__(self, file: Path, engine: str) -> None:
        self._file = file
        self._engine = engine

    def run(self, query: GraphQuery, without: Collection[str] = ()) -> GraphTable:
        """Return the rows of a query on the graph as it would be without some of its notes.

        Raises:
            QuestionError: the statement does not only read, is wrong, or costs too much.
            StoreError: the graph cannot be read.
        """
        from graphrag.stores.cypher_guard import check_reading

        statement = check_reading(query.statement, query.parameters)
        _check_bounds(query)
        if not without:
            return self._run(self._file, statement, query)
        with tempfile.TemporaryDirectory(prefix="graphrag-", ignore_cleanup_errors=True) as folder:
            return self._run(self._copy_without(without, Path(folder)), statement, query)

    def _copy_without(self, notes: Collection[str], folder: Path) -> Path:
        """Return a copy of the graph that holds neither the notes nor the topics and tags that they alone have."""
        copy = folder / self._file.name
        with reading(self._file):
            shutil.copyfile(self._file, copy)
            shutil.copyfile(links_file_of(self._file), links_file_of(copy))
        writer = KuzuGraphWriter(copy, self._engine)
        writer.apply(NoteBatch((), tuple(sorted(notes)), ()))
        writer.close()
        return copy

    def _run(self, file: Path, statement: str, query: GraphQuery) -> GraphTable:
        job = {
            "file": str(file.resolve()),
            "engine": self._engine,
            "statement": statement,
            "parameters": dict(query.parameters),
            "max_rows": query.max_rows,
            "seconds": query.seconds,
            "max_text": query.max_text,
            "max_total": query.max_total,
        }
        reply = _ask_child(json.dumps(job).encode(), query.seconds)
        if "failed" in reply:
            raise _failure(reply["failed"], reply["text"], query, self._file)
        return GraphTable(tuple(reply["columns"]), tuple(map(tuple, reply["rows"])), reply["is_cut"])


def _check_bounds(query: GraphQuery) -> None:
    if not 1 <= query.max_rows <= MAX_ROWS:
        raise QuestionError(f"the limit is {query.max_rows}; it may be 1 to {MAX_ROWS:,} rows.")
    if not 0 < query.seconds <= MAX_SECONDS:
        raise QuestionError(f"the time limit is {query.seconds:g} s; it may be up to {MAX_SECONDS:g} s.")


def _ask_child(job: bytes, seconds: float) -> dict[str, Any]:
    """Return the reply of a new process, ended when the time is up or the request is stopped."""
    command = [sys.executable, "-P", "-m", "graphrag.stores.cypher_child"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
    ) as process:
        present_course().interrupt_by(process.kill)
        try:
            reply, _ = process.communicate(job, timeout=seconds + _START_SECONDS)
        except subprocess.TimeoutExpired:
            return {"failed": "time", "text": ""}
        finally:
            process.kill()
    present_course().check()
    if process.returncode:
        return {"failed": "memory", "text": ""}
    found: dict[str, Any] = json.loads(reply)
    return found


def _environment() -> Mapping[str, str]:
    """Return what the process needs, and no secret that this one may hold."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(_PACKAGES), *filter(None, sys.path)]), "PYTHONUTF8": "1"}


def _failure(kind: str, text: str, query: GraphQuery, file: Path) -> GraphragError:
    """Return the failure of a query as one line."""
    if kind == "time":
        advice = "Narrow it down with WHERE or LIMIT, or give it longer."
        return QuestionError(f"the query took longer than {query.seconds:g} s and was stopped. {advice}")
    if kind == "memory":
        return QuestionError("the query needed too much memory and was stopped. Narrow it down with WHERE or LIMIT.")
    if kind == "store":
        return StoreError(text.replace("\n", " ") or f"{file}: cannot be read")
    line = " ".join(text.split())[:400].rstrip(".")
    return QuestionError(f"the query cannot be run: {line}. {_SCHEMA}")
