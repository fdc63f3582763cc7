"""The whole graph, exported and read back."""

import json
from collections import Counter
from collections.abc import Callable

import networkx

from graphrag.app import App
from graphrag.cli.export import to_node_link
from tests.e2e.conftest import silent

Open = Callable[..., App]


def read(app: App) -> networkx.MultiDiGraph:
    return networkx.node_link_graph(json.loads(to_node_link(app.graph())), edges="edges")


def test_the_example_vault_is_all_there(demo: App) -> None:
    graph = read(demo)
    nodes = Counter(data["kind"] for _, data in graph.nodes(data=True))
    status = demo.status()
    assert (nodes["note"], nodes["topic"], nodes["tag"]) == (status.notes, status.topics, status.tags)
    kinds = Counter(data["kind"] for _, _, data in graph.edges(data=True))
    assert sum(kinds[kind] for kind in ("wiki", "markdown", "embed", "property")) == status.links
    assert kinds["inferred"] and kinds["mention"]
    inferred = [data for _, _, data in graph.edges(data=True) if data["inferred"]]
    assert {data["kind"] for data in inferred} == {"inferred"} and all(data["relation"] for data in inferred)


def test_inferred_relations_are_those_of_near(demo: App) -> None:
    edges = {
        (edge.relation.source, edge.relation.target) for edge in demo.graph().edges if edge.relation.kind == "inferred"
    }
    view = demo.near("支付模块", 1, 50)
    around = {
        (item.entity.id, view.center.id) if item.is_backlink else (view.center.id, item.entity.id)
        for item in view.inferred
    }
    assert around and {edge for edge in edges if view.center.id in edge} == around


def test_nothing_of_a_private_note_is_exported(open_vault: Open) -> None:
    app = open_vault({"a.md": "# 甲\n\n[[b]] 与 [[c]]\n", "b.md": "# 乙\n\n[[秘密]] #暗\n", "c.md": "# 丙\n"})
    app.index(False, silent)
    assert {"b.md", "秘密", "#暗"} <= {*read(app)}
    (app.vault / "b.md").write_text("---\nprivate: true\n---\n# 乙\n", encoding="utf-8")
    assert {*read(app)} == {"a.md", "c.md"}
