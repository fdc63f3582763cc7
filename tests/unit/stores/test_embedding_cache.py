import sqlite3
from pathlib import Path

import numpy as np
import pytest

from graphrag.errors import StoreError
from graphrag.stores.embedding_cache import SqliteEmbeddingCache
from graphrag.stores.lance_schema import from_steps, normalize, to_steps
from tests.fakes.embedder import HashingEmbedder, WeighingEmbedder

EMBEDDER = HashingEmbedder()


def test_vectors_come_back_by_model_and_text(tmp_path: Path) -> None:
    cache = SqliteEmbeddingCache(tmp_path / "new" / "cache.db")
    texts = ["补偿事务", "kafka", "", "\ud800 lone"]
    vectors = normalize(np.random.default_rng(1).normal(size=(4, 384)).astype(np.float32))
    cache.put("m", texts, vectors)
    cache.close()
    cache = SqliteEmbeddingCache(tmp_path / "new" / "cache.db")
    found = cache.get("m", ["other", *texts])
    assert found[0] is None
    for vector, expected in zip(found[1:], vectors, strict=True):
        assert vector is not None
        assert vector.dtype == np.float32
        assert vector @ expected == pytest.approx(1.0, abs=1e-4)
    assert cache.get("other model", texts) == [None] * 4
    assert cache.get("m", []) == []
    cache.close()


def test_putting_again_replaces(tmp_path: Path) -> None:
    cache = SqliteEmbeddingCache(tmp_path / "cache.db")
    cache.put("m", ["a"], EMBEDDER.embed_passages(["first"]))
    cache.put("m", ["a"], EMBEDDER.embed_passages(["second"]))
    (found,) = cache.get("m", ["a"])
    assert found is not None
    assert found @ EMBEDDER.embed_query("second") == pytest.approx(1.0, abs=1e-3)
    cache.close()


def test_token_weights_come_back_with_their_vectors(tmp_path: Path) -> None:
    cache = SqliteEmbeddingCache(tmp_path / "cache.db")
    texts = ["补偿事务", "", "kafka"]
    vectors, weights = WeighingEmbedder().embed_and_weigh(texts)
    cache.put("m", texts, vectors, weights)
    cache.put("plain", texts, vectors)
    cache.close()
    cache = SqliteEmbeddingCache(tmp_path / "cache.db")
    assert weights is not None
    for found, expected in zip(cache.weights("m", texts), weights, strict=True):
        assert found is not None
        assert np.array_equal(found.tokens, expected.tokens) and np.array_equal(found.weights, expected.weights)
    assert cache.weights("plain", texts) == [None] * 3
    assert cache.weights("m", ["other"]) == [None]
    cache.close()


def test_a_cache_of_before_there_were_weights_goes_on(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "cache.db") as old:
        old.execute("CREATE TABLE vector (model TEXT, text BLOB, steps BLOB, PRIMARY KEY (model, text)) WITHOUT ROWID")
    cache = SqliteEmbeddingCache(tmp_path / "cache.db")
    cache.put("m", ["a"], EMBEDDER.embed_passages(["a"]))
    assert cache.weights("m", ["a"]) == [None]
    assert [vector is None for vector in cache.get("m", ["a"])] == [False]
    cache.close()


def test_thousands_at_once(tmp_path: Path) -> None:
    cache = SqliteEmbeddingCache(tmp_path / "cache.db")
    texts = [f"text {number}" for number in range(2500)]
    cache.put("m", texts, EMBEDDER.embed_passages(texts))
    assert all(vector is not None for vector in cache.get("m", texts))
    cache.close()
    assert (tmp_path / "cache.db").stat().st_size < 2500 * 64 * 4


def test_no_text_is_kept(tmp_path: Path) -> None:
    cache = SqliteEmbeddingCache(tmp_path / "cache.db")
    cache.put("m", ["a very secret sentence"], EMBEDDER.embed_passages(["a very secret sentence"]))
    cache.close()
    assert b"secret" not in (tmp_path / "cache.db").read_bytes()


def test_a_damaged_file_may_be_deleted(tmp_path: Path) -> None:
    file = tmp_path / "cache.db"
    file.write_bytes(b"broken" * 500)
    with pytest.raises(StoreError, match=r"cache\.db.*delete the file"):
        SqliteEmbeddingCache(file)


def test_a_vector_is_the_same_made_or_cached() -> None:
    made = normalize(np.random.default_rng(2).normal(size=(200, 384)).astype(np.float32))
    once = from_steps(to_steps(made))
    assert np.array_equal(to_steps(once), to_steps(made))
    assert np.array_equal(from_steps(to_steps(once)), once)
    assert not from_steps(to_steps(np.zeros((1, 8), dtype=np.float32))).any()
