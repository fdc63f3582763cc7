"""Individuals of an ontology that notes are about: the note takes the individual's place in what the ontology says."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from graphrag.domain.ontology import Fact, Ontology, Statement, TermKind, fold_name


def merge_individuals(ontology: Ontology, entities: Iterable[tuple[str, str]]) -> Ontology:
    """Return the ontology with each individual replaced by the one entity that bears one of its labels.

    `entities` are pairs of a name and an entity's id. An individual whose labels name no entity, or several, stays.
    """
    named: dict[str, set[str]] = {}
    for name, entity in entities:
        named.setdefault(fold_name(name), set()).add(entity)
    merged = {}
    for term in ontology.of_kind(TermKind.INDIVIDUAL):
        found = {entity for label in term.labels for entity in named.get(fold_name(label.text), ())}
        if len(found) == 1:
            merged[term.iri] = found.pop()
    return replace(
        ontology,
        terms={iri: term for iri, term in ontology.terms.items() if iri not in merged},
        names={**ontology.names, TermKind.INDIVIDUAL: _without(merged, ontology.names[TermKind.INDIVIDUAL])},
        statements=tuple(
            Statement(
                Fact(merged.get(fact.subject, fact.subject), fact.property, merged.get(fact.object, fact.object)), at
            )
            for fact, at in ontology.statements
        ),
    )


def _without(merged: Container[str], names: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    left = {name: tuple(iri for iri in iris if iri not in merged) for name, iris in names.items()}
    return {name: iris for name, iris in left.items() if iris}
