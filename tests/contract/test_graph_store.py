"""One suite over every graph store, and over both engines of the real one.

A process that loads both engines crashes, so the suite runs on one, and its last test runs it on the other.
"""

import importlib.util
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from graphrag.domain.graph import Entity, EntityKind, Facet, GraphQuery, GraphTable, NoteSummary, Relation
from graphrag.domain.note import LinkKind, ResolvedLink, TargetKind
from graphrag.domain.request_course import Course, Stopped, following
from graphrag.domain.snapshot import IndexedNote
from graphrag.errors import MissingExtra, QuestionError, StoreError
from graphrag.stores import cypher_guard
from graphrag.stores.cypher_query import KuzuGraphQueries
from graphrag.stores.kuzu_graph import KuzuGraphReader, KuzuGraphWriter
from tests.fakes.graph_store import GraphTables, MemoryGraphReader, MemoryGraphWriter
from tests.fakes.notes import day, index_note, make_batch, make_link, make_note

ENGINE = os.environ.get("GRAPHRAG_TEST_ENGINE", "kuzu")

Writer = KuzuGraphWriter | MemoryGraphWriter
Reader = KuzuGraphReader | MemoryGraphReader


@dataclass
class Store:
    open_writer: Callable[[], Writer]
    open_reader: Callable[[], Reader]

    def write(
        self,
        *notes: IndexedNote,
        removed: Sequence[str] = (),
        links: Sequence[ResolvedLink] = (),
        relinked: Sequence[str] = (),
    ) -> list[ResolvedLink]:
        """Apply one batch and return all links as stored."""
        writer = self.open_writer()
        writer.apply(make_batch(*notes, removed=removed, links=links, relinked=relinked))
        stored = writer.links()
        writer.close()
        return stored


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "memory":
        tables = GraphTables()
        return Store(lambda: MemoryGraphWriter(tables), lambda: MemoryGraphReader(tables))
    file = tmp_path / "graph" / "1.kuzu"
    return Store(lambda: KuzuGraphWriter(file, ENGINE), lambda: KuzuGraphReader(file, ENGINE))


def note(path: str, *tags: str, category: str = "", title: str = "") -> IndexedNote:
    return index_note(make_note(path, tags=tags, category=category, title=title))


A, B, C, D = (note(f"{name}.md") for name in "abcd")
TOPIC = TargetKind.TOPIC


def relation(source: str, target: str, line: int = 1, name: str = "", kind: str = "wiki") -> Relation:
    return Relation(source, target, kind, name, source, line)


def test_notes_come_back_as_written(store: Store) -> None:
    full = make_note(
        '目录/it\'s "x".md',
        title="标题",
        aliases=["别名", "b's"],
        tags=["a/b", "c"],
        category="工作/后端",
        created=day("2024-01-02T03:04:05"),
        updated=day("2024-05-06"),
    )
    local = day("2024-05-06").replace(tzinfo=timezone(timedelta(hours=8)))
    naive = make_note("naive.md", created=local.replace(tzinfo=None), updated=local)
    store.write(index_note(full), note("empty.md"))
    store.write(index_note(naive))
    reader = store.open_reader()
    found = reader.note("naive.md")
    assert found is not None
    assert found.created == naive.created
    assert found.updated is not None
    assert found.updated.isoformat() == local.isoformat()
    expected = NoteSummary(full.path, full.title, full.aliases, full.tags, full.category, full.created, full.updated)
    assert reader.note(full.path) == expected
    assert reader.note("none.md") is None
    assert reader.notes() == [NoteSummary("empty.md", "empty", (), (), "", None, None), found, expected]
    reader.close()


def test_an_empty_graph_answers(store: Store) -> None:
    assert store.write() == []
    reader = store.open_reader()
    assert reader.notes() == []
    assert reader.entities(["a", "#b"]) == {}
    assert reader.relations(["a"]) == reader.relations([]) == reader.typed_relations() == reader.topics() == []
    assert reader.neighborhood("a", 2, 10).neighbors == ()
    assert reader.path("a", "b", 3) is None
    assert reader.tags() == reader.categories() == []
    assert reader.counts() == {"notes": 0, "topics": 0, "links": 0, "tags": 0}
    reader.close()


def test_links_of_every_kind_round_trip(store: Store) -> None:
    links = [
        make_link("a.md", "b.md", line=3, written="B", heading="标题"),
        make_link("a.md", "b.md", line=3, kind=LinkKind.MARKDOWN, written="../b.md", heading="^block"),
        make_link("a.md", "图/x.png", TargetKind.ATTACHMENT, line=2, kind=LinkKind.EMBED),
        make_link("a.md", "a.md", line=9, heading="Top"),
        make_link("b.md", "Kafka", TOPIC, line=1, kind=LinkKind.PROPERTY, relation="依赖"),
        make_link("b.md", "kafka", TOPIC, line=5),
    ]
    assert store.write(A, B, links=links) == links
    assert store.open_writer().links() == links


def test_entities_of_each_kind(store: Store) -> None:
    store.write(note("a.md", "Work/Sub", title="甲"), links=[make_link("a.md", "Kafka", TOPIC)])
    reader = store.open_reader()
    assert reader.entity("a.md") == Entity("a.md", EntityKind.NOTE, "甲")
    assert reader.entity("Kafka") == reader.entity("KAFKA") == Entity("Kafka", EntityKind.TOPIC, "Kafka")
    assert reader.entity("#work/sub") == Entity("#Work/Sub", EntityKind.TAG, "Work/Sub")
    assert reader.entity("none") is None
    assert set(reader.entities(["a.md", "kafka", "#Work/Sub", "none", "#none"])) == {
        "a.md",
        "kafka",
        "#Work/Sub",
    }
    reader.close()


def test_relations_of_either_direction(store: Store) -> None:
    links = [
        make_link("a.md", "b.md", line=7),
        make_link("a.md", "b.md", line=2, kind=LinkKind.PROPERTY, relation="依赖"),
        make_link("a.md", "a.md", line=3),
        make_link("a.md", "x.png", TargetKind.ATTACHMENT, line=4),
        make_link("b.md", "Topic", TOPIC, line=1),
        make_link("c.md", "topic", TOPIC, line=1),
        make_link("c.md", "d.md", line=2),
    ]
    store.write(note("a.md", "t"), B, C, D, links=links)
    reader = store.open_reader()
    from_a = [relation("a.md", "b.md", 2, "依赖", "property"), relation("a.md", "b.md", 7)]
    assert reader.relations(["a.md"]) == from_a
    assert reader.relations(["b.md", "a.md"]) == [*from_a, relation("b.md", "Topic")]
    assert reader.relations(["TOPIC"]) == [relation("b.md", "Topic"), relation("c.md", "Topic")]
    tagged = Relation("a.md", "#t", "tag", "", "a.md", 0)
    assert reader.relations(["a.md"], with_tags=True) == [tagged, *from_a]
    assert reader.relations(["#t"], with_tags=True) == [tagged]
    assert reader.relations(["#t"]) == []
    assert reader.counts() == {"notes": 4, "topics": 1, "links": 6, "tags": 1}
    reader.close()


def test_typed_relations_and_topics(store: Store) -> None:
    links = [
        make_link("a.md", "b.md", line=7),
        make_link("a.md", "b.md", line=2, kind=LinkKind.PROPERTY, relation="依赖"),
        make_link("a.md", "a.md", line=3, kind=LinkKind.PROPERTY, relation="依赖"),
        make_link("a.md", "x.png", TargetKind.ATTACHMENT, line=4, relation="图"),
        make_link("b.md", "Zed", TOPIC, line=1, kind=LinkKind.PROPERTY, relation="owner"),
        make_link("b.md", "alpha", TOPIC, line=2),
    ]
    store.write(note("a.md", "t"), B, links=links)
    reader = store.open_reader()
    assert reader.typed_relations() == [
        relation("a.md", "b.md", 2, "依赖", "property"),
        relation("a.md", "a.md", 3, "依赖", "property"),
        relation("b.md", "Zed", 1, "owner", "property"),
    ]
    assert [topic.id for topic in reader.topics()] == ["Zed", "alpha"]
    reader.close()


def test_replacing_a_note_keeps_what_links_to_it(store: Store) -> None:
    store.write(note("a.md", "old"), B, links=[make_link("a.md", "T", TOPIC), make_link("b.md", "a.md")])
    stored = store.write(note("a.md", "new", title="新"), removed=["a.md"], links=[make_link("a.md", "b.md", line=4)])
    assert stored == [make_link("a.md", "b.md", line=4), make_link("b.md", "a.md")]
    reader = store.open_reader()
    assert reader.entity("T") is None
    assert [facet.name for facet in reader.tags()] == ["new"]
    assert reader.entity("a.md") == Entity("a.md", EntityKind.NOTE, "新")
    assert reader.counts() == {"notes": 2, "topics": 0, "links": 2, "tags": 1}
    reader.close()


def test_the_same_batch_twice_changes_nothing(store: Store) -> None:
    links = [make_link("a.md", "b.md"), make_link("a.md", "b.md"), make_link("b.md", "T", TOPIC)]
    first = store.write(note("a.md", "t", "t"), B, links=links)
    assert store.write(note("a.md", "t", "t"), B, links=links) == first == links
    reader = store.open_reader()
    assert reader.counts() == {"notes": 2, "topics": 1, "links": 3, "tags": 1}
    reader.close()


def test_a_topic_becomes_a_note_and_a_note_a_topic(store: Store) -> None:
    as_topic = make_link("a.md", "b", TOPIC, written="b")
    as_note = make_link("a.md", "b.md", written="b")
    store.write(A, links=[as_topic])
    assert store.write(B, links=[as_note], relinked=["a.md"]) == [as_note]
    reader = store.open_reader()
    assert reader.entity("b") is None
    assert reader.relations(["b.md"]) == [relation("a.md", "b.md")]
    reader.close()
    assert store.write(removed=["b.md"], links=[as_topic], relinked=["a.md"]) == [as_topic]
    reader = store.open_reader()
    assert reader.entity("b.md") is None
    assert reader.entity("b") == Entity("b", EntityKind.TOPIC, "b")
    reader.close()


def test_removing_a_note_takes_its_links_along(store: Store) -> None:
    store.write(note("a.md", "t"), B, links=[make_link("a.md", "b.md"), make_link("a.md", "T", TOPIC)])
    assert store.write(removed=["a.md", "never.md"]) == []
    reader = store.open_reader()
    assert [summary.path for summary in reader.notes()] == ["b.md"]
    assert reader.counts() == {"notes": 1, "topics": 0, "links": 0, "tags": 0}
    reader.close()


def test_neighborhood(store: Store) -> None:
    links = [
        make_link("a.md", "b.md", line=5),
        make_link("b.md", "a.md", line=1),
        make_link("b.md", "a.md", line=2, relation="依赖", kind=LinkKind.PROPERTY),
        make_link("c.md", "a.md"),
        make_link("a.md", "Topic", TOPIC, line=6),
        make_link("d.md", "topic", TOPIC),
        make_link("d.md", "d.md"),
        make_link("c.md", "e.md"),
        make_link("c.md", "b.md", line=2),
        make_link("e.md", "far.md"),
    ]
    store.write(note("a.md", "t"), note("z.md", "t"), B, C, D, note("e.md"), note("far.md"), links=links)
    reader = store.open_reader()
    near = reader.neighborhood("a.md", 1, 10)
    assert near.center.id == "a.md"
    assert [(n.entity.id, n.hops, n.via, n.is_backlink) for n in near.neighbors] == [
        ("b.md", 1, "a.md", True),
        ("c.md", 1, "a.md", True),
        ("Topic", 1, "a.md", False),
    ]
    assert near.neighbors[0].relation == relation("b.md", "a.md", 2, "依赖", "property")
    two = reader.neighborhood("a.md", 2, 4)
    assert [(n.entity.id, n.hops, n.via) for n in two.neighbors[3:]] == [("e.md", 2, "c.md")]
    assert two.omitted == 1
    assert reader.neighborhood("topic", 1, 10).center.id == "Topic"
    assert [n.entity.id for n in reader.neighborhood("topic", 1, 10).neighbors] == ["a.md", "d.md"]
    assert [n.entity.id for n in reader.neighborhood("#t", 1, 10).neighbors] == ["a.md", "z.md"]
    assert reader.neighborhood("a.md", 0, 10).neighbors == ()
    reader.close()


def test_path(store: Store) -> None:
    links = [
        make_link("b.md", "a.md", line=4),
        make_link("b.md", "a.md", line=2, relation="依赖"),
        make_link("b.md", "Topic", TOPIC),
        make_link("c.md", "topic", TOPIC),
        make_link("c.md", "d.md"),
    ]
    store.write(A, B, C, D, note("alone.md"), links=links)
    reader = store.open_reader()
    assert reader.path("a.md", "d.md", 4) == [
        relation("b.md", "a.md", 2, "依赖"),
        relation("b.md", "Topic"),
        relation("c.md", "Topic"),
        relation("c.md", "d.md"),
    ]
    assert reader.path("topic", "d.md", 4) == [relation("c.md", "Topic"), relation("c.md", "d.md")]
    assert reader.path("a.md", "d.md", 3) is None
    assert reader.path("a.md", "alone.md", 9) is None
    assert reader.path("a.md", "none", 9) is None
    assert reader.path("a.md", "a.md", 1) == []
    reader.close()


def test_facets_count_a_note_once_below_each_parent(store: Store) -> None:
    store.write(
        note("a.md", "技术/go", "技术/java", category="工作/后端"),
        note("b.md", "技术", category="工作"),
        note("c.md", "生活", category="工作/后端/db"),
        note("d.md"),
    )
    reader = store.open_reader()
    assert reader.tags() == [Facet("技术", 2), Facet("技术/go", 1), Facet("技术/java", 1), Facet("生活", 1)]
    assert reader.categories() == [Facet("工作", 3), Facet("工作/后端", 2), Facet("工作/后端/db", 1)]
    reader.close()


class TestFile:
    """What only a file on disk can show."""

    def test_closing_leaves_no_log(self, tmp_path: Path) -> None:
        for batch in (make_batch(A, B, links=[make_link("a.md", "b.md")]), make_batch(removed=["b.md"])):
            writer = KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)
            writer.apply(batch)
            writer.close()
            assert sorted(file.name for file in tmp_path.iterdir()) == ["g.kuzu", "g.links"]

    def test_damage_names_the_way_out(self, tmp_path: Path) -> None:
        file = tmp_path / "g.kuzu"
        with pytest.raises(StoreError, match="graphrag index --full"):
            KuzuGraphReader(file, ENGINE)
        file.write_bytes(b"x" * 5000)
        for opened in (KuzuGraphReader, KuzuGraphWriter):
            with pytest.raises(StoreError, match=r"g\.kuzu.*graphrag index --full") as caught:
                opened(file, ENGINE)
            assert "\n" not in str(caught.value)

    def test_a_damaged_links_file_names_the_way_out(self, tmp_path: Path) -> None:
        writer = KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)
        writer.apply(make_batch(A, B, links=[make_link("a.md", "b.md")]))
        writer.close()
        (tmp_path / "g.links").write_bytes(b"broken")
        with pytest.raises(StoreError, match="graphrag index --full"):
            KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)

    def test_the_file_does_not_grow_with_changes(self, tmp_path: Path) -> None:
        notes = [note(f"{i}.md", f"t{i % 7}") for i in range(300)]
        links = [make_link(f"{i}.md", f"{(i * 7 + j) % 300}.md", line=j) for i in range(300) for j in range(3)]
        sizes = []
        for round_ in range(5):
            writer = KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)
            chosen = notes if round_ == 0 else [notes[round_]]
            some = [link for link in links if round_ == 0 or link.source == f"{round_}.md"]
            writer.apply(make_batch(*chosen, links=some))
            writer.close()
            sizes.append((tmp_path / "g.kuzu").stat().st_size)
        assert sizes[-1] < 1.1 * sizes[0]

    def test_the_unpacked_copy_is_gone_once_it_is_open(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "unpacked").mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "unpacked"))
        writer = KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)
        writer.apply(make_batch(A, B, links=[make_link("a.md", "b.md")]))
        writer.close()
        reader = KuzuGraphReader(tmp_path / "g.kuzu", ENGINE)
        assert not list((tmp_path / "unpacked").iterdir())
        assert reader.relations(["a.md"]) == [relation("a.md", "b.md")]
        reader.close()

    def test_a_small_graph_takes_little_space(self, tmp_path: Path) -> None:
        writer = KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)
        writer.apply(make_batch(*(note(f"{i}.md") for i in range(300))))
        writer.close()
        assert (tmp_path / "g.kuzu").stat().st_size < 200_000

    def test_another_process_reads_along(self, tmp_path: Path) -> None:
        file = tmp_path / "g.kuzu"
        writer = KuzuGraphWriter(file, ENGINE)
        writer.apply(make_batch(A, B))
        writer.close()
        reader = KuzuGraphReader(file, ENGINE)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(count_notes, (file, ENGINE)) == 2
        assert reader.counts()["notes"] == 2
        reader.close()

    def test_many_notes_in_one_batch(self, tmp_path: Path) -> None:
        notes = [note(f"{i}.md", f"t{i % 7}") for i in range(600)]
        links = [make_link(f"{i}.md", f"{(i * 7 + j) % 600}.md", line=j) for i in range(600) for j in range(3)]
        writer = KuzuGraphWriter(tmp_path / "g.kuzu", ENGINE)
        writer.apply(make_batch(*notes, links=links))
        assert len(writer.links()) == 1800
        writer.close()


@pytest.fixture(scope="module")
def queried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph file with notes, a topic and tags."""
    file = tmp_path_factory.mktemp("queried") / "g.kuzu"
    writer = KuzuGraphWriter(file, ENGINE)
    links = [
        make_link("a.md", "b.md", line=3, relation="依赖", kind=LinkKind.PROPERTY),
        make_link("b.md", "c.md", line=4),
        make_link("a.md", "Kafka", TOPIC, line=5),
        make_link("secret.md", "Hidden", TOPIC),
        make_link("c.md", "secret.md"),
    ]
    secret = note("secret.md", "hidden-tag", title="Secret")
    writer.apply(make_batch(note("a.md", "t/x", title="甲"), B, C, secret, links=links))
    writer.close()
    return file


class TestQueries:
    """Cypher on a file: values, bounds, and what a process that runs it cannot do."""

    def test_entities_relations_and_paths(self, queried: Path) -> None:
        pattern = "MATCH p = (a:Entity {id: $id})-[r:Link]->(b:Entity {kind: 'note'})"
        statement = f"{pattern} RETURN p, r, b.title AS title, id(b) AS id"
        table = run_query(queried, statement, id="a.md")
        assert table.columns == ("p", "r", "title", "id")
        edge = {"source": "a.md", "target": "b.md", "kind": "property", "name": "依赖", "line": 3}
        ((path, found, title, id_),) = table.rows
        assert (found, title, id_) == (edge, "b", "b.md")
        assert isinstance(path, dict)
        assert path["relations"] == [edge]
        first = {"id": "a.md", "kind": "note", "title": "甲", "aliases": [], "tags": ["t/x"]}
        assert path["nodes"][0] == {**first, "category": "", "created": "", "updated": ""}

    @pytest.mark.parametrize(
        ("expression", "value"),
        [
            ("null", None),
            ("true", True),
            ("[1, 2.5, null]", [1, 2.5, None]),
            ("{a: 1, b: ['x']}", {"a": 1, "b": ["x"]}),
            ("map([1], ['x'])", {"1": "x"}),
            ("date('2024-06-01')", "2024-06-01"),
            ("timestamp('2024-06-01 10:00:00')", "2024-06-01T10:00:00"),
            ("cast('2024-06-01 10:00:00+00' AS TIMESTAMP_TZ)", "2024-06-01T10:00:00+00:00"),
            ("interval('1 day')", "1 day, 0:00:00"),
            ("cast(1.5 AS DECIMAL(4, 2))", 1.5),
            ("cast('nan' AS DOUBLE)", None),
            ("cast('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AS UUID)", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
            ("cast('AB' AS BLOB)", "4142"),
            ("9007199254740993", 9007199254740993),
        ],
    )
    def test_values(self, queried: Path, expression: str, value: object) -> None:
        assert run_query(queried, f"RETURN {expression} AS x").rows == ((value,),)

    def test_rows_texts_and_lists_are_bounded(self, queried: Path) -> None:
        few = run_query(queried, "UNWIND range(1, 9) AS x RETURN x", max_rows=3)
        assert (few.rows, few.is_cut) == (((1,), (2,), (3,)), True)
        assert not run_query(queried, "UNWIND range(1, 3) AS x RETURN x", max_rows=3).is_cut
        long = run_query(queried, "RETURN repeat('字', 9000) AS x", max_text=10)
        assert (long.rows, long.is_cut) == ((("字" * 9 + "…",),), True)
        (row,) = run_query(queried, "RETURN range(1, 9000) AS x").rows
        assert isinstance(row[0], list)
        assert len(row[0]) == 500
        many = run_query(queried, "UNWIND range(1, 1000) AS x RETURN repeat('a', 100)", max_rows=1000, max_total=5000)
        assert len(many.rows) < 50
        assert many.is_cut

    @pytest.mark.parametrize(
        ("statement", "line"),
        [
            ("MATCH (n:Entity) RETURN n.nothing", "nothing"),
            ("MATCH (n:Nothing) RETURN n", "Nothing"),
            ("MATCH (n RETURN n", "cannot be run"),
            ("MATCH (n:Entity {id: $id}) RETURN n", "--param id="),
            ("UNWIND range(1, 100000000) AS x RETURN sum(x)", "memory"),
            ("RETURN size(repeat('abc', 1000000000))", "memory"),
            (
                "UNWIND range(1, 3000) AS x UNWIND range(1, 3000) AS y UNWIND range(1, 3000) AS z RETURN sum(x*y+z)",
                "0.5 s",
            ),
        ],
    )
    def test_what_cannot_be_answered_is_one_line(self, queried: Path, statement: str, line: str) -> None:
        with pytest.raises(QuestionError, match=line) as caught:
            run_query(queried, statement, seconds=0.5)
        assert "\n" not in str(caught.value)

    def test_bounds_are_checked(self, queried: Path) -> None:
        for bounds in ({"max_rows": 0}, {"max_rows": 10_001}, {"seconds": 0.0}, {"seconds": 1e9}):
            with pytest.raises(QuestionError, match="limit"):
                run_query(queried, "RETURN 1", **bounds)

    def test_notes_that_are_withheld_were_never_there(self, queried: Path) -> None:
        every = "MATCH (n:Entity) RETURN n.id ORDER BY n.id"
        assert ("secret.md",) in run_query(queried, every).rows
        before = queried.read_bytes()
        rows = KuzuGraphQueries(queried, ENGINE).run(GraphQuery(every), ["secret.md"]).rows
        assert rows == (("#t/x",), ("?kafka",), ("a.md",), ("b.md",), ("c.md",))
        assert queried.read_bytes() == before

    def test_a_damaged_file_names_the_way_out(self, tmp_path: Path) -> None:
        (tmp_path / "g.kuzu").write_bytes(b"x" * 500)
        with pytest.raises(StoreError, match="graphrag index --full"):
            run_query(tmp_path / "g.kuzu", "RETURN 1")

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource limits")
    @pytest.mark.parametrize(
        "statement",
        [
            "LOAD FROM '{folder}/in.csv' RETURN *",
            "COPY (MATCH (n:Entity) RETURN n.id) TO '{folder}/out.csv'",
            "EXPORT DATABASE '{folder}/out'",
            "CREATE (:Entity {{id: 'x'}})",
            "MATCH (n:Entity) SET n.title = 'x'",
            "INSTALL httpfs",
            "LOAD EXTENSION '{folder}/in.csv'",
        ],
    )
    def test_the_process_can_do_no_harm_even_without_the_guard(
        self, queried: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
    ) -> None:
        monkeypatch.setattr(cypher_guard, "check_reading", lambda statement, parameters: statement)
        (tmp_path / "in.csv").write_text("secret,file\n1,2\n")
        with pytest.raises(QuestionError):
            run_query(queried, statement.format(folder=tmp_path))
        assert [file for file in tmp_path.rglob("*") if file.is_file()] == [tmp_path / "in.csv"]

    def test_a_stopped_request_ends_its_process(self, queried: Path) -> None:
        course = Course()
        with ThreadPoolExecutor(1) as pool, following(course):
            pool.submit(lambda: (time.sleep(0.5), course.stop()))
            started = time.monotonic()
            with pytest.raises(Stopped):
                statement = (
                    "UNWIND range(1, 9000) AS x UNWIND range(1, 9000) AS y UNWIND range(1, 9000) AS z RETURN sum(x*y+z)"
                )
                run_query(queried, statement, seconds=60.0)
            assert time.monotonic() - started < 20


def run_query(
    file: Path,
    statement: str,
    *,
    max_rows: int = 100,
    seconds: float = 10.0,
    max_text: int = 2_000,
    max_total: int = 100_000,
    **parameters: object,
) -> GraphTable:
    query = GraphQuery(statement, parameters, max_rows, seconds, max_text, max_total)
    return KuzuGraphQueries(file, ENGINE).run(query)


def count_notes(file: Path, engine: str) -> int:
    return KuzuGraphReader(file, engine).counts()["notes"]


def test_an_engine_that_is_not_installed_names_its_package(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match="pip install"):
        KuzuGraphWriter(tmp_path / "g", "nosuchengine")


@pytest.mark.skipif(ENGINE != "kuzu", reason="this is the run on the other engine")
@pytest.mark.skipif(importlib.util.find_spec("ladybug") is None, reason="ladybug is not installed")
def test_the_suite_passes_on_the_other_engine(is_full: bool) -> None:
    wanted = "not memory" if is_full else "not memory and not TestQueries"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", wanted, __file__]
    environment = {**os.environ, "GRAPHRAG_TEST_ENGINE": "ladybug"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-4000:]
