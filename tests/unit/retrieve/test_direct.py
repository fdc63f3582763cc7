import time

import pytest

from graphrag.domain.query import Route
from graphrag.retrieve.direct import calculate, direct_reply
from graphrag.retrieve.route import choose_route


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
        ("（1＋1）", None),  # a full-width plus is rare, and no operator here
        ("2^-1", "0.5"),
        ("2024-3等于多少", "2021"),
        ("2^64", "18446744073709551616"),
    ],
)
def test_arithmetic_is_exact(text: str, value: str | None) -> None:
    assert calculate(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "-5",
        "1/0",
        "5%0",
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
