"""The example vault as a user meets it: found by words, filtered, answered with sources, private notes never."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.query import AnswerStatus, Filters
from tests.e2e.conftest import EXAMPLES

PRIVATE = ("鲸鱼在七楼晒月亮", "紫罗兰保险箱", "橘猫计划")


@pytest.mark.parametrize(
    "term",
    ["sg_pay_2024", "processTransaction", "retry_count", "C++", "B+树", "node.js", "GMP调度", "幂等", "补偿", "对账"],
)
def test_terms_are_found_at_rank_one_by_words_alone(demo: App, term: str) -> None:
    policy = demo._parts.search_policy()
    words_only = type(policy)(**{**_fields(policy), "use_vectors": False})
    found = demo.find(term, Filters(), words_only).result.candidates
    first = found[0].chunk
    assert term.casefold() in f"{first.title}\n{first.text}".casefold()


def test_an_answer_cites_lines_that_hold_its_words(demo: App, demo_vault: Path) -> None:
    answer = demo.ask("processTransaction 遇到 ReadTimeoutException 会重试吗？", Filters())
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.model == "extractive"
    for citation in answer.citations:
        first, last = citation.lines
        lines = (demo_vault / citation.note).read_text(encoding="utf-8").split("\n")[first - 1 : last]
        words = re.findall(r"\w+", citation.quote)
        assert sum(word in "".join(lines) for word in words) >= 0.8 * len(words)
        assert f"[{citation.key}]" in answer.answer
        assert citation.url.startswith("obsidian://open?vault=")


def test_a_greeting_needs_no_retrieval(demo: App) -> None:
    answer = demo.ask("你好", Filters())
    assert (answer.status, answer.snapshot) == (AnswerStatus.DIRECT, None)
    assert set(answer.trace.milliseconds) == {"route", "direct"}


def test_filters_hold_for_every_result(demo: App) -> None:
    for filters in (Filters(tags=("支付",)), Filters(paths=("会议纪要",)), Filters(since=date(2024, 6, 1))):
        found = demo.search("支付 超时 重试", filters).candidates
        assert found
        for candidate in found:
            note = demo.show(candidate.chunk.note).note
            changed = note.updated or note.created
            assert not filters.tags or any(tag.split("/")[0] == "支付" for tag in note.tags)
            assert not filters.paths or note.path.startswith("会议纪要/")
            assert not filters.since or (changed and changed.date() >= filters.since)


def test_filters_inside_the_question_are_the_same_as_outside(demo: App) -> None:
    inside = demo.search("重试 path:会议纪要", Filters()).candidates
    outside = demo.search("重试", Filters(paths=("会议纪要",))).candidates
    assert [item.chunk.id for item in inside] == [item.chunk.id for item in outside]


def test_private_text_is_in_no_file_of_the_index(demo_vault: Path) -> None:
    for file in (demo_vault / ".graphrag").rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            for phrase in PRIVATE:
                assert phrase.encode() not in content, file
                assert phrase[:4].encode() not in content, file


def test_the_neighbourhood_marks_both_directions(demo: App) -> None:
    neighbors = demo.near("支付模块", 1, 50).neighbors
    by_id = {neighbor.entity.id: neighbor for neighbor in neighbors}
    assert not by_id["支付系统/交易系统.md"].is_backlink
    assert by_id["支付系统/交易系统.md"].relation.name == "属于"
    assert any(neighbor.is_backlink for neighbor in neighbors)


def test_questions_file_is_well_formed() -> None:
    cases = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = [case["kind"] for case in cases]
    assert len(cases) >= 50
    assert {"paraphrase", "term", "cross_note", "unanswerable"} <= set(kinds)
    for case in cases:
        texts = [(EXAMPLES / "vault" / path).read_text(encoding="utf-8") for path in case["relevant"]]
        assert all(any(sentence in text for text in texts) for sentence in case["evidence"])
        assert bool(case["relevant"]) != (case["kind"] == "unanswerable")


@pytest.fixture
def unread(demo_vault: Path, tmp_path: Path) -> Iterator[Path]:
    vault = tmp_path / "vault"
    shutil.copytree(demo_vault, vault, ignore=shutil.ignore_patterns(".graphrag"))
    yield vault


def test_indexing_writes_nothing_into_the_vault_but_its_own_folder(unread: Path) -> None:
    before = {path: path.read_bytes() for path in unread.rglob("*") if path.is_file()}
    app = App.open(unread, unread, {"index": {"embedder": "none"}})
    app.index(False, lambda step, done, total: None)
    app.close()
    after = {path: path.read_bytes() for path in unread.rglob("*") if path.is_file()}
    assert before == {path: content for path, content in after.items() if ".graphrag" not in path.parts}


def _fields(policy: object) -> dict[str, object]:
    return {name: getattr(policy, name) for name in type(policy).__slots__}
