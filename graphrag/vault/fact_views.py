"""A fact -> its status and proof; the vault -> problems of its ontology. Both with the lines that may be shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from graphrag.domain.ontology import TYPE, Conflict, Place, ProofTree, TermKind
from graphrag.domain.report import FactView, OntologyView
from graphrag.errors import NoteNotFound, QuestionError
from graphrag.language.script import is_chinese
from graphrag.reasoning.explanation import nodes_of
from graphrag.reasoning.wording import FactNames, read_fact
from graphrag.vault.cited_lines import NoteLines
from graphrag.vault.knowledge import Knowledge

_EXAMPLES = '"张三 负责 支付模块", "支付模块 --负责人--> 张三"'


def explain_fact(text: str, knowledge: Knowledge, lines: NoteLines, find_entity: Callable[[str], str]) -> FactView:
    """Return how the notes stand to the fact that a text names.

    Raises:
        QuestionError: the text has not the form of a fact, or names no relation of the ontology.
        NoteNotFound: nothing is called like one of its ends, or a line that it rests on is no longer there.
    """
    names = _choose(text, knowledge)
    object_kind = TermKind.CLASS if knowledge.properties(names.property) == (TYPE,) else TermKind.INDIVIDUAL
    subject = _find(names.subject, TermKind.INDIVIDUAL, knowledge, find_entity)
    object_ = _find(names.object, object_kind, knowledge, find_entity)
    explanation = knowledge.explain(subject, names.property, object_)
    conflicts = tuple(item for item in explanation.conflicts if _is_shown(item.proofs, lines))
    explanation = replace(explanation, conflicts=conflicts)
    trees = [*([explanation.proof] if explanation.proof else ()), *_trees(conflicts)]
    if explanation.proof and not _is_shown([explanation.proof], lines):
        raise NoteNotFound("a note that said so was changed or is gone since it was indexed. Run: graphrag index")
    spoken_of = {*explanation.fact, *_ids(trees, conflicts)}
    language = "zh" if is_chinese(text) else "en"
    return FactView(explanation, _titles(spoken_of, knowledge, language), _lines(trees, lines))


def check_knowledge(knowledge: Knowledge, lines: NoteLines, language: str) -> OntologyView:
    """Return what is to be mended in an ontology and in the notes that use it, with names in a language."""
    report = knowledge.check(lines.is_shown)
    conflicts = tuple(item for item in report.conflicts if _is_shown(item.proofs, lines))
    trees = [*_trees(conflicts)]
    titles = _titles(_ids(trees, conflicts), knowledge, language)
    return OntologyView(replace(report, conflicts=conflicts), titles, _lines(trees, lines))


def _choose(text: str, knowledge: Knowledge) -> FactNames:
    """Return the reading of which most is known."""
    readings = [*read_fact(text, knowledge.find_names(text))]
    if not readings:
        raise QuestionError(f"'{text}' is no fact. Write a subject, a relation and an object, like {_EXAMPLES}")
    known = [names for names in readings if knowledge.properties(names.property)]
    if not known:
        near = next((found for names in readings if (found := knowledge.similar_relations(names.property))), ())
        advice = f"Did you mean: {', '.join(near)}?" if near else "graphrag ontology check lists what notes use."
        raise QuestionError(f"no relation of the ontology is named in '{text}'. {advice}")
    return max(known, key=lambda names: knowledge.knows(names.subject) + knowledge.knows(names.object))


def _find(name: str, kind: TermKind, knowledge: Knowledge, find_entity: Callable[[str], str]) -> str:
    terms = knowledge.ontology.find(kind, name)
    return terms[0] if terms else find_entity(name)


def _is_shown(trees: Iterable[ProofTree], lines: NoteLines) -> bool:
    places = (node.origin for tree in trees for node in nodes_of(tree) if isinstance(node.origin, Place))
    return all(lines.find(place) for place in places if place.path)


def _trees(conflicts: Iterable[Conflict]) -> Iterator[ProofTree]:
    return (tree for conflict in conflicts for tree in conflict.proofs)


def _lines(trees: Iterable[ProofTree], lines: NoteLines) -> Mapping[Place, str]:
    places = {node.origin for tree in trees for node in nodes_of(tree) if isinstance(node.origin, Place)}
    return {place: line.text for place in sorted(places) if (line := lines.find(place))}


def _ids(trees: Iterable[ProofTree], conflicts: Iterable[Conflict]) -> Iterator[str]:
    """Yield the entities and terms that proofs and conflicts speak of."""
    for tree in trees:
        for node in nodes_of(tree):
            yield from node.fact
            yield from () if isinstance(node.origin, Place) else node.origin.axiom.terms
    for conflict in conflicts:
        yield from conflict.violation.axiom.terms


def _titles(ids: Iterable[str], knowledge: Knowledge, language: str) -> dict[str, str]:
    return {id_: knowledge.title(id_, language) for id_ in sorted({*ids})}
