"""What notes say, in the words of their authors -> statements in the terms of an ontology.

A name that means nothing in the ontology states nothing; `check_ontology` reports it. Where a relation's name means
several properties, the classes that notes give to its two ends decide, as they do for a reader.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from graphrag.domain.graph import Relation
from graphrag.domain.ontology import TYPE, AxiomKind, Closure, Fact, Ontology, Place, Statement, TermKind, fold_name
from graphrag.reasoning.infer import infer


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


def state_classes(ontology: Ontology, types: Sequence[str], tags: Sequence[str], place: Place) -> list[Statement]:
    """Return the classes of the note at `place.path`.

    Its values of `type` name them; where none does, its tags or folders may be those of a class: the first tag that is,
    else the nearest folder. A nested tag belongs to its parents.
    """
    named = [iri for name in types for iri in ontology.find(TermKind.CLASS, name)[:1]]
    classes = named or _marked(ontology, tags, place.path)
    return [Statement(Fact(place.path, TYPE, class_), place) for class_ in dict.fromkeys(classes)]


def state_relations(ontology: Ontology, relations: Iterable[Relation], classes: Iterable[Statement]) -> list[Statement]:
    """Return what typed links state; `classes` are those of all notes, from `state_classes`."""
    chooser = _Chooser(ontology, infer(ontology, classes))
    return [
        Statement(Fact(relation.source, property_, relation.target), Place(relation.note, relation.line))
        for relation in relations
        if (property_ := chooser.choose(relation))
    ]


def _marked(ontology: Ontology, tags: Sequence[str], path: str) -> list[str]:
    for tag in tags:
        if class_ := _nearest(ontology.tag_classes, PurePosixPath(tag)):
            return [class_]
    folder = _nearest(ontology.folder_classes, PurePosixPath(path).parent)
    return [folder] if folder else []


def _nearest(classes: Mapping[str, str], path: PurePosixPath) -> str | None:
    """Return the class of a nested name, or of the nearest one around it."""
    around = (fold_name(str(part)) for part in (path, *path.parents))
    return next((classes[name] for name in around if name in classes), None)


class _Chooser:
    """Chooses of the properties that a name may mean the most special one that suits the ends of a relation."""

    def __init__(self, ontology: Ontology, classes: Closure) -> None:
        self._ontology = ontology
        self._classes = classes
        self._ends: dict[str, list[tuple[AxiomKind, str]]] = {}
        for axiom in ontology.axioms:
            if axiom.kind in (AxiomKind.DOMAIN, AxiomKind.RANGE):
                self._ends.setdefault(axiom.terms[0], []).append((axiom.kind, axiom.terms[1]))

    def choose(self, relation: Relation) -> str | None:
        """Return a property; None when the relation has no name, or one that means nothing here."""
        candidates = self._ontology.find(TermKind.PROPERTY, relation.name)
        if len(candidates) < 2:
            return candidates[0] if candidates else None
        suiting = [property_ for property_ in candidates if self._suits(property_, relation)]
        # One without domain and range suits everything, so it says the least; of equals the most special is meant.
        said = {property_: len(self._ends.get(property_, ())) for property_ in suiting}
        return max(reversed(suiting), key=lambda property_: said[property_]) if suiting else candidates[0]

    def _suits(self, property_: str, relation: Relation) -> bool:
        """Whether notes say of both ends that they have the classes of the property's domain and range."""
        return all(
            Fact(relation.source if kind is AxiomKind.DOMAIN else relation.target, TYPE, class_)
            in self._classes.origins
            for kind, class_ in self._ends.get(property_, ())
        )
