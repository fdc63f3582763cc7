"""Fused candidates -> candidates ranked by both lists and by the walk along the graph, with what only the walk found.

How much the walk counts follows the question: one that names a note by a name hardly found elsewhere asks for what lies
around that note; for one that names none the lists know better.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from graphrag.domain.ports import ChunkReader
from graphrag.domain.query import Candidate, Question, Why
from graphrag.retrieve.search import by_score
from graphrag.retrieve.walk import Trip, Walk

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
