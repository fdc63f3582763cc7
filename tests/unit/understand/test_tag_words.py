import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.understand.listing import TagTest, read_tags
from tests.cases import each_line

KNOWN = frozenset({"支付", "会议", "复盘", "支付/核心", "oncall", "release", "on call", "产品与设计", "r&d"})


def is_tag(name: str) -> bool:
    return name.casefold() in KNOWN


@each_line
def test_names_are_told_apart_from_what_joins_them(text: str, tests: list[tuple[str, ...]]) -> None:
    assert read_tags(text, is_tag) == tuple(TagTest(names) for names in tests)


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("支付但不是会议", "支付", ("会议",)),
        ("支付，不含会议", "支付", ("会议",)),
        ("支付但没有会议和复盘", "支付", ("会议", "复盘")),
        ("支付 and not 会议", "支付", ("会议",)),
        ("支付 but without 会议", "支付", ("会议",)),
    ],
)
def test_a_name_behind_a_no_must_not_be_borne(text: str, wanted: str, unwanted: tuple[str, ...]) -> None:
    assert read_tags(text, is_tag) == (TagTest((wanted,)), *(TagTest((name,), True) for name in unwanted))


def test_a_but_ends_a_no() -> None:
    assert read_tags("not oncall but release", is_tag) == (TagTest(("oncall",), True), TagTest(("release",)))
    assert read_tags("会议或复盘", is_tag, is_without=True) == (TagTest(("会议", "复盘"), True),)


@given(st.text(alphabet='支付会议和与或但不是有没 #、，and or not"“”', max_size=40))
def test_any_text_names_something(text: str) -> None:
    assert read_tags(text, is_tag)
    assert all(test.names for test in read_tags(text, is_tag))
