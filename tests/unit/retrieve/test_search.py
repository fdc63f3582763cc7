import re
from dataclasses import replace

import pytest

from graphrag.domain.note import Chunk
from graphrag.domain.query import Candidate, Filters, FullTextHit, GoneReason, Stage, VectorHit, Why
from graphrag.language.interface import Language, interface_language
from graphrag.language.script import is_chinese
from graphrag.retrieve.pipeline import Found, StageClock, search
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.search import (
    Lists,
    best_coverage,
    best_similarity,
    fuse,
    phrases_of,
    raise_phrases,
    rare_identifiers,
    search_full_text,
    search_vectors,
    term_weights,
)
from graphrag.retrieve.select import SelectPolicy, select
from graphrag.retrieve.why_not import explain_absence
from tests.fakes.notes import make_chunk, make_link, make_note
from tests.fakes.plans import plan_for
from tests.fakes.readers import EMBEDDER, open_readers, search_policy

ANY = Filters()
NOTES = {
    "a.md": ["支付 重试 三次", "支付 手续费"],
    "b.md": ["重试 间隔"],
    "c.md": ["牛腩 焯水"],
    "d.md": ["支付"],
}


def run(readers: SnapshotReaders, text: str, **numbers: int) -> Found:
    return search(readers, plan_for(readers, text), search_policy(**numbers), StageClock())


def candidate(
    note: str, text: str, score: float, *, terms: tuple[str, ...] = (), similarity: float | None = None
) -> Candidate:
    why = Why(terms=terms, similarity=similarity)
    return Candidate(make_chunk(make_note(note), int(score * 1000), text), score, why)


def test_ranks_of_both_lists_are_fused() -> None:
    readers = open_readers(NOTES)
    hits = search_full_text(readers.chunks, ["重试", "支付"], 50, ANY)
    first, second = hits[0].chunk, hits[1].chunk
    other = readers.chunks.chunks_of(["c.md"], ANY)["c.md"][0]
    vectors = (VectorHit(second.id, 0.9), VectorHit(other.id, 0.8), VectorHit("gone", 0.7))
    fused = {item.chunk.id: item for item in fuse(readers.chunks, Lists(hits, vectors), 60, {})}
    assert fused[first.id].score == pytest.approx(1 / 61)
    assert fused[second.id].score == pytest.approx(1 / 62 + 1 / 61)
    assert fused[other.id].score == pytest.approx(1 / 62)
    assert fused[second.id].why.full_text_rank == 2 and fused[second.id].why.vector_rank == 1
    assert fused[other.id].why == Why(vector_rank=2, similarity=0.8)
    assert "gone" not in fused
    assert next(iter(fused)) == second.id, "best first"


def test_a_passage_with_a_rare_identifier_stands_before_what_is_near_in_both_lists() -> None:
    readers = open_readers({"a.md": ["重试 报错 0x61c8"], "b.md": ["重试 报错 间隔"], "c.md": ["重试 次数"]})
    held = readers.chunks.chunks_of(["a.md", "b.md", "c.md"], ANY)
    a, b, c = (held[note][0] for note in ("a.md", "b.md", "c.md"))
    hits = (FullTextHit(b, 3.0, ("重试", "报错")), FullTextHit(a, 2.0, ("0x61c8",)), FullTextHit(c, 1.0, ("重试",)))
    lists = Lists(hits, (VectorHit(b.id, 0.9), VectorHit(c.id, 0.8)))
    assert [item.chunk.note for item in fuse(readers.chunks, lists, 10, {})] == ["b.md", "c.md", "a.md"]
    assert fuse(readers.chunks, lists, 10, {"0x61c8": 1.0})[0].chunk.note == "a.md"
    assert fuse(readers.chunks, lists, 10, {"0x61c8": 0.1})[0].chunk.note == "b.md", "a common one moves little"


def test_identifiers_are_as_rare_as_the_vault_says() -> None:
    readers = open_readers({"a.md": ["redis 缓存 0x61c8"], "b.md": ["redis 重试"], "c.md": ["redis 次数"]})
    text = "redis 的 0x61c8 和 vadd 是什么缓存？"
    terms = readers.tokenizer.tokenize_query(text)
    rare = rare_identifiers(readers.tokenizer.look_up(terms, text), term_weights(readers.chunks, terms, 3), 3)
    assert 0 < rare["redis"] < rare["0x61c8"] < rare["vadd"] == 1.0
    assert "缓存" not in rare


def test_a_term_inside_a_longer_word_is_found_after_whole_words() -> None:
    readers = open_readers({"a.md": ["支付 重试"], "b.md": ["the retrycounter is up"]})
    hits = search_full_text(readers.chunks, ["重试", "retrycount"], 50, ANY)
    assert [hit.chunk.note for hit in hits] == ["a.md", "b.md"] and hits[1].terms == ("retrycount",)
    assert len(search_full_text(readers.chunks, ["重试", "retrycount"], 1, ANY)) == 1


def test_no_vector_means_no_vector_hits() -> None:
    readers = open_readers(NOTES, is_embedded=True)
    assert search_vectors(readers.chunks, None, 5, ANY) == ()
    assert len(search_vectors(readers.chunks, EMBEDDER.embed_query("重试"), 2, ANY)) == 2


def test_a_rare_term_weighs_more() -> None:
    weights = term_weights(open_readers(NOTES).chunks, ["支付", "焯水", "没有"], 5)
    assert 0 < weights["支付"] < weights["焯水"] < weights["没有"]


def test_evidence_is_the_best_passages_share_of_the_question() -> None:
    found = [
        candidate("a.md", "x", 0.9, terms=("a",), similarity=0.5),
        candidate("b.md", "y", 0.8, terms=("b",), similarity=0.7),
    ]
    assert best_coverage(found, {"a": 1.0, "b": 3.0}) == 0.75 and best_similarity(found) == 0.7
    assert best_coverage([], {"a": 1.0}) == 0.0 and best_similarity([]) is None


def selected(candidates: list[Candidate], top_k: int = 10, max_per_note: int = 2) -> tuple[list[str], dict[str, Stage]]:
    kept, dropped = select(candidates, SelectPolicy(top_k, max_per_note, 0.08), lambda chunk: "")
    assert len(kept) + len(dropped) == len(candidates), "every candidate is accounted for"
    assert {item.chunk.id for item in kept} | {item.candidate.chunk.id for item in dropped} == {
        item.chunk.id for item in candidates
    }
    assert all(item.detail for item in dropped)
    return [item.chunk.text for item in kept], {item.candidate.chunk.text: item.stage for item in dropped}


def test_a_note_gives_at_most_its_share() -> None:
    kept, dropped = selected(
        [candidate("a.md", text, 1 - i / 10, terms=("t",)) for i, text in enumerate(("一", "二", "三"))]
    )
    assert kept == ["一", "二"] and dropped == {"三": Stage.PER_NOTE_CAP}


def test_the_first_k_are_kept() -> None:
    kept, dropped = selected([candidate(f"{i}.md", f"text {i} {'abc'[i] * 30}", 1 - i / 10) for i in range(3)], top_k=2)
    assert len(kept) == 2 and list(dropped.values()) == [Stage.TOP_K]


def test_what_says_the_same_is_kept_once() -> None:
    text = "失败的消息最多重试三次，由 retry_count 控制，之后进入死信队列。"
    kept, dropped = selected([candidate("a.md", text, 0.9), candidate("b.md", f"**{text}**", 0.8)])
    assert kept == [text] and list(dropped.values()) == [Stage.NEAR_DUPLICATE]


def test_a_passage_inside_a_much_longer_one_is_no_duplicate() -> None:
    text = "失败的消息最多重试三次，由 retry_count 控制。"
    longer = text + "".join(chr(0x4E00 + i) for i in range(300))
    assert len(selected([candidate("a.md", longer, 0.9), candidate("b.md", text, 0.8)])[0]) == 2


def test_far_meaning_is_dropped_unless_a_word_matches() -> None:
    candidates = [
        candidate("a.md", "近的", 0.9, similarity=0.9),
        candidate("b.md", "远的", 0.8, similarity=0.5),
        candidate("c.md", "有词", 0.7, similarity=0.5, terms=("词",)),
        candidate("d.md", "没算", 0.6),
    ]
    kept, dropped = selected(candidates)
    assert {"近的", "有词"} <= set(kept) and dropped["远的"] is Stage.RELEVANCE_FLOOR


def test_what_the_walk_leads_to_first_may_mean_something_else() -> None:
    near, led, far = (candidate(f"{text}.md", text, 0.9, similarity=0.5) for text in ("近的", "路上", "路远"))
    near = replace(near, why=Why(similarity=0.9))
    led = replace(led, why=Why(similarity=0.5, walk_rank=10))
    far = replace(far, why=Why(similarity=0.5, walk_rank=11))
    kept, dropped = selected([near, led, far])
    assert {"近的", "路上"} == set(kept) and dropped["路远"] is Stage.RELEVANCE_FLOOR


def test_nothing_selected_from_nothing() -> None:
    assert selected([]) == ([], {})


def test_a_search_accounts_for_every_candidate_and_stage() -> None:
    result = run(open_readers(NOTES, [make_link("b.md", "c.md")], is_embedded=True), "支付 重试").result
    ids = [item.chunk.id for item in result.candidates] + [item.candidate.chunk.id for item in result.dropped]
    assert len(ids) == len(set(ids))
    assert list(result.trace.milliseconds) == [
        "route",
        "full_text",
        "embed",
        "vector",
        "fuse",
        "select",
        "assess",
    ]
    assert result.candidates[0].chunk.note == "a.md" and set(result.terms) == {"支付", "重试"}


def test_a_note_named_by_the_question_comes_first() -> None:
    notes = {"支付.md": ["别的内容"], "b.md": ["支付 支付 支付"]}
    result = run(open_readers(notes, [make_link("b.md", "支付.md")]), "支付").result
    assert result.candidates[0].chunk.note == "支付.md" and result.evidence.coverage == 1.0


def test_a_note_is_named_by_title_alias_or_file_name_in_any_case() -> None:
    details = [make_note("a/File.V2.md", title="标题", aliases=("Alias",)), make_note("b/file.v2.md", title="b")]
    readers = open_readers({note.path: ["x"] for note in details}, details=details)
    for text in ("标题", " alias "):
        assert readers.notes_called(text) == {"a/File.V2.md"}
    assert readers.notes_called("FILE.v2") == {"a/File.V2.md", "b/file.v2.md"}
    assert readers.notes_called("file") == frozenset()


def test_a_question_with_nothing_besides_a_name_is_answered_from_the_note() -> None:
    details = [make_note("张三.md", title="张三", aliases=("老张", "Zhang San")), make_note("Redis.md", title="Redis")]
    texts = {"张三.md": ["管支付的人"], "Redis.md": ["缓存"], "b.md": ["老张 谁 什么 怎么 Redis 向量 集合"]}
    readers = open_readers(texts, details=details)
    for text in ("老张是谁", "who is Zhang San?", "张三呢", "老张"):
        assert plan_for(readers, text).notes.asked_about == {"张三.md"}
        result = run(readers, text).result
        assert (result.candidates[0].chunk.note, result.evidence.confidence) == ("张三.md", 1.0)
    assert run(readers, "老张是谁 path:b.md").result.evidence.confidence < 1.0
    for text in ("用 Redis 的向量集合 VADD 怎么用", "老张的血型是什么", "是什么"):
        assert plan_for(readers, text).notes.asked_about == frozenset()
        assert run(readers, text).result.evidence.confidence < 1.0


def lost(
    text: str, note: str, filters: Filters = ANY, *, is_embedded: bool = False, top_k: int = 10
) -> tuple[Stage | None, str]:
    readers = open_readers({**NOTES, "空.md": []}, is_embedded=is_embedded)
    found = search(readers, plan_for(readers, text, filters), search_policy(top_k=top_k), StageClock())
    why = explain_absence(readers, found, note, interface_language("auto", text))
    assert why.note == note
    return why.stage, why.detail


@pytest.mark.parametrize("in_chinese", [True, False])
def test_every_loss_is_told_in_one_language(in_chinese: bool) -> None:
    candidates = [
        candidate("a.md", "近的" * 20, 0.9, similarity=0.9),
        candidate("b.md", "近的" * 20, 0.8, terms=("词",)),
        candidate("b.md", "远的" * 20, 0.7, similarity=0.5),
        candidate("c.md", "没了" * 20, 0.6, terms=("词",)),
        candidate("a.md", "多的" * 20, 0.5, terms=("词",)),
        candidate("d.md", "够了" * 20, 0.4, terms=("词",)),
        candidate("e.md", "还有" * 20, 0.3, terms=("词",)),
    ]

    def why_gone(chunk: Chunk) -> str:
        return GoneReason.CHANGED if chunk.note == "c.md" else ""

    _, dropped = select(candidates, SelectPolicy(2, 1, 0.08), why_gone, Language.ZH if in_chinese else Language.EN)
    assert {item.stage for item in dropped} == {*Stage} - {Stage.CANDIDATES}
    for item in dropped:
        assert is_chinese(item.detail) is in_chinese, item.detail
        assert not in_chinese or not re.search("[a-z]{3}", item.detail.replace("a.md", "")), item.detail


@pytest.mark.parametrize("reason", GoneReason)
def test_what_became_of_a_passage_has_words_in_both_languages(reason: GoneReason) -> None:
    assert Language.EN.say(reason) == reason
    assert is_chinese(Language.ZH.say(reason))


def test_an_absence_is_told_in_the_language_of_the_question() -> None:
    assert lost("重试", "空.md")[1] == "没有编入索引的文字"
    assert lost("重试", "c.md", Filters(paths=("a.md",)))[1] == "被筛选条件排除"
    assert lost("重试", "c.md")[1] == "它最好的一段含有问题的词语：无，别的段落含得更多"


def test_an_absence_is_explained_by_its_stage() -> None:
    assert lost("重试", "b.md")[0] is None
    assert lost("支付 重试", "d.md", top_k=1)[0] is Stage.TOP_K
    assert lost("retry", "空.md") == (Stage.CANDIDATES, "it has no text that is indexed")
    assert lost("retry", "c.md", Filters(paths=("a.md",))) == (Stage.CANDIDATES, "the filters leave it out")
    stage, detail = lost("retry", "c.md")
    assert stage is Stage.CANDIDATES and "holds none" in detail


@pytest.mark.parametrize(
    ("question", "terms", "phrases"),
    [
        ("pass the hash", ["pass", "hash"], ["pass the hash"]),
        ("Pass  the\nhash", ["pass", "hash"], ["pass the hash"]),
        ("链路追踪的采样率", ["链路", "追踪", "采样率", "采样"], ["链路追踪", "追踪的采样率"]),
        ("pass, then hash", ["pass", "hash"], []),
        ("hash", ["hash"], []),
        ("", [], []),
    ],
)
def test_neighbouring_words_of_a_question_are_phrases(question: str, terms: list[str], phrases: list[str]) -> None:
    assert phrases_of(question, terms) == phrases


def test_an_exact_phrase_goes_before_scattered_words() -> None:
    note = make_note("a.md")
    scattered = FullTextHit(make_chunk(note, 0, "The hash may pass; hash, pass."), 1.2, ("pass", "hash"))
    phrase = FullTextHit(make_chunk(note, 1, "A course on Pass the\nhash."), 1.0, ("pass", "hash"))
    assert raise_phrases((scattered, phrase), ["pass the hash"])[0].chunk == phrase.chunk
    assert raise_phrases((scattered, phrase), ["no such words"]) == (scattered, phrase)
    assert raise_phrases((scattered, phrase), []) == (scattered, phrase)


def test_a_vector_that_the_plan_holds_is_not_made_again() -> None:
    readers = open_readers(NOTES, is_embedded=True)

    def fail() -> None:
        raise AssertionError

    text = "为什么用 Saga"
    plan = replace(plan_for(readers, text), vector=EMBEDDER.embed_query(text))
    silent = replace(readers, load_embedder=fail)
    assert search(silent, plan, search_policy(), StageClock()).vector is plan.vector
