import time

import pytest

from graphrag.domain.ontology import NameKind, NameSpan
from graphrag.reasoning.name_finder import NameFinder
from tests.unit.reasoning.turtle import iri, read

ONTOLOGY = read(
    ':owns a owl:ObjectProperty ; skos:prefLabel "负责"@zh, "owns"@en ; skos:altLabel "own"@en .\n'
    ':ownedBy a owl:ObjectProperty ; skos:prefLabel "负责人"@zh, "owned by"@en .\n'
    ':part a owl:ObjectProperty ; skos:prefLabel "属于"@zh .\n'
    ':isModuleOf a owl:ObjectProperty ; rdfs:subPropertyOf :part ; skos:altLabel "属于"@zh .\n'
    ':Module a owl:Class ; skos:prefLabel "模块"@zh .\n'
    ':Person a owl:Class ; skos:prefLabel "人"@zh .\n'
    ':kafka a :Module ; skos:prefLabel "Kafka" .\n'
)
ENTITIES = [
    ("支付模块", "pay.md"),
    ("张三", "zhang.md"),
    ("张三丰", "feng.md"),
    ("café", "cafe.md"),
    ("B+树", "b.md"),
    ("C++", "cpp.md"),
    ("R", "r.md"),
    ("sg_pay_2024", "sg.md"),
    ("㈱", "kk.md"),
    ("模块", "module.md"),
]
FINDER = NameFinder(ONTOLOGY, ENTITIES)


def found(text: str) -> list[str]:
    spans = FINDER.find(text)
    assert all(text[span.start : span.end] == span.text for span in spans)
    return [span.text for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("张三负责哪些模块", ["张三", "负责", "模块"]),
        ("支付模块的负责人是谁？", ["支付模块", "负责人"]),
        ("张三丰和张三", ["张三丰", "张三"]),
        ("谁负责sg_pay_2024", ["负责", "sg_pay_2024"]),
        ("sg_pay_2024_old, asg_pay_2024", []),
        ("it is known who owns what", ["owns"]),
        ("the owner, owned by  R", ["owned by", "R"]),
        ("OWNED\nＢＹ ｋａｆｋａ", ["OWNED\nＢＹ", "ｋａｆｋａ"]),
        ("CAFÉ Cafe\u0301 cafe", ["CAFÉ", "Cafe\u0301"]),
        ("B+树与C++，R语言、Rust", ["B+树", "C++", "R"]),
        ("㈱ (株) 株", ["㈱", "(株)"]),
        ("人", []),
        ("", []),
    ],
)
def test_names_are_found_leftmost_longest_and_as_whole_words(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_a_span_tells_all_that_its_name_means() -> None:
    (span,) = FINDER.find("哪些模块？")
    assert (span.start, span.end) == (2, 4)
    assert span.ids(NameKind.CLASS) == (iri("Module"),)
    assert span.ids(NameKind.ENTITY) == ("module.md",)
    assert span.ids(NameKind.PROPERTY) == ()


def test_of_properties_with_one_name_the_more_general_comes_first() -> None:
    (span,) = FINDER.find("属于")
    assert span.ids(NameKind.PROPERTY) == (iri("part"), iri("isModuleOf"))


def test_an_individual_of_the_ontology_is_an_entity() -> None:
    assert FINDER.find("kafka") == [NameSpan(0, 5, "kafka", FINDER.find("Kafka")[0].meanings)]
    assert FINDER.find("kafka")[0].ids(NameKind.ENTITY) == (iri("kafka"),)


def test_twenty_thousand_names_are_no_burden() -> None:
    finder = NameFinder(ONTOLOGY, [(f"笔记{number}", f"{number}.md") for number in range(20_000)])
    text = "、".join(f"笔记{number}" for number in range(0, 20_000, 10))
    started = time.process_time()
    assert len(finder.find(text)) == 2_000
    assert time.process_time() - started < 0.5


def test_without_any_name_nothing_is_found() -> None:
    assert NameFinder(read(""), []).find("张三") == []
