import pytest

from graphrag.ingest.walk_graph import NameFinder, NameMatch, find_terms


def names(written: list[str], text: str) -> list[NameMatch]:
    return list(NameFinder(written).find(text))


@pytest.mark.parametrize(
    ("written", "text", "found"),
    [
        (["支付模块"], "先看支付模块的设计", ["支付模块"]),
        (["支付", "支付模块"], "支付模块", ["支付模块"]),  # the longest
        (["Saga"], "用 saga 或 Sagas", ["saga"]),
        (["own"], "a known fact", []),
        (["Palo Alto (2013 film)"], "the film Palo Alto opened", ["palo alto"]),
        (["Ｋａｆｋａ"], "Kafka 集群", ["kafka"]),
        (["链"], "区块链", []),  # one character says nothing
        (["2024-05-01", "第12周"], "2024-05-01 开会，第12周", []),
        (["C++"], "C++ 与 C+++", ["c++", "c++"]),
        ([], "没有名字", []),
    ],
)
def test_names_are_found_as_words(written: list[str], text: str, found: list[str]) -> None:
    assert [match.name for match in names(written, text)] == found


def test_a_common_word_is_no_mention_of_the_title_that_is_written_like_it() -> None:
    assert names(["Film"], "a film about Film") == [NameMatch("film", False), NameMatch("film", True)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The director of Free Guy is Shawn Levy.", {"free guy", "shawn levy"}),
        ("He was born in May", set()),
        ("调用 processTransaction 写 sg_pay_2024", {"processtransaction", "sg_pay_2024"}),
        ("读《人月神话》有感", {"人月神话"}),
        ("她负责幂等键", {"幂等键"}),
    ],
)
def test_terms(text: str, found: set[str]) -> None:
    assert find_terms(text, {"幂等键"}) == found
