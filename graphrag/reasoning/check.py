"""An ontology beside the notes that use it -> what does not fit, with similar names for what may be misspelt."""

from collections.abc import Iterable
from difflib import get_close_matches

from graphrag.domain.inference import Closure, OntologyReport, UnknownName, UsedName
from graphrag.domain.ontology import TYPE, Ontology, TermKind, fold_name
from graphrag.reasoning.explain import conflicts_of

_SUGGESTIONS = 3
_SHORT = 3  # characters; one wrong of two is still similar in a short name
_SIMILAR_SHORT, _SIMILAR = 0.5, 0.7


def check_ontology(
    ontology: Ontology, closure: Closure, relations: Iterable[UsedName], types: Iterable[UsedName]
) -> OntologyReport:
    """Return all that is to be mended; `relations` and `types` are the names that notes use.

    A property is unused, and a class empty, when not even an inferred fact has it.
    """
    used = {fact.property for fact in closure.origins}
    filled = {fact.object for fact in closure.origins if fact.property == TYPE}
    return OntologyReport(
        problems=ontology.problems,
        conflicts=conflicts_of(closure, closure.violations),
        unknown_relations=_unknown(ontology, TermKind.PROPERTY, relations),
        unknown_types=_unknown(ontology, TermKind.CLASS, types),
        unused_properties=tuple(term for term in ontology.of_kind(TermKind.PROPERTY) if term.iri not in used),
        empty_classes=tuple(term for term in ontology.of_kind(TermKind.CLASS) if term.iri not in filled),
    )


def similar_labels(ontology: Ontology, kind: TermKind, name: str) -> tuple[str, ...]:
    """Return the labels of a kind that look like a name, the most similar first."""
    labels = {fold_name(label.text): label.text for term in ontology.of_kind(kind) for label in term.labels}
    folded = fold_name(name)
    cutoff = _SIMILAR_SHORT if len(folded) <= _SHORT else _SIMILAR
    return tuple(labels[match] for match in get_close_matches(folded, labels, n=_SUGGESTIONS, cutoff=cutoff))


def _unknown(ontology: Ontology, kind: TermKind, names: Iterable[UsedName]) -> tuple[UnknownName, ...]:
    """Return the names that nothing answers to, the most used first."""
    unknown = [used for used in names if not ontology.find(kind, used.name)]
    unknown.sort(key=lambda used: (-used.count, used.name))
    return tuple(UnknownName(used, similar_labels(ontology, kind, used.name)) for used in unknown)
