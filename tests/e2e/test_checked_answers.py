"""Answers over the example vault: what the notes' own sentences say passes the check, and no conflict is made up."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag.answers.from_passages import measures_of
from graphrag.app import App
from graphrag.domain.query import Answer, AnswerStatus, Context, ContextBlock, Filters
from graphrag.evaluate.evaluation import cited_passages
from graphrag.grounding.support import Meaning
from graphrag.grounding.verify import verify
from tests.conftest import MakeOnce
from tests.e2e.conftest import EXAMPLES, write_demo_of_words

QUESTIONS = [json.loads(line)["question"] for line in (EXAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]
DISPUTED = "渠道调用超时到底是几秒？以前定的和现在定的一样吗？"


@pytest.fixture(scope="module")
def vault(make_once: MakeOnce) -> Path:
    folder = make_once("words", write_demo_of_words)
    settings = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n[search]\nmin_confidence = 0.0\n'
    (folder / "graphrag.toml").write_text(settings, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def app(vault: Path) -> Iterator[App]:
    opened = App.open(vault, vault)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def extracted(app: App, is_full: bool) -> list[Answer]:
    asked = QUESTIONS if is_full else [*QUESTIONS[::3], DISPUTED]
    answers = (app.ask(question, Filters()) for question in dict.fromkeys(asked))
    return [answer for answer in answers if answer.status is AnswerStatus.ANSWERED and answer.model == "extractive"]


def test_an_answer_of_the_notes_own_sentences_passes_its_own_check(app: App, extracted: list[Answer]) -> None:
    readers = app._snapshot.readers
    measures = measures_of(readers, dict, Meaning(lambda: None, lambda: None))
    assert len(extracted) > 20
    for answer in extracted:
        blocks = tuple(ContextBlock(key, chunk) for key, chunk in cited_passages(readers, answer.citations))
        checked = verify(answer.answer, Context(blocks, 0), measures)
        assert checked.flags == (), answer.question
        assert checked.keys == tuple(
            citation.key for citation in answer.citations if f"[{citation.key}]" in answer.answer
        )


def test_each_sentence_is_cited_by_the_lines_that_it_stands_on(vault: Path, extracted: list[Answer]) -> None:
    for answer in extracted:
        for citation in answer.citations:
            if citation.note.endswith(".canvas"):  # whose names stand elsewhere than the lines that join them
                continue
            first, last = citation.lines
            text = (vault / citation.note).read_text(encoding="utf-8")
            lines = text.split("\n")[first - 1 : last]
            # The names of a table's columns stand above its rows.
            is_row = lines[0].lstrip().startswith("|")
            named = re.findall(r"\w+", " ".join(re.findall(r"([^·\n]+): ", citation.quote))) if is_row else []
            words = [word for word in re.findall(r"\w+", citation.quote) if word not in named]
            assert sum(word in "\n".join(lines) for word in words) >= 0.7 * len(words), (citation.note, citation.lines)
            assert all(name in text for name in named)
            assert lines[0].strip() and lines[-1].strip()
    spans = [citation.lines[1] - citation.lines[0] + 1 for answer in extracted for citation in answer.citations]
    assert sum(spans) / len(spans) < 2


def test_the_one_dispute_of_the_vault_is_told_and_no_other(extracted: list[Answer]) -> None:
    disputed = [answer for answer in extracted if answer.conflict]
    assert [answer.question for answer in disputed] == [DISPUTED]
    (conflict,) = disputed[0].conflicts
    assert conflict.subject == "渠道调用超时"
    assert [(side.value, side.date) for side in conflict.sides] == [("5 秒", "2024-06-16"), ("3 秒", "2024-03-08")]
    notes = {citation.key: citation.note for citation in disputed[0].citations}
    assert [notes[side.key].rpartition("/")[2] for side in conflict.sides] == [
        "ADR-0011 渠道超时与重试.md",
        "2024-03-08 支付网关评审.md",
    ]
