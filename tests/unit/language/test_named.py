import pytest

from graphrag.language.identifiers import Mentions, is_unmistakable, read_named
from tests.cases import each_line

PERSONS = {"张三": ("张三", "老张"), "老张": ("张三", "老张"), "交易组": ("交易组",)}


@each_line
def test_identifiers_are_found(text: str, identifiers: tuple[str, ...]) -> None:
    assert read_named(text, {}).identifiers == identifiers


@each_line
def test_names_are_found_but_not_what_begins_a_sentence(text: str, names: tuple[str, ...]) -> None:
    assert read_named(text, PERSONS).names == names


@each_line
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
