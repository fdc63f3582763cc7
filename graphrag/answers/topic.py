"""A topic -> the notes that are about it: all that a search finds and can vouch for, not only the best."""

from dataclasses import replace

from graphrag.domain.query import Candidate, Question, Stage
from graphrag.retrieve.pipeline import Expansion, Found, SearchPolicy, StageClock, search
from graphrag.retrieve.readers import SnapshotReaders

_CANDIDATES = 300  # of either list
_COVERAGE = 0.6  # of the topic's term weight; a passage that holds less must be among the nearest in meaning
_NEAREST = 15
_LOST = frozenset({Stage.RELEVANCE_FLOOR, Stage.GONE})  # the other stages only shorten the list


def find_topic_notes(
    readers: SnapshotReaders, topic: Question, policy: SearchPolicy, clock: StageClock
) -> tuple[set[str], str]:
    """Return the paths of the notes with a passage that holds the topic's words, or is nearest to its meaning.

    The text is the search's notice.
    """
    wide = replace(  # the order does not matter here, only who is found
        policy,
        candidates=_CANDIDATES,
        expansion=Expansion.NONE,
        rerank=None,
        select=replace(policy.select, top_k=1),
    )
    found = search(readers, topic, wide, clock)
    dropped = (item.candidate for item in found.result.dropped if item.stage not in _LOST)
    candidates = (*found.result.candidates, *dropped)
    return {candidate.chunk.note for candidate in candidates if _is_about(candidate, found)}, found.result.notice


def _is_about(candidate: Candidate, found: Found) -> bool:
    total = sum(found.weights.values())
    held = sum(found.weights.get(term, 0.0) for term in candidate.why.terms)
    rank = candidate.why.vector_rank
    return held >= _COVERAGE * total > 0.0 or (rank is not None and rank <= _NEAREST)
