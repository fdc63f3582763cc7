"""Cases and a search -> one outcome a case: its ranking measured, whether it would be refused, how long it took."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag.domain.note import Chunk
from graphrag.domain.query import AnswerStatus, Filters, SearchResult, SnapshotRef
from graphrag.domain.report import Progress
from graphrag.evaluate.cases import Case, Target
from graphrag.evaluate.metrics import (
    Scores,
    evidence_recall,
    hit_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    refusal_scores,
)

DEEPEST = 20  # notes; the largest k of any metric
TOTAL = "total"  # the stage that stands for the whole search
_EVIDENCE_CHUNKS = 5

Search = Callable[[str, Filters], SearchResult]
Refuse = Callable[[SearchResult], AnswerStatus | None]  # None: worth answering


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search made of one case."""

    case: Case
    scores: Scores
    is_refused: bool
    milliseconds: Mapping[str, float]  # by stage, the whole search under `total`
    snapshot: SnapshotRef


def run_cases(
    mode: str, cases: Sequence[Case], search: Search, refuse: Refuse, progress: Progress
) -> tuple[Outcome, ...]:
    """Return the outcomes of cases that all say what to find, in order; `mode` names the run to `progress`."""
    search(cases[0].question, cases[0].filters)  # loads models and dictionaries, which is not the search's time
    outcomes: list[Outcome] = []
    for done, case in enumerate(cases):
        progress(mode, done, len(cases))
        started = time.perf_counter()
        result = search(case.question, case.filters)
        total = (time.perf_counter() - started) * 1000
        outcomes.append(_outcome(case, result, refuse(result) is not None, total))
    progress(mode, len(cases), len(cases))
    return tuple(outcomes)


def ranking_of(chunks: Sequence[Chunk], relevant: Iterable[Target]) -> tuple[str, ...]:
    """Return what the chunks stand for, each once: their notes, or the section of a note that a case asks for."""
    sections = {(target.note, target.heading.casefold()) for target in relevant if target.heading}
    keys: list[str] = []
    for chunk in chunks:
        asked = [title for title in chunk.heading if (chunk.note, title.casefold()) in sections]
        keys.append(key_of(Target(chunk.note, asked[0] if asked else "")))
    return tuple(dict.fromkeys(keys))


def key_of(target: Target) -> str:
    """Return a target's place in a ranking."""
    return f"{target.note}#{target.heading.casefold()}" if target.heading else target.note


def _outcome(case: Case, result: SearchResult, is_refused: bool, total: float) -> Outcome:
    chunks = [candidate.chunk for candidate in result.candidates]
    scores = refusal_scores(case.is_answerable, is_refused) if case.is_ranked else {}
    if case.relevant:
        scores |= _ranking_scores(ranking_of(chunks, case.relevant), frozenset(map(key_of, case.relevant)))
    if case.evidence and not case.is_unanswerable:
        texts = [chunk.text for chunk in chunks[:_EVIDENCE_CHUNKS]]
        scores["evidence_recall@5"] = evidence_recall(texts, case.evidence)
    milliseconds = {**result.trace.milliseconds, TOTAL: total}
    return Outcome(case, scores, is_refused, milliseconds, result.snapshot)


def _ranking_scores(ranking: Sequence[str], relevant: frozenset[str]) -> dict[str, float]:
    return {
        "recall@5": recall_at(ranking, relevant, 5),
        "recall@10": recall_at(ranking, relevant, 10),
        "recall@20": recall_at(ranking, relevant, DEEPEST),
        "hit@1": hit_at(ranking, relevant, 1),
        "hit@5": hit_at(ranking, relevant, 5),
        "mrr": reciprocal_rank(ranking, relevant),
        "ndcg@10": ndcg_at(ranking, relevant, 10),
    }
