"""How an answer shows what is not to be relied on, and that nothing in a note can break the terminal."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from graphrag.cli.render_answer import render_answer
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Citation,
    ConflictSide,
    Flag,
    FlagReason,
    Route,
    SourceConflict,
    Trace,
)
from graphrag.shapes import answer_json, dump

CITED = tuple(
    Citation(
        key, f"{key}.md", f"标题{key}", (), (key, key), "", "", "obsidian://open?vault=v", "引文", f"{key}.md:{key}"
    )
    for key in (1, 2)
)
ANSWER = Answer(
    question="超时是多少",
    route=Route.HYBRID,
    status=AnswerStatus.ANSWERED,
    answer="超时为 5 秒[1]。重试七次[未证实]。",
    model="ollama:x",
    citations=CITED,
    snapshot=None,
    conflict=True,
    trace=Trace({}),
    flags=(
        Flag("重试七次。", FlagReason.NUMBER, "七次 ≠ 三次"),
        Flag("火星上很冷。" * 20, FlagReason.NO_SUPPORT, ""),
    ),
    conflicts=(SourceConflict("渠道调用超时", (ConflictSide("5 秒", 1, "2024-06-16"), ConflictSide("3 秒", 2, ""))),),
)


def shown(answer: Answer, *, is_terminal: bool = False) -> str:
    file = StringIO()
    console = Console(
        file=file, force_terminal=is_terminal, width=100, highlight=False, emoji=False, markup=False, soft_wrap=True
    )
    render_answer(console, answer)
    return file.getvalue()


def test_a_conflict_shows_each_side_with_its_source_and_date() -> None:
    lines = shown(ANSWER).splitlines()
    place = lines.index("! 来源说法不一：渠道调用超时")
    assert lines[place + 1 : place + 3] == ["  5 秒 [1]  2024-06-16", "  3 秒 [2]"]


def test_each_flag_is_one_line_that_says_why_and_what_was_left_out() -> None:
    lines = [line for line in shown(ANSWER).splitlines() if line.startswith("?")]
    assert lines[0] == "? 数字不在来源里 · 七次 ≠ 三次 — 重试七次。"
    assert lines[1].startswith("? 已去掉 · 没有来源这样说 — 火星上很冷。") and lines[1].endswith("…")


def test_an_english_question_gets_english_words() -> None:
    text = shown(replace(ANSWER, question="How long?"))
    assert "! The sources disagree: 渠道调用超时" in text and "? number not in its source · 七次" in text


def test_a_refusal_shows_what_was_dropped() -> None:
    refused = replace(ANSWER, status=AnswerStatus.NOT_IN_NOTES, answer="", citations=(), conflicts=(), conflict=False)
    assert shown(refused).count("已去掉") == 2


def test_json_holds_the_flags_and_the_conflicts() -> None:
    reply = json.loads(dump(answer_json(ANSWER)))
    assert reply["conflict"] is True
    assert reply["conflicts"] == [
        {
            "subject": "渠道调用超时",
            "sides": [
                {"value": "5 秒", "key": 1, "date": "2024-06-16"},
                {"value": "3 秒", "key": 2, "date": ""},
            ],
        }
    ]
    assert reply["flags"][0] == {"sentence": "重试七次。", "reason": "number", "detail": "七次 ≠ 三次"}


ESCAPES = (
    "\x1b[2J",
    "\x1b]8;;http://evil\x1b\\",
    "\x07",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\r",
    "\u2028",
    "\x00",
    "\ufeff",
)


@pytest.mark.parametrize("escape", ESCAPES)
def test_no_escape_of_a_note_reaches_the_terminal(escape: str) -> None:
    hostile = f"甲{escape}乙"
    citation = replace(CITED[0], note=hostile, title=hostile, url=f"obsidian://{escape}", quote=hostile, origin=hostile)
    answer = replace(
        ANSWER,
        answer=f"{hostile}[1]",
        citations=(citation,),
        notice=hostile,
        sub_questions=(hostile,),
        flags=(Flag(hostile, FlagReason.NAME, hostile),),
        conflicts=(SourceConflict(hostile, (ConflictSide(hostile, 1, ""), ConflictSide("乙", 1, ""))),),
    )
    plain = shown(answer)
    assert "\x1b" not in plain and not any(sign in plain for sign in escape if sign != "\n" and not sign.isprintable())
    # On a terminal the only escapes are ours: colours, and links to the citations' own addresses.
    assert "\x1b[2J" not in shown(answer, is_terminal=True) and "http://evil\x1b" not in shown(answer, is_terminal=True)


def test_a_very_long_line_and_markup_are_shown_as_they_are() -> None:
    told = shown(replace(ANSWER, answer="[bold]<b>x</b>[/bold] " + "长" * 20_000))
    assert "[bold]<b>x</b>[/bold]" in told and "长" * 20_000 in told
