"""Short Turtle texts for tests."""

from graphrag.domain.ontology import Ontology
from graphrag.reasoning.ontology_files import read_ontology

PREFIXES = (
    "@prefix : <urn:t#> . "
    "@prefix vault: <urn:vault-graphrag:vocabulary#> . "
    "@prefix owl: <http://www.w3.org/2002/07/owl#> . "
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
)


def iri(name: str) -> str:
    return "urn:t#" + name


def read(text: str) -> Ontology:
    """Return the ontology of a text that starts on line 2 of `t.ttl`."""
    return read_ontology({"t.ttl": PREFIXES + text})
