import pytest

from graphrag.language.negation import is_denied, split_clauses, without_denial


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
        "王五对花生不过敏",
        "网关不过滤空格",
        "证书不过期",
        "两边不同步",
        "财务不同意",
        "发版时不停机",
        "不满足条件",
        "数据不一致",
        "金额不变",
        "不等次日再比",
        "李四不管中间件",
        "由张三而不由李四维护",
        "不单独部署",
        "不妨碍下单",
        "不断开连接",
        "没有不同",
        "没有不足",
        "不如实填写",
        "不错过告警",
        "无限制",
        "无数据",
        "不论证方案",
        "总额不超过实付金额",
        "it is not under control",
        "the key is not unique",
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
        "不过还是慢",
        "不同时间的渠道",
        "不断重试",
        "不满 5 年",
        "不能超过三秒",
        "不管多大都要拆",
        "不由得笑了",
        "数量不等",
        "长短不一",
        "没有不支持的渠道",
        "无限次重试",
        "只有连接失败才重试",
        "it is not unusual",
        "not only fast",
        "no more than 5 seconds",
        "no matter what",
    ],
)
def test_what_only_looks_like_a_denial_is_none(clause: str) -> None:
    assert is_denied(clause) is False


@pytest.mark.parametrize(
    "clause",
    ["为什么不用锁", "能不能用？", "如果不重启", "不一定重试", "可能不支持", "why not?", "if it is not there"],
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
    assert split_clauses("It lasted 47 minutes and money was lost.") == ["It lasted 47 minutes", "and money was lost"]
    assert split_clauses("12 and 26 May are free days") == ["12 and 26 May are free days"]
    assert split_clauses("不但快但是贵") == ["不但快", "但是贵"]


def test_a_clause_without_its_denial_can_be_compared() -> None:
    assert without_denial("读超时不重试").split() == ["读超时", "重试"]
    assert without_denial("不仅支持微信") == "不仅支持微信"
