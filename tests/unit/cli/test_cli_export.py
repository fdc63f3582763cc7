import io
import json
import re
from pathlib import Path

import networkx
import pytest

from graphrag.cli.export import to_graph_dot, to_graphml, to_node_link
from graphrag.domain.graph import Entity, EntityKind, GraphEdge, Relation, VaultGraph
from tests.unit.cli.conftest import RunCommand

HOSTILE = [
    "quotes \"double\" and 'single'",
    "two\nlines\tand a tab",
    "emoji 🧰👩‍👩‍👧 and 𠮷",
    "<b>&amp;]]></b>",
    "back\\slash \\n",
    "支付\u2028模块\u0085",
]
FORBIDDEN = {
    "bell\x07": "bell\ufffd",
    "lone\ud800": "lone\ufffd",
    "nul\x00\uffff": "nul\ufffd\ufffd",
    "a\rb": "a\ufffdb",
}


def graph_of(titles: list[str]) -> VaultGraph:
    notes = tuple(Entity(f"{title}.md", EntityKind.NOTE, title) for title in titles)
    relations = [
        Relation(notes[0].id, note.id, "property", title, notes[0].id, 3)
        for note, title in zip(notes, titles, strict=True)
    ]
    return VaultGraph(notes, tuple(GraphEdge(relation, 1.0) for relation in relations))


def read_graphml(text: str) -> networkx.MultiDiGraph:
    return networkx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)


def test_graphml_keeps_what_xml_can_hold_and_replaces_the_rest() -> None:
    titles = [*HOSTILE, *FORBIDDEN]
    wanted = [*HOSTILE, *FORBIDDEN.values()]
    read = read_graphml(to_graphml(graph_of(titles)))
    assert [data["label"] for _, data in read.nodes(data=True)] == wanted
    assert [data["entity"] for _, data in read.nodes(data=True)] == [f"{title}.md" for title in wanted]
    assert [data["relation"] for _, _, data in read.edges(data=True)] == wanted


def test_notes_that_differ_only_in_what_xml_cannot_hold_stay_two() -> None:
    assert len(read_graphml(to_graphml(graph_of(["a\x01", "a\x02"])))) == 2


def test_json_keeps_every_character() -> None:
    titles = [*HOSTILE, *FORBIDDEN]
    read = networkx.node_link_graph(json.loads(to_node_link(graph_of(titles))), edges="edges")
    assert {id_: data["label"] for id_, data in read.nodes(data=True)} == {f"{title}.md": title for title in titles}
    assert [data["relation"] for _, _, data in read.edges(data=True)] == titles


def test_dot_keeps_quotes_and_backslashes_and_stays_a_line_each() -> None:
    lines = to_graph_dot(graph_of([*HOSTILE, "bell\x07"])).split("\n")
    quoted = r'"((?:[^"\\]|\\.)*)"'
    labels = [found[2] for line in lines if (found := re.fullmatch(rf"  {quoted} \[label={quoted}\];", line))]
    read = [re.sub(r"\\(.)", r"\1", label) for label in labels]
    assert read == [HOSTILE[0], "two lines\ufffdand a tab", *HOSTILE[2:], "bell\ufffd"]
    assert sum(" -> " in line for line in lines) == len(read)


def test_every_kind_is_told_apart(run_command: RunCommand) -> None:
    read = read_graphml(run_command("export").stdout)
    assert [data["kind"] for _, data in read.nodes(data=True)] == ["note", "note", "note", "tag"]
    kinds = {data["kind"]: (data["label"], data["inferred"], data["weight"]) for _, _, data in read.edges(data=True)}
    assert kinds == {
        "property": ("依赖", False, 1.0),
        "tag": ("tag", False, 1.0),
        "inferred": ("间接依赖", True, 0.5),
        "mention": ("mention", False, 0.42),
    }
    dot = run_command("export", "--format", "dot").stdout
    assert dot.count("style=dashed") == 1 and dot.count("style=dotted") == 1
    assert json.loads(run_command("export", "--format", "json").stdout)["multigraph"] is True


def test_a_file_is_overwritten_only_when_asked(run_command: RunCommand, tmp_path: Path) -> None:
    file = tmp_path / "vault.graphml"
    assert run_command("export", "--out", str(file)).exit_code == 0
    written = file.read_bytes()
    assert len(networkx.read_graphml(file)) == 4
    file.write_text("mine", encoding="utf-8")
    refused = run_command("export", "--out", str(file))
    assert (refused.exit_code, file.read_text(encoding="utf-8")) == (2, "mine")
    assert "--force" in refused.stderr
    assert run_command("export", "--out", str(file), "--force").exit_code == 0
    assert file.read_bytes() == written


@pytest.mark.parametrize("arguments", [("--out", "no/such/folder/x"), ("--format", "xml")])
def test_what_cannot_be_written_is_a_usage_error(run_command: RunCommand, arguments: tuple[str, ...]) -> None:
    assert run_command("export", *arguments).exit_code == 2
