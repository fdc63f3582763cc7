from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.grounding.conflict import Dispute, DisputeFinder
from graphrag.retrieve.pipeline import build_context
from tests.cases import each_line
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import TOKENIZER
from tests.generated import examples

PERSONS = {"张三": ("张三", "老张"), "老张": ("张三", "老张"), "李四": ("李四",)}


def disputes(question: str, one: str, *others: str) -> tuple[Dispute, ...]:
    """Return what is disputed of the first sentence of the first text, each text being a note of its own."""
    context = build_context((make_chunk(make_note(f"n{i}.md"), 0, text) for i, text in enumerate((one, *others))), 9999)
    return DisputeFinder(question, context, TOKENIZER, lambda: PERSONS).find([(1, 0)])


def values(question: str, one: str, other: str) -> list[str]:
    return [side.value for dispute in disputes(question, one, other) for side in dispute.sides]


@each_line
def test_sources_that_say_different_things_of_the_same_disagree(
    question: str, one: str, other: str, sides: list[str]
) -> None:
    assert values(question, one, other) == sides


@each_line
def test_sources_that_speak_of_two_things_do_not(question: str, one: str, other: str) -> None:
    assert values(question, one, other) == []


def test_the_question_has_to_be_about_it() -> None:
    texts = ("渠道调用超时定为 3 秒。", "渠道调用超时统一为 5 秒。")
    assert not disputes("天气怎么样", *texts)


def test_what_only_one_of_them_shares_with_the_question_tells_them_apart() -> None:
    context = build_context(
        [
            make_chunk(make_note("a.md", title="Kafka"), 0, "单条消息上限 1 MB。"),
            make_chunk(make_note("b.md", title="RocketMQ"), 0, "单条消息上限 256 KB。"),
        ],
        9999,
    )
    finder = DisputeFinder("Kafka 单条消息上限多少", context, TOKENIZER, dict)
    assert finder.find([(1, 0)]) == ()
    assert DisputeFinder("单条消息上限多少", context, TOKENIZER, dict).find([(1, 0)]) != ()


def test_one_note_does_not_disagree_with_itself() -> None:
    note = make_note("a.md")
    texts = ("渠道调用超时定为 3 秒。", "渠道调用超时统一为 5 秒。")
    context = build_context((make_chunk(note, ordinal, text) for ordinal, text in enumerate(texts)), 9999)
    assert DisputeFinder("渠道调用超时是多少", context, TOKENIZER, dict).find([(1, 0)]) == ()


def test_only_what_the_answer_rests_on_is_compared() -> None:
    context = build_context(
        (
            make_chunk(make_note(f"{i}.md"), 0, text)
            for i, text in enumerate(("别的。渠道调用超时定为 3 秒。", "渠道调用超时统一为 5 秒。"))
        ),
        9999,
    )
    finder = DisputeFinder("渠道调用超时是多少", context, TOKENIZER, dict)
    assert finder.find([(1, 0)]) == () and len(finder.find([(1, 3)])) == 1


def test_the_subject_is_what_the_clauses_have_in_common() -> None:
    (dispute,) = disputes(
        "渠道调用超时是多少", "渠道调用超时定为 3 秒。", "渠道调用超时统一为 5 秒。", "渠道调用超时为 8 秒。"
    )
    assert dispute.subject == "渠道调用超时"
    assert [(side.value, side.statement.key) for side in dispute.sides] == [("3 秒", 1), ("5 秒", 2), ("8 秒", 3)]


def test_a_field_that_every_note_of_a_kind_has_is_no_dispute() -> None:
    texts = [f"纸书出版时间 {year}-09-01。" for year in range(2010, 2016)]
    assert values("纸书出版时间", *texts[:2]) != [] and not disputes("纸书出版时间", *texts)


def test_two_notes_of_a_day_tell_of_their_days() -> None:
    texts = ("晨跑距离统计为 5 公里。", "晨跑距离统计为 8 公里。")
    for names, count in ((("2024-03-01.md", "2024-03-02.md"), 0), (("2024-03-01.md", "跑步.md"), 1)):
        context = build_context(
            (make_chunk(make_note(name), 0, text) for name, text in zip(names, texts, strict=True)), 9999
        )
        assert len(DisputeFinder("晨跑距离统计", context, TOKENIZER, dict).find([(1, 0)])) == count


def test_who_is_known_is_asked_only_where_it_matters() -> None:
    def refuse() -> dict[str, tuple[str, ...]]:
        raise AssertionError("nobody is made responsible for anything")

    context = build_context(
        (make_chunk(make_note(f"{i}.md"), 0, text) for i, text in enumerate(("超时定为 3 秒。", "超时为 5 秒。"))), 9999
    )
    DisputeFinder("超时是多少", context, TOKENIZER, refuse).find([(1, 0)])


ODD = st.text(alphabet=st.sampled_from("渠道调用超时不没三百万 \n|#:：，。？35秒次2024-年月日张三李四负责abc"))


@settings(max_examples=examples(60))
@given(ODD, st.lists(ODD, min_size=2, max_size=4))
def test_nothing_that_notes_say_breaks_the_search_for_disputes(question: str, texts: list[str]) -> None:
    context = build_context((make_chunk(make_note(f"{i}.md"), 0, text) for i, text in enumerate(texts)), 9999)
    grounds = [(key, start) for key in range(1, len(texts) + 1) for start in range(3)]
    for dispute in DisputeFinder(question, context, TOKENIZER, lambda: PERSONS).find(grounds):
        assert len({side.value for side in dispute.sides}) > 1
