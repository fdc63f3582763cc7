"""Token weights through the index and the search: a third list, kept beside the vectors through every change."""

from collections.abc import Callable
from pathlib import Path

import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.domain.query import Filters
from graphrag.retrieve.pipeline import SearchMode, policy_of
from graphrag.shapes import search_json
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.e2e.test_crashes import contents
from tests.fakes.embedder import HashingEmbedder, WeighingEmbedder, weigh

Open = Callable[..., App]


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashingEmbedder:
    fake = WeighingEmbedder()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: fake)
    return fake


def sparse_ranks(app: App, question: str) -> dict[str, int]:
    found = app.search(question, Filters()).candidates
    return {item.chunk.note: item.why.sparse_rank for item in found if item.why.sparse_rank is not None}


def test_the_third_list_finds_ranks_and_explains(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    result = app.search("消息积压", Filters())
    best = result.candidates[0]
    assert (best.chunk.note, best.why.sparse_rank) == ("消息队列.md", 1)
    assert best.why.sparse_score is not None and best.why.sparse_score > 0
    assert "sparse" in result.trace.milliseconds
    why = search_json(result, with_dropped=True)["results"][0]["why"]  # type: ignore[index]
    assert why["sparse"] == {"rank": 1, "score": best.why.sparse_score}
    assert sparse_ranks(app, "消息积压 path:人物") == {}
    base = app._parts.search_policy()
    for mode, is_used in ((SearchMode.VECTORS, False), (SearchMode.FULL_TEXT, False), (SearchMode.FUSED, True)):
        found = app.find("消息积压", Filters(), policy_of(mode, base)).result.candidates
        assert any(item.why.sparse_rank for item in found) is is_used


def test_weights_survive_whatever_becomes_of_the_notes(open_vault: Open, embedder: HashingEmbedder) -> None:
    app = open_vault()
    app.index(False, silent)
    made = embedder.embedded
    (app.vault / "消息队列.md").rename(app.vault / "支付/消息队列.md")
    app.index(False, silent)
    assert embedder.embedded == made, "a moved note takes its weights from the cache"
    assert sparse_ranks(app, "消息积压")["支付/消息队列.md"] == 1
    write_vault(app.vault, {"支付/支付模块.md": "# 支付模块\n\n鲸鱼。\n", "新.md": "# 新\n\n海豚。\n"})
    (app.vault / "人物/张三.md").unlink()
    app.index(False, silent)
    assert sparse_ranks(app, "鲸")["支付/支付模块.md"] == sparse_ranks(app, "豚")["新.md"] == 1
    assert "人物/张三.md" not in sparse_ranks(app, "架构师")
    fresh = App.open(
        app.vault, app.vault, {"index": {"dir": str(app.vault.parent / "fresh")}, "answer": {"chat": "none"}}
    )
    fresh.index(True, silent)
    assert contents(app) == contents(fresh)
    fresh.close()
    app.index(True, silent)
    assert sparse_ranks(app, "消息积压")["支付/消息队列.md"] == 1, "made anew from the cache"


def test_an_interrupted_run_goes_on_with_them(open_vault: Open) -> None:
    app = open_vault({f"{number}.md": f"# {number}\n\n第 {number} 篇。\n" for number in range(70)})
    app.index(False, silent, embed_seconds=0.0)
    assert sparse_ranks(app, "篇") == {}
    app.index(False, silent)
    weights = app._readers.weights
    assert weights is not None
    assert len(weights.search(weigh("篇"), 100, Filters())) == 70


def test_an_embedder_without_weights_has_two_lists(
    open_vault: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: HashingEmbedder())
    app = open_vault(SMALL)
    app.index(False, silent)
    result = app.search("消息积压", Filters())
    assert all(item.why.sparse_rank is None for item in result.candidates)
    assert "sparse" not in result.trace.milliseconds
    assert search_json(result, with_dropped=False)["results"][0]["why"]["sparse"] is None  # type: ignore[index]
