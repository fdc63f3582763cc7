"""Each query of docs/graph.md gives what stands below it, on the example vault."""

import re
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.cli.cypher import cell_text
from graphrag.domain.graph import GraphQuery

DOCS = Path(__file__).parents[2].joinpath("docs", "graph.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```cypher\n(.*?)\n```\n```tsv\n(.*?)\n```", DOCS, re.DOTALL)


def test_there_are_ten() -> None:
    assert len(EXAMPLES) == 10


@pytest.mark.parametrize(("query", "printed"), EXAMPLES)
def test_a_query_gives_what_is_printed(demo: App, query: str, printed: str) -> None:
    table = demo.cypher(GraphQuery(query, {"name": "消息队列"} if "$name" in query else {}))
    lines = ["\t".join(map(cell_text, row)) for row in table.rows]
    assert ["\t".join(table.columns), *lines] == printed.split("\n")
