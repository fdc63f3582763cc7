from graphrag.cli.export import Drawing, drawing_of_path, drawing_of_surroundings, to_dot, to_mermaid
from graphrag.domain.graph import Relation
from graphrag.domain.report import PathView

TITLE = 'A "quoted" [x] <b> #1 \\n `c` | 支付'
DRAWING = Drawing(
    {'a"b\\.md': TITLE, "c.md": "C"},
    frozenset({"c.md"}),
    (Relation('a"b\\.md', "c.md", "property", '依"赖|', 'a"b\\.md', 1),),
)


def test_dot_escapes_quotes_and_backslashes() -> None:
    assert to_dot(DRAWING).splitlines()[3:] == [
        '  "a\\"b\\\\.md" [label="A \\"quoted\\" [x] <b> #1 \\\\n `c` | 支付"];',
        '  "c.md" [label="C", style=dashed];',
        '  "a\\"b\\\\.md" -> "c.md" [label="依\\"赖|"];',
        "}",
    ]


def test_mermaid_escapes_what_ends_a_label() -> None:
    assert to_mermaid(DRAWING).splitlines() == [
        "flowchart LR",
        '  n0["A #quot;quoted#quot; [x] #lt;b#gt; #35;1 #92;n #96;c#96; | 支付"]',
        '  n1["C"]:::topic',
        '  n0 -->|"依#quot;赖|"| n1',
        "  classDef topic stroke-dasharray: 4 3",
    ]


def test_a_path_without_a_chain_draws_its_two_ends() -> None:
    drawing = drawing_of_path(PathView("a.md", "b.md", (), {"a.md": "A"}))
    assert drawing.titles == {"a.md": "A", "b.md": "b.md"}
    assert "->" not in to_dot(drawing)


def test_every_arrow_of_a_neighborhood_ends_at_a_drawn_entity() -> None:
    from pathlib import Path

    from tests.fakes.app import FakeApp

    drawing = drawing_of_surroundings(FakeApp(Path()).near("支付模块", 2, 10))
    assert len(drawing.relations) == 3
    assert {end for item in drawing.relations for end in (item.source, item.target)} <= set(drawing.titles)
