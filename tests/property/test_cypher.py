"""Whatever the guard lets through changes nothing, not even in a database that is open for writing."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from graphrag.errors import QuestionError
from graphrag.stores.cypher_guard import check_reading
from graphrag.stores.kuzu_graph import GraphSession, load_engine
from tests.contract.test_graph_store import ENGINE

_TABLES = (
    "CREATE NODE TABLE Entity(id STRING PRIMARY KEY, title STRING)",
    "CREATE REL TABLE Link(FROM Entity TO Entity)",
)
_WHOLE = (
    "MATCH (n:Entity)",
    "MATCH (n:Entity)-[r:Link]->(m:Entity)",
    "WHERE n.title <> 'x'",
    "WITH n",
    "UNWIND [1, 2] AS x",
    "RETURN n.id",
    "RETURN count(*) AS c LIMIT 3",
    "CREATE (:Entity {id: 'new'})",
    "MERGE (:Entity {id: 'new'})",
    "SET n.title = 'new'",
    "DETACH DELETE n",
    "DROP TABLE Link",
    "COPY (MATCH (n) RETURN n.id) TO '{out}'",
    "EXPORT DATABASE '{out}'",
    "CALL show_tables()",
    "CALL table_info('Entity')",
    "CALL threads = 1",
    "CHECKPOINT",
)
_PARTS = (
    "'",
    '"',
    "`",
    "\\",
    "\\'",
    "//",
    "/*",
    "*/",
    ";",
    "\n",
    "\r",
    " ",
    "\u3000",
    "\0",
    "(",
    ")",
    "{",
    "}",
    "$x",
    "ſ",
)
_STATEMENTS = st.lists(st.sampled_from(_WHOLE) | st.sampled_from(_PARTS), min_size=1, max_size=7)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, GraphSession]]:
    folder = tmp_path_factory.mktemp("database")
    session = GraphSession(folder / "graph", load_engine(ENGINE), read_only=False, buffer_bytes=64 << 20)
    for statement in (*_TABLES, "CREATE (:Entity {id: 'a', title: 'b'})-[:Link]->(:Entity {id: 'c'})", "CHECKPOINT"):
        session.run(statement)
    session.limit_time(2.0)
    yield folder, session
    session.close()


def _content(folder: Path) -> dict[str, str]:
    return {str(file): sha256(file.read_bytes()).hexdigest() for file in folder.rglob("*") if file.is_file()}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=_STATEMENTS, gap=st.sampled_from(["", " ", " "]))
def test_no_accepted_query_changes_a_byte(database: tuple[Path, GraphSession], parts: list[str], gap: str) -> None:
    folder, session = database
    before = _content(folder)
    try:
        statement = check_reading(gap.join(parts).replace("{out}", str(folder / "out.csv")))
    except QuestionError:
        event("refused")
        return
    try:
        session.run(statement)
        event("run")
    except RuntimeError:
        event("no Cypher")
    assert _content(folder) == before
