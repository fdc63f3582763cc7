from collections import Counter

from graphrag.domain.note import Link, LinkKind, ResolvedLink, TargetKind
from graphrag.domain.passage_graph import ChunkText, EdgeKind, WalkGraph
from graphrag.domain.snapshot import NoteEntry
from graphrag.ingest.walk_graph import build_walk_graph


def chunk(note: str, text: str, lines: tuple[int, int] = (1, 9)) -> ChunkText:
    return ChunkText(f"{note}:{lines[0]}", note, (), text, *lines)


def entry(title: str, *aliases: str) -> NoteEntry:
    return NoteEntry("hash", "|", title, aliases, (), (), 1)


def link(source: str, target: str, line: int, kind: TargetKind = TargetKind.NOTE, relation: str = "") -> ResolvedLink:
    return ResolvedLink(Link(target, LinkKind.WIKI, line, target, "", relation), source, target, kind)


def edges(graph: WalkGraph) -> Counter[tuple[str, str, EdgeKind]]:
    labels = (*graph.chunks, *graph.notes, *graph.others)
    rows = zip(graph.sources, graph.targets, graph.kinds, strict=True)
    return Counter((labels[source], labels[target], EdgeKind(int(kind))) for source, target, kind in rows)


def test_every_kind_of_edge() -> None:
    chunks = [
        chunk("a.md", "消息队列出错时", (1, 4)),
        chunk("a.md", "见链接 RocketMQ", (5, 9)),
        chunk("b.md", "用 RocketMQ 做队列"),
    ]
    links = [
        link("a.md", "b.md", 6, relation="依赖"),
        link("a.md", "未写", 2, TargetKind.TOPIC),
        link("a.md", "图.png", 2, TargetKind.ATTACHMENT),
    ]
    graph = build_walk_graph(chunks, {"a.md": entry("支付"), "b.md": entry("消息队列", "MQ")}, links, ())
    assert edges(graph) == {
        ("a.md:1", "a.md", EdgeKind.BELONGS): 1,
        ("a.md:5", "a.md", EdgeKind.BELONGS): 1,
        ("b.md:1", "b.md", EdgeKind.BELONGS): 1,
        ("a.md:1", "b.md", EdgeKind.NAMES): 1,
        ("a.md:5", "b.md", EdgeKind.TYPED): 1,
        ("a.md:1", "未写", EdgeKind.LINKS): 1,
        ("a.md:5", "rocketmq", EdgeKind.SHARES): 1,
        ("b.md:1", "rocketmq", EdgeKind.SHARES): 1,
    }
    assert {"支付", "消息队列", "mq", "未写", "rocketmq"} == graph.names.keys()
    assert graph.names["消息队列"].frequency == 1


def test_a_link_outside_every_chunk_counts_for_all_of_its_note_together() -> None:
    chunks = [chunk("a.md", "一", (5, 6)), chunk("a.md", "二", (7, 8)), chunk("b.md", "三")]
    graph = build_walk_graph(chunks, {"a.md": entry("甲"), "b.md": entry("乙")}, [link("a.md", "b.md", 2)], ())
    weights = graph.weights[graph.kinds == EdgeKind.LINKS]
    assert list(weights) == [0.5, 0.5]


def test_a_name_that_is_everywhere_points_nowhere() -> None:
    chunks = [chunk(f"{number}.md", "今天的工作日志") for number in range(150)]
    entries = {f"{number}.md": entry("工作日志" if not number else f"第{number}天") for number in range(150)}
    graph = build_walk_graph(chunks, entries, [], ())
    assert "工作日志" not in graph.names
    assert EdgeKind.NAMES not in graph.kinds


def test_an_empty_vault() -> None:
    assert build_walk_graph([], {}, [], ()).size == 0
