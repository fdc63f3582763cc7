import pytest

from graphrag.domain.ontology import AskedEnd, AskedFact, AskedTie, Fact, Place, QueryScope, Statement
from graphrag.errors import InferenceLimit
from graphrag.reasoning.fact_query import FactSeeker
from graphrag.reasoning.infer import infer
from graphrag.reasoning.ontology_files import read_ontology
from graphrag.reasoning.vocabulary import CORE_FILE, core_ontology

ONTOLOGY = read_ontology({CORE_FILE: core_ontology()})
CORE = "urn:vault-graphrag:core#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def seeker(*facts: str) -> FactSeeker:
    """Make a closure of facts like `a dependsOn b`, each on a line of its subject's note by its place in the list."""
    statements = []
    for line, fact in enumerate(facts, 1):
        subject, name, object_ = fact.split()
        is_type = name == "a"
        stated = Fact(subject, TYPE if is_type else CORE + name, CORE + object_ if is_type else object_)
        statements.append(Statement(stated, Place(f"{subject}.md", line)))
    return FactSeeker(ONTOLOGY, infer(ONTOLOGY, statements))


def asked(
    entity: str,
    name: str,
    *,
    is_subject: bool = True,
    classes: tuple[str, ...] = (),
    scope: QueryScope = QueryScope.AS_ASKED,
) -> AskedEnd:
    ids = tuple(CORE + class_ for class_ in classes)
    return AskedEnd(tuple(entity.split()), is_subject, (CORE + name,), "", False, ids, False, scope)


def ends(facts: list[Fact], is_subject: bool = True) -> list[str]:
    return [fact.object if is_subject else fact.subject for fact in facts]


CHAIN = ("a dependsOn b", "b dependsOn c", "c dependsOn d", "b a System", "d a System")


def test_a_property_reaches_as_far_as_is_asked() -> None:
    known = seeker(*CHAIN)
    assert ends(known.at_end(asked("a", "dependsOn"))) == ["b"]
    assert ends(known.at_end(asked("a", "dependsOn", scope=QueryScope.ANY_WAY))) == ["b", "c", "d"]
    assert ends(known.at_end(asked("a", "reliesOn", scope=QueryScope.DIRECTLY))) == ["b"]
    assert ends(known.at_end(asked("d", "dependsOn", is_subject=False, scope=QueryScope.ANY_WAY)), False) == [
        "a",
        "b",
        "c",
    ]


def test_what_is_stated_is_told_as_stated_and_classes_restrict() -> None:
    known = seeker(*CHAIN)
    facts = known.at_end(asked("a", "dependsOn", classes=("System",), scope=QueryScope.ANY_WAY))
    assert [fact.property.removeprefix(CORE) for fact in facts] == ["dependsOn", "reliesOn"]
    assert ends(facts) == ["b", "d"]


def test_facts_about_several_entities_of_one_name_are_no_answer() -> None:
    known = seeker("a ownedBy p", "b ownedBy q", "c dependsOn q")
    assert known.at_end(asked("a b", "ownedBy")) == []
    assert ends(known.at_end(asked("a c", "ownedBy"))) == ["p"]


def test_a_fact_is_found_by_any_of_its_properties() -> None:
    known = seeker("t ledBy p")
    question = AskedFact(("t",), (CORE + "team", CORE + "hasMember"), ("p",), "", False)
    assert known.fact(question) == [Fact("t", CORE + "hasMember", "p")]
    assert known.fact(AskedFact(("p",), (CORE + "hasMember",), ("t",), "", False)) == []


def test_of_facts_that_say_the_same_line_the_plainest_joins_two() -> None:
    known = seeker("m moduleOf s", "s ownedBy p", "m dependsOn p")
    assert known.between(AskedTie(("p",), ("m",))) == [
        Fact("m", CORE + "dependsOn", "p"),
        Fact("m", CORE + "ownedBy", "p"),
    ]
    assert known.grounds(Fact("p", CORE + "owns", "m")) == [
        (Fact("m", CORE + "moduleOf", "s"), Place("m.md", 1)),
        (Fact("s", CORE + "ownedBy", "p"), Place("s.md", 2)),
    ]


def test_only_what_no_single_line_says_is_inferred_around_an_entity() -> None:
    known = seeker("m moduleOf s", "s ownedBy p")
    assert [*known.inferred_around("m")] == [Fact("m", CORE + "ownedBy", "p")]
    assert [*known.inferred_around("s")] == []
    assert known.is_restated(Fact("p", CORE + "owns", "s"))
    assert not known.is_restated(Fact("p", CORE + "owns", "m"))


def test_a_fact_is_disputed_when_what_it_rests_on_breaks_an_axiom() -> None:
    known = seeker("a partOf b", "b partOf a", "c partOf d", "d ownedBy p")
    assert known.violations([Fact("b", CORE + "hasPart", "a")])
    assert not known.violations([Fact("d", CORE + "ownedBy", "p")])


def test_what_may_be_incomplete_is_not_told_as_if_it_were_all() -> None:
    known = seeker(*CHAIN)
    partial = FactSeeker(ONTOLOGY, known._closure, {CORE + "reliesOn"})
    assert ends(partial.at_end(asked("a", "dependsOn"))) == ["b"]
    with pytest.raises(InferenceLimit, match="reliesOn"):
        partial.at_end(asked("a", "dependsOn", scope=QueryScope.ANY_WAY))
