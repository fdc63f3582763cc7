from graphrag.language.negation import is_denied, split_clauses, without_denial
from tests.cases import each_line


@each_line
def test_a_denial_is_one(clause: str) -> None:
    assert is_denied(clause) is True


@each_line
def test_what_only_looks_like_a_denial_is_none(clause: str) -> None:
    assert is_denied(clause) is False


@each_line
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
