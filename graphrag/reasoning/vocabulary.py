"""The words of RDF, OWL and SKOS that an ontology file may use, and what each is for.

What is in none of these tables is not understood, and reported as such.
"""

from pathlib import Path
from typing import NamedTuple

from graphrag.domain.ontology import (
    TYPE,
    AxiomKind,
    TermKind,
)

CORE_FILE = "core.ttl"  # its name in places and problems
_PACKAGE = Path(__file__).parents[1]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XSD = "http://www.w3.org/2001/XMLSchema#"
DCTERMS = "http://purl.org/dc/terms/"
DC = "http://purl.org/dc/elements/1.1/"
OURS = "urn:vault-graphrag:vocabulary#"

FIRST, REST, NIL = RDF + "first", RDF + "rest", RDF + "nil"
THING = OWL + "Thing"
CHAIN = OWL + "propertyChainAxiom"
MEMBERS = OWL + "members"
ONTOLOGY = OWL + "Ontology"
IMPORTS = OWL + "imports"
TAG, FOLDER = OURS + "tag", OURS + "folder"  # notes with this tag, or in this folder, belong to the class

_CLASS, _PROPERTY = TermKind.CLASS, TermKind.PROPERTY

DECLARATIONS = {
    OWL + "Class": _CLASS,
    RDFS + "Class": _CLASS,
    RDF + "Property": _PROPERTY,
    OWL + "ObjectProperty": _PROPERTY,
    OWL + "NamedIndividual": TermKind.INDIVIDUAL,
}
ANNOTATION_PROPERTY = OWL + "AnnotationProperty"

CHARACTERISTICS = {
    OWL + "SymmetricProperty": AxiomKind.SYMMETRIC,
    OWL + "TransitiveProperty": AxiomKind.TRANSITIVE,
    OWL + "FunctionalProperty": AxiomKind.FUNCTIONAL,
    OWL + "InverseFunctionalProperty": AxiomKind.INVERSE_FUNCTIONAL,
    OWL + "AsymmetricProperty": AxiomKind.ASYMMETRIC,
    OWL + "IrreflexiveProperty": AxiomKind.IRREFLEXIVE,
}


class Construct(NamedTuple):
    """An axiom between two terms, and the kinds that they must have."""

    axiom: AxiomKind
    subject: TermKind
    object: TermKind


CONSTRUCTS = {
    RDFS + "subClassOf": Construct(AxiomKind.SUB_CLASS, _CLASS, _CLASS),
    OWL + "equivalentClass": Construct(AxiomKind.EQUIVALENT_CLASS, _CLASS, _CLASS),
    OWL + "disjointWith": Construct(AxiomKind.DISJOINT_CLASSES, _CLASS, _CLASS),
    RDFS + "subPropertyOf": Construct(AxiomKind.SUB_PROPERTY, _PROPERTY, _PROPERTY),
    OWL + "equivalentProperty": Construct(AxiomKind.EQUIVALENT_PROPERTY, _PROPERTY, _PROPERTY),
    OWL + "propertyDisjointWith": Construct(AxiomKind.DISJOINT_PROPERTIES, _PROPERTY, _PROPERTY),
    OWL + "inverseOf": Construct(AxiomKind.INVERSE, _PROPERTY, _PROPERTY),
    RDFS + "domain": Construct(AxiomKind.DOMAIN, _PROPERTY, _CLASS),
    RDFS + "range": Construct(AxiomKind.RANGE, _PROPERTY, _CLASS),
}

GROUPS = {  # `[] a owl:AllDisjointClasses ; owl:members ( … )`
    OWL + "AllDisjointClasses": (AxiomKind.DISJOINT_CLASSES, _CLASS),
    OWL + "AllDisjointProperties": (AxiomKind.DISJOINT_PROPERTIES, _PROPERTY),
}

LABELS = {SKOS + "prefLabel": True, RDFS + "label": True, SKOS + "altLabel": False}  # whether the label is preferred

ANNOTATIONS = frozenset(
    [RDFS + name for name in ("comment", "seeAlso", "isDefinedBy")]
    + [OWL + name for name in ("versionInfo", "deprecated")]
    + [SKOS + name for name in ("definition", "note", "scopeNote", "example", "editorialNote", "changeNote")]
)
_ANNOTATION_NAMESPACES = (DCTERMS, DC)

_PREFIXES = {OWL: "owl:", RDFS: "rdfs:", RDF: "rdf:", SKOS: "skos:", XSD: "xsd:", OURS: "vault:"}
_RESERVED = (OWL, RDFS, RDF, XSD, SKOS, OURS)


def is_annotation(predicate: str) -> bool:
    """Whether a predicate only comments on its subject."""
    return predicate in ANNOTATIONS or predicate.startswith(_ANNOTATION_NAMESPACES)


def is_reserved(iri: str) -> bool:
    """Whether an IRI belongs to a vocabulary that ontology files use and do not extend."""
    return iri == TYPE or iri.startswith(_RESERVED)


def local_name(iri: str) -> str:
    """Return the end of an IRI, behind the last `#`, `/` or `:`."""
    return iri.replace("/", "#").replace(":", "#").rstrip("#").rpartition("#")[2] or iri


def short(iri: str) -> str:
    """Return an IRI as a message shows it."""
    for namespace, prefix in _PREFIXES.items():
        if iri.startswith(namespace):
            return prefix + iri[len(namespace) :]
    return local_name(iri)


def core_ontology() -> str:
    """Return the Turtle text of the core ontology.

    It lies beside the package in a checkout, `ontology/core.ttl`, and is carried inside the package by a wheel.
    """
    installed = _PACKAGE / "ontology" / CORE_FILE
    file = installed if installed.exists() else _PACKAGE.parent / "ontology" / CORE_FILE
    return file.read_text(encoding="utf-8")
