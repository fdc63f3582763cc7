from graphrag.domain.ontology import OntologyReport, Place, UsedName
from graphrag.reasoning.explanation import check_ontology
from graphrag.reasoning.infer import infer
from tests.unit.reasoning.test_infer import fact, said
from tests.unit.reasoning.turtle import iri, read

ONTOLOGY = read(
    ':A a owl:Class ; skos:prefLabel "系统"@zh .\n'
    ':B a owl:Class ; skos:prefLabel "模块"@zh ; owl:disjointWith :A .\n'
    ":C a owl:Class ; owl:hasKey ( :p ) .\n"
    ':p a owl:ObjectProperty ; skos:prefLabel "依赖"@zh, "depends on"@en ; owl:inverseOf :q .\n'
    ":q a owl:ObjectProperty .\n"
    ':r a owl:ObjectProperty ; skos:prefLabel "负责人"@zh .\n'
)


def used(name: str, count: int = 1) -> UsedName:
    return UsedName(name, count, Place("note.md", 3))


def report(relations: list[UsedName], types: list[UsedName]) -> OntologyReport:
    return check_ontology(ONTOLOGY, infer(ONTOLOGY, said("x p y", "x is A", "x is B")), relations, types)


def test_names_that_nothing_answers_to_come_with_similar_ones_most_used_first() -> None:
    relations = [used("负责"), used("依赖"), used("depend_on", 2), used("依懒", 5), used("mood")]
    unknown = report(relations, [used("模快"), used("系统")])
    assert [(item.used.name, item.suggestions) for item in unknown.unknown_relations] == [
        ("依懒", ("依赖",)),
        ("depend_on", ("depends on",)),
        ("mood", ()),
        ("负责", ("负责人",)),
    ]
    assert [(item.used.name, item.suggestions) for item in unknown.unknown_types] == [("模快", ("模块",))]


def test_terms_that_no_fact_has_are_listed() -> None:
    checked = report([], [])
    assert [term.iri for term in checked.unused_properties] == [iri("r")]  # the inverse is used by inference
    assert [term.iri for term in checked.empty_classes] == [iri("C")]


def test_problems_and_conflicts_are_listed_with_their_places() -> None:
    checked = report([], [])
    assert [(problem.file, problem.line) for problem in checked.problems] == [("t.ttl", 4)]
    (conflict,) = checked.conflicts
    assert conflict.violation.facts == (fact("x is A"), fact("x is B"))
    assert [tree.origin for tree in conflict.proofs] == [Place("note.md", 2), Place("note.md", 3)]
