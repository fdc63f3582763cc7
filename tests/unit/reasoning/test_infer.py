import pytest

from graphrag.domain.ontology import SAME_AS, TYPE, AxiomKind, Closure, Fact, Place, Proof, Statement
from graphrag.errors import InferenceLimit
from graphrag.reasoning.infer import infer, infer_within
from tests.unit.reasoning.turtle import iri, read

DECLARED = (
    ":A a owl:Class . :B a owl:Class . :C a owl:Class . "
    ":p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty .\n"
)


def fact(text: str) -> Fact:
    """Return the fact of `a p b`; `a is A` gives a class."""
    subject, property_, object_ = text.split()
    return Fact(subject, TYPE, iri(object_)) if property_ == "is" else Fact(subject, iri(property_), object_)


def said(*texts: str) -> list[Statement]:
    return [Statement(fact(text), Place("note.md", line)) for line, text in enumerate(texts, 1)]


def inferred(closure: Closure) -> set[Fact]:
    return {fact for fact, origin in closure.origins.items() if isinstance(origin, Proof)}


def conclude(axioms: str, *texts: str) -> Closure:
    ontology = read(DECLARED + axioms)
    assert not ontology.problems
    return infer(ontology, said(*texts))


@pytest.mark.parametrize(
    ("axioms", "stated", "expected"),
    [
        (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .", ["x is A"], ["x is B", "x is C"]),
        (":A owl:equivalentClass :B .", ["x is A", "y is B"], ["x is B", "y is A"]),
        (":p rdfs:subPropertyOf :q .", ["x p y"], ["x q y"]),
        (":p owl:equivalentProperty :q .", ["x p y", "y q z"], ["x q y", "y p z"]),
        (":p rdfs:domain :A ; rdfs:range :B .", ["x p y"], ["x is A", "y is B"]),
        (":p owl:inverseOf :q .", ["x p y", "z q x"], ["y q x", "x p z"]),
        (":p a owl:SymmetricProperty .", ["x p y"], ["y p x"]),
        (":p a owl:TransitiveProperty .", ["x p y", "y p z", "z p w"], ["x p z", "y p w", "x p w"]),
        (  # a link that comes late is put before a path that is known
            ":p a owl:TransitiveProperty . :q rdfs:subPropertyOf :p . :r rdfs:subPropertyOf :q .",
            ["x r y", "y p z", "z p w"],
            ["x q y", "x p y", "x p z", "x p w", "y p w"],
        ),
        (":r owl:propertyChainAxiom ( :p :q ) .", ["x p y", "y q z", "y q w"], ["x r z", "x r w"]),
        (":r owl:propertyChainAxiom ( :p :p :q ) .", ["x p x", "x q y"], ["x r y"]),
        (":A owl:disjointWith :B . :p a owl:AsymmetricProperty .", ["x is A", "x p y"], []),
    ],
)
def test_each_construct_gives_what_follows_and_no_more(axioms: str, stated: list[str], expected: list[str]) -> None:
    assert inferred(conclude(axioms, *stated)) == {fact(text) for text in expected}


def test_the_same_has_the_same_facts() -> None:
    ontology = read(DECLARED + ":k owl:sameAs :l . :k a :A ; :p :m .")
    one, other = iri("k"), iri("l")
    assert inferred(infer(ontology, [])) == {
        Fact(other, SAME_AS, one),
        Fact(other, TYPE, iri("A")),
        Fact(other, iri("p"), iri("m")),
    }


def test_a_circle_ends() -> None:
    closure = conclude(":p a owl:TransitiveProperty .", "x p y", "y p z", "z p x")
    assert len(closure.origins) == 9


def test_a_proof_names_the_axiom_with_its_line_and_the_premises() -> None:
    closure = conclude(":p rdfs:domain :B .\n:r owl:propertyChainAxiom ( :p :q ) .", "x p y", "y q z")
    proof = closure.origins[fact("x r z")]
    assert isinstance(proof, Proof)
    assert (proof.axiom.kind, proof.axiom.place) == (AxiomKind.CHAIN, Place("t.ttl", 4))
    assert proof.premises == (fact("x p y"), fact("y q z"))
    assert [closure.origins[premise] for premise in proof.premises] == [Place("note.md", 1), Place("note.md", 2)]


def test_of_several_proofs_the_shallowest_is_kept_then_the_first_in_order() -> None:
    axioms = ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r . :r owl:propertyChainAxiom ( :p :p ) ."
    closure = conclude(axioms, "x p y", "x p b", "b p z", "y p z", "x p z")
    proof = closure.origins[fact("x r z")]
    assert isinstance(proof, Proof)
    assert (proof.depth, proof.premises) == (1, (fact("x p b"), fact("b p z")))


def test_a_transitive_proof_follows_a_shortest_path() -> None:
    texts = ["a p b", "b p c", "c p d", "a p e", "e p d"]
    proof = conclude(":p a owl:TransitiveProperty .", *texts).origins[fact("a p d")]
    assert isinstance(proof, Proof)
    assert proof.premises == (fact("a p e"), fact("e p d"))


def test_what_is_stated_twice_keeps_its_first_place_and_is_not_inferred() -> None:
    ontology = read(DECLARED + ":p a owl:SymmetricProperty .")
    twice = [Statement(fact("x p y"), Place("b.md", 1)), Statement(fact("x p y"), Place("a.md", 9))]
    closure = infer(ontology, [*twice, Statement(fact("y p x"), Place("c.md", 1))])
    assert dict(closure.origins) == {fact("x p y"): Place("a.md", 9), fact("y p x"): Place("c.md", 1)}


def test_dense_circles_stay_affordable() -> None:
    ontology = read(DECLARED + ":p a owl:TransitiveProperty .")
    ring = [f"n{i} p n{(i + step) % 100}" for i in range(100) for step in (1, 7, 31)]
    assert len(infer(ontology, said(*ring)).origins) == 100 * 100


def test_inference_that_leads_too_far_stops_and_names_the_relation() -> None:
    ontology = read(DECLARED + ":p a owl:TransitiveProperty .")
    chain = said(*(f"{n} p {n + 1}" for n in range(60)))
    assert len(infer(ontology, chain, most=2000).origins) == 60 * 61 / 2
    with pytest.raises(InferenceLimit, match="facts of 'p' alone"):
        infer(ontology, chain, most=1000)


def test_within_bounds_only_the_transitivity_that_leads_too_far_is_left_out() -> None:
    axioms = ":p a owl:TransitiveProperty ; owl:inverseOf :q . :r a owl:TransitiveProperty ."
    ontology = read(DECLARED + axioms)
    chain = said(*(f"{n} p {n + 1}" for n in range(60)), "a r b", "b r c")
    bounded = infer_within(ontology, chain, 1000)
    assert bounded.incomplete == {iri("p"), iri("q")}
    assert [item.message.split(" ")[0] for item in bounded.problems] == ["'p'"]
    assert fact("a r c") in bounded.closure.origins
    assert fact("1 q 0") in bounded.closure.origins
    assert fact("0 p 2") not in bounded.closure.origins
    assert infer_within(ontology, chain, 9000).incomplete == frozenset()
    with pytest.raises(InferenceLimit):
        infer_within(ontology, chain, 10)
