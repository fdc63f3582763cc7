from dataclasses import replace

import pytest

from graphrag.answers.from_passages import AnswerPolicy, PassageAnswerer
from graphrag.domain.note import Chunk
from graphrag.domain.query import Answer, AnswerStatus, Candidate, Why
from graphrag.errors import ProviderError, ProviderUnavailable
from graphrag.retrieve.pipeline import Found, SearchMode, StageClock, policy_of, search
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.rerank import RerankPolicy, rerank
from tests.fakes.chat import TurnByTurnChat
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.plans import answer_by, plan_for
from tests.fakes.readers import open_readers, search_policy
from tests.fakes.reranker import OverlapReranker

NOTES = {"a.md": ["支付 支付 支付 手续费"], "b.md": ["支付 失败 重试 三次"], "c.md": ["支付 对账"]}
QUESTION = "支付 失败 重试 几次"


class FixedScores:
    model_id = "fixed"

    def __init__(self, *scores: float) -> None:
        self._scores = scores

    def check(self) -> None:
        pass

    def score(self, question: str, passages: object) -> tuple[float, ...]:
        return self._scores


def candidates(*texts: str) -> list[Candidate]:
    return [
        Candidate(make_chunk(make_note(f"{text}.md"), 0, text), 1 / rank, Why(full_text_rank=rank))
        for rank, text in enumerate(texts, 1)
    ]


def order(scores: tuple[float, ...], share: float, depth: int = 10, gone: str = "") -> list[str]:
    def why_gone(chunk: Chunk) -> str:
        return "gone" if chunk.text == gone else ""

    policy = RerankPolicy(depth, share, rrf_k=10)
    found = rerank(FixedScores(*scores), "q", candidates("一", "二", "三", "四"), policy, why_gone)
    return [item.chunk.text for item in found]


def test_the_share_decides_between_both_orders() -> None:
    scores = (0.1, 0.2, 0.3, 0.9)
    assert order(scores, 0.0) == ["一", "二", "三", "四"]
    assert order(scores, 1.0) == ["四", "三", "二", "一"]
    assert order((0.9, 0.1, 0.2, 0.95), 0.5) == ["一", "四", "二", "三"]


def test_equal_scores_decide_nothing() -> None:
    assert order((0.5, 0.5, 0.5, 0.5), 0.9) == ["一", "二", "三", "四"]


def test_only_the_best_are_read_and_stay_before_the_rest() -> None:
    assert order((0.1, 0.9), 0.9, depth=2) == ["二", "一", "三", "四"]


def test_what_the_vault_no_longer_holds_is_not_read() -> None:
    assert order((0.1, 0.9, 0.2), 1.0, gone="二")[:2] == ["三", "四"]


def test_the_score_is_kept_as_a_reason() -> None:
    policy = RerankPolicy(1, 0.5, rrf_k=10)
    first, second = rerank(FixedScores(0.25), "q", candidates("一", "二"), policy, lambda chunk: "")
    assert first.why == Why(full_text_rank=1, rerank=0.25) and second.why == Why(full_text_rank=2)


def readers_with(reranker: OverlapReranker) -> SnapshotReaders:
    return replace(open_readers(NOTES, is_embedded=True), load_reranker=lambda: reranker)


def run(readers: SnapshotReaders, share: float | None = 1.0, text: str = QUESTION) -> Found:
    policy = replace(search_policy(), rerank=RerankPolicy(30, share, 10) if share is not None else None)
    return search(readers, plan_for(readers, text), policy, StageClock())


def test_a_search_reads_title_and_text_of_the_best_and_says_how_long_it_took() -> None:
    reranker = OverlapReranker()
    result = run(readers_with(reranker)).result
    assert result.candidates[0].chunk.note == "b.md"
    assert all(item.why.rerank is not None for item in result.candidates) and result.notice == ""
    assert list(result.trace.milliseconds)[-3:] == ["rerank", "select", "assess"]
    [(question, passages)] = reranker.asked
    assert question == QUESTION and any("b" in passage and "失败" in passage for passage in passages)


def test_without_a_reranker_nothing_changes() -> None:
    result = run(open_readers(NOTES), share=None).result
    assert "rerank" not in result.trace.milliseconds and result.candidates[0].why.rerank is None


def test_a_reranker_that_fails_leaves_the_order_and_a_notice() -> None:
    result = run(readers_with(OverlapReranker(ProviderUnavailable("Start it.")))).result
    plain = run(open_readers(NOTES, is_embedded=True), share=None).result
    assert result.notice == "Start it. Until then, results are not reranked."
    assert [item.chunk for item in result.candidates] == [item.chunk for item in plain.candidates]
    assert [item.score for item in result.candidates] == [item.score for item in plain.candidates]


def test_a_reranker_that_cannot_be_loaded_leaves_a_notice() -> None:
    def load() -> OverlapReranker:
        raise ProviderError("Install it.")

    result = run(replace(open_readers(NOTES), load_reranker=load)).result
    assert result.candidates and result.notice.startswith("Install it.")


class SilentEmbedder(HashingEmbedder):
    def embed_query(self, text: str) -> None:  # type: ignore[override]
        raise ProviderUnavailable("Run: ollama serve.")


def test_an_embedder_that_fails_leaves_words_and_a_notice() -> None:
    found = run(replace(open_readers(NOTES, is_embedded=True), load_embedder=SilentEmbedder), share=None)
    assert found.vector is None and found.result.candidates
    assert found.result.notice == "Run: ollama serve. Until then, words and links have to do without meaning."


def ask(readers: SnapshotReaders, chat: TurnByTurnChat | None = None, text: str = QUESTION) -> Answer:
    policy = AnswerPolicy(token_budget=2000, max_characters=500, min_confidence=0.0, sub_questions=2)
    wanted = replace(search_policy(), rerank=RerankPolicy(30, 0.7, 10))
    return answer_by(PassageAnswerer(readers, wanted, policy, chat, "库"), plan_for(readers, text))


def test_an_answer_says_that_its_passages_were_not_reranked() -> None:
    reranker = OverlapReranker(ProviderUnavailable("Start it."))
    answer = ask(readers_with(reranker))
    assert answer.status is AnswerStatus.ANSWERED and answer.notice.count("Start it.") == 1


def test_a_reranker_that_failed_is_not_asked_again_for_the_same_answer() -> None:
    reranker = OverlapReranker(ProviderUnavailable("Start it."))
    chat = TurnByTurnChat("支付 对账", "够了", "支付失败重试三次[来源1]。")
    text = "支付失败以后重试几次的那个模块由谁负责？"
    answer = ask(readers_with(reranker), chat, text)
    assert answer.sub_questions == ("支付 对账",)
    assert len(reranker.asked) == 1 and answer.notice.count("Start it.") == 1


@pytest.mark.parametrize("mode", [mode for mode in SearchMode if mode is not SearchMode.SETTINGS])
def test_the_modes_that_look_at_a_stage_alone_do_not_rerank(mode: SearchMode) -> None:
    policy = replace(search_policy(), rerank=RerankPolicy(30, 0.7, 10))
    assert policy_of(mode, policy).rerank is None
    assert policy_of(SearchMode.SETTINGS, policy).rerank == policy.rerank
