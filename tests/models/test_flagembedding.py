"""FlagEmbedding itself, loaded on tiny models with random weights."""

import logging
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from graphrag.app import App
from graphrag.domain.ports import Embedder, TokenWeigher, TokenWeights
from graphrag.domain.query import Filters
from graphrag.errors import ProviderUnavailable
from graphrag.providers import load_embedder, load_reranker
from graphrag.providers.flagembedding import FlagEmbedder
from graphrag.settings import EmbeddingSettings, RerankSettings

pytest.importorskip("FlagEmbedding")


def embedder(model: Path | str, **values: object) -> Embedder:
    return load_embedder(
        "flagembedding", EmbeddingSettings.model_validate({"model": str(model), "device": "cpu", **values})
    )


def test_the_vectors_are_the_librarys_own(embedding_model: Path) -> None:
    from FlagEmbedding import BGEM3FlagModel

    texts = ["支付模块选择 Saga 方案。", "retry"]
    model = BGEM3FlagModel(str(embedding_model), use_fp16=False, devices="cpu")
    expected = np.concatenate([model.encode([text])["dense_vecs"] for text in texts])
    ours = embedder(embedding_model).embed_passages(texts)
    assert np.allclose(ours, expected, atol=1e-5) and abs(float(ours[0] @ ours[1])) < 0.99


def weigher(model: Path) -> TokenWeigher:
    found = embedder(model)
    assert isinstance(found, TokenWeigher)
    return found


def as_kept(weights: Mapping[str, float]) -> dict[int, float]:
    return {int(token): kept for token, weight in weights.items() if (kept := float(np.float16(weight))) > 0}


def as_dict(weights: TokenWeights | None) -> dict[int, float]:
    assert weights is not None
    assert weights.tokens.tolist() == sorted(set(weights.tokens.tolist()))
    return dict(zip(weights.tokens.tolist(), weights.weights.tolist(), strict=True))


def test_the_token_weights_are_the_librarys_own(embedding_model: Path) -> None:
    from FlagEmbedding import BGEM3FlagModel

    texts = ["支付模块选择 Saga 方案。", "retry", ""]
    library = BGEM3FlagModel(str(embedding_model), use_fp16=False, devices="cpu")
    expected = [library.encode([text or "."], return_sparse=True)["lexical_weights"][0] for text in texts]
    vectors, weights = weigher(embedding_model).embed_and_weigh(texts)
    assert weights is not None
    assert np.allclose(vectors, embedder(embedding_model).embed_passages(texts), atol=1e-5)
    for ours, theirs in zip(weights, expected, strict=True):
        assert as_dict(ours) == pytest.approx(as_kept(theirs), abs=1e-3)
    assert as_dict(weights[0]), "random as they are, some are above 0"
    asked = weigher(embedding_model).weigh_query(texts[0])
    assert as_dict(asked) == pytest.approx(as_dict(weights[0]), abs=1e-3)


def test_the_weights_of_a_text_over_the_window_are_the_greatest_of_its_parts(embedding_model: Path) -> None:
    from FlagEmbedding import BGEM3FlagModel

    text = "支付模块选择 Saga 方案。" * 3 + "番茄炖牛腩先焯水。" * 4
    middle = len(text) // 2
    library = BGEM3FlagModel(str(embedding_model), use_fp16=False, devices="cpu")
    parts = [text[:middle], text[middle:]]
    assert max(len(library.tokenizer(part).input_ids) for part in parts) <= 64 < len(library.tokenizer(text).input_ids)
    found = [as_kept(library.encode([part], return_sparse=True)["lexical_weights"][0]) for part in parts]
    expected = {token: max(part.get(token, 0.0) for part in found) for token in {*found[0], *found[1]}}
    _, weights = weigher(embedding_model).embed_and_weigh([text])
    assert weights is not None
    assert as_dict(weights[0]) == pytest.approx(expected, abs=1e-3)


def test_a_question_is_read_once_for_both(embedding_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = embedder(embedding_model)
    assert isinstance(model, FlagEmbedder)
    library, calls = model._loaded.model, []
    encode = library.encode
    monkeypatch.setattr(library, "encode", lambda texts, **options: calls.append(texts) or encode(texts, **options))
    model.embed_query("重试")
    model.weigh_query("重试")
    assert calls == [["重试"]]


def test_many_threads_are_told_what_one_is(embedding_model: Path, reranking_model: Path) -> None:
    texts = [f"第{number}个问题，" + "retry " * number for number in range(24)]
    ours, reranker = (
        embedder(embedding_model),
        load_reranker(RerankSettings(provider="flagembedding", model=str(reranking_model))),
    )
    assert reranker is not None
    vectors = [ours.embed_query(text) for text in texts]
    scores = [list(reranker.score(text, texts[:3])) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert np.allclose(list(pool.map(ours.embed_query, texts)), vectors, atol=1e-6)
        assert np.allclose(list(pool.map(lambda text: reranker.score(text, texts[:3]), texts)), scores, atol=1e-6)


def test_a_model_without_the_head_has_no_weights(embedding_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "headless"
    shutil.copytree(embedding_model, folder)
    (folder / "sparse_linear.pt").unlink()
    vectors, weights = weigher(folder).embed_and_weigh(["重试"])
    assert (vectors.shape, weights, weigher(folder).weigh_query("重试")) == ((1, 32), None, None)


def test_a_text_over_the_window_is_read_to_its_end(embedding_model: Path) -> None:
    start = "支付模块选择 Saga 方案。" * 20
    model = embedder(embedding_model)
    with_tail = model.embed_query(start + "番茄炖牛腩先焯水。" * 20)
    assert float(with_tail @ model.embed_query(start)) < 0.999


def test_nothing_is_printed_while_it_works(embedding_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    embedder(embedding_model, batch_size=2).embed_passages([f"第 {number} 段" for number in range(9)])
    captured = capfd.readouterr()
    assert captured.out == "" and captured.err == ""


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_other_precisions_load_and_have_another_name(embedding_model: Path, precision: str) -> None:
    model = embedder(embedding_model, precision=precision)
    assert model.embed_query("重试").shape == (32,)
    assert model.model_id != embedder(embedding_model).model_id


def test_weights_that_are_not_here_name_the_command_that_gets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ProviderUnavailable, match="Get them with: hf download BAAI/bge-m3"):
        embedder("").embed_query("重试")


def test_weights_that_cannot_be_fetched_say_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    caplog.set_level(logging.INFO, "graphrag")
    with pytest.raises(ProviderUnavailable, match=r"cannot be fetched: .* under \[embedding\]"):
        embedder("BAAI/bge-m3", allow_remote=True).embed_query("重试")
    assert "[embedding] fetches the weights of BAAI/bge-m3 from Hugging Face" in caplog.messages


@pytest.mark.parametrize("model", ["no such/model/name", "../nowhere"])
def test_what_is_no_models_name_is_said_so(model: str) -> None:
    with pytest.raises(ProviderUnavailable, match=r"neither a folder nor a model's name"):
        embedder(model).embed_query("重试")


def test_a_folder_without_weights_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailable, match=r"cannot be loaded: .*under \[embedding\]") as caught:
        embedder(tmp_path).embed_query("重试")
    assert "\n" not in str(caught.value)


def test_a_device_that_is_not_there_is_a_clear_line(embedding_model: Path) -> None:
    with pytest.raises(ProviderUnavailable, match=r"change device under \[embedding\]|Check model, device") as caught:
        embedder(embedding_model, device="cuda:7").embed_query("重试")
    assert "\n" not in str(caught.value)


def test_scores_are_the_librarys_own(reranking_model: Path) -> None:
    from FlagEmbedding import FlagReranker

    passages = ["失败的消息最多重试三次。", "番茄炖牛腩先焯水。"]
    library = FlagReranker(str(reranking_model), use_fp16=False, devices="cpu")
    expected = [library.compute_score([("重试几次？", passage)], normalize=True)[0] for passage in passages]
    reranker = load_reranker(RerankSettings(provider="flagembedding", model=str(reranking_model), device="cpu"))
    assert reranker is not None
    assert list(reranker.score("重试几次？", passages)) == pytest.approx(expected, abs=1e-5)
    assert expected[0] != pytest.approx(expected[1], abs=1e-4)


def test_a_vault_is_indexed_searched_and_reranked_with_it(
    embedding_model: Path, reranking_model: Path, tmp_path: Path
) -> None:
    for name, text in (("支付", "失败的消息最多重试三次。"), ("菜谱", "番茄炖牛腩先焯水。")):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    (tmp_path / "graphrag.toml").write_text(
        f'[index]\nembedder = "flagembedding"\n[embedding]\nmodel = "{embedding_model}"\ndevice = "cpu"\n'
        f'[rerank]\nprovider = "flagembedding"\nmodel = "{reranking_model}"\ndevice = "cpu"\n[answer]\nchat = "none"\n',
        encoding="utf-8",
    )
    app = App.open(tmp_path, tmp_path)
    report = app.index(False, lambda step, done, total: None)
    assert report.embedded == report.chunks == 2
    result = app.search("消息重试几次", Filters())
    assert result.notice == "" and "rerank" in result.trace.milliseconds
    assert all(item.why.rerank is not None and item.why.similarity is not None for item in result.candidates)
    assert any(item.why.sparse_rank == 1 for item in result.candidates) and "sparse" in result.trace.milliseconds
    checks = {check.name: check.found for check in app.doctor()}
    assert checks["embedder"] == f"flagembedding:{embedding_model}:fp32:weights, 32 dimensions"
    assert checks["reranker"] == f"flagembedding:{reranking_model}:fp32"
    app.close()
