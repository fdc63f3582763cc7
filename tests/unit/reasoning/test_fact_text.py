import pytest

from graphrag.domain.ontology import Meaning, NameKind, NameSpan
from graphrag.reasoning.wording import FactNames, read_fact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("支付模块 --负责人--> 张三", ("支付模块", "负责人", "张三")),
        ("支付模块 -负责人-> 张三", ("支付模块", "负责人", "张三")),
        ("支付模块 ─负责人→ 张三", ("支付模块", "负责人", "张三")),
        ("[[支付模块]] -[负责人]-> [[张三]]", ("支付模块", "负责人", "张三")),
        ("张三 <--负责人-- 支付模块", ("支付模块", "负责人", "张三")),
        ("张三 ←负责人─ 支付模块", ("支付模块", "负责人", "张三")),
        ("ADR-0007 --取代--> ADR-0003", ("ADR-0007", "取代", "ADR-0003")),
        ("支付 模块 --depends on--> Kafka", ("支付 模块", "depends on", "Kafka")),
    ],
)
def test_an_arrow_says_which_name_is_which(text: str, expected: tuple[str, str, str]) -> None:
    assert [*read_fact(text, [])] == [FactNames(*expected)]


def test_quotation_marks_keep_a_name_together() -> None:
    expected = [FactNames("Alice Chen", "team", "SRE组")]
    for text in ('"Alice Chen" team SRE组', "“Alice Chen” team 「SRE组」", "'Alice Chen' team SRE组"):
        assert [*read_fact(text, [])] == expected


def test_with_spaces_alone_every_split_is_a_reading() -> None:
    assert [*read_fact("a b c d", [])] == [
        FactNames("a", "b", "c d"),
        FactNames("a", "b c", "d"),
        FactNames("a b", "c", "d"),
    ]


def test_without_spaces_known_names_are_read_when_they_are_all_there_is() -> None:
    def span(start: int, text: str, kind: NameKind) -> NameSpan:
        return NameSpan(start, start + len(text), text, (Meaning(kind, text),))

    names = [span(0, "张三", NameKind.ENTITY), span(2, "负责", NameKind.PROPERTY), span(4, "模块", NameKind.ENTITY)]
    assert [*read_fact("张三负责模块", names)] == [FactNames("张三", "负责", "模块")]
    assert [*read_fact("张三负责模块甲", names)] == []
    assert [*read_fact("张三", names[:1])] == []
