"""One suite over every store of chunks and vectors."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from graphrag.domain.note import Chunk
from graphrag.domain.query import Filters
from graphrag.domain.snapshot import IndexedNote
from graphrag.errors import SchemaMismatch, StoreError
from graphrag.stores.lance_chunks import LanceChunkReader, LanceChunkWriter
from tests.fakes.chunk_store import ChunkTables, MemoryChunkReader, MemoryChunkWriter
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.notes import day, index_note, make_batch, make_note

ANY = Filters()
EMBEDDER = HashingEmbedder()

Writer = LanceChunkWriter | MemoryChunkWriter
Reader = LanceChunkReader | MemoryChunkReader


@dataclass
class Store:
    """A store with what a manifest would say about it."""

    open_writer: Callable[[int, int], Writer]
    open_reader: Callable[[int, int], Reader]

    def write(self, *notes: IndexedNote) -> Writer:
        writer = self.open_writer(0, 0)
        writer.replace(make_batch(*notes))
        return writer

    def read(self, writer: Writer) -> Reader:
        return self.open_reader(*writer.versions())


@pytest.fixture(params=["lance", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        tables = ChunkTables()
        yield Store(lambda c, v: MemoryChunkWriter(tables, c, v), lambda c, v: MemoryChunkReader(tables, c, v))
    else:
        yield Store(
            lambda c, v: LanceChunkWriter(tmp_path, c, v),
            lambda c, v: LanceChunkReader(tmp_path, c, v),
        )


def embed(writer: Writer, chunks: list[Chunk]) -> int:
    return writer.add_vectors(
        [(chunk.id, chunk.note) for chunk in chunks],
        EMBEDDER.embed_passages([chunk.text for chunk in chunks]),
    )


def notes_of(reader: Reader, terms: list[str], filters: Filters = ANY) -> list[str]:
    return [hit.chunk.note for hit in reader.search_text(terms, 50, filters)]


KAFKA = index_note(
    make_note(
        "后端/kafka.md",
        title="Kafka 笔记",
        tags=["技术/消息队列", "It's"],
        category="工作/后端",
        created=day("2023-01-01"),
        updated=day("2024-03-05"),
        properties={"type": ("Reference",)},
    ),
    ["kafka 分区 副本 kafka kafka", "消费者 再平衡 c++ node.js"],
)
PAYMENT = index_note(
    make_note("后端/支付/100%_对账.md", tags=["支付"], category="工作", created=day("2024-03-06")),
    ["支付 补偿 事务 kafka", "b+树 索引 \"引号's"],
)
DIARY = index_note(make_note("后端2/日记.md", category="生活"), ["今天 下雨 Straße 100% a_b"])


def test_chunks_come_back_as_written(store: Store) -> None:
    reader = store.read(store.write(KAFKA, PAYMENT))
    assert reader.chunks_of([KAFKA.note.path, "没有.md"], ANY) == {KAFKA.note.path: list(KAFKA.chunks)}
    first = PAYMENT.chunks[0]
    assert reader.get_chunks([first.id, "unknown"]) == {first.id: first}
    assert reader.get_chunks([]) == {}
    assert reader.chunks_of([], ANY) == {}
    both = [KAFKA.note.path, PAYMENT.note.path]
    assert reader.chunks_of(both, Filters(tags=("支付",))) == {PAYMENT.note.path: list(PAYMENT.chunks)}
    assert reader.count(ANY) == 4


def test_an_empty_store_answers(store: Store) -> None:
    writer = store.open_writer(0, 0)
    writer.replace(make_batch())
    reader = store.read(writer)
    assert reader.search_text(["kafka"], 10, ANY) == []
    assert reader.search_substring("k", 10, ANY) == []
    assert reader.search_vectors(EMBEDDER.embed_query("k"), 10, ANY) == []
    assert reader.document_frequencies(["kafka"]) == {"kafka": 0}
    assert writer.missing_vectors() == []
    assert writer.counts() == (0, 0)


def test_text_search_ranks_by_bm25_and_names_the_terms(store: Store) -> None:
    reader = store.read(store.write(KAFKA, PAYMENT, DIARY))
    hits = reader.search_text(["kafka", "副本", "没有", "kafka"], 10, ANY)
    assert [hit.chunk for hit in hits] == [KAFKA.chunks[0], PAYMENT.chunks[0]]
    assert hits[0].score > hits[1].score > 0
    assert hits[0].terms == ("kafka", "副本")
    assert hits[1].terms == ("kafka",)
    assert len(reader.search_text(["kafka"], 1, ANY)) == 1
    assert reader.search_text([], 10, ANY) == []


@pytest.mark.parametrize("term", ["c++", "node.js", "b+树", "\"引号's", "a_b", "100%", "下雨"])
def test_terms_are_looked_up_as_they_are(store: Store, term: str) -> None:
    reader = store.read(store.write(KAFKA, PAYMENT, DIARY))
    hits = reader.search_text([term], 10, ANY)
    assert [hit.terms for hit in hits] == [(term,)]


@pytest.mark.parametrize("term", ["c", "node", "b", "*", "kafka*", "+kafka", "下"])
def test_parts_of_terms_match_nothing(store: Store, term: str) -> None:
    assert store.read(store.write(KAFKA, PAYMENT, DIARY)).search_text([term], 10, ANY) == []


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("消费", ["后端/kafka.md"]),
        ("KAFKA", ["后端/kafka.md", "后端/支付/100%_对账.md"]),
        ("0% a_", ["后端2/日记.md"]),
        ("号's", ["后端/支付/100%_对账.md"]),
        ("0_", []),
        ("%", ["后端2/日记.md"]),
        ("", []),
    ],
)
def test_substring_search(store: Store, text: str, notes: list[str]) -> None:
    reader = store.read(store.write(KAFKA, PAYMENT, DIARY))
    assert [hit.chunk.note for hit in reader.search_substring(text, 10, ANY)] == notes


def test_substring_search_applies_filters_and_limit(store: Store) -> None:
    reader = store.read(store.write(KAFKA, PAYMENT))
    assert [hit.chunk.note for hit in reader.search_substring("kafka", 1, ANY)] == ["后端/kafka.md"]
    below = Filters(paths=("后端/支付",))
    assert [hit.chunk.note for hit in reader.search_substring("kafka", 1, below)] == [PAYMENT.note.path]


K, P, D = KAFKA.note.path, PAYMENT.note.path, DIARY.note.path


@pytest.mark.parametrize(
    ("filters", "notes"),
    [
        (Filters(tags=("技术",)), {K}),
        (Filters(tags=("#技术/消息队列",)), {K}),
        (Filters(tags=("技术/消息",)), set()),
        (Filters(tags=("it's", "支付")), {K, P}),
        (Filters(tags=("') OR true OR array_has(tags, '",)), set()),
        (Filters(categories=("工作",)), {K, P}),
        (Filters(categories=("工作/后端/",)), {K}),
        (Filters(paths=("后端",)), {K, P}),
        (Filters(paths=("后端/",)), {K, P}),
        (Filters(paths=("后端/支付/100%_对账.md",)), {P}),
        (Filters(paths=("后%",)), set()),
        (Filters(paths=("后端/支付", "后端2")), {P, D}),
        (Filters(since=date(2024, 3, 5)), {K, P}),
        (Filters(since=date(2024, 3, 6)), {P}),
        (Filters(until=date(2024, 3, 5)), {K}),
        (Filters(since=date(2024, 3, 5), until=date(2024, 3, 5)), {K}),
        (Filters(types=("reference", "x")), {K}),
        (Filters(categories=("工作",), tags=("支付",)), {P}),
        (Filters(categories=("生活",), tags=("支付",)), set()),
        (Filters(paths=("后端", "后端2"), until=date(2030, 1, 1), types=("reference",)), {K}),
    ],
)
def test_filters_hold_in_every_search(store: Store, filters: Filters, notes: set[str]) -> None:
    writer = store.write(KAFKA, PAYMENT, DIARY)
    embed(writer, writer.missing_vectors())
    reader = store.read(writer)
    assert set(notes_of(reader, ["kafka", "消费者", "b+树", "下雨"], filters)) == notes
    found = reader.get_chunks([hit.chunk_id for hit in reader.search_vectors(EMBEDDER.embed_query("k"), 50, filters)])
    assert {chunk.note for chunk in found.values()} == notes
    assert reader.count(filters) == sum(len(n.chunks) for n in (KAFKA, PAYMENT, DIARY) if n.note.path in notes)


def test_filters_apply_before_the_limit(store: Store) -> None:
    many = [index_note(make_note(f"a/{i}.md", tags=["a"]), ["word word word"]) for i in range(20)]
    writer = store.write(*many, index_note(make_note("b/x.md", tags=["b"]), ["word and others"]))
    embed(writer, writer.missing_vectors())
    reader = store.read(writer)
    only = Filters(tags=("b",))
    assert notes_of(reader, ["word"], only) == ["b/x.md"]
    assert len(reader.search_vectors(EMBEDDER.embed_query("word word word"), 1, only)) == 1


def test_document_frequencies(store: Store) -> None:
    reader = store.read(store.write(KAFKA, PAYMENT))
    expected = {"kafka": 2, "c++": 1, "没有": 0}
    assert reader.document_frequencies(["kafka", "c++", "没有"]) == expected
    assert reader.document_frequencies(["没有", "kafka", "c++"]) == expected


def test_replace_is_idempotent_and_takes_old_rows_away(store: Store) -> None:
    writer = store.write(KAFKA, PAYMENT)
    writer.replace(make_batch(KAFKA, PAYMENT))
    assert writer.counts() == (4, 0)
    shorter = index_note(KAFKA.note, ["只剩 一段"])
    writer.replace(make_batch(shorter, removed=[K, P]))
    reader = store.read(writer)
    assert writer.counts() == (1, 0)
    assert notes_of(reader, ["kafka", "b+树"]) == []
    assert notes_of(reader, ["一段"]) == [K]
    assert reader.document_frequencies(["kafka", "一段"]) == {"kafka": 0, "一段": 1}


def test_removing_thousands_of_notes_at_once(store: Store) -> None:
    writer = store.write(KAFKA, PAYMENT)
    writer.replace(make_batch(removed=[f"o'ld/{i}.md" for i in range(5000)] + [P]))
    assert writer.counts() == (2, 0)


def test_vectors_come_only_when_added(store: Store) -> None:
    writer = store.write(PAYMENT, KAFKA)
    missing = writer.missing_vectors()
    assert missing == [*KAFKA.chunks, *PAYMENT.chunks]
    assert store.read(writer).search_vectors(EMBEDDER.embed_query("x"), 5, ANY) == []
    embed(writer, missing[:1])
    assert writer.missing_vectors() == missing[1:]
    assert writer.counts() == (4, 1)
    embed(writer, missing)
    assert writer.missing_vectors() == []
    assert writer.counts() == (4, 4)


def test_vector_search_ranks_by_cosine(store: Store) -> None:
    writer = store.write(KAFKA, PAYMENT, DIARY)
    chunks = writer.missing_vectors()
    embed(writer, chunks)
    reader = store.read(writer)
    query = EMBEDDER.embed_query("支付 补偿 事务 kafka")
    hits = reader.search_vectors(query * 3, 3, ANY)
    exact = {chunk.id: float(EMBEDDER.embed_query(chunk.text) @ query) for chunk in chunks}
    assert [hit.chunk_id for hit in hits] == sorted(exact, key=lambda id_: -exact[id_])[:3]
    assert [hit.similarity for hit in hits] == pytest.approx([exact[hit.chunk_id] for hit in hits], abs=0.01)


def test_vectors_of_notes(store: Store) -> None:
    writer = store.write(KAFKA, PAYMENT, DIARY)
    assert store.read(writer).vectors_of([K], ANY) == {}
    embed(writer, [*KAFKA.chunks, *PAYMENT.chunks])
    reader = store.read(writer)
    stored = reader.vectors_of([K, P, D, "没有.md"], ANY)
    assert {note: set(found) for note, found in stored.items()} == {
        K: {chunk.id for chunk in KAFKA.chunks},
        P: {chunk.id for chunk in PAYMENT.chunks},
    }
    for chunk in KAFKA.chunks:
        assert np.linalg.norm(stored[K][chunk.id]) == pytest.approx(1.0, abs=1e-3)
        assert stored[K][chunk.id] @ EMBEDDER.embed_query(chunk.text) == pytest.approx(1.0, abs=0.01)
    assert list(reader.vectors_of([K, P], Filters(tags=("支付",)))) == [P]
    assert reader.vectors_of([], ANY) == reader.vectors_of([D], ANY) == {}


def test_removing_a_note_removes_its_vectors(store: Store) -> None:
    writer = store.write(KAFKA, PAYMENT)
    embed(writer, writer.missing_vectors())
    writer.replace(make_batch(removed=[K]))
    assert writer.counts() == (2, 2)
    hits = store.read(writer).search_vectors(EMBEDDER.embed_query("kafka"), 10, ANY)
    assert {hit.chunk_id for hit in hits} == {chunk.id for chunk in PAYMENT.chunks}


def test_vectors_of_chunks_that_are_gone_are_passed_over(store: Store) -> None:
    writer = store.write(KAFKA)
    writer.replace(make_batch(PAYMENT, removed=[K]))
    embed(writer, [*KAFKA.chunks, *PAYMENT.chunks])
    assert writer.counts() == (2, 2)


def test_a_reader_keeps_its_versions(store: Store) -> None:
    writer = store.write(KAFKA)
    embed(writer, writer.missing_vectors())
    kept = writer.versions()
    reader = store.open_reader(*kept)
    writer.replace(make_batch(PAYMENT, removed=[K]))
    embed(writer, writer.missing_vectors())
    dropped = writer.versions()
    writer.replace(make_batch(DIARY))
    newest = writer.optimize([kept])
    for old in (reader, store.open_reader(*kept)):
        assert notes_of(old, ["kafka"]) == [K]
        assert len(old.search_vectors(EMBEDDER.embed_query("kafka"), 10, ANY)) == 2
        assert old.document_frequencies(["kafka"]) == {"kafka": 1}
    assert newest == writer.versions()
    assert sorted(notes_of(store.open_reader(*newest), ["kafka", "下雨"])) == [P, D]
    with pytest.raises((StoreError, KeyError)):
        store.open_reader(*dropped).check()


def test_search_is_the_same_after_optimize(store: Store) -> None:
    writer = store.write(KAFKA)
    for note in (PAYMENT, DIARY, KAFKA):
        writer.replace(make_batch(note))
    embed(writer, writer.missing_vectors())
    before = notes_of(store.read(writer), ["kafka", "c++", "下雨"])
    writer.optimize([])
    reader = store.read(writer)
    assert sorted(notes_of(reader, ["kafka", "c++", "下雨"])) == sorted(before) == sorted([K, K, P, D])
    assert len(reader.search_vectors(EMBEDDER.embed_query("kafka"), 10, ANY)) == 5
    writer.replace(make_batch(index_note(DIARY.note, ["雪"])))
    assert notes_of(store.read(writer), ["雪", "下雨"]) == [D]


def test_many_rows_come_one_batch_after_another(store: Store) -> None:
    writer = store.write()
    for turn in range(3):
        notes = [index_note(make_note(f"{turn}-{i}.md"), [f"word{i} all turn{turn}"]) for i in range(300)]
        writer.replace(make_batch(*notes, removed=[f"{turn - 1}-0.md"]))
        writer.optimize([])
    reader = store.read(writer)
    assert notes_of(reader, ["word7"]) == ["0-7.md", "1-7.md", "2-7.md"]
    assert notes_of(reader, ["word0"]) == ["2-0.md"]
    assert reader.document_frequencies(["all", "turn1"]) == {"all": 898, "turn1": 299}
    scores = {hit.score for hit in reader.search_text(["word7"], 5, ANY)}
    assert len(scores) == 1


def test_a_new_writer_starts_from_the_published_versions(store: Store) -> None:
    writer = store.write(KAFKA)
    embed(writer, writer.missing_vectors())
    published = writer.versions()
    writer.replace(make_batch(PAYMENT, removed=[K]))
    embed(writer, writer.missing_vectors())
    writer.close()
    following = store.open_writer(*published)
    assert following.counts() == (2, 2)
    following.replace(make_batch(DIARY))
    reader = store.read(following)
    assert sorted(notes_of(reader, ["kafka", "支付", "下雨"])) == sorted([K, D])
    assert len(reader.search_vectors(EMBEDDER.embed_query("kafka"), 10, ANY)) == 2


def test_vectors_that_no_manifest_names_are_not_taken_over(store: Store) -> None:
    writer = store.write(KAFKA)
    published = writer.versions()
    embed(writer, writer.missing_vectors())
    writer.close()
    following = store.open_writer(*published)
    assert following.missing_vectors() == list(KAFKA.chunks)
    embed(following, [KAFKA.chunks[1]])
    assert following.counts() == (2, 1)


def test_starting_afresh_leaves_the_published_snapshot_readable(store: Store) -> None:
    writer = store.write(KAFKA)
    embed(writer, writer.missing_vectors())
    published = writer.versions()
    fresh = store.open_writer(0, 0)
    fresh.replace(make_batch(DIARY))
    assert fresh.counts() == (1, 0)
    old = store.open_reader(*published)
    assert notes_of(old, ["kafka"]) == [K]
    assert len(old.search_vectors(EMBEDDER.embed_query("kafka"), 10, ANY)) == 2
    assert notes_of(store.read(fresh), ["kafka", "支付", "下雨"]) == [D]


class TestSize:
    """What only files on disk can take up."""

    def test_texts_are_packed_together(self, tmp_path: Path) -> None:
        words = random.Random(1)
        texts = [" ".join(words.choices(["kafka", "broker", "saga", "retry", "cache"], k=200)) for _ in range(500)]
        notes = [index_note(make_note(f"{i}.md"), [text]) for i, text in enumerate(texts)]
        LanceChunkWriter(tmp_path, 0, 0).replace(make_batch(*notes))
        size = sum(file.stat().st_size for file in (tmp_path / "chunks.lance" / "data").iterdir())
        assert size < 0.28 * sum(map(len, texts))

    def test_new_rows_do_not_write_the_index_anew(self, tmp_path: Path) -> None:
        writer = LanceChunkWriter(tmp_path, 0, 0)
        files: list[set[Path]] = []
        for turn in range(2):
            writer.replace(make_batch(*(index_note(make_note(f"{turn}-{i}.md"), [f"word{i}"]) for i in range(2048))))
            writer.optimize([])
            files.append({*(tmp_path / "chunks.lance" / "_indices").glob("*/*")})
        assert files[0] < files[1]


class TestDamage:
    """What only files on disk can suffer."""

    def test_missing_tables_name_the_way_out(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="graphrag index --full"):
            LanceChunkReader(tmp_path / "none", 3, 0).check()
        with pytest.raises(StoreError, match="graphrag index --full"):
            LanceChunkWriter(tmp_path / "none", 3, 0)

    def test_vectors_of_another_length_are_refused(self, tmp_path: Path) -> None:
        writer = LanceChunkWriter(tmp_path, 0, 0)
        writer.replace(make_batch(KAFKA))
        first, second = KAFKA.chunks
        writer.add_vectors([(first.id, K)], np.ones((1, 4), dtype=np.float32) / 2)
        with pytest.raises(SchemaMismatch, match=r"3 numbers, those of the index 4: .*graphrag index --full"):
            writer.add_vectors([(second.id, K)], np.ones((1, 3), dtype=np.float32))
        with pytest.raises(SchemaMismatch, match="another model"):
            LanceChunkReader(tmp_path, *writer.versions()).search_vectors(np.ones(3, dtype=np.float32), 5, ANY)

    @pytest.mark.parametrize("pattern", ["_versions/*", "data/*", "_indices/*/*"])
    def test_broken_files_name_the_way_out_and_a_rebuild_mends_them(self, tmp_path: Path, pattern: str) -> None:
        writer = LanceChunkWriter(tmp_path, 0, 0)
        writer.replace(make_batch(KAFKA))
        versions = writer.optimize([])
        for file in (tmp_path / "chunks.lance").glob(pattern):
            file.write_bytes(b"broken" * 7)
        with pytest.raises(StoreError, match="graphrag index --full") as caught:
            LanceChunkReader(tmp_path, *versions).search_text(["kafka"], 5, ANY)
        assert "\n" not in str(caught.value)
        fresh = LanceChunkWriter(tmp_path, 0, 0)
        fresh.replace(make_batch(KAFKA))
        assert notes_of(LanceChunkReader(tmp_path, *fresh.versions()), ["kafka"]) == [K]
