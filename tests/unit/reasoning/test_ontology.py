import pytest

from graphrag.domain.ontology import SAME_AS, TYPE, AxiomKind, Fact, Place, TermKind
from graphrag.reasoning.ontology_files import read_ontology
from tests.unit.reasoning.turtle import PREFIXES, iri, read

DECLARED = ":A a owl:Class . :B a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .\n"


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        (":A rdfs:subClassOf :B .", AxiomKind.SUB_CLASS, "AB"),
        (":A owl:equivalentClass :B .", AxiomKind.EQUIVALENT_CLASS, "AB"),
        (":A owl:disjointWith :B .", AxiomKind.DISJOINT_CLASSES, "AB"),
        ("[] a owl:AllDisjointClasses ; owl:members ( :A :B ) .", AxiomKind.DISJOINT_CLASSES, "AB"),
        ("[] a owl:AllDisjointProperties ; owl:members ( :p :q ) .", AxiomKind.DISJOINT_PROPERTIES, "pq"),
        (":p rdfs:subPropertyOf :q .", AxiomKind.SUB_PROPERTY, "pq"),
        (":p owl:equivalentProperty :q .", AxiomKind.EQUIVALENT_PROPERTY, "pq"),
        (":p owl:propertyDisjointWith :q .", AxiomKind.DISJOINT_PROPERTIES, "pq"),
        (":p owl:inverseOf :q .", AxiomKind.INVERSE, "pq"),
        (":p rdfs:domain :A .", AxiomKind.DOMAIN, "pA"),
        (":p rdfs:range :A .", AxiomKind.RANGE, "pA"),
        (":p a owl:SymmetricProperty .", AxiomKind.SYMMETRIC, "p"),
        (":p a owl:TransitiveProperty .", AxiomKind.TRANSITIVE, "p"),
        (":p a owl:FunctionalProperty .", AxiomKind.FUNCTIONAL, "p"),
        (":p a owl:InverseFunctionalProperty .", AxiomKind.INVERSE_FUNCTIONAL, "p"),
        (":p a owl:AsymmetricProperty .", AxiomKind.ASYMMETRIC, "p"),
        (":p a owl:IrreflexiveProperty .", AxiomKind.IRREFLEXIVE, "p"),
        (":p owl:propertyChainAxiom ( :q :p :q ) .", AxiomKind.CHAIN, "pqpq"),
    ],
)
def test_every_construct_becomes_an_axiom_with_its_line(text: str, kind: AxiomKind, names: str) -> None:
    ontology = read(DECLARED + text)
    (axiom,) = ontology.axioms
    assert (axiom.kind, axiom.terms, axiom.place) == (kind, tuple(map(iri, names)), Place("t.ttl", 3))
    assert ontology.problems == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .", "owl:Restriction"),
        (":A owl:equivalentClass [ owl:unionOf ( :A :B ) ] .", "owl:unionOf"),
        (":A owl:unionOf ( :A :B ) .", "'owl:unionOf' is not supported"),
        (":A owl:hasKey ( :p ) .", "'owl:hasKey' is not supported"),
        ("[ a owl:Restriction ; owl:onProperty :p ] rdfs:subClassOf :A .", "owl:Restriction without a name"),
        (":p a owl:DatatypeProperty .", "owl:DatatypeProperty is not supported"),
        (":A rdfs:subClassOf owl:Nothing .", "owl:Nothing is not supported"),
        (':p owl:propertyChainAxiom ( :p "text" ) .', "the text 'text' is not supported"),
        (":p owl:propertyChainAxiom ( :p ) .", "two or more properties"),
        (":p owl:propertyChainAxiom :q .", "two or more properties"),
        (":p owl:propertyChainAxiom ( :p [ owl:inverseOf :q ] ) .", "[ owl:inverseOf … ] is not supported"),
        ("[] a owl:AllDisjointClasses ; owl:members :A .", "owl:members"),
        ("<urn:t> a owl:Ontology ; owl:imports <urn:other> .", "'owl:imports' is not supported"),
        (":k :p 7 .", "the text '7' is not supported"),
        (":k :unheard :l .", "'unheard' is not declared as a property"),
        (":A a :B .", "'A' is a class, not the individual"),
        (":A owl:sameAs :B .", "'A' is a class, not the individual"),
        (":A rdfs:subClassOf :p .", "'p' is a property, not the class"),
        (":A a owl:ObjectProperty .", "'A' is a class, and cannot be a property too"),
        (':x skos:prefLabel "X" .', "'x' has a label"),
        (':A skos:prefLabel " " .', "a text that is not empty"),
        (":A vault:tag :B .", "vault:tag needs a text"),
    ],
)
def test_what_is_not_understood_is_a_problem_with_its_line(text: str, words: str) -> None:
    ontology = read(DECLARED + text)
    assert words in " ".join(problem.message for problem in ontology.problems)
    assert {problem.line for problem in ontology.problems} == {3}


def test_a_list_that_bites_its_tail_is_a_problem() -> None:
    rdf = "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
    ontology = read(DECLARED + rdf + "_:l rdf:first :p ; rdf:rest _:l .\n:p owl:propertyChainAxiom _:l .")
    assert [problem.line for problem in ontology.problems] == [5]
    assert ontology.axioms == ()


def test_an_undeclared_term_is_reported_and_used_all_the_same() -> None:
    ontology = read(":A a owl:Class ;\n rdfs:subClassOf :Missing .")
    (problem,) = ontology.problems
    assert (problem.line, problem.message) == (3, "'Missing' is not declared as a class")
    assert [axiom.terms for axiom in ontology.axioms] == [(iri("A"), iri("Missing"))]


def test_comments_annotations_and_owl_thing_say_nothing() -> None:
    ontology = read(
        DECLARED + '<urn:t> a owl:Ontology ; rdfs:label "test" .\n:since a owl:AnnotationProperty .\n'
        ':A rdfs:comment "c" ; skos:definition "d" ; :since "2020" ; rdfs:subClassOf owl:Thing .\n:k a owl:Thing .'
    )
    assert (ontology.problems, ontology.axioms, ontology.statements) == ((), (), ())


def test_statements_about_individuals_keep_their_lines() -> None:
    ontology = read(DECLARED + ":k a :A ;\n  :p :l ;\n  owl:sameAs :m .")
    assert [(fact, place.line) for fact, place in ontology.statements] == [
        (Fact(iri("k"), TYPE, iri("A")), 3),
        (Fact(iri("k"), iri("p"), iri("l")), 4),
        (Fact(iri("k"), SAME_AS, iri("m")), 5),
    ]
    assert [term.iri for term in ontology.of_kind(TermKind.INDIVIDUAL)] == [iri("k"), iri("l"), iri("m")]


def test_a_broken_file_is_one_problem_and_the_others_are_read() -> None:
    ontology = read_ontology({"bad.ttl": PREFIXES + ":A a", "good.ttl": PREFIXES + ":B a owl:Class ."})
    (problem,) = ontology.problems
    assert (problem.file, problem.line) == ("bad.ttl", 2)
    assert list(ontology.terms) == [iri("B")]


def test_files_may_refer_to_each_other() -> None:
    ontology = read_ontology(
        {"core.ttl": PREFIXES + ":A a owl:Class .", "own.ttl": PREFIXES + ":B a owl:Class ; rdfs:subClassOf :A ."}
    )
    assert ontology.problems == ()
    assert ontology.axioms[0].place == Place("own.ttl", 2)


@pytest.mark.parametrize("name", ["负责人", "OWNED BY", "ｏｗｎｅｄ　ｂｙ", "owned-by", "owned_by", " Owner "])
def test_names_are_found_in_any_language_case_and_width(name: str) -> None:
    ontology = read(':p a owl:ObjectProperty ; skos:prefLabel "负责人"@zh, "owned by"@en ; rdfs:label "owner" .')
    assert ontology.find(TermKind.PROPERTY, name) == (iri("p"),)
    assert ontology.find(TermKind.CLASS, name) == ()


def test_the_label_to_show_is_the_preferred_one_of_the_language() -> None:
    term = read(':A a owl:Class ; skos:altLabel "S"@en ; skos:prefLabel "系统"@zh-CN, "system"@en .').terms[iri("A")]
    assert [term.label(language) for language in ("zh", "en", "fr")] == ["系统", "system", "系统"]


def test_a_term_without_label_has_the_end_of_its_iri() -> None:
    ontology = read(":reviewedBy a owl:ObjectProperty .")
    assert ontology.find(TermKind.PROPERTY, "reviewedby") == (iri("reviewedBy"),)


def test_a_shared_name_means_the_more_general_property_first() -> None:
    ontology = read(
        ':m a owl:ObjectProperty ; rdfs:subPropertyOf :p ; skos:altLabel "属于" .\n'
        ':p a owl:ObjectProperty ; skos:prefLabel "属于" .'
    )
    assert ontology.find(TermKind.PROPERTY, "属于") == (iri("p"), iri("m"))
    assert ontology.problems == ()


def test_a_name_that_nothing_tells_apart_is_a_problem() -> None:
    ontology = read(':p a owl:ObjectProperty ; rdfs:label "x" .\n:q a owl:ObjectProperty ; rdfs:label "X" .')
    (problem,) = ontology.problems
    assert (problem.line, problem.message) == (3, "'x' already names the property 'p', and 'q' too")


def test_a_name_that_domains_tell_apart_is_none() -> None:
    ontology = read(
        ':A a owl:Class .\n:p a owl:ObjectProperty ; rdfs:label "x" .\n'
        ':q a owl:ObjectProperty ; rdfs:domain :A ; rdfs:label "x" .'
    )
    assert ontology.problems == ()


def test_tags_and_folders_are_marks_of_classes() -> None:
    ontology = read(':A a owl:Class ; vault:tag "#人物" ; vault:folder "团队/成员/" .')
    assert ontology.tag_classes == {"人物": iri("A")}
    assert ontology.folder_classes == {"团队/成员": iri("A")}
