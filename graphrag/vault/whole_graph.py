"""One snapshot -> its whole graph, as far as the vault still holds and shows it."""

from collections.abc import Iterator, Set

from graphrag.domain.graph import Entity, EntityKind, GraphEdge, Relation, VaultGraph
from graphrag.domain.ontology import TYPE
from graphrag.language.language import is_chinese
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.knowledge import Knowledge
from graphrag.vault.note_lines import NoteLines

_ORDER = {kind: number for number, kind in enumerate((EntityKind.NOTE, EntityKind.TOPIC, EntityKind.TAG))}


def read_graph(knowledge: Knowledge, readers: SnapshotReaders, lines: NoteLines) -> VaultGraph:
    """Return notes, and the topics and tags that they name, with all that joins them; what is written comes first."""
    shown = {path for path in readers.manifest.notes if lines.is_shown(path)}
    written = [*_written(readers, shown)]
    linked = {(edge.relation.source, edge.relation.target) for edge in written}
    edges = [*written, *_inferred(knowledge, readers, lines, shown), *_mentions(readers, shown, linked)]
    ends = {end for edge in edges for end in (edge.relation.source, edge.relation.target)}
    stored = readers.graph.entities(sorted(shown | ends))
    # What only the ontology speaks of is no entity of the graph: it has a name there.
    entities = [
        stored.get(id_) or Entity(id_, EntityKind.TOPIC, knowledge.title(id_, "en")) for id_ in sorted(shown | ends)
    ]
    return VaultGraph(tuple(sorted(entities, key=lambda item: (_ORDER[item.kind], item.id))), tuple(edges))


def _written(readers: SnapshotReaders, shown: Set[str]) -> Iterator[GraphEdge]:
    for relation in readers.graph.relations(sorted(shown), with_tags=True):
        if relation.source in shown and _may_name(readers, shown, relation.target):
            yield GraphEdge(relation, 1.0)


def _inferred(knowledge: Knowledge, readers: SnapshotReaders, lines: NoteLines, shown: Set[str]) -> Iterator[GraphEdge]:
    """Yield what follows and no single line says; the places are those of the proof, of which the first is given."""
    if knowledge.is_empty:
        return
    for subject in sorted({fact.subject for fact in knowledge.closure.origins if fact.property != TYPE}):
        for fact in knowledge.seeker.inferred_around(subject):
            ends = (fact.subject, fact.object)
            if fact.subject != subject or not all(_may_name(readers, shown, end) for end in ends):
                continue
            places = knowledge.seeker.places(fact)
            if all(lines.find(place) for place in places):
                name = knowledge.title(fact.property, "zh" if is_chinese(subject) else "en")
                relation = Relation(*ends, "inferred", name, places[0].path, places[0].line)
                yield GraphEdge(relation, round(1 / len(places), 4))


def _mentions(readers: SnapshotReaders, shown: Set[str], linked: Set[tuple[str, str]]) -> Iterator[GraphEdge]:
    """Yield who names whom where no link joins the two; none while the walk of the snapshot is not made yet."""
    walk = readers.load_walk()
    for mention in walk.graph.mentions() if walk else ():
        ends = (mention.source, mention.target)
        if {*ends} <= shown and not {ends, ends[::-1]} & linked:
            relation = Relation(*ends, "mention", "", mention.source, 0)
            yield GraphEdge(relation, round(mention.weight, 4))


def _may_name(readers: SnapshotReaders, shown: Set[str], entity: str) -> bool:
    return entity in shown or entity not in readers.manifest.notes
