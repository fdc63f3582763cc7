"""What writes, reads files or changes settings is refused in every spelling; what reads the graph goes through."""

import pytest

from graphrag.errors import QuestionError
from graphrag.stores.cypher_guard import check_reading

HOSTILE = [
    "CREATE (:Entity {id: 'x'})",
    "create (:Entity {id: 'x'})",
    "cReAtE (:Entity {id: 'x'})",
    "MATCH (n) CREATE (:Entity {id: 'x'})",
    "/* MATCH */ CREATE (:Entity {id: 'x'})",
    "// MATCH (n) RETURN n\nCREATE (:Entity {id: 'x'})",
    "MATCH (n) /* */ SET n.title = 'x'",
    "MATCH (n)\n\tSET\n n.title = 'x'",
    "MATCH (n)/**/SET/**/n.title='x' RETURN n",
    "MATCH (n) sEt n.title = 'x'",
    "MATCH (n) ſET n.title = 'x'",
    "MATCH (n) ＳＥＴ n.title = 'x'",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) REMOVE n.title",
    "MERGE (n:Entity {id: 'x'})",
    "MATCH (n) MERGE (n)-[:Link]->(n)",
    "DROP TABLE Entity",
    "ALTER TABLE Entity ADD note STRING",
    "CREATE NODE TABLE T(id STRING PRIMARY KEY)",
    "CREATE MACRO f(x) AS x + 1",
    "CREATE SEQUENCE s",
    "COMMENT ON TABLE Entity IS 'x'",
    "COPY Entity FROM '/etc/passwd'",
    "COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'",
    "copy(match (n) return n) to '/tmp/x.csv'",
    "LOAD FROM '/etc/passwd' RETURN *",
    "LOAD WITH HEADERS (a STRING) FROM '/etc/passwd' RETURN *",
    "MATCH (n) LOAD FROM '/etc/passwd' RETURN *",
    "WITH 1 AS x lOaD/*x*/FrOm '/etc/passwd' RETURN *",
    "LOAD EXTENSION httpfs",
    "LOAD FROM 'https://example.org/x.csv' RETURN *",
    "INSTALL httpfs",
    "FORCE INSTALL httpfs FROM 'http://example.org'",
    "UNINSTALL httpfs",
    "UPDATE httpfs",
    "ATTACH '/tmp/x.db' AS x (dbtype sqlite)",
    "DETACH x",
    "USE x",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "CHECKPOINT",
    "BEGIN TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "CALL threads = 2",
    "CALL home_directory='/tmp'",
    "CALL spill_to_disk=true",
    "CALL current_setting('threads') RETURN *",
    "CALL read_csv_serial('/etc/passwd') RETURN *",
    "CALL `read_csv_serial`('/etc/passwd') RETURN *",
    "CALL json_scan('/etc/passwd') RETURN *",
    "MATCH (n) CALL read_parquet('/etc/passwd') RETURN *",
    "UNWIND [1] AS x CALL file_info() RETURN *",
    "CALL show_attached_databases() RETURN *",
    "CALL show_loaded_extensions() RETURN *",
    "CALL project_graph('G', ['Entity'], ['Link'])",
    "CALL project_graph_cypher('G', 'LOAD FROM \"/etc/passwd\" RETURN *')",
    "CALL create_fts_index('Entity', 'i', ['title'])",
    "CALL show_tables() RETURN * UNION ALL CALL file_info() RETURN *",
    "CALL { CALL file_info() RETURN * } RETURN 1",
    "MATCH (n) CALL { CREATE (:Entity) } RETURN n",
    "CALL",
    "RETURN copy_json('/tmp/x')",
    "RETURN `copy_json`('/tmp/x')",
    "RETURN COPY_JSON ('/tmp/x')",
    "RETURN copy_json/**/('/tmp/x')",
    "RETURN nextval('s')",
    "RETURN getenv('HOME')",
    "RETURN read_csv('/etc/passwd')",
    "RETURN size(read_text('/etc/passwd'))",
    "MATCH (n) RETURN n; CREATE (:Entity {id: 'x'})",
    "MATCH (n) RETURN n;;MATCH (n) DELETE n",
    "RETURN 1; RETURN 2",
    ";CREATE (:Entity)",
    "RETURN 1；CREATE (:Entity)",
    "RETURN 'a\\\\'; CREATE (:Entity) //'",
    'RETURN "a"; DROP TABLE Entity',
    "RETURN `a`; DROP TABLE Entity",
    "RETURN /* ' */ 1; DROP TABLE Entity /* ' */",
    "RETURN 1 // '\n; DROP TABLE Entity // '",
    "RETURN 1 // x\rDROP TABLE Entity",
    "RETURN 1 /* x */ */ DROP TABLE Entity",
    "RETURN 'open",
    "RETURN `open",
    "RETURN 1 /* open",
    "RETURN 1 /* a */ /* open",
    "RETURN 1 / /* open",
    "RETURN '\\x41'",
    "RETURN '\\u0041'",
    "RETURN 1\0; DROP TABLE Entity",
    "RETURN 'a\0b'",
    "RETURN '\ud800'",
    "EXPLAIN MATCH (n) DELETE n",
    "PROFILE CREATE (:Entity)",
    "FOREACH (x IN [1] | CREATE (:Entity))",
    "(MATCH (n) RETURN n)",
    "{ CREATE (:Entity) }",
    "'MATCH' CREATE (:Entity)",
    "`MATCH` (n) RETURN n",
    "",
    "  // nothing\n",
    ";",
    "RETURN " + "1" * 20_000,
]
READING = [
    "MATCH (n:Entity) RETURN n",
    "match (n:Entity) where n.kind = 'note' return n.title as 标题 order by 标题 desc skip 1 limit 3;",
    "OPTIONAL MATCH (n) RETURN count(*)",
    "MATCH (n) WHERE n.title CONTAINS 'CREATE' RETURN n.title",
    'MATCH (n {title: "it\'s; DROP TABLE"}) RETURN n.id',
    "MATCH (n) WHERE n.title =~ 'a.*' AND NOT (n.id STARTS WITH '?') RETURN `n`.`title` AS `create`",
    "MATCH p = (a:Entity {id: $a})-[:Link* SHORTEST 1..5]-(b:Entity {id: $b}) RETURN nodes(p), length(p)",
    "MATCH (a)-[r:Link*1..2 (r, n | WHERE r.kind <> 'tag')]->(b) RETURN b.id",
    "MATCH (a) WHERE EXISTS { MATCH (a)-[:Link]->(b) } RETURN COUNT { MATCH (a)-[:Link]->() } AS n",
    "UNWIND range(1, 3) AS x WITH x WHERE x > 1 RETURN collect(DISTINCT x)[1:2], -x, x % 2, 1.5e3",
    "MATCH (n) RETURN CASE WHEN (n.kind = 'tag') THEN 1 ELSE 0 END",
    "RETURN 1 AS a UNION ALL RETURN 2 AS a",
    "RETURN 'a\\'; CREATE (:Entity) //'",
    "CALL show_tables() RETURN *",
    "CALL table_info('Entity') RETURN name, type",
    "MATCH (n) WHERE date(n.updated[1:10]) >= date('2024-01-01') RETURN n.id",
]


@pytest.mark.parametrize("statement", HOSTILE)
def test_all_else_than_reading_is_refused_in_one_line(statement: str) -> None:
    with pytest.raises(QuestionError) as caught:
        check_reading(statement)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("statement", READING)
def test_what_reads_is_let_through_as_written(statement: str) -> None:
    assert check_reading(statement, ["a", "b"]) == statement.rstrip(";")


def test_the_engine_never_sees_a_comment() -> None:
    written = "MATCH (n) // all\nRETURN n.title /* '; DROP */ AS `x//y`, '/* kept */' ;"
    assert check_reading(written) == "MATCH (n) RETURN n.title AS `x//y`, '/* kept */'"


def test_a_parameter_without_a_value_is_named() -> None:
    with pytest.raises(QuestionError, match=r"--param b="):
        check_reading("RETURN $a + $b + '$c'", ["a"])
