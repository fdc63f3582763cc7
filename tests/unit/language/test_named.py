import pytest

from graphrag.language.identifiers import Mentions, is_unmistakable, read_named

PERSONS = {"张三": ("张三", "老张"), "老张": ("张三", "老张"), "交易组": ("交易组",)}


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("由 `retry_count` 控制，见 sg_pay_2024.channel_order", ("retry_count", "sg_pay_2024.channel_order")),
        ("processTransaction() 里升级到 v1.2.3", ("processTransaction()", "v1.2.3")),
        ("运行 `graphrag index --full`，看 /var/log/x.log", ("--full", "/var/log/x.log")),
        ("端口 127.0.0.1:8321 与 localhost:8080", ("127.0.0.1:8321", "localhost:8080")),
        ("C4002、ADR-0011、P99、node.js", ("C4002", "ADR-0011", "P99", "node.js")),
        ("问 @wangwu 或 a@b.com", ("@wangwu", "a@b.com")),
        ("C++ 与 C#", ("C++", "C#")),
        ("e.g. in the U.S., read-only, end-to-end, and/or", ()),
        ("100MB 带宽，6to5，7k-8k", ()),
    ],
)
def test_identifiers_are_found(text: str, identifiers: tuple[str, ...]) -> None:
    assert read_named(text, {}).identifiers == identifiers


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("张三选了 RocketMQ 和 Saga", ("RocketMQ", "Saga", "张三")),
        ("The team uses Kafka. Then it stops.", ("Kafka",)),
        ("TCC is simple", ("TCC",)),
        ("Elephants fly. Timeout: 5", ()),
        ("The API returns JSON on Monday in May", ()),
        ("老张和交易组", ("老张", "交易组")),
        ("张三丰不是一个人", ("张三",)),
    ],
)
def test_names_are_found_but_not_what_begins_a_sentence(text: str, names: tuple[str, ...]) -> None:
    assert read_named(text, PERSONS).names == names


@pytest.mark.parametrize(
    ("name", "is_held"),
    [
        ("retry_count", True),
        ("RETRY_COUNT", True),
        ("1.2.3", True),
        ("v1.2.3", True),
        ("1.2", False),
        ("v1.2.4", False),
        ("retry", False),
        ("ADR 0011", True),
        ("adr-0011", True),
        ("ADR-0012", False),
        ("sg_pay", False),
    ],
)
def test_an_identifier_is_held_as_a_whole(name: str, is_held: bool) -> None:
    source = Mentions("升级到 v1.2.3，见 sg_pay_2024.retry_count 和 ADR-0011")
    assert source.has_identifier(name) is is_held


@pytest.mark.parametrize(
    ("name", "is_held"),
    [("RocketMQ", True), ("Rocket-MQ", True), ("Alice Chen", True), ("Chen", True), ("Kafka", False), ("周婷", True)],
)
def test_a_name_is_held_together_or_apart(name: str, is_held: bool) -> None:
    assert Mentions("Rocket MQ 归 Alice Chen's team，周婷也在").has_name(name) is is_held


def test_some_names_are_never_translated() -> None:
    assert [name for name in ("RocketMQ", "TCC", "Payment", "张三") if is_unmistakable(name)] == ["RocketMQ", "TCC"]


def test_hostile_tokens_take_no_time() -> None:
    for text in ("A" * 50_000, "a." * 20_000, "A " * 20_000, "/a" * 20_000, "@" * 20_000, "1.1.1." * 10_000):
        read_named(text, PERSONS)
        Mentions(text).has_identifier("a_b")


def test_a_word_before_chinese_is_a_name_wherever_it_stands() -> None:
    assert read_named("Kafka 已经下线。", {}).names == ("Kafka",)
    assert read_named("Consumers are paused.", {}).names == ()


def test_a_place_is_a_name() -> None:
    assert read_named("李四在上海和呼和浩特跑马拉松。", {"李四": ()}).names == ("李四", "上海", "呼和浩特")
