"""Fused candidates -> candidates along the links: notes that no list found, but that the best notes link to or from.

Each of the best notes passes a part of its score on, less with every hop and shared between its neighbours; a hub, such
as an index page, passes nothing on. Only missing notes come in: raising the score of notes that the lists found already
was measured to push better matches down.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphrag.domain.graph import Relation
from graphrag.domain.note import Chunk
from graphrag.domain.ports import ChunkReader, GraphReader, Vectors
from graphrag.domain.query import Candidate, Filters, GraphHop, Why
from graphrag.retrieve.search import by_score

_SEEDS = 10  # notes that pass relevance on
_NEWCOMERS = 20  # notes that expansion may bring in


@dataclass(frozen=True, slots=True)
class ExpandPolicy:
    """The numbers of the expansion, as in the settings."""

    max_hops: int
    decay: float
    hub_links: int


@dataclass(frozen=True, slots=True)
class _Arrival:
    score: float
    path: tuple[GraphHop, ...]


def expand(
    candidates: Sequence[Candidate],
    graph: GraphReader,
    chunks: ChunkReader,
    policy: ExpandPolicy,
    question: Vectors | None,
    filters: Filters,
) -> list[Candidate]:
    """Return the candidates with what the links add; the filters hold for what comes in as well."""
    seeds: dict[str, float] = {}
    for candidate in candidates:
        if candidate.chunk.note not in seeds and len(seeds) < _SEEDS:
            seeds[candidate.chunk.note] = candidate.score
    arrivals = _spread(seeds, graph, policy)
    present = {candidate.chunk.note for candidate in candidates}
    newcomers = sorted((note for note in arrivals if note not in present), key=lambda note: -arrivals[note].score)
    grown = _tell_ways(candidates, arrivals)
    grown += _bring_in(newcomers[:_NEWCOMERS], arrivals, chunks, question, filters)
    return sorted(grown, key=by_score)


def _spread(seeds: Mapping[str, float], graph: GraphReader, policy: ExpandPolicy) -> dict[str, _Arrival]:
    arrivals: dict[str, _Arrival] = {}
    frontier = {note: _Arrival(score, ()) for note, score in seeds.items()}
    for _ in range(policy.max_hops):
        reached: dict[str, _Arrival] = {}
        for note, relations in _by_note(graph.relations(sorted(frontier)), frontier).items():
            if len(relations) > policy.hub_links:
                continue
            share = frontier[note].score * policy.decay / math.sqrt(len(relations))
            for other, relation in relations.items():
                path = (*frontier[note].path, _hop(relation, note, other))
                known = reached.get(other)
                reached[other] = _Arrival(share + (known.score if known else 0.0), known.path if known else path)
        for other, arrival in reached.items():
            known = arrivals.get(other)
            arrivals[other] = _Arrival(known.score + arrival.score, known.path) if known else arrival
        frontier = {note: arrival for note, arrival in reached.items() if note not in seeds}
    return arrivals


def _by_note(relations: Sequence[Relation], frontier: Mapping[str, _Arrival]) -> dict[str, dict[str, Relation]]:
    """Group relations by the frontier's notes; one relation per neighbour, a typed one if there is any."""
    grouped: dict[str, dict[str, Relation]] = {}
    for relation in sorted(relations, key=lambda relation: not relation.name):
        for note, other in ((relation.source, relation.target), (relation.target, relation.source)):
            if note in frontier:
                grouped.setdefault(note, {}).setdefault(other, relation)
    return grouped


def _hop(relation: Relation, note: str, other: str) -> GraphHop:
    return GraphHop(note, other, relation.kind, relation.name, relation.source == other)


def _tell_ways(candidates: Sequence[Candidate], arrivals: Mapping[str, _Arrival]) -> list[Candidate]:
    """Return the candidates, each with the way along which its note was reached as well."""
    return [
        replace(candidate, why=replace(candidate.why, graph_path=arrivals[candidate.chunk.note].path))
        if candidate.chunk.note in arrivals
        else candidate
        for candidate in candidates
    ]


def _bring_in(
    notes: Sequence[str],
    arrivals: Mapping[str, _Arrival],
    chunks: ChunkReader,
    question: Vectors | None,
    filters: Filters,
) -> list[Candidate]:
    """Return the chunk of each note that is nearest to the question, its first one without vectors."""
    nearest = {} if question is None else _nearest(chunks.vectors_of(notes, filters), question)
    # Long notes have many chunks: only the texts of those that come in are read.
    texts = chunks.get_chunks([id_ for _, id_ in nearest.values()])
    brought: list[tuple[Chunk, float | None]] = [(texts[id_], similarity) for similarity, id_ in nearest.values()]
    firsts = chunks.chunks_of([note for note in notes if note not in nearest], filters)
    brought += [(found[0], None) for found in firsts.values()]
    return [
        Candidate(chunk, arrivals[chunk.note].score, Why(similarity=similarity, graph_path=arrivals[chunk.note].path))
        for chunk, similarity in brought
    ]


def _nearest(vectors: Mapping[str, Mapping[str, Vectors]], question: Vectors) -> dict[str, tuple[float, str]]:
    """Return for each note the best similarity and the id of its chunk."""
    return {
        note: max((float(vector @ question), id_) for id_, vector in found.items()) for note, found in vectors.items()
    }
