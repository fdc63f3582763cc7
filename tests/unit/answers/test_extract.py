import pytest

from graphrag.answers.extract import AskedText, Extractor, with_best_lines
from graphrag.answers.quotes import MOST_LINES, Quote
from graphrag.domain.query import AskedFor, BestLine, Candidate, Context, Why
from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note
from graphrag.language.script import estimate_tokens
from graphrag.retrieve.pipeline import build_context
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import EMBEDDER, TOKENIZER

WEIGHTS = {"重试": 2.0, "支付": 1.0}


def context_of(*texts: str, budget: int = 9999) -> Context:
    return build_context((make_chunk(make_note(f"n{i}.md"), i, text) for i, text in enumerate(texts)), budget)


def extract(
    *texts: str, limit: int = 500, asked_for: AskedFor = AskedFor.FACT, question: str = "支付的重试"
) -> tuple[Quote, ...]:
    weights = dict.fromkeys(TOKENIZER.tokenize_query(question), 1.0)
    return (
        Extractor(TOKENIZER, limit)
        .extract(AskedText(question, asked_for), weights, context_of(*texts), None, None)
        .quotes
    )


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


def test_the_best_quote_comes_first_wherever_it_stands() -> None:
    found = extract("天气很好，出门散步。我们在周二开会。", "午饭吃面。支付的重试最多三次。")
    assert (found[0].key, found[0].text) == (2, "支付的重试最多三次。")


def test_the_length_limit_holds_and_one_quote_is_always_there() -> None:
    texts = [f"支付重试的第{n}种情况是这样的。" for n in "一二三四五六七八"]
    assert sum(len(quote.text) for quote in extract(*texts, limit=40)) <= 40
    assert len(extract(*texts)) <= 4
    [only] = extract("支付重试" * 200, limit=50)
    assert only.text.endswith("…") and len(only.text) <= 220


def test_what_was_said_is_not_said_again() -> None:
    found = extract("支付重试三次。", "**支付重试三次**！", "支付重试三次")
    assert len(found) == 1


def test_meaning_decides_between_sentences_that_share_no_word() -> None:
    question = EMBEDDER.embed_query("怎样焯水才不柴")
    context = context_of("会议定在周三下午。怎样焯水：用热水才不柴。")
    asked = AskedText("哪种做法好", AskedFor.FACT)
    found = Extractor(TOKENIZER, 500).extract(asked, WEIGHTS, context, EMBEDDER, question).quotes
    assert found[0].text == "怎样焯水：用热水才不柴。"


def test_nothing_to_say_gives_nothing() -> None:
    assert extract() == () and extract("## 标题", "---") == ()


def test_a_long_sentence_is_cut_with_its_code_closed() -> None:
    [only] = extract("支付重试 `" + "select a, b; " * 40 + "` 完")
    assert only.text.endswith("…`") and only.text.count("`") == 2 and len(only.text) <= 220
    [bare] = extract("支付重试 `a; b` " + "很长" * 200)
    assert bare.text.endswith("很…") or bare.text.endswith("长…")


def test_what_is_struck_out_is_not_quoted() -> None:
    found = extract("支付的重试~~最多五次~~最多三次。~~支付的重试间隔五分钟。~~")
    assert [quote.text for quote in found] == ["支付的重试最多三次。"]


TABLE = "| 主机 | 内存 | 负责人 |\n|---|---|---|\n| 芙蓉 | 32G |  |\n| 海棠 | 64G | **陈静** |\n\n说明：每月核对。"


def test_a_row_is_shown_with_the_names_of_its_columns() -> None:
    first = extract(TABLE, question="海棠的负责人是谁", asked_for=AskedFor.PERSON)[0]
    assert first.text == "主机: 海棠 · 内存: 64G · 负责人: 陈静"
    assert TABLE[first.start : first.end].startswith("| 海棠")


def test_a_comparison_shows_the_whole_table() -> None:
    first = extract(TABLE, question="芙蓉和海棠的内存对比", asked_for=AskedFor.COMPARISON)[0]
    assert first.text == "主机: 芙蓉 · 内存: 32G\n主机: 海棠 · 内存: 64G · 负责人: 陈静"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("牛腩要炖多久", "牛腩下锅小火炖一个半小时。"),
        ("牛腩多少钱", "牛腩今天 68 元。"),
        ("牛腩多重", "牛腩切了 2 斤。"),
        ("牛腩炖几分钟", "牛腩下锅小火炖一个半小时。"),
        ("牛腩的折扣是多少", "牛腩打折 20%。"),
    ],
)
def test_an_amount_is_of_what_is_asked_for(question: str, answer: str) -> None:
    told = [
        "牛腩店 2023 年 4 月开的。",
        "牛腩切了 2 斤。",
        "牛腩今天 68 元。",
        "牛腩打折 20%。",
        "牛腩下锅小火炖一个半小时。",
    ]
    assert extract("".join(told), question=question, asked_for=AskedFor.NUMBER)[0].text == answer


STEPS = (
    "# 摘渠道\n\n先看监控。\n\n把渠道摘掉的步骤："
    "\n\n1. 打开配置\n   在控制台里\n2. 改渠道开关\n\n3. 看日志\n\n以后再恢复。"
)


def test_steps_show_the_whole_list_with_its_lead_in() -> None:
    for question in ("怎么把渠道摘掉", "改渠道开关要怎么做"):
        first = extract(STEPS, question=question, asked_for=AskedFor.STEPS)[0]
        assert first.text == "把渠道摘掉的步骤：\n1. 打开配置\n在控制台里\n2. 改渠道开关\n3. 看日志"


def test_a_lead_in_never_stands_without_what_it_leads_to() -> None:
    for asked_for in AskedFor:
        first = extract(STEPS, question="把渠道摘掉的步骤", asked_for=asked_for)[0]
        assert "摘掉的步骤：" not in first.text or "改渠道开关" in first.text


def test_a_command_is_shown_with_its_fence_and_its_lead_in() -> None:
    text = "临时摘掉渠道时运行：\n\n```bash\npayctl drain --channel alipay\n```\n\n之后要恢复。"
    for question in ("怎么临时摘掉渠道", "payctl drain 的用法"):
        first = extract(text, question=question, asked_for=AskedFor.STEPS)[0]
        assert first.text == "临时摘掉渠道时运行：\n```bash\npayctl drain --channel alipay\n```"


def test_a_long_list_is_folded_and_holds_the_item_that_answers() -> None:
    items = [f"- 第 {n} 个渠道叫{'紫藤' if n == 25 else '某某'}" for n in range(1, 31)]
    for question in ("所有渠道有哪些", "紫藤是第几个渠道"):
        first = extract("渠道有：\n" + "\n".join(items), question=question, asked_for=AskedFor.LIST)[0]
        assert first.text.count("\n") < MOST_LINES and first.more > 0
    assert "紫藤" in first.text


def test_a_reason_shows_its_paragraph() -> None:
    text = "昨天很忙。\n\n支付的重试改成两次，\n因为银联会限流。\n\n其他照旧。"
    first = extract(text, question="支付的重试为什么改成两次", asked_for=AskedFor.REASON)[0]
    assert first.text == "支付的重试改成两次，\n因为银联会限流。"


def test_the_best_lines_of_a_passage_stand_in_its_order_with_their_numbers() -> None:
    text = "渠道的重试写在配置里。\n\n今天很忙。\n\n| 渠道 | 重试 |\n|---|---|\n| 支付宝 | 两次 |\n| 银联 | 五次 |\n"
    note = parse_note("a.md", text.encode())
    (chunk,) = chunk_note(note, clean_note(note), ChunkPolicy(min_size=200, max_size=600, overlap=0.0))
    question = "银联渠道重试几次"
    weights = dict.fromkeys(TOKENIZER.tokenize_query(question), 1.0)
    asked = AskedText(question, AskedFor.NUMBER)
    (found,) = with_best_lines([Candidate(chunk, 1.0, Why())], asked, weights, TOKENIZER)
    assert found.best_lines[-1] == BestLine(8, "渠道: 银联 · 重试: 五次")
    assert with_best_lines([], asked, weights, TOKENIZER) == ()
