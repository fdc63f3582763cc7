from graphrag.language.sentences import answer_sentences, coverage, find_sentences
from tests.cases import each_line
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import TOKENIZER


def sentences_of(text: str) -> list[str]:
    return list(answer_sentences(make_chunk(make_note("n.md"), 0, text)))


@each_line
def test_passages_fall_into_plain_sentences(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


def test_hostile_marks_take_no_time() -> None:
    hostile = (" >" * 20_000, "*" * 20_000, "`" * 20_000, "[ ] " * 10_000, "_" * 20_000 + "x", "~" * 20_000)
    for text in (*hostile, "[^a] " * 5_000, "~~a " * 1_000, "**a " * 1_000, "`a ``" * 1_000, "$a " * 1_000):
        sentences_of(text)


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    weights = {"重试": 3.0, "三次": 1.0}
    assert coverage("消息会重试", weights, TOKENIZER) == 0.75
    assert coverage("重试三次", weights, TOKENIZER) == 1.0
    assert coverage("别的", weights, TOKENIZER) == 0.0
    assert coverage("重试", {}, TOKENIZER) == 0.0


def test_a_stretch_is_where_the_sentence_stands() -> None:
    text = "**先焯水？** 要的，~~用冷水~~用热水。\n- `a; b` 是代码"
    stretches = [text[sentence.start : sentence.end] for sentence in find_sentences(text)]
    assert stretches == ["先焯水？", "要的，~~用冷水~~用热水。", "- `a; b` 是代码"]


def test_what_is_struck_out_leads_nothing() -> None:
    text = "# ~~旧题~~ 新题\n~~旧的~~条件：\n- 第一项是这样\n\n| ~~旧列~~ 列 |\n|---|\n| 值 |"
    assert [sentence.lead for sentence in find_sentences(text)][1:] == ["新题 条件：", "新题", "新题 | 列 |"]
