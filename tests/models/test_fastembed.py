"""FastEmbed itself: its catalogue, missing weights, and a tiny model in the place of one of the catalogue's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphrag.domain.ports import Embedder
from graphrag.errors import ConfigError, ProviderUnavailable
from graphrag.providers import load_embedder
from graphrag.settings import EmbeddingSettings

fastembed = pytest.importorskip("fastembed")


@pytest.fixture
def embedder(onnx_model: Path, monkeypatch: pytest.MonkeyPatch) -> Embedder:
    """The default model by name, and the tiny one by its files."""

    class TinyTextEmbedding(fastembed.TextEmbedding):  # type: ignore[misc, name-defined]
        def __init__(self, name: str, **options: Any) -> None:
            super().__init__(name, specific_model_path=str(onnx_model), **options)

    monkeypatch.setattr(fastembed, "TextEmbedding", TinyTextEmbedding)
    return load_embedder("fastembed", EmbeddingSettings())


def test_texts_become_unit_rows_in_their_order(embedder: Embedder) -> None:
    texts = ["支付模块选择 Saga 方案。", "", "重试"]
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (3, embedder.dimension) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * 3, abs=1e-5)
    assert np.allclose(vectors[2], embedder.embed_passages(["重试"])[0], atol=1e-5)


def test_a_question_has_the_prefix_of_the_model(embedder: Embedder) -> None:
    assert not np.allclose(embedder.embed_query("重试"), embedder.embed_passages(["重试"])[0], atol=1e-3)


def test_a_text_over_the_window_is_read_to_its_end(embedder: Embedder) -> None:
    start = "支付模块选择 Saga 方案。" * 100
    with_tail = embedder.embed_query(start + "番茄炖牛腩先焯水。" * 100)
    assert float(with_tail @ embedder.embed_query(start)) < 0.999


def test_an_unknown_name_gives_the_nearest_ones() -> None:
    with pytest.raises(ConfigError, match=r"no model 'bge-small-zh'. Nearest: .*BAAI/bge-small-zh-v1.5"):
        load_embedder("fastembed", EmbeddingSettings(model="bge-small-zh")).embed_query("重试")


def test_weights_that_are_not_here_need_permission(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    with pytest.raises(ProviderUnavailable, match=r"not on this machine: .*allow_remote = true under \[embedding\]"):
        load_embedder("fastembed", EmbeddingSettings()).embed_query("重试")


def test_weights_that_cannot_be_had_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ProviderUnavailable, match="Check the network, then try again"):
        load_embedder("fastembed", EmbeddingSettings(allow_remote=True)).embed_query("重试")
