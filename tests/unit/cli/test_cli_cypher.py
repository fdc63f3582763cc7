import csv
import io
import json

import pytest
from rich.cells import cell_len
from rich.console import Console

from graphrag.cli.cypher import render_table
from graphrag.domain.graph import GraphQuery, GraphTable
from tests.fakes.app import PAYMENT, FakeApp
from tests.unit.cli.conftest import RunCommand


def test_a_pipe_gets_whole_values_between_tabs(run_command: RunCommand) -> None:
    result = run_command("cypher", "MATCH (n) RETURN n")
    header, first, second = result.stdout.splitlines()
    assert header == "n\t标题\tx\ty"
    assert first == f'{{"id": "{PAYMENT}", "kind": "note", "tags": ["架构/支付"]}}\t支付[2J模块\t3\t'
    assert [" ".join(cell.split()) for cell in second.split("\t")[1:]] == ['消息, "队列" 二', "0.5", "true"]
    assert "2 rows" in result.stderr


def test_json_has_objects_columns_and_whether_it_was_cut(run_command: RunCommand) -> None:
    shape = json.loads(run_command("cypher", "MATCH (n) RETURN n", "--json", "--limit", "1").stdout)
    assert shape["columns"] == ["n", "标题", "x", "y"]
    assert shape["is_cut"]
    assert shape["rows"][0]["n"]["tags"] == ["架构/支付"]


def test_csv_is_read_back(run_command: RunCommand) -> None:
    rows = list(csv.reader(io.StringIO(run_command("cypher", "MATCH (n) RETURN n", "--csv").stdout)))
    assert [len(row) for row in rows] == [4, 4, 4]
    assert json.loads(rows[1][0])["id"] == PAYMENT


def test_what_was_cut_is_said(run_command: RunCommand) -> None:
    assert "cut" in run_command("cypher", "MATCH (n) RETURN n", "--limit", "1").stderr


def test_options_reach_the_query(run_command: RunCommand, fake: FakeApp) -> None:
    options = ["--param", "n=5", "--param", "name=张三=x", "--param", '$l=["a"]', "--limit", "7", "--timeout", "2.5"]
    assert run_command("cypher", "-", *options, stdin="RETURN $n").exit_code == 0
    assert fake.calls[-1] == ("cypher", (GraphQuery("RETURN $n", {"n": 5, "name": "张三=x", "l": ["a"]}, 7, 2.5),))


@pytest.mark.parametrize("options", [["--param", "n"], ["--param", "a b=1"], ["--json", "--csv"], ["--limit", "10001"]])
def test_wrong_options_are_usage_errors(run_command: RunCommand, options: list[str]) -> None:
    assert run_command("cypher", "RETURN 1", *options).exit_code == 2


def test_the_past_can_be_asked(run_command: RunCommand, fake: FakeApp) -> None:
    assert run_command("cypher", "RETURN 1", "--at", "2024-01-01").exit_code == 0
    assert ("go_back", ("2024-01-01",)) in fake.calls


def test_without_a_snapshot_nothing_is_made(run_command: RunCommand, fake: FakeApp) -> None:
    fake.is_indexed = False
    result = run_command("cypher", "RETURN 1")
    assert result.exit_code == 1
    assert "nothing is indexed" in result.stderr


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_terminal_gets_columns_within_its_width(width: int) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=width, soft_wrap=True)
    rows = (("短", "一个非常长的标题" * 20, 3), ("架构/支付模块.md", "x", 12))
    render_table(console, GraphTable(("a", "标题", "n"), rows, False))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert all(cell_len(line.rstrip()) <= width for line in lines)
    assert "…" in lines[1]
