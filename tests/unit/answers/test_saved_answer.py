"""An answer becomes a new note: named safely, linked to its sources, and in the way of nothing that is there."""

import os
import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.answers.saved_answer import save_answer
from graphrag.domain.note import Diagnostic
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Citation,
    ConflictSide,
    Flag,
    FlagReason,
    Route,
    SnapshotRef,
    SourceConflict,
    Trace,
)
from graphrag.errors import VaultError
from graphrag.ingest.note_rule import NoteRule
from graphrag.ingest.prepare import read_note
from tests.generated import examples

NOW = datetime(2024, 6, 16, 9, 30, tzinfo=timezone(timedelta(hours=8)))
COMMIT = "3f2a9c1d5e7b8a90c1d2e3f405162738495a6b7c"
QUESTION = "为什么选择 Saga？"


def citation(
    key: int,
    note: str = "架构/支付模块.md",
    heading: tuple[str, ...] = ("支付模块", "为什么：Saga#1"),
    **fields: object,
) -> Citation:
    given = {"lines": (12, 20), "ref": f"{note}:12-20@3f2a9c1", **fields}
    return Citation(
        key, note, "支付模块", heading, commit=COMMIT, changed="2024-05-02T10:00:00", url="", quote="", **given
    )  # type: ignore[arg-type]


def answer(
    text: str = "银行通道做不到 [1]。补偿由队列触发 [1][2]。", question: str = QUESTION, *citations: Citation
) -> Answer:
    return Answer(
        question=question,
        route=Route.HYBRID,
        status=AnswerStatus.ANSWERED,
        answer=text,
        model="ollama:qwen2.5:7b",
        citations=citations or (citation(1), citation(2, "队列.md", (), lines=(31, 31))),
        snapshot=SnapshotRef(3, COMMIT, False, 1.0),
        conflict=False,
        trace=Trace({}),
    )


def save(vault: Path, given: Answer, name: str = "", folder: str = "问答") -> str:
    path = save_answer(vault, folder, given, name, NOW)
    assert path is not None
    return path


def test_the_note_holds_answer_sources_commit_and_date(tmp_path: Path) -> None:
    path = save(tmp_path, answer())
    assert path == "问答/为什么选择 Saga.md"
    text = (tmp_path / path).read_text(encoding="utf-8")
    head, body = re.fullmatch(r"---\n(.*?)\n---\n\n(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    assert yaml.safe_load(head) == {
        "title": "为什么选择 Saga",
        "created": "2024-06-16T09:30:00+08:00",
        "type": "answer",
        "question": QUESTION,
        "model": "ollama:qwen2.5:7b",
        "commit": COMMIT,
        "rag": False,
    }
    assert body.splitlines() == [
        "银行通道做不到 [[架构/支付模块#为什么：Saga 1|来源1]]。"
        "补偿由队列触发 [[架构/支付模块#为什么：Saga 1|来源1]] [[队列|来源2]]。",
        "",
        "## 来源",
        "",
        "1. [[架构/支付模块#为什么：Saga 1|支付模块 › 为什么：Saga#1]] · 第 12–20 行 · 2024-05-02 · "
        "`架构/支付模块.md:12-20@3f2a9c1`",
        "2. [[队列|支付模块]] · 第 31 行 · 2024-05-02 · `队列.md:12-20@3f2a9c1`",
        "",
        "2024-06-16 由 graphrag 依据笔记写成，提交 3f2a9c1，由 ollama:qwen2.5:7b 撰写。",
    ]


def test_an_english_question_makes_an_english_note(tmp_path: Path) -> None:
    given = replace(answer("It waits [1].", "Why Saga?"), model="extractive", snapshot=None)
    text = (tmp_path / save(tmp_path, given)).read_text(encoding="utf-8")
    assert "## Sources" in text
    assert "|source 1]]" in text
    assert text.endswith("\n\nMade by graphrag on 2024-06-16.\n")


def doubtful(question: str, *flags: Flag) -> Answer:
    sides = (ConflictSide("5 秒", 2, "2024-06-14"), ConflictSide("3 秒", 1, ""))
    text = "超时是 5 秒 [1]。重试七次。[未证实]"
    return replace(answer(text, question), conflicts=(SourceConflict("渠道调用超时", sides),), flags=flags)


def test_the_note_holds_what_was_shown_with_the_answer(tmp_path: Path) -> None:
    flags = (
        Flag("重试七次。", FlagReason.NUMBER, "七次 ≠ 三次"),
        Flag("由 *李四* 决定。", FlagReason.NAME, "李四"),
    )
    text = (tmp_path / save(tmp_path, doubtful(QUESTION, *flags))).read_text(encoding="utf-8")
    section = text[text.index("## 待核对") : text.index("## 来源")].splitlines()
    assert text.index("重试七次") < text.index("## 待核对")
    assert section == [
        "## 待核对",
        "",
        "- 来源说法不一：渠道调用超时",
        "    - 5 秒 · [[队列|来源2]] · 2024-06-14",
        "    - 3 秒 · [[架构/支付模块#为什么：Saga 1|来源1]]",
        "- 数字不在来源里 · 七次 ≠ 三次 — 重试七次。",
        r"- 已去掉 · 来源没有提到 · 李四 — 由 \*李四\* 决定。",
        "",
    ]


def test_what_was_shown_is_in_the_language_of_the_question(tmp_path: Path) -> None:
    given = doubtful("Why Saga?", Flag("Gone.", FlagReason.NO_SUPPORT, ""))
    text = (tmp_path / save(tmp_path, given)).read_text(encoding="utf-8")
    assert "## To check\n\n- The sources disagree: 渠道调用超时\n    - 5 秒 · [[队列|source 2]]" in text
    assert "\n- left out · no source says this — Gone.\n\n## Sources" in text
    assert "To check" not in (tmp_path / save(tmp_path, answer())).read_text(encoding="utf-8")


@pytest.mark.parametrize("odd", ["a\n# 标题\n- b", "[[x]] #标签 `c`", "<script>", "| a | b |", "---", "```\nx"])
def test_words_of_notes_stay_words_in_that_section(tmp_path: Path, odd: str) -> None:
    sides = (ConflictSide(odd, 2, ""), ConflictSide("3 秒", 1, ""))
    given = replace(answer(), conflicts=(SourceConflict(odd, sides),), flags=(Flag(odd, FlagReason.IDENTIFIER, odd),))
    text = (tmp_path / save(tmp_path, given)).read_text(encoding="utf-8")
    section = text[text.index("## 待核对\n") : text.index("\n## 来源\n")]
    assert [line.split(" ")[0] for line in section.splitlines() if line] == ["##", "-", "", "", "-"]
    assert not re.search(r"(?<!\\)[`<#](?!# 待)", section.replace("## 待核对", "").replace("#为什么", ""))


def test_the_note_is_no_source_of_later_answers(tmp_path: Path) -> None:
    path = save(tmp_path, answer())
    found = read_note(path, (tmp_path / path).read_bytes(), NoteRule())
    assert isinstance(found, Diagnostic)
    assert "rag: false" in found.message


@pytest.mark.parametrize("status", [status for status in AnswerStatus if status is not AnswerStatus.ANSWERED])
def test_a_refusal_is_not_saved(tmp_path: Path, status: AnswerStatus) -> None:
    assert save_answer(tmp_path, "问答", replace(answer(), status=status), "", NOW) is None
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "问答").mkdir()
    mine = tmp_path / "问答" / "为什么选择 Saga.md"
    mine.write_text("mine", encoding="utf-8")
    elsewhere = tmp_path / "elsewhere.md"
    (tmp_path / "问答" / "为什么选择 Saga (2).md").symlink_to(elsewhere)
    assert save(tmp_path, answer()) == "问答/为什么选择 Saga (3).md"
    assert mine.read_text(encoding="utf-8") == "mine"
    assert not elsewhere.exists()
    assert save(tmp_path, answer(question="为什么选择 SAGA")) == "问答/为什么选择 SAGA (4).md"


def test_a_name_of_ones_own_and_a_folder_of_ones_own(tmp_path: Path) -> None:
    assert save(tmp_path, answer(), "../结论/Saga.md", "a/b/") == "a/b/-结论-Saga.md"
    assert save(tmp_path, answer(), "结论", "") == "结论.md"
    assert save(tmp_path, answer(question="tag:支付 为什么")) == "问答/为什么.md"


@pytest.mark.parametrize("folder", ["..", "a/../..", "/etc", ".obsidian", "a//b", "a\\b", "C:/x", "a/.git"])
def test_a_folder_outside_or_hidden_is_refused(tmp_path: Path, folder: str) -> None:
    with pytest.raises(VaultError, match="save_dir"):
        save_answer(tmp_path, folder, answer(), "", NOW)


def test_nothing_is_written_through_a_link_or_over_a_file(tmp_path: Path) -> None:
    outside, vault = tmp_path / "outside", tmp_path / "vault"
    outside.mkdir()
    vault.mkdir()
    (vault / "问答").symlink_to(outside)
    with pytest.raises(VaultError, match="symbolic link"):
        save_answer(vault, "问答", answer(), "", NOW)
    (vault / "file").write_text("", encoding="utf-8")
    with pytest.raises(VaultError, match="not a folder"):
        save_answer(vault, "file", answer(), "", NOW)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("refused", ["mkdir", "open"])
def test_a_vault_that_cannot_be_written_is_what_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system", str(self))

    if refused == "open":
        (tmp_path / "问答").mkdir()
    monkeypatch.setattr(Path, refused, refuse)
    with pytest.raises(VaultError, match=r"问答: the vault cannot be written \(Read-only .*save_dir") as told:
        save_answer(tmp_path, "问答", answer(), "", NOW)
    assert "index" not in str(told.value)


def test_an_answer_without_sources_has_no_heading_for_them(tmp_path: Path) -> None:
    given = replace(answer("62 篇笔记里有 1 个标签：\n- #支付（3 篇）", "有哪些标签"), citations=())
    text = (tmp_path / save(tmp_path, given)).read_text(encoding="utf-8")
    assert "- #支付（3 篇）\n\n2024-06-16 由" in text


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(VaultError, match=r"No space.*Free some space\."):
        save_answer(tmp_path, "问答", answer(), "", NOW)
    assert list((tmp_path / "问答").iterdir()) == []


def test_marks_in_code_and_unknown_ones_are_no_links_and_tables_stay_tables(tmp_path: Path) -> None:
    given = answer("`a[1]` 是 [7] 数组 [1]。\n\n| 列 | 值 [1] |\n\n```\nx[1]\n```")
    text = (tmp_path / save(tmp_path, given)).read_text(encoding="utf-8")
    assert "`a[1]`" in text
    assert "\nx[1]\n" in text
    assert "| 列 | 值 [[架构/支付模块#为什么：Saga 1\\|来源1]] |" in text


@pytest.mark.parametrize("note", ["C#/笔记.md", "a|b.md", "x[1].md", "ontology/team.ttl"])
def test_what_obsidian_cannot_link_is_named(tmp_path: Path, note: str) -> None:
    ref = "" if note.endswith(".ttl") else note
    text = (tmp_path / save(tmp_path, answer("一句 [1]。", QUESTION, citation(1, note, ref=ref)))).read_text(
        encoding="utf-8"
    )
    assert "[[" not in text
    assert f"来源1 ({note})" in text


_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
_QUESTIONS = st.text(max_size=120) | st.sampled_from(
    ["CON", "..", "/", "nul?", ".git", "a/../b", "问" * 300, "\x85", "a\u2028b\ufeff", "\n---\n", "👩‍👩‍👧" * 60, "-"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(200))
@given(_QUESTIONS, st.text(max_size=40) | st.just(""))
def test_any_question_and_any_name_make_a_safe_name(tmp_path: Path, question: str, name: str) -> None:
    before = {entry.name for entry in (tmp_path / "问答").iterdir()} if (tmp_path / "问答").exists() else set()
    path = save(tmp_path, answer(question=question), name)
    folder, file = path.split("/")
    assert folder == "问答"
    assert file not in before
    assert {entry.name for entry in (tmp_path / "问答").iterdir()} == before | {file}
    assert file.endswith(".md")
    assert not file.startswith(".")
    assert len(os.fsencode(file)) <= 255
    assert not re.search(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f]', file)
    assert not _DEVICES.match(file.removesuffix(".md"))
    assert not re.search(r"[. ]\Z", file.removesuffix(".md"))
    text = (tmp_path / path).read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("\n---\n", 1)[0])
    assert (head["question"], head["rag"]) == (" ".join(question.split()), False)
