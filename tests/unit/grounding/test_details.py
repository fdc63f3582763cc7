import pytest

from graphrag.domain.query import FlagReason
from graphrag.grounding.details import find_missing
from graphrag.grounding.evidence import Source, read_claim
from tests.cases import each_line
from tests.fakes.readers import TOKENIZER

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


@each_line
def test_what_the_source_holds_is_not_missing(sentence: str) -> None:
    assert missing(sentence) == []


@each_line
def test_what_the_source_does_not_hold_is_named(sentence: str, reason: FlagReason, detail: str) -> None:
    assert (reason, detail) in missing(sentence)


@pytest.mark.parametrize("sentence", ["做营销计算。", "缓存没有。", "缓存有。"])
def test_what_stands_under_a_denial_or_in_a_table_is_left_open(sentence: str) -> None:
    assert FlagReason.NEGATION not in [reason for reason, _ in missing(sentence)]


PERSON = """对花生过敏，聚餐点菜要注意。会做菜。管中间件和数据库平台。

跑马拉松，2024 年 3 月厦门，成绩 3 小时 41 分。锁会过期。超过 80 ms 时放行并记日志。

业务消息用 RocketMQ，日志埋点用 Kafka，RabbitMQ 已于 2024-06-28 下线。借记卡 1 到 3 个工作日，信用卡 3 到 7 个工作日。

按用户取模，拆成 16 个库、每库 64 张表。赵敏把三个问题贴在了显示器上。No money was lost.

| 参数 | 旧值 | 新值 |
| --- | --- | --- |
| 渠道调用超时 | 3 秒 | 5 秒 |

渠道调用超时统一为 5 秒。只有连接失败才重试，读超时不重试。
"""


def missing_of_person(sentence: str) -> list[tuple[FlagReason, str]]:
    persons = {name: (name,) for name in ("王五", "李四", "赵敏")}
    claim = read_claim(sentence, TOKENIZER, persons)
    found = find_missing(claim, [Source(1, "王五 > outage", PERSON, TOKENIZER)], persons)
    return [(finding.reason, finding.detail) for finding in found]


@each_line
def test_a_denial_of_a_short_clause_contradicts_it(sentence: str) -> None:
    assert [reason for reason, _ in missing_of_person(sentence)] == [FlagReason.NEGATION]


@each_line
def test_what_a_short_clause_says_in_other_words_is_not_missing(sentence: str) -> None:
    assert missing_of_person(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "reason", "detail"),
    [
        ("RocketMQ 已于 2024-06-28 下线。", FlagReason.NAME, "RocketMQ ≠ RabbitMQ"),
        ("王五把三个问题贴在了显示器上。", FlagReason.NAME, "王五 ≠ 赵敏"),
        ("王五 2024 年 3 月在上海跑马拉松。", FlagReason.NAME, "上海"),
        ("渠道调用超时由 5 秒改为 3 秒。", FlagReason.NUMBER, "5 秒 → 3 秒 ≠ 3 秒 → 5 秒"),
        ("拆成 64 个库、每库 16 张表。", FlagReason.NUMBER, "64 个库 ≠ 16 个库"),
        ("借记卡 3 到 7 个工作日。", FlagReason.NUMBER, "7 个工作日 ≠ 1"),
    ],
)
def test_what_stands_in_the_place_of_another_is_named(sentence: str, reason: FlagReason, detail: str) -> None:
    assert (reason, detail) in missing_of_person(sentence)


def test_a_name_counts_only_beside_the_sentence_that_holds_the_rest() -> None:
    text = "方子来自李四。\n\n做过七八次。\n\n土豆可加。\n\n王五来的那次没放花生碎，他过敏。"
    assert missing("李四对花生过敏。", text) == [(FlagReason.NAME, "李四")]
    assert missing("李四对花生过敏。", text.replace("土豆可加。", "李四来了。")) == []
    assert missing("花生写在 `peanut_flag` 里，有人过敏。", f"`peanut_flag` 是新的。\n\n{text}") == [
        (FlagReason.IDENTIFIER, "peanut_flag")
    ]
    claim = read_claim("李四对花生过敏。", TOKENIZER, PERSONS)
    assert find_missing(claim, [Source(1, "李四", text, TOKENIZER)], PERSONS) == ()


def test_a_number_with_a_unit_is_no_part_of_an_identifier_or_a_type() -> None:
    table = "| 字段 | 类型 |\n| --- | --- |\n| `cycle_timeout` | varchar(8) |\n| 渠道超时 | C9 |\n| 重试 | 4 |"
    assert missing("渠道超时是 8 秒。", table) == [(FlagReason.NUMBER, "8 秒")]
    assert missing("The channel timeout is 9 seconds.", table) == [(FlagReason.NUMBER, "9 seconds")]
    assert missing("重试 4 次。", table) == []


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
