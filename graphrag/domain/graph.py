"""The graph as its readers see it: entities, relations between them, and what lies around one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from graphrag.domain.ontology import Place


class EntityKind(StrEnum):
    """What an entity is: a note's subject, a topic that has no note yet, a tag, or a term that recurs across notes."""

    NOTE = "note"
    TOPIC = "topic"
    TAG = "tag"
    TERM = "term"


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """A vertex. `id` is the note path, the topic's name, the tag with its '#', or the term in lower case."""

    id: str
    kind: EntityKind
    title: str


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge with its origin: the note and line that say it."""

    source: str  # entity id
    target: str  # entity id
    kind: str  # LinkKind value, or "tag"
    name: str  # the property of a typed link, as written; empty otherwise
    note: str
    line: int


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity near the centre, with the relation that leads to it from one hop nearer."""

    entity: Entity
    hops: int
    relation: Relation
    via: str  # entity id one hop nearer; the centre's own id on the first hop

    @property
    def is_backlink(self) -> bool:
        """Whether the relation points from this neighbour towards the centre."""
        return self.relation.source == self.entity.id


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """What lies within `max_hops` of an entity, nearest first; `omitted` counts what the limit left out."""

    center: Entity
    max_hops: int
    neighbors: tuple[Neighbor, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class InferredNeighbor:
    """An entity that a fact joins to the centre which no single line says."""

    entity: Entity
    property: str  # its IRI
    name: str  # its label
    is_backlink: bool  # whether the centre is the fact's object
    places: tuple[Place, ...]  # the lines that the fact follows from
    weight: float  # one over their number


@dataclass(frozen=True, slots=True)
class MentionNeighbor:
    """A note that the centre names without a link, or that names the centre so; of a term, a note that holds it."""

    entity: Entity
    is_backlink: bool  # whether the name of the centre stands in this note
    places: tuple[Place, ...]  # the first lines where the name stands
    weight: float  # the rarer the name and the more passages hold it, the more


@dataclass(frozen=True, slots=True)
class TagNeighbor:
    """A note that bears tags of the centre, or tags below the same ones."""

    entity: Entity
    tags: tuple[str, ...]  # the deepest levels that both share
    weight: float  # share of the centre's tags, a rare tag counting more than a common one


@dataclass(frozen=True, slots=True)
class TermNeighbor:
    """A note that holds terms of the centre which few notes hold."""

    entity: Entity
    terms: tuple[str, ...]  # the rarest first
    weight: float  # the sum of theirs: the rarer, the more


@dataclass(frozen=True, slots=True)
class SimilarNeighbor:
    """A note that means something like what the centre means."""

    entity: Entity
    weight: float  # cosine of its nearest passage to the centre's first ones


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relation of the whole graph; beside the kinds of a written one there are "inferred" and "mention".

    The note and line of an inferred one are the first that it follows from; a mention's line is 0.
    """

    relation: Relation
    weight: float  # 1 for what is written; else as in `InferredNeighbor` and `MentionNeighbor`


@dataclass(frozen=True, slots=True)
class VaultGraph:
    """The whole graph of a vault: every end of an edge is among the entities."""

    entities: tuple[Entity, ...]
    edges: tuple[GraphEdge, ...]


@dataclass(frozen=True, slots=True)
class NoteSummary:
    """What the graph keeps of a note."""

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    category: str
    created: datetime | None
    updated: datetime | None


@dataclass(frozen=True, slots=True)
class Facet:
    """A tag or category with the number of notes that bear it or one below it."""

    name: str
    notes: int


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """A Cypher statement that reads, with its parameters and what it may cost."""

    statement: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    max_rows: int = 100
    seconds: float = 10.0
    max_text: int = 2_000  # characters of one text
    max_total: int = 4_000_000  # characters of all rows as JSON


@dataclass(frozen=True, slots=True)
class GraphTable:
    """The rows of a query, each value as JSON knows it; `is_cut`: there are more, or a value is longer."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    is_cut: bool
