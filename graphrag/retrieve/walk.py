"""Candidates and the names in a question -> passages by personalised PageRank, blended with the candidates' order.

The graph joins passages, notes and shared terms. The walk starts at the best candidates and at the names in the
question; each step follows an edge or returns to a start (Haveliwala, Topic-sensitive PageRank, 2002; passages as
nodes and starts after HippoRAG 2, Gutiérrez et al., 2025). The more plainly a question points at a note, the more the
walk counts. `tell_ways` gives the path that brought each passage.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.passage_graph import EdgeKind, NamedNodes, WalkGraph, fold_words, rarity
from graphrag.domain.ports import ChunkReader
from graphrag.domain.query import Candidate, GraphHop, Question, Why
from graphrag.retrieve.search import by_score
from graphrag.settings import WalkSettings

Scores = NDArray[np.float32]

_STEPS = 20
_FLOOR = 0.7  # similarity; below it the default embedder tells nothing apart
_LONGEST_NAME = 24  # words, or characters of a script without spaces
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"[^\W{_UNSPACED}][^\W{_UNSPACED}'’.\-]*(?:['’.\-][^\W{_UNSPACED}]+)*|[{_UNSPACED}]")
_BEARERS = 8  # notes of one name that a walk starts from
_LONGEST_WAY = 6  # edges that a way is followed back
_KINDS = {EdgeKind.NAMES: "mention", EdgeKind.LINKS: "wiki", EdgeKind.TYPED: "property", EdgeKind.SHARES: "term"}
_TERM_SHARE = 0.1  # of a name's weight, for a topic or a term in the question: it says less of what is asked for


@dataclass(frozen=True, slots=True)
class WalkPolicy:
    """The numbers of the walk, as in the settings."""

    damping: float  # chance to go on along an edge
    seeds: int  # candidates to start from
    sharpness: float  # exponent on the similarities of the seeds above the floor
    name_weight: float  # of a name that occurs once, against the best candidate's 1
    weights: Mapping[EdgeKind, float]
    backward: float  # of a mention's weight, for the way from a note back to a passage that names it


def walk_policy(walk: WalkSettings) -> WalkPolicy:
    """Return the numbers of the walk along the graph."""
    weights = {
        EdgeKind.BELONGS: walk.own,
        EdgeKind.NAMES: walk.mention,
        EdgeKind.LINKS: walk.link,
        EdgeKind.TYPED: walk.typed_link,
        EdgeKind.SHARES: walk.term,
    }
    return WalkPolicy(walk.damping, walk.seeds, walk.sharpness, walk.name_weight, weights, walk.backward)


class Walk:
    """The walks over one graph; its transitions are worked out once."""

    def __init__(self, graph: WalkGraph, policy: WalkPolicy) -> None:
        self._graph = graph
        self._policy = policy
        self._number_of = {id_: number for number, id_ in enumerate(graph.chunks)}
        self._first_other = len(graph.chunks) + len(graph.notes)
        self._transitions = _Transitions(graph, policy)

    @property
    def graph(self) -> WalkGraph:
        """What the walks go along."""
        return self._graph

    def go(self, question: str, candidates: Sequence[Candidate]) -> "Trip":
        """Walk from the candidates, best first, and from what the question names."""
        start = self._start(question, candidates)
        total = start.sum()
        return Trip(self._graph, self._transitions, start, self._spread(start / total) if total else start)

    def pointedness(self, question: str) -> float:
        """Return from 0 to 1 how surely the question points at a note: 1 for a name that is found nowhere else."""
        named = [item for item in self._named_in(question) if item.nodes[0] < self._first_other]
        return max((rarity(item.frequency) for item in named), default=0.0)

    def _start(self, question: str, candidates: Sequence[Candidate]) -> Scores:
        start = np.zeros(self._graph.size, np.float32)
        seeds = candidates[: self._policy.seeds]
        for candidate, weight in zip(seeds, _seed_weights(seeds, self._policy.sharpness), strict=True):
            if (number := self._number_of.get(candidate.chunk.id)) is not None:
                start[number] = weight
        for named in self._named_in(question):
            nodes = named.nodes[:_BEARERS]
            share = _TERM_SHARE if nodes[0] >= self._first_other else 1.0
            start[list(nodes)] += share * self._policy.name_weight * rarity(named.frequency) / len(nodes)
        return start

    def _named_in(self, question: str) -> Iterator[NamedNodes]:
        """Yield what the question names, from left to right, the longest name first; no two overlap."""
        text = fold_words(question)
        words = [match.span() for match in _WORD.finditer(text)]
        place = 0
        while place < len(words):
            longest = range(min(len(words), place + _LONGEST_NAME), place, -1)
            for end in longest:
                name = text[words[place][0] : words[end - 1][1]]
                if found := self._graph.names.get(name) or self._graph.names.get(name.removesuffix("'s")):
                    yield found
                    place = end - 1
                    break
            place += 1

    def _spread(self, start: Scores) -> Scores:
        shares = start
        for _ in range(_STEPS):
            shares = (1 - self._policy.damping) * start + self._policy.damping * self._transitions.step(shares)
        return shares


class Trip:
    """Where one walk came by; `shares` is the time spent at each node, of 1."""

    def __init__(self, graph: WalkGraph, transitions: "_Transitions", start: Scores, shares: Scores) -> None:
        self._graph = graph
        self._transitions = transitions
        self._start = start
        self._shares = shares

    def best(self, limit: int) -> list[str]:
        """Return the ids of the chunks where the walk spent most time, best first."""
        shares = self._shares[: len(self._graph.chunks)]
        order = np.argsort(-shares, kind="stable")[:limit]
        return [self._graph.chunks[number] for number in order if shares[number] > 0.0]

    def is_note(self, label: str) -> bool:
        """Whether a hop's end is a note; else it is a topic or a term."""
        return label in self._graph.notes

    def way_to(self, chunk_id: str) -> tuple[GraphHop, ...]:
        """Return the hops from a start to a chunk, along the edges that carried most of the walk there."""
        node = self._graph.chunks.index(chunk_id)
        way = [node]
        while not self._start[node] and len(way) <= _LONGEST_WAY:
            sources, carried = self._transitions.into(node, self._shares)
            carried = np.where(np.isin(sources, way), 0.0, carried)
            if not carried.any():
                break
            node = int(sources[int(carried.argmax())])
            way.append(node)
        hops = (self._hop(source, target) for source, target in pairwise(reversed(way)))
        return tuple(hop for hop in hops if hop is not None)

    def _hop(self, source: int, target: int) -> GraphHop | None:
        """Return the step between two nodes, None for the one between a note and its own chunk."""
        graph = self._graph
        forward = np.flatnonzero((graph.sources == source) & (graph.targets == target))
        edges = forward if forward.size else np.flatnonzero((graph.sources == target) & (graph.targets == source))
        kind = EdgeKind(int(graph.kinds[edges[0]]))
        if kind is EdgeKind.BELONGS:
            return None
        return GraphHop(self._label(source), self._label(target), _KINDS[kind], "", not forward.size)

    def _label(self, node: int) -> str:
        """Return the note of a chunk or note, or the name of a topic or term."""
        chunks, notes = len(self._graph.chunks), len(self._graph.notes)
        if node < chunks:
            belongs = (self._graph.sources == node) & (self._graph.kinds == EdgeKind.BELONGS)
            node = int(self._graph.targets[belongs][0])
        return self._graph.notes[node - chunks] if node < chunks + notes else self._graph.others[node - chunks - notes]


def _seed_weights(seeds: Sequence[Candidate], sharpness: float) -> list[float]:
    """Return the weights of the seeds, 1 for the most similar one; without vectors, by their ranks."""
    similarities = [candidate.why.similarity or 0.0 for candidate in seeds]
    best = max(similarities, default=0.0)
    if best <= _FLOOR:
        return [1.0 / (1 + rank) for rank in range(len(seeds))]
    return [(max(similarity - _FLOOR, 0.0) / (best - _FLOOR)) ** sharpness for similarity in similarities]


class _Transitions:
    """The chances to go from one node (column) to another (row), by row.

    A library of sparse matrices would take longer to import than a search takes.
    """

    def __init__(self, graph: WalkGraph, policy: WalkPolicy) -> None:
        factor = np.array([policy.weights[kind] for kind in EdgeKind], np.float32)
        forward = graph.weights * factor[graph.kinds]
        # What a passage names says more of what it is about than who else names it, or every note known to many
        # would lead to all of them.
        backward = np.where(graph.kinds == EdgeKind.NAMES, policy.backward, np.float32(1)) * forward
        rows = np.concatenate((graph.sources, graph.targets))
        columns = np.concatenate((graph.targets, graph.sources))
        values = np.concatenate((backward, forward))
        totals = np.bincount(columns, values, minlength=graph.size)
        order = np.argsort(rows, kind="stable")
        self._columns = columns[order]
        self._chances = (values / totals[columns]).astype(np.float32)[order]
        self._rows, self._starts = np.unique(rows[order], return_index=True)

    def step(self, shares: Scores) -> Scores:
        """Return where the walk is after one step."""
        after = np.zeros_like(shares)
        if self._rows.size:
            after[self._rows] = np.add.reduceat(self._chances * shares[self._columns], self._starts)
        return after

    def into(self, node: int, shares: Scores) -> tuple[NDArray[np.int32], Scores]:
        """Return the nodes from which a step leads to this one, and how much of the walk comes from each."""
        place = int(np.searchsorted(self._rows, node))
        part = slice(self._starts[place], self._starts[place + 1] if place + 1 < self._starts.size else None)
        sources = self._columns[part]
        return sources, self._chances[part] * shares[sources]


_STEEPNESS = 5  # the share of the walk falls fast with the name's rarity: a name found in two passages counts a quarter
_REACHED = 100  # chunks of the walk that take part in the ranking


@dataclass(frozen=True, slots=True)
class BlendPolicy:
    """The numbers of the ranking, as in the settings."""

    rrf_k: int
    share: float  # of the walk's ranks against one list's, when the question points at nothing
    pointed_share: float  # more, when it points at a note by a name of its own


def rank_with_walk(
    candidates: Sequence[Candidate], walk: Walk, chunks: ChunkReader, question: Question, policy: BlendPolicy
) -> tuple[list[Candidate], Trip]:
    """Return the candidates and what the walk adds to them, best first; the filters hold for what comes in."""
    trip = walk.go(question.text, candidates)
    share = policy.share + policy.pointed_share * walk.pointedness(question.text) ** _STEEPNESS
    ranks = {id_: rank for rank, id_ in enumerate(trip.best(_REACHED), 1)}
    known = {candidate.chunk.id for candidate in candidates}
    found = chunks.get_chunks([id_ for id_ in ranks if id_ not in known], question.filters)
    newcomers = [Candidate(chunk, 0.0, Why()) for chunk in found.values()]
    ranked = [
        replace(item, score=item.score + share / (policy.rrf_k + rank), why=replace(item.why, walk_rank=rank))
        if (rank := ranks.get(item.chunk.id))
        else item
        for item in (*candidates, *newcomers)
    ]
    return sorted(ranked, key=by_score), trip


def tell_ways(results: Sequence[Candidate], trip: Trip, is_gone: Callable[[str], bool]) -> tuple[Candidate, ...]:
    """Return the results; those that no list found with the way along which the walk reached them.

    A way that leads over a note that must not be shown is left out.
    """
    return tuple(item if _is_found(item.why) else _tell_way(item, trip, is_gone) for item in results)


def _is_found(why: Why) -> bool:
    return bool(why.full_text_rank or why.vector_rank or why.sparse_rank)


def _tell_way(item: Candidate, trip: Trip, is_gone: Callable[[str], bool]) -> Candidate:
    way = trip.way_to(item.chunk.id)
    ends = {end for hop in way for end in (hop.source, hop.target) if trip.is_note(end)}
    return item if any(map(is_gone, ends)) else replace(item, why=replace(item.why, graph_path=way))
