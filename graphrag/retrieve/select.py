"""Ranked candidates -> results: relevance floor, what the vault still holds, near-duplicates, cap per note, top k.

Each dropped candidate comes with the reason, in the language of the question.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from graphrag.domain.note import Chunk
from graphrag.domain.query import Candidate, Dropped, Stage
from graphrag.language.interface import Language

_SHINGLE = 8  # characters
_VOUCHED = 10  # first ranks of the walk: what the graph leads to need not look like the question
_DUPLICATE_SHARE = 0.85  # of the smaller passage's shingles


@dataclass(frozen=True, slots=True)
class SelectPolicy:
    """The numbers of the selection, as in the settings."""

    top_k: int
    max_per_note: int
    floor_margin: float  # a chunk without any term of the question may lie this far below the best similarity


def select(
    candidates: Sequence[Candidate],
    policy: SelectPolicy,
    why_gone: Callable[[Chunk], str],
    language: Language = Language.EN,
) -> tuple[tuple[Candidate, ...], tuple[Dropped, ...]]:
    """Return the results in order, and every other candidate with the stage that dropped it.

    `why_gone` says why the vault no longer holds a chunk, empty when it does; the reasons are told in `language`.
    """
    say = language.say
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    per_note: dict[str, int] = {}
    shingles: list[frozenset[str]] = []
    floor = _floor(candidates, policy.floor_margin)
    for candidate in candidates:
        own = _shingles(candidate.chunk.text) if len(kept) < policy.top_k else frozenset()
        note = candidate.chunk.note
        if reason := _below_floor(candidate, floor, language):
            dropped.append(Dropped(candidate, Stage.RELEVANCE_FLOOR, reason))
        elif per_note.get(note, 0) >= policy.max_per_note:
            dropped.append(
                Dropped(
                    candidate, Stage.PER_NOTE_CAP, say("{count} better chunks of its note", count=policy.max_per_note)
                )
            )
        elif len(kept) >= policy.top_k:
            dropped.append(Dropped(candidate, Stage.TOP_K, say("{count} results are better", count=policy.top_k)))
        elif reason := why_gone(candidate.chunk):
            dropped.append(Dropped(candidate, Stage.GONE, say(reason)))
        elif (twin := _twin(own, shingles)) is not None:
            dropped.append(
                Dropped(candidate, Stage.NEAR_DUPLICATE, say("says what {note} says", note=kept[twin].chunk.note))
            )
        else:
            kept.append(candidate)
            shingles.append(own)
            per_note[note] = per_note.get(note, 0) + 1
    return tuple(kept), tuple(dropped)


def _floor(candidates: Sequence[Candidate], margin: float) -> float | None:
    similarities = [candidate.why.similarity for candidate in candidates if candidate.why.similarity is not None]
    return max(similarities) - margin if similarities else None


def _below_floor(candidate: Candidate, floor: float | None, language: Language) -> str:
    """Return why a candidate is too weak: no term of the question, far less similar than the best, and off the walk."""
    similarity, rank = candidate.why.similarity, candidate.why.walk_rank
    if rank is not None and rank <= _VOUCHED:
        return ""
    if floor is None or similarity is None or candidate.why.terms or similarity >= floor:
        return ""
    far = "no term of the question, and similarity {similarity} is below {floor}"
    return language.say(far, similarity=f"{similarity:.3f}", floor=f"{floor:.3f}")


def _shingles(text: str) -> frozenset[str]:
    bare = re.sub(r"\W+", "", text).lower()
    return frozenset(bare[start : start + _SHINGLE] for start in range(max(1, len(bare) - _SHINGLE + 1)))


def _twin(own: frozenset[str], others: Sequence[frozenset[str]]) -> int | None:
    return next(_twins(own, others), None)


def _twins(own: frozenset[str], others: Sequence[frozenset[str]]) -> Iterator[int]:
    for position, other in enumerate(others):
        smaller = min(len(own), len(other))
        if smaller and len(own & other) >= _DUPLICATE_SHARE * smaller and smaller * 2 >= max(len(own), len(other)):
            yield position
