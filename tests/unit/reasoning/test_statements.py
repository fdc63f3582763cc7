import pytest

from graphrag.domain.graph import Relation
from graphrag.domain.ontology import SAME_AS, TYPE, Fact, Place, TermKind
from graphrag.reasoning.statements import merge_individuals, state_classes, state_relations
from tests.unit.reasoning.turtle import iri, read

ONTOLOGY = read(
    ':Person a owl:Class ; skos:prefLabel "人" ; vault:tag "人物" ; vault:folder "people" .\n'
    ':Module a owl:Class ; skos:prefLabel "模块" .\n'
    ":Plugin a owl:Class ; rdfs:subClassOf :Module .\n"
    ':System a owl:Class ; skos:prefLabel "系统" .\n'
    ':part a owl:ObjectProperty ; skos:prefLabel "属于" .\n'
    ":moduleOf a owl:ObjectProperty ; rdfs:subPropertyOf :part ; rdfs:domain :Module ; rdfs:range :System ;\n"
    '  skos:prefLabel "属于" .\n'
)


def typed(source: str, name: str, target: str) -> Relation:
    return Relation(source, target, "property", name, note=source, line=7)


@pytest.mark.parametrize(
    ("path", "types", "tags", "expected"),
    [
        ("x.md", ["模块"], [], ["Module"]),
        ("x.md", ["模块", "MODULE", "系统"], [], ["Module", "System"]),
        ("x.md", ["模块"], ["人物"], ["Module"]),  # what the note says itself goes first
        ("x.md", ["怪物"], ["其他", "人物/同事"], ["Person"]),
        ("people/a/x.md", [], [], ["Person"]),
        ("peoples/x.md", [], ["人物们"], []),
        ("x.md", ["怪物"], [], []),
    ],
)
def test_the_class_is_the_type_else_a_tag_else_a_folder(
    path: str, types: list[str], tags: list[str], expected: list[str]
) -> None:
    found = state_classes(ONTOLOGY, types, tags, Place(path, 2))
    assert [(fact.subject, fact.property, fact.object) for fact, _ in found] == [
        (path, TYPE, iri(name)) for name in expected
    ]
    assert {place for _, place in found} <= {Place(path, 2)}


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ({"m.md": "模块", "s.md": "系统"}, "moduleOf"),
        ({"m.md": "Plugin", "s.md": "系统"}, "moduleOf"),
        ({"m.md": "模块"}, "part"),
        ({"m.md": "系统", "s.md": "系统"}, "part"),
        ({}, "part"),
    ],
)
def test_classes_decide_which_property_a_shared_name_means(types: dict[str, str], expected: str) -> None:
    classes = [item for path, name in types.items() for item in state_classes(ONTOLOGY, [name], [], Place(path, 2))]
    (statement,) = state_relations(ONTOLOGY, [typed("m.md", "属于", "s.md")], classes)
    assert statement == (Fact("m.md", iri(expected), "s.md"), Place("m.md", 7))


@pytest.mark.parametrize("first", [True, False])
def test_a_property_that_fits_everything_takes_no_name_from_one_that_fits(first: bool) -> None:
    loose = ':loose a owl:ObjectProperty ; skos:prefLabel "管" .\n'
    typed_ones = (
        ":Person a owl:Class . :Module a owl:Class .\n"
        ":runs a owl:ObjectProperty ; rdfs:domain :Person ; rdfs:range :Module ; skos:prefLabel "
        '"管" .\n'
    )
    ontology = read(loose + typed_ones if first else typed_ones + loose)
    places = {"p.md": "Person", "m.md": "Module"}
    classes = [item for path, name in places.items() for item in state_classes(ontology, [name], [], Place(path, 2))]
    for source, target, expected in (("p.md", "m.md", "runs"), ("m.md", "p.md", "loose")):
        (statement,) = state_relations(ontology, [typed(source, "管", target)], classes)
        assert statement.fact.property == iri(expected)


def test_names_that_mean_nothing_and_plain_links_state_nothing() -> None:
    assert state_relations(ONTOLOGY, [typed("a.md", "不认识", "b.md"), typed("a.md", "", "b.md")], []) == []


def test_a_note_takes_the_place_of_the_individual_with_its_name() -> None:
    ontology = read(
        ":System a owl:Class . :kafka a :System ; owl:sameAs :bus .\n"
        ':kafka skos:altLabel "Kafka" . :bus skos:prefLabel "总线" .'
    )
    merged = merge_individuals(ontology, [("kafka", "mq/Kafka.md"), ("总线", "a.md"), ("总线", "b.md")])
    assert [fact for fact, _ in merged.statements] == [
        Fact("mq/Kafka.md", TYPE, iri("System")),
        Fact("mq/Kafka.md", SAME_AS, iri("bus")),
    ]
    assert [term.iri for term in merged.of_kind(TermKind.INDIVIDUAL)] == [iri("bus")]
    assert merged.find(TermKind.INDIVIDUAL, "Kafka") == ()
    assert merged.find(TermKind.INDIVIDUAL, "总线") == (iri("bus"),)
