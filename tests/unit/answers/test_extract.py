from graphrag.answers.from_passages import Sentence, extract_answer
from graphrag.domain.query import Context
from graphrag.language.script import estimate_tokens
from graphrag.retrieve.pipeline import build_context
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import EMBEDDER, TOKENIZER

WEIGHTS = {"重试": 2.0, "支付": 1.0}


def context_of(*texts: str, budget: int = 9999) -> Context:
    return build_context((make_chunk(make_note(f"n{i}.md"), i, text) for i, text in enumerate(texts)), budget)


def extract(*texts: str, limit: int = 500) -> tuple[Sentence, ...]:
    return extract_answer(context_of(*texts), WEIGHTS, TOKENIZER, None, None, limit)


def test_blocks_are_numbered_from_one_in_the_given_order() -> None:
    context = context_of("甲", "乙", "丙")
    assert [(block.key, block.chunk.text) for block in context.blocks] == [(1, "甲"), (2, "乙"), (3, "丙")]
    assert context.tokens == sum(estimate_tokens(block.chunk.embedded_text()) for block in context.blocks)


def test_a_block_is_in_whole_or_not_at_all() -> None:
    context = context_of("短的一段", "长" * 400, "也短的一段", budget=100)
    assert [block.chunk.text for block in context.blocks] == ["短的一段", "也短的一段"]
    assert [block.key for block in context.blocks] == [1, 2] and context.tokens <= 100


def test_the_best_block_is_in_however_long_it_is() -> None:
    assert len(context_of("长" * 5000, "短的一段", budget=100).blocks) == 1
    assert context_of(budget=100) == Context((), 0)


def test_a_heading_that_repeats_the_title_is_said_once() -> None:
    assert make_chunk(make_note("支付.md"), 2, "文").title_path() == "支付 › 第2节"


def test_the_best_sentences_answer_in_the_order_of_their_blocks() -> None:
    found = extract("支付的重试最多三次。天气很好。", "重试间隔五分钟。")
    assert [(sentence.key, sentence.text) for sentence in found] == [
        (1, "支付的重试最多三次。"),
        (2, "重试间隔五分钟。"),
    ]


def test_the_length_limit_holds_and_one_sentence_is_always_there() -> None:
    texts = [f"支付重试的第{n}种情况是这样的。" for n in "一二三四五六七八"]
    assert sum(len(sentence.text) for sentence in extract(*texts, limit=40)) <= 40
    assert len(extract(*texts)) <= 4
    [only] = extract("支付重试" * 200, limit=50)
    assert only.text.endswith("…") and len(only.text) <= 220


def test_what_was_said_is_not_said_again() -> None:
    found = extract("支付重试三次。", "**支付重试三次**！", "支付重试三次")
    assert len(found) == 1


def test_meaning_decides_between_sentences_that_share_no_word() -> None:
    question = EMBEDDER.embed_query("怎样焯水才不柴")
    context = context_of("会议定在周三下午。怎样焯水：用热水才不柴。")
    found = extract_answer(context, WEIGHTS, TOKENIZER, EMBEDDER, question, 500)
    assert found[0].text == "怎样焯水：用热水才不柴。" and len(found) == 1


def test_nothing_to_say_gives_nothing() -> None:
    assert extract() == () and extract("## 标题", "---") == ()


def test_a_long_sentence_is_cut_with_its_code_closed() -> None:
    [only] = extract("支付重试 `" + "select a, b; " * 40 + "` 完")
    assert only.text.endswith("…`") and only.text.count("`") == 2 and len(only.text) <= 220
    [bare] = extract("支付重试 `a; b` " + "很长" * 200)
    assert bare.text.endswith("很…") or bare.text.endswith("长…")


def test_what_is_struck_out_is_not_quoted() -> None:
    found = extract("支付的重试~~最多五次~~最多三次。~~支付的重试间隔五分钟。~~")
    assert [sentence.text for sentence in found] == ["支付的重试最多三次。"]
