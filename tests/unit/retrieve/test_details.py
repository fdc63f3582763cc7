import pytest

from graphrag.domain.query import FlagReason
from graphrag.retrieve.details import find_missing
from graphrag.retrieve.evidence import Source, read_claim
from tests.unit.retrieve.readers import TOKENIZER

PERSONS = {"张三": ("张三", "老张"), "老张": ("张三", "老张"), "李四": ("李四",)}
SOURCE = """## 决定

渠道调用超时统一为 5 秒，由张三决定。读超时不重试，只有连接失败才重试。从 2024-06-16 起生效，见 ADR-0011。

微信费率 0.38%，支付宝 0.40%。成功率低于 60% 的渠道直接摘掉，10 分钟后放 1% 流量试探。

不做的事：

- 不存银行卡号
- 营销计算

三个原因：

- 快
- 稳
- 省

| 参数 | 旧值 | 新值 |
| --- | --- | --- |
| 熔断窗口 | 20 秒 | 10 秒 |
| 缓存 | 无 | 有 |

锁只用来减少冲突，不用来保证正确。The gateway never retries a declined payment.
"""


def missing(sentence: str, source: str = SOURCE) -> list[tuple[FlagReason, str]]:
    claim = read_claim(sentence, TOKENIZER, PERSONS)
    found = find_missing(claim, [Source(1, "渠道超时", source, TOKENIZER)], PERSONS)
    return [(finding.reason, finding.detail) for finding in found]


@pytest.mark.parametrize(
    "sentence",
    [
        "渠道调用超时是五秒。",
        "渠道调用超时是 5000 毫秒。",
        "张三定的超时从 2024年6月16日 开始生效。",
        "老张把渠道调用超时定为 5s。",
        "读超时不会重试。",
        "支付宝费率是 0.4%，微信费率是 0.38%。",
        "成功率低于百分之六十的渠道会被摘掉。",
        "有三个原因：快、稳、省。",
        "熔断窗口从 20 秒改为 10 秒。",
        "锁不能用来保证正确。",
        "不存银行卡号。",
        "依据是 ADR-0011。",
        "A declined payment is never retried by the gateway.",
        "渠道调用超时不仅统一了，而且是 5 秒。",
    ],
)
def test_what_the_source_holds_is_not_missing(sentence: str) -> None:
    assert missing(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "reason", "detail"),
    [
        ("渠道调用超时统一为 8 秒。", FlagReason.NUMBER, "8 秒 ≠ 5 秒"),
        ("渠道调用超时统一为 5 分钟。", FlagReason.NUMBER, "5 分钟 ≠ 5 秒"),
        ("渠道调用超时统一为 10 秒。", FlagReason.NUMBER, "10 秒 ≠ 5 秒"),  # which the source gives to something else
        ("微信费率 0.40%。", FlagReason.NUMBER, "0.40% ≠ 0.38%"),
        ("从 2024-06-17 起生效。", FlagReason.NUMBER, "2024-06-17"),
        ("有七个原因。", FlagReason.NUMBER, "七个"),
        ("由李四决定。", FlagReason.NAME, "李四"),
        ("超时写在 Nacos 里。", FlagReason.NAME, "Nacos"),
        ("见 ADR-0012。", FlagReason.IDENTIFIER, "ADR-0012"),
        ("写在 timeout_ms 里。", FlagReason.IDENTIFIER, "timeout_ms"),
        ("读超时会重试。", FlagReason.NEGATION, "读超时不重试"),
        ("锁用来保证正确。", FlagReason.NEGATION, "不用来保证正确"),
        ("渠道调用超时没有统一。", FlagReason.NEGATION, "渠道调用超时统一为 5 秒"),
        (
            "The gateway retries a declined payment.",
            FlagReason.NEGATION,
            "The gateway never retries a declined payment",
        ),
    ],
)
def test_what_the_source_does_not_hold_is_named(sentence: str, reason: FlagReason, detail: str) -> None:
    assert (reason, detail) in missing(sentence)


@pytest.mark.parametrize("sentence", ["做营销计算。", "缓存没有。", "缓存有。"])
def test_what_stands_under_a_denial_or_in_a_table_is_left_open(sentence: str) -> None:
    assert FlagReason.NEGATION not in [reason for reason, _ in missing(sentence)]


def test_a_number_counts_only_where_the_source_speaks_of_the_matter() -> None:
    text = "缓存的有效期是 60 秒。\n\n另一件事。\n\n再一件事。\n\n订单关闭要等待。"
    assert missing("订单关闭要等待 60 秒。", text) == [(FlagReason.NUMBER, "60 秒")]
    assert missing("缓存的有效期是 60 秒。", text) == []


def test_a_name_may_be_spelt_otherwise_in_another_language() -> None:
    assert missing("The Payment Team decided it with Zhang San.") == []
    assert missing("The timeout is kept in RocketMQ.") == [(FlagReason.NAME, "RocketMQ")]


def test_two_sources_hold_together_what_neither_holds_alone() -> None:
    claim = read_claim("超时 5 秒，重试 2 次。", TOKENIZER, {})
    sources = [Source(1, "", "超时 5 秒。", TOKENIZER), Source(2, "", "重试 2 次。", TOKENIZER)]
    assert find_missing(claim, sources, {}) == ()
    assert [finding.detail for finding in find_missing(claim, sources[:1], {})] == ["2 次"]
