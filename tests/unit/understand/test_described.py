import pytest

from graphrag.domain.query import Route
from tests.fakes.plans import choose_route


@pytest.mark.parametrize(
    "question",
    [
        "渠道表的负责人的直属上级是谁",
        "接手退款的那个组，值班几点开始",
        "支付模块依赖的队列，消息最多重试几次",
        "写迁移方案的那位后来去了哪个团队",
        "What is the retry limit of the queue that the payment module depends on?",
        "The team that owns the gateway: when does it release?",
        "Who is the manager of the owner of the ledger?",
    ],
)
def test_a_thing_that_is_described_has_to_be_found_first(question: str) -> None:
    assert choose_route(question, frozenset()) is Route.MULTI_HOP


@pytest.mark.parametrize(
    "question",
    [
        "支付模块的负责人是谁",
        "重试次数默认几次",
        "线程池大小该怎么定",
        "What is the retry limit?",
        "Who owns the gateway?",
        "how do I reset the cache",
        "你好",
        "",
    ],
)
def test_a_thing_that_is_named_has_not(question: str) -> None:
    assert choose_route(question, frozenset()) is not Route.MULTI_HOP


def test_long_questions_are_read_in_no_time() -> None:
    assert choose_route("的" * 5000 + "the " * 5000, frozenset()) is not Route.MULTI_HOP
