"""related_notes, explain_relation: what lies around a note and why, and how two things hang together."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.domain.graph import Entity, EntityKind, Neighbor
from graphrag.domain.inference import Proof, ProofTree
from graphrag.domain.ontology import Place
from graphrag.domain.reference import Reference
from graphrag.domain.report import FactView, PathView, Surroundings
from graphrag.errors import QuestionError
from graphrag.language.language import is_chinese
from graphrag.mcp.arguments import RelatedArguments, RelationArguments
from graphrag.mcp.results import Connection, Related, Step, Surrounding
from graphrag.mcp.words import one_line, shorten
from graphrag.reasoning.explain import nodes_of
from graphrag.reasoning.wording import Wording

if TYPE_CHECKING:
    from graphrag.app import App

_FEW = 4  # of each kind of reason that is no link
_HOPS = 6  # of a chain that joins two things
_STEPS = 20  # of a proof, counted from its end
_QUOTED = 120
_ARROWS = ('"', "->", "→", "<-", "←")  # what a fact cannot hold inside a name


def related_notes(app: "App", arguments: RelatedArguments) -> Surrounding:
    """Return what lies around a note, topic, tag or term; links first, then what the notes have in common."""
    view = app.near(arguments.name, arguments.hops, arguments.limit)
    found: dict[str, Related] = {}
    for item in _related(view):
        known = found.get(item.name)
        found[item.name] = replace(known, why=f"{known.why}; {item.why}") if known else item
    return Surrounding(view.center.id, view.center.kind, tuple(found.values()), view.omitted)


def explain_relation(app: "App", arguments: RelationArguments) -> Connection:
    """Return the proof of a relation, or a shortest chain of links where none is named.

    Raises:
        QuestionError: a name cannot stand in a fact, or the ontology knows no such relation.
    """
    if not arguments.relation:
        return _connection(app.path(arguments.subject, arguments.object, _HOPS))
    names = (arguments.subject, arguments.relation, arguments.object)
    if any(arrow in name for arrow in _ARROWS for name in names):
        raise QuestionError("quotation marks and arrows cannot stand in a name here. Give the note's alias instead.")
    text = " ".join(f'"{name}"' for name in names)
    return _fact(app.explain(text), is_chinese(text))


def _related(view: Surroundings) -> Iterator[Related]:
    yield from (_neighbor(item, view.center.id) for item in view.neighbors)
    for fact in view.inferred[:_FEW]:
        yield _entry(fact.entity, f"inferred: {_arrow('this', fact.name, fact.is_backlink)}", _ref(fact.places))
    for mention in view.mentions[:_FEW]:
        why = "names this without a link" if mention.is_backlink else "is named here without a link"
        yield _entry(mention.entity, why, _ref(mention.places))
    for tagged in view.shared_tags[:_FEW]:
        yield _entry(tagged.entity, f"shares tags: {', '.join(tagged.tags)}")
    for sharing in view.shared_terms[:_FEW]:
        yield _entry(sharing.entity, f"shares rare terms: {', '.join(sharing.terms[:_FEW])}")
    for similar in view.similar[:_FEW]:
        yield _entry(similar.entity, f"similar in meaning: {similar.weight:.2f}")


def _neighbor(neighbor: Neighbor, center: str) -> Related:
    relation, here = neighbor.relation, "this" if neighbor.via == center else neighbor.via
    why = f"link: {_arrow(here, relation.name, neighbor.is_backlink)}"
    return _entry(neighbor.entity, why, str(Reference(relation.note, (relation.line, relation.line))))


def _arrow(here: str, name: str, is_backlink: bool) -> str:
    """Return a relation between what was asked about, or a step on the way from it, and the entry: `it`."""
    start, end = ("it", here) if is_backlink else (here, "it")
    return f"{start} {f'—{name}→' if name else '→'} {end}"


def _entry(entity: Entity, why: str, ref: str = "") -> Related:
    bare = entity.id.rpartition("/")[2].removesuffix(".md")
    title = entity.title if entity.kind is EntityKind.NOTE and entity.title != bare else ""
    return Related(entity.id, entity.kind, one_line(why), title, ref)


def _ref(places: Iterable[Place]) -> str:
    place = next(iter(places), None)
    return _place(place) if place else ""


def _place(place: Place) -> str:
    return str(Reference(place.path, (place.line, place.line))) if place.line else place.path


def _connection(view: PathView) -> Connection:
    title = view.titles
    steps = tuple(
        Step(
            f"{title[relation.source]} —{relation.name or 'links to'}→ {title[relation.target]}",
            str(Reference(relation.note, (relation.line, relation.line))),
        )
        for relation in view.relations
    )
    names = f"{title.get(view.start, view.start)} … {title.get(view.end, view.end)}"
    is_same = view.start == view.end
    return Connection("connected" if steps or is_same else "unconnected", names, steps)


def _fact(view: FactView, in_chinese: bool) -> Connection:
    explanation = view.explanation
    words = Wording(lambda id_: one_line(view.titles.get(id_, id_)), in_chinese)
    proof = [*_steps([explanation.proof] if explanation.proof else [], view, words)]
    against = [
        step
        for conflict in explanation.conflicts
        for step in (*_steps(conflict.proofs, view, words), Step("", rule=words.rule(conflict.violation.axiom)))
    ]
    return Connection(
        status=explanation.status,
        statement=words.phrase(explanation.fact),
        steps=tuple(proof[-_STEPS:]),
        against=tuple(dict.fromkeys(against))[:_STEPS],
        omitted=max(len(proof) - _STEPS, 0),
    )


def _steps(proofs: Iterable[ProofTree], view: FactView, words: Wording) -> Iterator[Step]:
    """Yield the statements of proofs, what is written before what follows from it."""
    nodes = dict.fromkeys(node for proof in proofs for node in nodes_of(proof))
    for node in sorted(nodes, key=_depth):
        statement = words.phrase(node.fact)
        if isinstance(node.origin, Proof):
            yield Step(statement, rule=words.rule(node.origin.axiom))
        elif node.origin.path:  # else it is the statement that is being tried out
            line = shorten(one_line(view.lines.get(node.origin, "")), _QUOTED)
            yield Step(statement, _place(node.origin), line)


def _depth(node: ProofTree) -> int:
    return node.origin.depth if isinstance(node.origin, Proof) else 0
