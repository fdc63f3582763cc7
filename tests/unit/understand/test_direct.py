import time
from datetime import UTC, datetime

import pytest

from graphrag.domain.query import Route
from graphrag.language.script import is_chinese
from graphrag.understand.arithmetic import calculate
from graphrag.understand.direct import direct_reply, is_courtesy, is_for_model, without_courtesies
from tests.fakes.plans import choose_route


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+1", "2"),
        ("2^10", "1024"),
        ("2**10", "1024"),
        ("(3+4)*5", "35"),
        ("10/4", "2.5"),
        ("10/5", "2"),
        ("0.1+0.2", "0.3"),
        ("-3 + 5", "2"),
        ("7 % 4", "3"),
        ("1/3", "0.3333333333"),
        ("1+1=", "2"),
        ("1 + 1 = ?", "2"),
        ("1+1等于几？", "2"),
        ("计算 3×4", "12"),
        ("what is (2+3)÷2?", "2.5"),
        ("（1＋1）", "2"),
        ("2^-1", "0.5"),
        ("2024-3等于多少", "2021"),
        ("2^64", "18446744073709551616"),
    ],
)
def test_arithmetic_is_exact(text: str, value: str) -> None:
    assert calculate(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "-5",
        "2024-03-01",
        "2024/03",
        "2024.3.1",
        "138-1234-5678",
        "978-7-111-42190-0",
        "192.168.0.1",
        "1.2.3",
        "3.11.7-1",
        "1+1 的笔记在哪",
        "1+",
        "(1+1",
        "2^3^",
        "1 1 + 2",
        "__import__('os')",
        "1e9+1",
        "2^0.5",
        "//",
        "%",
    ],
)
def test_what_is_no_arithmetic_has_no_value(text: str) -> None:
    assert calculate(text) is None


@pytest.mark.parametrize("text", ["1/0", "5%0", "100/0", "1/(2-2)", "0^-1", "10 divided by 0", "what is 5/0?"])
def test_a_division_by_zero_is_called_so(text: str) -> None:
    assert calculate(text) == "Nothing can be divided by zero."
    assert direct_reply("10 除以 0", is_chinese=True) == "除以零没有意义。"


@pytest.mark.parametrize(
    "text",
    [
        "9^99999999",
        "9^9^9^9",
        "((0.1^64)^64)^64^64",
        "(" * 90 + "1+1" + ")" * 90,
        "(" * 5000 + "1+1" + ")" * 5000,
        "-" * 9000 + "1+1",
        "1+" * 4000 + "1",
        "9" * 5000 + "+1",
        "*".join(["99999^64"] * 20),
        "^".join(["(1/7"] * 1 + ["64)"] + ["64"] * 20),
    ],
)
def test_huge_arithmetic_ends_at_once(text: str) -> None:
    start = time.perf_counter()
    calculate(text)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize("text", ["你好", "你好呀！", "您好", "Hello!", "hi there", "HEY", "Good morning.", "晚安~"])
def test_a_greeting_is_answered_directly(text: str) -> None:
    assert direct_reply(text, is_chinese=True) == "你好！问我你笔记里写过的东西吧。"
    assert direct_reply(text, is_chinese=False) == "Hello! Ask me about anything you wrote down."


@pytest.mark.parametrize("text", ["谢谢你", "多谢啦。", "thanks", "Thank you very much!", "thanks a lot"])
def test_thanks_are_answered_directly(text: str) -> None:
    assert direct_reply(text, is_chinese=True) == "不客气。"


def test_a_farewell_is_answered_directly() -> None:
    assert direct_reply("再见！", is_chinese=True) == "再见。"
    assert direct_reply("Bye", is_chinese=False) == "Goodbye."


@pytest.mark.parametrize(
    "text",
    [
        "你好这个词的编码",
        "谢谢你的那封信写了什么",
        "hello world 程序怎么写",
        "thanks giving",
        "hit rate",
        "感谢信模板",
        "1+1 的笔记在哪",
    ],
)
def test_a_question_that_starts_like_one_is_not_direct(text: str) -> None:
    assert direct_reply(text, is_chinese=True) is None
    assert choose_route(text, frozenset()) is not Route.DIRECT


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("你好", Route.DIRECT),
        ("1+1", Route.DIRECT),
        ("sg_pay_2024", Route.LOOKUP),
        ("processTransaction", Route.LOOKUP),
        ("C++", Route.LOOKUP),
        ("node.js", Route.LOOKUP),
        ("Saga", Route.HYBRID),
        ("为什么用 sg_pay_2024", Route.HYBRID),
        ("what does retry_count mean", Route.HYBRID),
    ],
)
def test_rules_choose_the_route(question: str, route: Route) -> None:
    assert choose_route(question, frozenset()) is route


def test_a_question_that_names_a_note_looks_it_up() -> None:
    assert choose_route("支付模块", frozenset({"架构/支付模块.md"})) is Route.LOOKUP


def test_what_is_nothing_but_a_courtesy_is_one() -> None:
    assert all(map(is_courtesy, ("谢谢", "好的，谢谢！", "hi there")))
    assert not any(map(is_courtesy, ("谢谢，那支付模块呢", "1+1", "")))


NOW = datetime(2024, 2, 29, 9, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("128 乘以 37 等于多少", "4736"),
        ("15% of 240", "36"),
        ("What is 15% of 240?", "36"),
        ("240 的 15% 是多少", "36"),
        ("100 减 1", "99"),
        ("12 的平方等于多少", "144"),
        ("9,360 * 12 = ?", "112320"),
        ("1,2,3", None),
        ("现在几点了？", "现在是 09:05。"),
        ("what time is it?", "It is 09:05."),
        ("今天星期几", "2024 年 2 月 29 日，星期四。"),
        ("明天是星期几？", "2024 年 3 月 1 日，星期五。"),
        ("2024-05-01 是星期几", "2024 年 5 月 1 日，星期三。"),
        ("2024 年 2 月有几天", "29 天。"),
        ("2023年有多少天？", "365 天。"),
        ("how many days are in 2024", "366 days."),
        ("3 英里是多少公里", "4.82803 公里。"),
        ("convert 2 kg to pounds", "4.40925 pounds."),
        ("how many cm in 2 inches", "5.08 cm."),
        ("1 GB 是多少 MB", "1024 MB。"),
        ("3 公里是多少公斤", None),
        ("2024 年 13 月有几天", None),
        ("2023-02-30 是星期几", "没有 2023-02-30 这一天。"),
        ("２０２４－０５－０１ 是星期几？", "2024 年 5 月 1 日，星期三。"),
        ("１ ＧＢ 是多少 ＭＢ", "1024 MB。"),
    ],
)
def test_what_can_be_computed_is_computed(text: str, reply: str | None) -> None:
    assert direct_reply(text, is_chinese(text), NOW) == reply


@pytest.mark.parametrize(
    "text",
    [
        "早上好呀，在吗",
        "谢谢，帮大忙了",
        "hi there",
        "好的，谢谢！",
        "ok, thanks a lot",
        "你是谁，能帮我做些什么？",
        "你支持上传 PDF 吗",
        "what can you do?",
    ],
)
def test_courtesies_and_questions_about_us_have_a_reply(text: str) -> None:
    assert direct_reply(text, is_chinese(text))
    assert choose_route(text, frozenset()) is Route.DIRECT


@pytest.mark.parametrize(
    "text",
    [
        "把“明天下午三点开会”翻译成日语",
        "Translate 'good night' into French",
        "谢谢的英文怎么说",
        "帮我把这句话改得客气一点：你快点发给我",
        "帮我 rewrite 一下这句英文：I very like this note book",
        "rewrite the following: he go home",
        "讲个笑话",
    ],
)
def test_work_on_a_given_text_is_for_the_model(text: str) -> None:
    assert is_for_model(text)
    assert choose_route(text, frozenset()) is Route.DIRECT


@pytest.mark.parametrize(
    "text",
    [
        "你好这个词的编码",
        "源代码是怎么一步步翻译成机器码的",
        "计算 0.1 加 0.2 为什么结果不准",
        "不同时区的时间在数据库里怎么换算",
        "你知道 RLHF 的原理吗",
        "1+1 的笔记在哪",
        "把标题是“谢谢”的那条笔记找出来",
        "帮我把这篇笔记翻译成英文",
        "translate my notes on Saga into English",
        "值班几点开始",
        "上线窗口是星期几",
        "你能告诉我支付模块的负责人吗",
        "会议改到几点了",
        "接口的超时时间是多少",
        "What time is the release?",
        "支付模块的接口文档是谁翻译成英文的",
        "这篇 API 文档翻译成英文了吗",
        "把支付模块的说明翻译成英文",
        "这个改造方案是谁提的",
        "你能总结一下支付模块吗",
        "你可以列出支付的依赖吗",
        "接口日志用中文怎么写",
        "支付接口支持上传 PDF 吗",
        "单个文件最大多少 MB",
        "超时是 3 秒还是 5 分钟",
        "correct the retry setting of the gateway",
        "how do we say hello to the gateway",
        "what is saga in our system",
    ],
)
def test_a_question_about_the_notes_is_never_direct(text: str) -> None:
    assert direct_reply(text, is_chinese(text), NOW) is None
    assert not is_for_model(text)
    assert choose_route(text, frozenset()) is not Route.DIRECT


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("你好，支付模块谁负责", "支付模块谁负责"),
        ("您好！请问支付模块谁负责？谢谢", "请问支付模块谁负责？"),
        ("早上好呀。列出标签是支付的笔记", "列出标签是支付的笔记"),
        ("谢谢，那支付模块依赖什么", "那支付模块依赖什么"),
        ("好的，为什么", "为什么"),
        ("hi there, who owns Kafka?", "who owns Kafka?"),
        ("Hello who owns Kafka", "who owns Kafka"),
        ("who owns Kafka? thanks a lot!", "who owns Kafka?"),
        ("你好，在吗？支付模块谁负责", "支付模块谁负责"),
    ],
)
def test_a_question_is_read_without_the_courtesies_around_it(asked: str, question: str) -> None:
    assert without_courtesies(asked) == question


@pytest.mark.parametrize(
    "text",
    [
        "你好",
        "早上好呀，在吗",
        "谢谢，帮大忙了",
        "ok, thanks a lot",
        "你好，世界",
        "hello world 程序怎么写",
        "你好这个词的编码",
        "《你好，李焕英》是谁导演的",
        "支付模块，谁负责",
        "对账，怎么做",
        "行锁、表锁有什么区别",
        "，" * 590,
    ],
)
def test_what_is_no_courtesy_or_nothing_else_stays_whole(text: str) -> None:
    assert without_courtesies(text) == text
