import pytest

from graphrag.domain.ontology import AxiomKind, Explanation, Fact, FactStatus, Place
from graphrag.reasoning.explanation import explain, places_of, prove
from graphrag.reasoning.infer import infer
from tests.unit.reasoning.test_infer import DECLARED, conclude, fact, said
from tests.unit.reasoning.turtle import read

ONTOLOGY = read(
    DECLARED
    + ":r owl:propertyChainAxiom ( :p :q ) .\n"
    + ":p a owl:AsymmetricProperty ; rdfs:domain :A .\n"
    + ":A owl:disjointWith :B . :B owl:disjointWith :C .\n"
    + ":s a owl:FunctionalProperty .\n"
)
STATEMENTS = said("x p y", "y q z", "x s v", "b is B", "c is B", "c is C")
CLOSURE = infer(ONTOLOGY, STATEMENTS)


def asked(text: str) -> Explanation:
    return explain(fact(text), ONTOLOGY, STATEMENTS, CLOSURE)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("x p y", FactStatus.ASSERTED),
        ("x r z", FactStatus.INFERRED),
        ("x is A", FactStatus.INFERRED),
        ("y p x", FactStatus.CONTRADICTED),  # asymmetric
        ("x s w", FactStatus.CONTRADICTED),  # one value only
        ("x is B", FactStatus.CONTRADICTED),  # disjoint with an inferred class
        ("b p y", FactStatus.CONTRADICTED),  # what follows from it is
        ("x r y", FactStatus.UNKNOWN),
        ("nobody p y", FactStatus.UNKNOWN),
        ("c q y", FactStatus.UNKNOWN),  # that c breaks an axiom already has nothing to do with it
    ],
)
def test_the_status_of_a_fact(text: str, status: FactStatus) -> None:
    assert asked(text).status is status


def test_a_proof_leads_to_the_lines_of_the_notes() -> None:
    tree = asked("x r z").proof
    assert tree is not None
    assert [premise.fact for premise in tree.premises] == [fact("x p y"), fact("y q z")]
    assert places_of(tree) == (Place("note.md", 1), Place("note.md", 2))


def test_what_is_stated_is_its_own_proof() -> None:
    tree = asked("x p y").proof
    assert tree is not None
    assert (tree.origin, tree.premises) == (Place("note.md", 1), ())


def test_a_contradiction_shows_both_sides() -> None:
    explanation = asked("b p y")
    assert explanation.proof is None
    (conflict,) = explanation.conflicts
    assert conflict.violation.axiom.kind is AxiomKind.DISJOINT_CLASSES
    assert {place for tree in conflict.proofs for place in places_of(tree)} == {Place("", 0), Place("note.md", 4)}


def test_a_fact_that_holds_and_breaks_an_axiom_says_so() -> None:
    explanation = asked("c is B")
    assert explanation.status is FactStatus.ASSERTED
    assert [conflict.violation.facts for conflict in explanation.conflicts] == [(fact("c is B"), fact("c is C"))]


def test_long_proofs_need_no_deep_recursion() -> None:
    closure = conclude(
        ":p owl:propertyChainAxiom ( :p :q ) .", "n0 p n1", *(f"n{i} q n{i + 1}" for i in range(1, 3000))
    )
    last = Fact("n0", fact("a p b").property, "n3000")
    assert len(places_of(prove(closure, [last])[last])) == 3000
