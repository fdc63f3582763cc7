"""One suite over every store of token weights: they lie beside the vectors and share whatever becomes of those."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from graphrag.domain.note import Chunk
from graphrag.domain.ports import TokenWeights
from graphrag.domain.query import Filters
from graphrag.errors import SchemaMismatch, StoreError
from graphrag.stores.lance_chunks import LanceChunkWriter, LanceWeightReader
from tests.fakes.chunk_store import ChunkTables, MemoryChunkWriter, MemoryWeightReader
from tests.fakes.embedder import WeighingEmbedder, weigh
from tests.fakes.notes import index_note, make_batch, make_note

ANY = Filters()
EMBEDDER = WeighingEmbedder()
Writer = LanceChunkWriter | MemoryChunkWriter
Reader = LanceWeightReader | MemoryWeightReader

KAFKA = index_note(make_note("kafka.md", tags=["队列"]), ["kafka 分区 副本", "消费者 再平衡"])
PAYMENT = index_note(make_note("支付.md", tags=["支付"]), ["支付 补偿 事务"])


@dataclass
class Store:
    open_writer: Callable[[int, int], Writer]
    open_reader: Callable[[int], Reader]

    def read(self, writer: Writer) -> Reader:
        return self.open_reader(writer.versions()[1])


@pytest.fixture(params=["lance", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        tables = ChunkTables()
        yield Store(lambda c, v: MemoryChunkWriter(tables, c, v), lambda v: MemoryWeightReader(tables, v))
    else:
        yield Store(lambda c, v: LanceChunkWriter(tmp_path, c, v), lambda v: LanceWeightReader(tmp_path, v))


def embed(writer: Writer, chunks: list[Chunk]) -> None:
    vectors, weights = EMBEDDER.embed_and_weigh([chunk.text for chunk in chunks])
    writer.add_vectors([(chunk.id, chunk.note) for chunk in chunks], vectors, weights)


def found(reader: Reader, text: str, limit: int = 10, filters: Filters = ANY) -> list[str]:
    return [hit.chunk_id for hit in reader.search(weigh(text), limit, filters)]


def test_chunks_that_share_tokens_are_found_by_the_sum_of_products(store: Store) -> None:
    writer = store.open_writer(0, 0)
    writer.replace(make_batch(KAFKA, PAYMENT))
    embed(writer, [*KAFKA.chunks, *PAYMENT.chunks])
    reader = store.read(writer)
    assert reader.has_weights
    hits = reader.search(weigh("消费 支付 付"), 10, ANY)
    # 支 1 x 1, 付 1/2 x 1 in the one; 消 and 费 1 x 1 in the other
    assert [(hit.chunk_id, hit.score) for hit in hits] == [(KAFKA.chunks[1].id, 2.0), (PAYMENT.chunks[0].id, 1.5)]
    assert len(found(reader, "消费 支付", limit=1)) == 1
    assert found(reader, "消费 支付", limit=0) == found(reader, "") == found(reader, "xyz") == []
    assert found(reader, "消费 支付", filters=Filters(tags=("支付",))) == [PAYMENT.chunks[0].id]
    far_away = TokenWeights(np.array([250_001], dtype=np.int32), np.array([1], dtype=np.float16))
    assert reader.search(far_away, 10, ANY) == []


def test_a_store_without_weights_says_so(store: Store) -> None:
    assert not store.open_reader(0).has_weights
    writer = store.open_writer(0, 0)
    writer.replace(make_batch(KAFKA))
    writer.add_vectors([(KAFKA.chunks[0].id, "kafka.md")], EMBEDDER.embed_passages(["x"]))
    reader = store.read(writer)
    assert not reader.has_weights
    assert found(reader, "kafka") == []


def test_weights_go_with_their_note_and_come_with_the_next(store: Store) -> None:
    writer = store.open_writer(0, 0)
    writer.replace(make_batch(KAFKA, PAYMENT))
    embed(writer, [*KAFKA.chunks, *PAYMENT.chunks])
    kept = store.read(writer)
    assert found(kept, "kafka")
    moved = index_note(make_note("新/kafka.md"), ["kafka 分区 副本"])
    writer.replace(make_batch(moved, removed=["kafka.md"]))
    assert found(store.read(writer), "kafka") == []
    embed(writer, list(moved.chunks))
    assert found(store.read(writer), "kafka") == [moved.chunks[0].id]
    assert found(kept, "kafka") == [KAFKA.chunks[0].id], "a reader keeps its version"
    writer.optimize([])
    assert found(store.read(writer), "kafka 支付") == [PAYMENT.chunks[0].id, moved.chunks[0].id]


def test_what_a_crashed_writer_left_is_not_taken_over(store: Store) -> None:
    writer = store.open_writer(0, 0)
    writer.replace(make_batch(KAFKA, PAYMENT))
    embed(writer, list(KAFKA.chunks))
    published = writer.versions()
    embed(writer, list(PAYMENT.chunks))
    writer.close()
    following = store.open_writer(*published)
    assert following.missing_vectors() == list(PAYMENT.chunks)
    embed(following, list(PAYMENT.chunks))
    assert found(store.read(following), "支付") == [PAYMENT.chunks[0].id]


def test_a_text_without_any_weight_is_never_found(store: Store) -> None:
    writer = store.open_writer(0, 0)
    empty = index_note(make_note("空.md"), ["   ", "有字"])
    writer.replace(make_batch(empty))
    embed(writer, list(empty.chunks))
    assert found(store.read(writer), "有") == [empty.chunks[1].id]


class TestFiles:
    """What only files on disk can suffer."""

    def test_weights_come_with_all_vectors_or_with_none(self, tmp_path: Path) -> None:
        writer = LanceChunkWriter(tmp_path, 0, 0)
        writer.replace(make_batch(KAFKA))
        embed(writer, [KAFKA.chunks[0]])
        with pytest.raises(SchemaMismatch, match=r"lacks weights of tokens, which the index holds: .*index --full"):
            writer.add_vectors([(KAFKA.chunks[1].id, "kafka.md")], EMBEDDER.embed_passages(["x"]))
        fresh = LanceChunkWriter(tmp_path / "other", 0, 0)
        fresh.replace(make_batch(KAFKA))
        fresh.add_vectors([(KAFKA.chunks[0].id, "kafka.md")], EMBEDDER.embed_passages(["x"]))
        with pytest.raises(SchemaMismatch, match="gives weights of tokens, which the index lacks"):
            embed(fresh, [KAFKA.chunks[1]])

    def test_a_missing_table_names_the_way_out(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="graphrag index --full"):
            assert LanceWeightReader(tmp_path / "none", 3).has_weights

    def test_vectors_without_weights_take_no_more_than_before(self, tmp_path: Path) -> None:
        writer = LanceChunkWriter(tmp_path, 0, 0)
        writer.replace(make_batch(KAFKA))
        writer.add_vectors([(KAFKA.chunks[0].id, "kafka.md")], EMBEDDER.embed_passages(["x"]))
        assert "tokens" not in writer._vectors.schema.names
