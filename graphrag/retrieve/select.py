"""Ranked candidates -> results: relevance floor, what the vault still holds, near-duplicates, cap per note, top k.

Each dropped candidate comes with the reason, in the language of the question.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag.domain.note import Chunk
from graphrag.domain.query import Candidate, Dropped, GoneReason, Stage


@dataclass(frozen=True, slots=True)
class LossWords:
    """One language's sentences."""

    per_note: str  # {count}
    top_k: str  # {count}
    twin: str  # {note}
    floor: str  # {similarity}, {floor}
    result: str  # {rank}
    no_text: str
    filtered: str
    terms: str  # {terms}
    no_terms: str
    nearest: str  # {similarity}
    not_embedded: str
    joint: str
    gone: dict[str, str] = field(default_factory=dict)  # by what the vault says of a passage; else that stays

    def why_gone(self, reason: str) -> str:
        """Return why the vault no longer holds a passage."""
        return self.gone.get(reason, reason)


_ENGLISH: Final = LossWords(
    per_note="{count} better chunks of its note",
    top_k="{count} results are better",
    twin="says what {note} says",
    floor="no term of the question, and similarity {similarity} is below {floor}",
    result="it is result {rank}",
    no_text="it has no text that is indexed",
    filtered="the filters leave it out",
    terms="of the question's terms its best chunk holds {terms}, which others hold more of",
    no_terms="none",
    nearest="its similarity is {similarity}",
    not_embedded="it is not embedded yet",
    joint="; ",
)
_CHINESE: Final = LossWords(
    per_note="所在笔记已有 {count} 段更好的",
    top_k="有 {count} 条结果更好",
    twin="与 {note} 说的相同",
    floor="不含问题的词语，相似度 {similarity} 低于 {floor}",
    result="是第 {rank} 条结果",
    no_text="没有编入索引的文字",
    filtered="被筛选条件排除",
    terms="它最好的一段含有问题的词语：{terms}，别的段落含得更多",
    no_terms="无",
    nearest="相似度 {similarity}",
    not_embedded="尚未嵌入",
    joint="；",
    gone={
        GoneReason.NOTE: "所在笔记已不在库中，或现在被排除",
        GoneReason.PRIVATE: "所在笔记现在是私密的",
        GoneReason.CHANGED: "所在笔记已不再这样写",
    },
)


def loss_words(in_chinese: bool) -> LossWords:
    """Return the words of a language."""
    return _CHINESE if in_chinese else _ENGLISH


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
    words: LossWords | None = None,
) -> tuple[tuple[Candidate, ...], tuple[Dropped, ...]]:
    """Return the results in order, and every other candidate with the stage that dropped it.

    `why_gone` says why the vault no longer holds a chunk, empty when it does; `words` are English by default.
    """
    words = words or loss_words(in_chinese=False)
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    per_note: dict[str, int] = {}
    shingles: list[frozenset[str]] = []
    floor = _floor(candidates, policy.floor_margin)
    for candidate in candidates:
        own = _shingles(candidate.chunk.text) if len(kept) < policy.top_k else frozenset()
        note = candidate.chunk.note
        if reason := _below_floor(candidate, floor, words):
            dropped.append(Dropped(candidate, Stage.RELEVANCE_FLOOR, reason))
        elif per_note.get(note, 0) >= policy.max_per_note:
            dropped.append(Dropped(candidate, Stage.PER_NOTE_CAP, words.per_note.format(count=policy.max_per_note)))
        elif len(kept) >= policy.top_k:
            dropped.append(Dropped(candidate, Stage.TOP_K, words.top_k.format(count=policy.top_k)))
        elif reason := why_gone(candidate.chunk):
            dropped.append(Dropped(candidate, Stage.GONE, words.why_gone(reason)))
        elif (twin := _twin(own, shingles)) is not None:
            dropped.append(Dropped(candidate, Stage.NEAR_DUPLICATE, words.twin.format(note=kept[twin].chunk.note)))
        else:
            kept.append(candidate)
            shingles.append(own)
            per_note[note] = per_note.get(note, 0) + 1
    return tuple(kept), tuple(dropped)


def _floor(candidates: Sequence[Candidate], margin: float) -> float | None:
    similarities = [candidate.why.similarity for candidate in candidates if candidate.why.similarity is not None]
    return max(similarities) - margin if similarities else None


def _below_floor(candidate: Candidate, floor: float | None, words: LossWords) -> str:
    """Return why a candidate is too weak: no term of the question, far less similar than the best, and off the walk."""
    similarity, rank = candidate.why.similarity, candidate.why.walk_rank
    if rank is not None and rank <= _VOUCHED:
        return ""
    if floor is None or similarity is None or candidate.why.terms or similarity >= floor:
        return ""
    return words.floor.format(similarity=f"{similarity:.3f}", floor=f"{floor:.3f}")


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
