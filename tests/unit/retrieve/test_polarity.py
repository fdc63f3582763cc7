import pytest

from graphrag.retrieve.polarity import is_denied, split_clauses, without_denial


@pytest.mark.parametrize(
    "clause",
    [
        "读超时不重试",
        "Kafka 没有事务消息",
        "无需审批",
        "禁止直接调渠道",
        "未采用 TCC",
        "别直接重置位点",
        "这不是回滚",
        "it does not retry",
        "it doesn't retry",
        "never edit it by hand",
        "no money was lost",
        "without a restart",
        "cannot be undone",
    ],
)
def test_a_denial_is_one(clause: str) -> None:
    assert is_denied(clause) is True


@pytest.mark.parametrize(
    "clause",
    [
        "读超时会重试",
        "不仅支持微信",
        "不但快",
        "不得不重启",
        "不是不支持",
        "并非不支持",
        "不超过 5 秒",
        "不同的渠道",
        "无论大小都要",
        "非常快",
        "不停动态调整",
        "不到 5 秒",
        "没错",
        "别人也在用",
        "未来会上线",
        "not only fast",
        "no more than 5 seconds",
        "no matter what",
    ],
)
def test_what_only_looks_like_a_denial_is_none(clause: str) -> None:
    assert is_denied(clause) is False


@pytest.mark.parametrize(
    "clause",
    ["为什么不用锁", "能不能用？", "如果不重启", "只有连接失败才重试", "可能不支持", "why not?", "if it is not there"],
)
def test_a_question_or_a_condition_is_left_open(clause: str) -> None:
    assert is_denied(clause) is None


def test_a_sentence_falls_into_clauses() -> None:
    assert split_clauses("只有连接失败才重试，读超时不重试：请求可能到了") == [
        "只有连接失败才重试",
        "读超时不重试",
        "请求可能到了",
    ]
    assert split_clauses("丢了 17,000 条，10:30 恢复") == ["丢了 17,000 条", "10:30 恢复"]
    assert split_clauses("It is fast, but it is not safe.") == ["It is fast", "but it is not safe"]
    assert split_clauses("不但快但是贵") == ["不但快", "但是贵"]


def test_a_clause_without_its_denial_can_be_compared() -> None:
    assert without_denial("读超时不重试").split() == ["读超时", "重试"]
    assert without_denial("不仅支持微信") == "不仅支持微信"
