"""Pairs of sentences from two notes: those that disagree, those that agree, and those that speak of two things."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.grounding.conflict import Dispute, DisputeFinder
from graphrag.retrieve.pipeline import build_context
from tests.cases import each_line
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import TOKENIZER
from tests.generated import examples


def find(question: str, *texts: str, grounds: tuple[tuple[int, int], ...] = ((1, 0),)) -> tuple[Dispute, ...]:
    """Return what is disputed where each text is a note of its own; nobody is known as a person."""
    notes = [make_note(f"n{place}.md", title=f"甲{place}") for place in range(len(texts))]
    context = build_context((make_chunk(note, 0, text) for note, text in zip(notes, texts, strict=True)), 9999)
    return DisputeFinder(question, context, TOKENIZER, dict).find(grounds)


def shown(dispute: Dispute) -> tuple[str, list[str]]:
    return dispute.subject, [side.value for side in dispute.sides]


@each_line
def test_sentences_that_differ_in_one_value_disagree_whichever_the_answer_rests_on(
    question: str, one: str, other: str, subject: str | None, values: str | None
) -> None:
    for word in ("北区", "North "):
        assert find(question, f"{word}{one}", other) == (), "a word of its own on one side makes it another thing"
    found = [shown(dispute) for dispute in find(question, one, other)]
    backwards = [shown(dispute) for dispute in find(question, other, one)]
    if values == "":
        assert found == backwards == []
        return
    assert len(found) == len(backwards) == 1
    assert subject is None or found[0][0] == backwards[0][0] == subject
    assert found[0][1] == backwards[0][1][::-1]
    assert values is None or found[0][1] == values.split("|")


@each_line
def test_sentences_that_agree_or_speak_of_two_things_do_not(question: str, one: str, other: str) -> None:
    assert find(question, one, other) == find(question, other, one) == ()
    assert find(f"{one}{other}", one, other) == ()


@each_line
def test_nothing_disagrees_with_the_same_said_again(text: str) -> None:
    assert find(text, text, text) == ()


SUBJECTS = st.sampled_from(["雪松服务端口", "银杏系统超时", "咖啡机价格", "红杉项目预算", "杨树会议人数", "荷花塔高度"])
AMOUNTS = st.integers(2, 999)
UNITS = st.sampled_from(["秒", "元", "米", "人", "GB", "%"])


@settings(max_examples=examples(80))
@given(SUBJECTS, SUBJECTS, AMOUNTS, AMOUNTS, UNITS, UNITS)
def test_a_dispute_is_the_same_subject_and_unit_with_another_value(
    subject: str, other: str, value: int, second: int, unit: str, other_unit: str
) -> None:
    found = find(f"{subject}是多少", f"{subject}是 {value} {unit}。", f"{other}是 {second} {other_unit}。")
    assert bool(found) == (subject == other and unit == other_unit and value != second)


def test_one_dispute_is_told_once_though_the_answer_has_both_sides() -> None:
    texts = ("咖啡机的价格是 3,200 元。", "咖啡机的价格是 3200 元。", "咖啡机的价格是 4500 元。")
    grounds = ((1, 0), (2, 0), (3, 0))
    (dispute,) = find("咖啡机的价格是多少", *texts, grounds=grounds)
    assert [side.value for side in dispute.sides] == ["3,200 元", "4500 元"]


OLDER = "三楼打印机支持双面打印。三楼打印机的密码是 4417。三楼打印机由陈静管理。"
NEWER = "三楼打印机不支持双面打印。三楼打印机的密码是 9920。三楼打印机由刘洋管理。"


def test_what_is_asked_comes_first_and_what_the_answer_gives_one_side_of_is_left_out() -> None:
    double, password, manager = 0, OLDER.index("三楼", 1), OLDER.rindex("三楼")
    all_of_one = ((1, double), (1, password), (1, manager))
    assert [shown(dispute)[0] for dispute in find("三楼打印机的密码", OLDER, NEWER, grounds=all_of_one)] == [
        "三楼打印机的密码"
    ]
    both_doubles = (*all_of_one, (2, double))
    assert [shown(dispute)[0] for dispute in find("三楼打印机谁管理", OLDER, NEWER, grounds=both_doubles)] == [
        "三楼打印机管理",
        "三楼打印机支持双面打印",
    ]
    assert len(find("三楼打印机", OLDER, NEWER, grounds=all_of_one)) == 3


def test_a_short_sentence_may_leave_its_subject_to_what_it_stands_under() -> None:
    def found(title: str, heading: str, text: str) -> int:
        first = make_chunk(make_note("a.md", title="登记"), 0, "雪松服务的监听端口是 8080。")
        second = replace(make_chunk(make_note("b.md", title=title), 0, text), heading=(title, heading))
        return len(
            DisputeFinder("雪松服务的端口", build_context([first, second], 9999), TOKENIZER, dict).find([(1, 0)])
        )

    assert found("清单", "雪松服务", "监听端口是 9090。") == 1
    assert found("清单", "松树服务", "监听端口是 9090。") == 0
    assert found("清单", "服务", "## 雪松服务\n\n监听端口是 9090。") == 1
    assert found("雪松服务", "备用", "监听端口是 9090。") == 0
