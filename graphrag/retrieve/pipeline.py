"""A plan and one open snapshot -> ranked passages, stage by stage; the policy of the search from the settings.

Stages: full text, vectors, fusion, walk, rerank, selection, assessment. `StageClock` times each. A model that fails is
skipped, and the result's notice says so. `SearchMode` runs single stages for an evaluation.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from graphrag.domain.note import Chunk
from graphrag.domain.ports import TokenWeigher, Vectors, WeightReader
from graphrag.domain.query import (
    Candidate,
    Context,
    ContextBlock,
    Question,
    SearchResult,
    Trace,
    WeightHit,
    Why,
    WordKind,
    WordSense,
)
from graphrag.domain.request_course import present_course
from graphrag.errors import ProviderError
from graphrag.language.interface import LanguageSetting, interface_language
from graphrag.language.script import estimate_tokens
from graphrag.retrieve.confidence import assess
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.rerank import RerankPolicy, rerank
from graphrag.retrieve.search import (
    Lists,
    by_score,
    fuse,
    phrases_of,
    raise_phrases,
    rare_identifiers,
    search_full_text,
    search_vectors,
    term_weights,
)
from graphrag.retrieve.select import SelectPolicy, select
from graphrag.retrieve.walk import BlendPolicy, rank_with_walk, tell_ways
from graphrag.settings import Settings
from graphrag.understand.plan import Lookup, QueryPlan
from graphrag.understand.router import EMBEDDERS


def build_context(chunks: Iterable[Chunk], token_budget: int) -> Context:
    """Return the first chunks that fit, best first; the very first is always in."""
    blocks: list[ContextBlock] = []
    used = 0
    for chunk in chunks:
        tokens = estimate_tokens(chunk.embedded_text())
        if blocks and used + tokens > token_budget:
            continue
        blocks.append(ContextBlock(len(blocks) + 1, chunk))
        used += tokens
    return Context(tuple(blocks), used)


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """The numbers of the read path; what is not used leaves one list alone for an evaluation to look at."""

    candidates: int
    rrf_k: int
    use_walk: bool  # along the graph
    blend: BlendPolicy
    select: SelectPolicy
    use_full_text: bool = True
    use_vectors: bool = True
    use_sparse: bool = True  # where the embedder weighs tokens
    rerank: RerankPolicy | None = None  # None without a reranker
    hidden: frozenset[str] = frozenset()  # notes that are passed over, to see what is found without them
    language: LanguageSetting = "auto"


@dataclass(frozen=True, slots=True)
class Found:
    """A search with what an answer needs besides: the question's vector and the weights of its terms."""

    result: SearchResult
    vector: Vectors | None
    weights: dict[str, float]


class StageClock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._inside = 0.0  # milliseconds of the stages inside the present one

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what runs inside but for stages of its own, added to earlier time of the same stage."""
        start, course = time.perf_counter(), present_course()
        outside, self._inside = self._inside, 0.0
        course.begin(name)
        try:
            yield
        finally:
            whole = (time.perf_counter() - start) * 1000
            spent, self._inside = whole - self._inside, outside + whole
            self.milliseconds[name] = round(self.milliseconds.get(name, 0.0) + spent, 2)
            course.end(name, round(spent, 2))


def search(readers: SnapshotReaders, plan: QueryPlan, policy: SearchPolicy, clock: StageClock) -> Found:
    """Return the results of a plan; a question that asks for no passages is searched all the same, as `hybrid`.

    A model that cannot be used is done without, which the result's notice says.
    """
    question, named, of_day = plan.question, plan.notes.asked_about, plan.notes.of_day
    with clock.stage("route"):
        terms = readers.tokenizer.tokenize_query(question.text)
    lists, vector, notice = _candidates(readers, plan, terms, policy, clock)
    with clock.stage("fuse"):
        total = readers.manifest.chunk_count
        weights = term_weights(readers.chunks, terms, total)
        senses = readers.tokenizer.look_up(terms, question.text)
        candidates = fuse(readers.chunks, lists, policy.rrf_k, rare_identifiers(senses, weights, total))
        candidates += _named_besides(candidates, named | of_day, readers, question, policy.select.max_per_note)
        candidates = _raised(candidates, of_day, 2 / (policy.rrf_k + 1))  # as the first of two lists
    trip = None
    if candidates and policy.use_walk:
        with clock.stage("expand"):
            # While the walk is not made yet, the lists stand alone.
            if walk := readers.load_walk():
                candidates, trip = rank_with_walk(candidates, walk, readers.chunks, question, policy.blend)
    why_gone = readers.present.look()
    if candidates and policy.rerank:
        with clock.stage("rerank"):
            candidates, failure = _rerank(candidates, readers, question, policy.rerank, why_gone)
            notice = f"{notice} {failure}".strip()
    with clock.stage("select"):
        asked = readers.tokenizer.tokenize_query(plan.beside_day)
        if of_day and not _names_thing(readers.tokenizer.look_up(asked, plan.beside_day)):
            candidates, named = [item for item in candidates if item.chunk.note in of_day] or candidates, of_day
        candidates = _raised(candidates, named, 1.0)  # before all others
        candidates = [candidate for candidate in candidates if candidate.chunk.note not in policy.hidden]
        kept, dropped = select(candidates, policy.select, why_gone, interface_language(policy.language, question.text))
        kept = tell_ways(kept, trip, readers.present.is_gone) if trip else kept
    with clock.stage("assess"):
        is_named = not named.isdisjoint(candidate.chunk.note for candidate in kept)
        if of_day:
            weights = term_weights(readers.chunks, asked, total)
        evidence = assess(readers, plan.beside_day, kept, weights, vector, is_named)
    result = SearchResult(
        question=question,
        route=plan.passages.route,
        snapshot=readers.reference(),
        candidates=kept,
        dropped=dropped,
        evidence=evidence,
        terms=tuple(terms),
        trace=Trace(dict(clock.milliseconds)),
        notice=notice,
    )
    return Found(result, vector, weights)


def _candidates(
    readers: SnapshotReaders,
    plan: QueryPlan,
    terms: list[str],
    policy: SearchPolicy,
    clock: StageClock,
) -> tuple[Lists, Vectors | None, str]:
    """Return the lists, and why there are no vectors if the embedder fails; a lookup settled by words needs none."""
    lists, vector, notice = Lists((), ()), None, ""
    question = plan.question
    if policy.use_full_text:
        with clock.stage("full_text"):
            hits = search_full_text(readers.chunks, terms, policy.candidates, question.filters)
            hits = raise_phrases(hits, phrases_of(question.text, terms))
        lists = replace(lists, full_text=hits)
    is_lookup = isinstance(plan.passages, Lookup) and plan.sure is None  # what the router takes for one may be none
    is_settled = is_lookup and any(len(hit.terms) == len(terms) for hit in lists.full_text[:1])
    if policy.use_vectors and readers.manifest.embedded_count and not is_settled:
        vector = plan.vector
        if vector is None:
            with clock.stage("embed"):
                vector, notice = _embed(readers, question.text)
        with clock.stage("vector"):
            lists = replace(lists, vector=search_vectors(readers.chunks, vector, policy.candidates, question.filters))
        if policy.use_sparse and vector is not None and readers.weights and readers.weights.has_weights:
            with clock.stage("sparse"):
                lists = replace(lists, sparse=_search_weights(readers, readers.weights, question, policy.candidates))
    return lists, vector, notice


def _search_weights(
    readers: SnapshotReaders, store: WeightReader, question: Question, limit: int
) -> tuple[WeightHit, ...]:
    """Return what the weights of the question's tokens find; its vector was made with them, at no further cost."""
    embedder = readers.load_embedder()
    weights = embedder.weigh_query(question.text) if isinstance(embedder, TokenWeigher) else None
    return tuple(store.search(weights, limit, question.filters)) if weights else ()


def router_vector(readers: SnapshotReaders, text: str, clock: StageClock) -> Vectors | None:
    """Return the vector of a question for the trained router; None without an embedder that it was trained with."""
    if not readers.manifest.embedded_count or readers.manifest.fingerprints.embedder not in EMBEDDERS:
        return None
    with clock.stage("embed"):
        return _embed(readers, text)[0]


def _embed(readers: SnapshotReaders, text: str) -> tuple[Vectors | None, str]:
    try:
        embedder = readers.load_embedder()
        return (embedder.embed_query(text) if embedder else None), ""
    except ProviderError as error:
        return None, f"{error} Until then, words and links have to do without meaning."


def _rerank(
    candidates: list[Candidate],
    readers: SnapshotReaders,
    question: Question,
    policy: RerankPolicy,
    why_gone: Callable[[Chunk], str],
) -> tuple[list[Candidate], str]:
    """Return the candidates in their new order, or in the old one with the reason."""
    try:
        reranker = readers.load_reranker()
        return (rerank(reranker, question.text, candidates, policy, why_gone) if reranker else candidates), ""
    except ProviderError as error:
        return candidates, f"{error} Until then, results are not reranked."


def _named_besides(
    candidates: list[Candidate], named: frozenset[str], readers: SnapshotReaders, question: Question, per_note: int
) -> list[Candidate]:
    """Return the first chunks of the notes that the question names and that no list found among so many others."""
    missing = sorted(named.difference(candidate.chunk.note for candidate in candidates))
    found = readers.chunks.chunks_of(missing, question.filters) if missing else {}
    return [Candidate(chunk, 0.0, Why()) for note in missing for chunk in found.get(note, [])[:per_note]]


def _raised(candidates: list[Candidate], notes: frozenset[str], by: float) -> list[Candidate]:
    """Return the candidates, best first, with the scores of these notes raised."""
    if not notes:
        return candidates
    raised = [
        replace(candidate, score=candidate.score + by) if candidate.chunk.note in notes else candidate
        for candidate in candidates
    ]
    return sorted(raised, key=by_score)


def _names_thing(senses: Iterable[WordSense]) -> bool:
    """Whether words name a thing; without one, a question on a day asks for all of it."""
    return any(sense.kind in (WordKind.NOUN, WordKind.IDENTIFIER) for sense in senses)


class SearchMode(StrEnum):
    """Which parts of the read path run."""

    SETTINGS = "settings"  # what a user gets
    FULL_TEXT = "full_text"
    VECTORS = "vectors"
    FUSED = "fused"
    WALK = "walk"


def policy_of(mode: SearchMode, policy: SearchPolicy) -> SearchPolicy:
    """Return the policy that runs only what the mode names, with all its other numbers kept."""
    if mode is SearchMode.SETTINGS:
        return policy
    return replace(
        policy,
        use_full_text=mode is not SearchMode.VECTORS,
        use_vectors=mode is not SearchMode.FULL_TEXT,
        use_sparse=mode is not SearchMode.VECTORS,
        use_walk=mode is SearchMode.WALK,
        rerank=None,
    )


_NO_RERANKER = "none"


def search_policy(settings: Settings, top_k: int | None = None) -> SearchPolicy:
    """Return the numbers of a search, for so many results where that is said."""
    search = settings.search
    return SearchPolicy(
        candidates=search.candidates,
        rrf_k=search.rrf_k,
        use_walk=search.expansion == "walk",
        blend=BlendPolicy(search.rrf_k, search.walk_share, search.pointed_share),
        select=SelectPolicy(top_k or search.top_k, search.max_per_note, search.floor_margin),
        rerank=_rerank_policy(settings),
        language=settings.interface.language,
    )


def _rerank_policy(settings: Settings) -> RerankPolicy | None:
    rerank = settings.rerank
    if rerank.provider == _NO_RERANKER:
        return None
    return RerankPolicy(rerank.candidates, rerank.share, settings.search.rrf_k)
