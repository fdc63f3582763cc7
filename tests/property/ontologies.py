"""Random ontologies as Turtle, with facts to go with them."""

from hypothesis import strategies as st

from graphrag.domain.ontology import TYPE, Fact

BASE = "urn:test#"
CLASSES = tuple(BASE + name for name in ("A", "B", "C", "D"))
PROPERTIES = tuple(BASE + name for name in ("p", "q", "r", "s"))
INDIVIDUALS = tuple(BASE + name for name in ("a", "b", "c", "d", "e"))
INFERRING = ("owl:SymmetricProperty", "owl:TransitiveProperty")
FORBIDDING = ("owl:AsymmetricProperty", "owl:IrreflexiveProperty")
FUNCTIONAL = ("owl:FunctionalProperty", "owl:InverseFunctionalProperty")
_DECLARED = [f"<{iri}> a owl:Class ." for iri in CLASSES] + [f"<{iri}> a owl:ObjectProperty ." for iri in PROPERTIES]
HEAD = "\n".join(
    [
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        *_DECLARED,
        "",
    ]
)

_class = st.sampled_from(CLASSES)
_property = st.sampled_from(PROPERTIES)
_individual = st.sampled_from(INDIVIDUALS)


def _between(
    words: tuple[str, ...], left: st.SearchStrategy[str], right: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    return st.builds("<{}> {} <{}> .".format, left, st.sampled_from(words), right)


def _listed(items: list[str]) -> str:
    return " ".join(f"<{item}>" for item in items)


_CLASS_AXIOMS = _between(("rdfs:subClassOf", "owl:equivalentClass", "owl:disjointWith"), _class, _class)
_GROUPS = st.lists(_class, min_size=2, max_size=3).map(
    lambda items: f"[] a owl:AllDisjointClasses ; owl:members ( {_listed(items)} ) ."
)
_PROPERTY_AXIOMS = _between(
    ("rdfs:subPropertyOf", "owl:equivalentProperty", "owl:inverseOf", "owl:propertyDisjointWith"), _property, _property
)
_TYPINGS = _between(("rdfs:domain", "rdfs:range"), _property, _class)
_CHAINS = st.builds(
    lambda target, chain: f"<{target}> owl:propertyChainAxiom ( {_listed(chain)} ) .",
    _property,
    st.lists(_property, min_size=2, max_size=3),
)
_SAME = _between(("owl:sameAs",), _individual, _individual)


def _characteristics(words: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.builds("<{}> a {} .".format, _property, st.sampled_from(words))


AXIOMS = st.one_of(
    _CLASS_AXIOMS, _PROPERTY_AXIOMS, _TYPINGS, _CHAINS, _GROUPS, _SAME, _characteristics(INFERRING + FORBIDDING)
)
FUNCTIONAL_AXIOMS = _characteristics(FUNCTIONAL)
FACTS = st.one_of(
    st.builds(Fact, _individual, st.just(TYPE), _class), st.builds(Fact, _individual, _property, _individual)
)
