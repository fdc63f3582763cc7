import pytest

from graphrag.domain.ontology import Fact, Place
from graphrag.reasoning.infer import infer
from tests.unit.reasoning.test_infer import conclude, fact
from tests.unit.reasoning.turtle import iri, read


def conflicts(axioms: str, *texts: str) -> list[tuple[Fact, ...]]:
    return [violation.facts for violation in conclude(axioms, *texts).violations]


@pytest.mark.parametrize(
    ("axioms", "stated", "broken"),
    [
        (":A owl:disjointWith :B .", ["x is A", "x is B", "y is A"], [["x is A", "x is B"]]),
        (
            "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .",
            ["x is C", "x is B", "y is A"],
            [["x is B", "x is C"]],
        ),
        (":p owl:propertyDisjointWith :q .", ["x p y", "x q y", "x q z"], [["x p y", "x q y"]]),
        (":p a owl:FunctionalProperty .", ["x p y", "x p z", "y p z"], [["x p y", "x p z"]]),
        (":p a owl:InverseFunctionalProperty .", ["x p y", "z p y", "x p z"], [["x p y", "z p y"]]),
        (":p a owl:AsymmetricProperty .", ["x p y", "y p x", "x p z"], [["x p y", "y p x"]]),
        (":p a owl:AsymmetricProperty .", ["x p x"], [["x p x"]]),
        (":p a owl:IrreflexiveProperty .", ["x p x", "x p y", "y p x"], [["x p x"]]),
    ],
)
def test_what_an_axiom_forbids_is_reported(axioms: str, stated: list[str], broken: list[list[str]]) -> None:
    assert conflicts(axioms, *stated) == [tuple(fact(text) for text in texts) for texts in broken]


def test_a_violation_takes_nothing_back_and_asserts_nothing() -> None:
    closure = conclude(":p a owl:FunctionalProperty .", "x p y", "x p z")
    assert set(closure.origins) == {fact("x p y"), fact("x p z")}
    assert closure.violations[0].axiom.place == Place("t.ttl", 3)


def test_values_known_to_be_the_same_are_no_violation() -> None:
    ontology = read(":p a owl:FunctionalProperty . :k :p :a, :b . :a owl:sameAs :b .")
    assert infer(ontology, []).violations == ()


def test_an_inferred_fact_can_break_an_axiom() -> None:
    axioms = ":p rdfs:domain :A . :A rdfs:subClassOf :B . :B owl:disjointWith :C ."
    assert conflicts(axioms, "x p y", "x is C") == [(fact("x is B"), fact("x is C"))]


def test_a_cycle_is_reported_once_with_a_stated_fact() -> None:
    axioms = ":p a owl:TransitiveProperty, owl:AsymmetricProperty ."
    circles = ["a p b", "b p c", "c p d", "d p a", "x p y", "y p x", "d p e"]
    assert conflicts(axioms, *circles) == [(fact("a p b"), fact("b p a")), (fact("x p y"), fact("y p x"))]


def test_iris_of_individuals_are_entities_too() -> None:
    ontology = read(":A a owl:Class . :B a owl:Class ; owl:disjointWith :A . :k a :A, :B .")
    assert [violation.facts[0].subject for violation in infer(ontology, []).violations] == [iri("k")]
