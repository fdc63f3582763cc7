"""A question -> candidates: full text, vectors and token weights, fused by reciprocal ranks.

RRF after Cormack, Clarke and Büttcher (SIGIR 2009): score = sum over the lists of 1 / (k + rank). A passage that holds
a rare identifier of the question gets a higher score by its words, since embeddings do not separate error codes.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from graphrag.domain.note import Chunk
from graphrag.domain.ports import ChunkReader, Vectors
from graphrag.domain.query import Candidate, Filters, FullTextHit, VectorHit, WeightHit, Why, WordKind, WordSense

_FALLBACK_TERMS = 3
_FALLBACK_HITS = 10
_COVERAGE_DEPTH = 5
_PHRASE_SHARE = 0.5  # of its score by words that a passage gains when every phrase of the question stands in it
_PHRASE_GAP = re.compile(r"[\w ]{0,12}")  # stop words between two words of a phrase
_IDENTIFIER_SHARE = 2.0  # of its score by words that a passage gains with an identifier that no other passage holds


@dataclass(frozen=True, slots=True)
class Lists:
    """The ranked lists of one question; the third is empty unless the embedder weighs tokens."""

    full_text: tuple[FullTextHit, ...]
    vector: tuple[VectorHit, ...]
    sparse: tuple[WeightHit, ...] = ()


def search_full_text(
    reader: ChunkReader, terms: Sequence[str], limit: int, filters: Filters
) -> tuple[FullTextHit, ...]:
    """Return BM25 hits, and after them chunks that hold a missing term inside a word.

    That reads every text, so it is only done for a question of a few words, or when no word was found: a long question
    has words that the notes lack as a rule.
    """
    hits = reader.search_text(terms, limit, filters)
    found = {term for hit in hits for term in hit.terms}
    known = {hit.chunk.id for hit in hits}
    missing = [term for term in terms if term not in found]
    for term in missing[:_FALLBACK_TERMS] if len(terms) <= _FALLBACK_TERMS or not hits else ():
        for hit in reader.search_substring(term, _FALLBACK_HITS, filters):
            if hit.chunk.id not in known:
                known.add(hit.chunk.id)
                hits.append(hit)
    return tuple(hits[:limit])


def phrases_of(question: str, terms: Sequence[str]) -> list[str]:
    """Return each two neighbouring terms of a question with the stop words between them: pass the hash."""
    text = _plain(question)
    places = sorted((text.find(term), -len(term), term) for term in terms if term in text)
    whole: list[tuple[int, int]] = []
    for start, size, _ in places:
        if not whole or start >= whole[-1][1]:
            whole.append((start, start - size))
    return [
        text[start:end]
        for (start, first_end), (second_start, end) in pairwise(whole)
        if _PHRASE_GAP.fullmatch(text, first_end, second_start)
    ]


def raise_phrases(hits: Sequence[FullTextHit], phrases: Sequence[str]) -> tuple[FullTextHit, ...]:
    """Return the hits with a higher score for the share of the phrases that stand in a passage as they are."""
    if not phrases:
        return tuple(hits)

    def raised(hit: FullTextHit) -> FullTextHit:
        text = _plain(hit.chunk.text)
        share = sum(phrase in text for phrase in phrases) / len(phrases)
        return replace(hit, score=hit.score * (1 + _PHRASE_SHARE * share)) if share else hit

    return tuple(sorted(map(raised, hits), key=lambda hit: -hit.score))


def fuse(reader: ChunkReader, lists: Lists, rrf_k: int, identifiers: Mapping[str, float]) -> list[Candidate]:
    """Return every chunk of any list as a candidate, best first; `identifiers` of the question have a rarity."""
    chunks = {hit.chunk.id: hit.chunk for hit in lists.full_text}
    others = (*(hit.chunk_id for hit in lists.vector), *(hit.chunk_id for hit in lists.sparse))
    chunks.update(reader.get_chunks([id_ for id_ in dict.fromkeys(others) if id_ not in chunks]))
    texts = {hit.chunk.id: (rank, hit) for rank, hit in enumerate(lists.full_text, 1)}
    vectors = {hit.chunk_id: (rank, hit) for rank, hit in enumerate(lists.vector, 1)}
    weighed = {hit.chunk_id: (rank, hit) for rank, hit in enumerate(lists.sparse, 1)}
    candidates = [
        _candidate(chunk, texts.get(chunk_id), vectors.get(chunk_id), weighed.get(chunk_id), rrf_k)
        for chunk_id, chunk in chunks.items()
    ]
    return sorted((_raise_for(candidate, identifiers, rrf_k) for candidate in candidates), key=by_score)


def rare_identifiers(senses: Sequence[WordSense], weights: Mapping[str, float], total: int) -> dict[str, float]:
    """Return the identifiers among a question's words with their rarity in the vault, from 0 to 1."""
    most = weight_of_unknown(total)
    return {sense.term: weights[sense.term] / most for sense in senses if sense.kind is WordKind.IDENTIFIER}


def by_score(candidate: Candidate) -> tuple[float, str, int]:
    """Sort key: best score first, ties by note and place."""
    return -candidate.score, candidate.chunk.note, candidate.chunk.ordinal


def term_weights(reader: ChunkReader, terms: Sequence[str], total: int) -> dict[str, float]:
    """Return each term's inverse document frequency; a term that no chunk holds weighs most."""
    frequencies = reader.document_frequencies(terms)
    return {term: math.log(1 + (total + 0.5) / (frequencies.get(term, 0) + 0.5)) for term in terms}


def best_coverage(candidates: Sequence[Candidate], weights: Mapping[str, float]) -> float:
    """Return how much of the question's term weight one of the first candidates holds at best, 0 to 1."""
    total = sum(weights.values())
    best = [sum(weights.get(term, 0.0) for term in candidate.why.terms) for candidate in candidates[:_COVERAGE_DEPTH]]
    return max(best, default=0.0) / total if total else 0.0


def best_similarity(candidates: Sequence[Candidate]) -> float | None:
    """Return the highest cosine, None when no candidate has one."""
    return max((item.why.similarity for item in candidates if item.why.similarity is not None), default=None)


def weight_of_unknown(total: int) -> float:
    """Return the inverse document frequency of a term that none of so many chunks holds, the largest there is."""
    return math.log(1 + (total + 0.5) / 0.5)


def search_vectors(reader: ChunkReader, vector: Vectors | None, limit: int, filters: Filters) -> tuple[VectorHit, ...]:
    """Return the nearest chunks; none without a question vector."""
    return () if vector is None else tuple(reader.search_vectors(vector, limit, filters))


def _raise_for(candidate: Candidate, identifiers: Mapping[str, float], rrf_k: int) -> Candidate:
    rank = candidate.why.full_text_rank
    rarity = max((identifiers.get(term, 0.0) for term in candidate.why.terms), default=0.0)
    if rank is None or not rarity:
        return candidate
    return replace(candidate, score=candidate.score + _IDENTIFIER_SHARE * rarity / (rrf_k + rank))


def _candidate(
    chunk: Chunk,
    text: tuple[int, FullTextHit] | None,
    vector: tuple[int, VectorHit] | None,
    sparse: tuple[int, WeightHit] | None,
    rrf_k: int,
) -> Candidate:
    score = sum(1 / (rrf_k + entry[0]) for entry in (text, vector, sparse) if entry)
    why = Why(
        full_text_rank=text[0] if text else None,
        full_text_score=text[1].score if text else None,
        terms=text[1].terms if text else (),
        vector_rank=vector[0] if vector else None,
        similarity=vector[1].similarity if vector else None,
        sparse_rank=sparse[0] if sparse else None,
        sparse_score=sparse[1].score if sparse else None,
    )
    return Candidate(chunk, score, why)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
