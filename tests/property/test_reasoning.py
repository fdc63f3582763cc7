"""Inference against `owlrl`, the reference for OWL 2 RL, and what holds of every closure and its proofs.

What is compared: for the individuals, classes and properties of the input, all facts that give an individual a class or
join two individuals, SAME_AS included. Left out on both sides, since they say nothing about notes: the schema's own
consequences, owl:Thing, and that everything is the same as itself. Functional properties are compared apart: where
their values differ, `owlrl` makes the values one, and we report a violation (see `graphrag/reasoning/infer.py`).
"""

from collections.abc import Callable, Iterator
from random import Random

import owlrl
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, URIRef

from graphrag.domain.ontology import SAME_AS, TYPE, AxiomKind, Closure, Fact, Ontology, Place, Proof, Statement
from graphrag.reasoning.infer import infer
from graphrag.reasoning.ontology_files import read_ontology
from graphrag.reasoning.rules import Conclusion, FactIndex, RuleSet
from tests.generated import examples
from tests.property.ontologies import AXIOMS, CLASSES, FACTS, FUNCTIONAL_AXIOMS, HEAD, INDIVIDUALS, PROPERTIES

_KINDS_OF_ERRORS = {
    AxiomKind.DISJOINT_CLASSES: "Disjoint classes",
    AxiomKind.DISJOINT_PROPERTIES: "disjoint properties",
    AxiomKind.ASYMMETRIC: "asymmetric",
    AxiomKind.IRREFLEXIVE: "Irreflexive",
}


def modest(count: int) -> settings:
    return settings(max_examples=examples(count))


def ontology_of(axioms: list[str]) -> Ontology:
    ontology = read_ontology({"test.ttl": HEAD + "\n".join(axioms)})
    assert not ontology.problems
    return ontology


def stated(facts: list[Fact]) -> list[Statement]:
    return [Statement(fact, Place("note.md", line)) for line, fact in enumerate(facts, 1)]


def reference(axioms: list[str], facts: list[Fact]) -> tuple[set[Fact], str]:
    """Return what `owlrl` concludes, and its errors in one text."""
    graph = Graph().parse(data=HEAD + "\n".join(axioms), format="turtle")
    for fact in facts:
        graph.add((URIRef(fact.subject), URIRef(fact.property), URIRef(fact.object)))
    reasoner = owlrl.OWLRL_Semantics(graph, axioms=False, daxioms=False)
    reasoner.closure()
    found = {Fact(str(s), str(p), str(o)) for s, p, o in graph if isinstance(o, URIRef)}
    return {fact for fact in found if is_compared(fact)}, "\n".join(reasoner.error_messages)


def is_compared(fact: Fact) -> bool:
    if fact.subject not in INDIVIDUALS:
        return False
    if fact.property == TYPE:
        return fact.object in CLASSES
    if fact.property == SAME_AS and fact.subject == fact.object:
        return False
    return fact.object in INDIVIDUALS and (fact.property in PROPERTIES or fact.property == SAME_AS)


axiom_lists = st.lists(AXIOMS, max_size=10)
fact_lists = st.lists(FACTS, max_size=8)


@modest(100)
@given(axiom_lists, fact_lists)
def test_the_closure_is_that_of_owlrl(axioms: list[str], facts: list[Fact]) -> None:
    closure = infer(ontology_of(axioms), stated(facts))
    expected, errors = reference(axioms, facts)
    assert {fact for fact in closure.origins if not is_trivial(fact)} == expected
    broken = {violation.axiom.kind for violation in closure.violations}
    assert broken == {kind for kind, message in _KINDS_OF_ERRORS.items() if message in errors}


def is_trivial(fact: Fact) -> bool:
    return fact.property == SAME_AS and fact.subject == fact.object


@modest(60)
@given(axiom_lists, st.lists(FUNCTIONAL_AXIOMS, min_size=1, max_size=2), fact_lists)
def test_functional_properties_part_from_owlrl_only_where_a_violation_is_reported(
    axioms: list[str], functional: list[str], facts: list[Fact]
) -> None:
    closure = infer(ontology_of(axioms + functional), stated(facts))
    expected, _ = reference(axioms + functional, facts)
    violations = [item for item in closure.violations if "functional" in item.axiom.kind]
    assert {fact for fact in closure.origins if not is_trivial(fact)} <= expected
    assert bool(violations) == bool(expected - set(closure.origins))
    for violation in violations:
        is_inverse = violation.axiom.kind is AxiomKind.INVERSE_FUNCTIONAL
        first, *others = (fact.subject if is_inverse else fact.object for fact in violation.facts)
        assert all(Fact(first, SAME_AS, other) in expected for other in others)


@modest(80)
@given(axiom_lists, fact_lists, st.randoms())
def test_the_order_of_statements_changes_nothing(axioms: list[str], facts: list[Fact], random: Random) -> None:
    ontology, statements = ontology_of(axioms), stated(facts)
    first = infer(ontology, statements)
    random.shuffle(statements)
    second = infer(ontology, statements)
    assert list(first.origins.items()) == list(second.origins.items())
    assert first.violations == second.violations


@modest(80)
@given(axiom_lists, fact_lists)
def test_every_proof_checks_out(axioms: list[str], facts: list[Fact]) -> None:
    ontology, statements = ontology_of(axioms), stated(facts)
    closure = infer(ontology, statements)
    places = {statement.fact: statement.place for statement in reversed([*ontology.statements, *statements])}
    follow = conclusions(ontology, closure)
    for fact, origin in closure.origins.items():
        if isinstance(origin, Place):
            assert fact in places
            assert Statement(fact, origin) in [*ontology.statements, *statements]
        else:
            assert fact not in places
            assert (fact, origin.axiom, origin.premises) in set(follow(origin.premises[0]))
            assert origin.depth == 1 + max(depth(closure, premise) for premise in origin.premises)


def conclusions(ontology: Ontology, closure: Closure) -> Callable[[Fact], Iterator[Conclusion]]:
    rules, known = RuleSet(ontology), FactIndex(closure.origins)
    direct = FactIndex(fact for fact, origin in closure.origins.items() if rules.is_direct(fact, origin))
    return lambda fact: rules.conclusions(fact, known, direct)


def depth(closure: Closure, fact: Fact) -> int:
    origin = closure.origins[fact]
    return origin.depth if isinstance(origin, Proof) else 0


@modest(60)
@given(axiom_lists, fact_lists)
def test_no_proof_is_deeper_than_it_must_be(axioms: list[str], facts: list[Fact]) -> None:
    ontology = ontology_of(axioms)
    closure = infer(ontology, stated(facts))
    follow = conclusions(ontology, closure)
    for fact in closure.origins:
        for conclusion, _, premises in follow(fact):
            if not is_trivial(conclusion):
                assert depth(closure, conclusion) <= 1 + max(depth(closure, premise) for premise in premises)


_WORDS = """
:a :p a owl:Class owl:ObjectProperty rdfs:subClassOf owl:propertyChainAxiom owl:members owl:AllDisjointClasses
owl:sameAs [ ] ( ) ; , . "x"@en _:b 7 < " rdf:first rdf:rest rdf:nil [] # @prefix
"""
_pieces = st.sampled_from([*_WORDS.split(), "( :a :p )", "\n"])


@modest(150)
@given(st.lists(_pieces, max_size=25))
def test_any_text_is_read_or_reported(words: list[str]) -> None:
    text = "@prefix : <urn:test#> .\n@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n" + HEAD
    ontology = read_ontology({"test.ttl": text + " ".join(words)})
    assert all(1 <= problem.line <= text.count("\n") + len(words) + 1 for problem in ontology.problems)
    infer(ontology, [])


def test_the_reference_itself_knows_the_constructs() -> None:
    graph = Graph().parse(data=HEAD + "<urn:test#A> rdfs:subClassOf <urn:test#B> . <urn:test#a> a <urn:test#A> .")
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    assert (URIRef("urn:test#a"), RDF.type, URIRef("urn:test#B")) in graph
