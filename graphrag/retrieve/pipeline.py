"""One question through the read path, stage by stage, against one snapshot that it keeps for the whole request."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from graphrag.domain.course import present_course
from graphrag.domain.note import Chunk
from graphrag.domain.ports import TokenWeigher, Vectors, WeightReader
from graphrag.domain.query import (
    Candidate,
    Context,
    ContextBlock,
    Question,
    Route,
    SearchResult,
    Trace,
    WeightHit,
    Why,
)
from graphrag.errors import ProviderError
from graphrag.language.interface import LanguageSetting, interface_language
from graphrag.language.script import estimate_tokens
from graphrag.retrieve.confidence import assess
from graphrag.retrieve.expand import ExpandPolicy, expand
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.rerank import RerankPolicy, rerank
from graphrag.retrieve.search import (
    Lists,
    by_score,
    fuse,
    rare_identifiers,
    search_full_text,
    search_vectors,
    term_weights,
)
from graphrag.retrieve.select import SelectPolicy, select
from graphrag.retrieve.walk import Trip
from graphrag.retrieve.walked import BlendPolicy, rank_with_walk, tell_ways
from graphrag.understand.plan import choose_route


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


# Questions that are answered without a search of passages; whoever searches for one all the same gets the best ones.
_ANSWERED_ELSEWHERE = frozenset({Route.DIRECT, Route.OVERVIEW, Route.LIST, Route.RELATION})


class Expansion(StrEnum):
    """How the graph takes part."""

    WALK = "walk"
    HOPS = "hops"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """The numbers of the read path; what is not used leaves one list alone for an evaluation to look at."""

    candidates: int
    rrf_k: int
    expansion: Expansion
    expand: ExpandPolicy
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

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what runs inside, added to earlier time of the same stage."""
        start, course = time.perf_counter(), present_course()
        course.begin(name)
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self.milliseconds[name] = round(self.milliseconds.get(name, 0.0) + spent, 2)
            course.end(name, round(spent, 2))


def search(readers: SnapshotReaders, question: Question, policy: SearchPolicy, clock: StageClock) -> Found:
    """Return the results of a question; one that asks for no passages is searched all the same, as `hybrid`.

    A model that cannot be used is done without, which the result's notice says.
    """
    with clock.stage("route"):
        named = readers.notes_named(question.text)
        route = choose_route(question.text, named)
        named = readers.notes_asked_about(question.text)
        terms = readers.tokenizer.tokenize_query(question.text)
    lists, vector, notice = _candidates(readers, question, route, terms, policy, clock)
    with clock.stage("fuse"):
        total = readers.manifest.chunk_count
        weights = term_weights(readers.chunks, terms, total)
        senses = readers.tokenizer.look_up(terms, question.text)
        candidates = fuse(readers.chunks, lists, policy.rrf_k, rare_identifiers(senses, weights, total))
        candidates += _named_besides(candidates, named, readers, question, policy.select.max_per_note)
    trip = None
    if candidates and policy.expansion is not Expansion.NONE:
        with clock.stage("expand"):
            candidates, trip = _expand(candidates, readers, question, policy, vector)
    why_gone = readers.present.look()
    if candidates and policy.rerank:
        with clock.stage("rerank"):
            candidates, failure = _rerank(candidates, readers, question, policy.rerank, why_gone)
            notice = f"{notice} {failure}".strip()
    with clock.stage("select"):
        candidates = _named_first(candidates, named)
        candidates = [candidate for candidate in candidates if candidate.chunk.note not in policy.hidden]
        kept, dropped = select(candidates, policy.select, why_gone, interface_language(policy.language, question.text))
        kept = tell_ways(kept, trip, readers.present.is_gone) if trip else kept
    with clock.stage("assess"):
        is_named = not named.isdisjoint(candidate.chunk.note for candidate in kept)
        evidence = assess(readers, question.text, kept, weights, vector, is_named)
    result = SearchResult(
        question=question,
        route=Route.HYBRID if route in _ANSWERED_ELSEWHERE else route,
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
    question: Question,
    route: Route,
    terms: list[str],
    policy: SearchPolicy,
    clock: StageClock,
) -> tuple[Lists, Vectors | None, str]:
    """Return the lists, and why there are no vectors if the embedder fails; a lookup settled by words needs none."""
    lists, vector, notice = Lists((), ()), None, ""
    if policy.use_full_text:
        with clock.stage("full_text"):
            hits = search_full_text(readers.chunks, terms, policy.candidates, question.filters)
        lists = replace(lists, full_text=hits)
    is_settled = route is Route.LOOKUP and any(len(hit.terms) == len(terms) for hit in lists.full_text[:1])
    if policy.use_vectors and readers.manifest.embedded_count and not is_settled:
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


def _expand(
    candidates: list[Candidate],
    readers: SnapshotReaders,
    question: Question,
    policy: SearchPolicy,
    vector: Vectors | None,
) -> tuple[list[Candidate], Trip | None]:
    """Return the candidates with what the graph adds; while the walk is not made yet, the lists stand alone."""
    if policy.expansion is Expansion.HOPS:
        return expand(candidates, readers.graph, readers.chunks, policy.expand, vector, question.filters), None
    walk = readers.load_walk()
    return rank_with_walk(candidates, walk, readers.chunks, question, policy.blend) if walk else (candidates, None)


def _named_besides(
    candidates: list[Candidate], named: frozenset[str], readers: SnapshotReaders, question: Question, per_note: int
) -> list[Candidate]:
    """Return the first chunks of the notes that the question names and that no list found among so many others."""
    missing = sorted(named.difference(candidate.chunk.note for candidate in candidates))
    found = readers.chunks.chunks_of(missing, question.filters) if missing else {}
    return [Candidate(chunk, 0.0, Why()) for note in missing for chunk in found.get(note, [])[:per_note]]


def _named_first(candidates: list[Candidate], named: frozenset[str]) -> list[Candidate]:
    """Put the chunks of notes that the question names before all others, in their order."""
    if not named:
        return candidates
    raised = [
        replace(candidate, score=candidate.score + 1.0) if candidate.chunk.note in named else candidate
        for candidate in candidates
    ]
    return sorted(raised, key=by_score)


pass


class SearchMode(StrEnum):
    """Which parts of the read path run."""

    SETTINGS = "settings"  # what a user gets
    FULL_TEXT = "full_text"
    VECTORS = "vectors"
    FUSED = "fused"
    HOPS = "hops"
    WALK = "walk"


def policy_of(mode: SearchMode, policy: SearchPolicy) -> SearchPolicy:
    """Return the policy that runs only what the mode names, with all its other numbers kept."""
    if mode is SearchMode.SETTINGS:
        return policy
    expansions = {SearchMode.HOPS: Expansion.HOPS, SearchMode.WALK: Expansion.WALK}
    return replace(
        policy,
        use_full_text=mode is not SearchMode.VECTORS,
        use_vectors=mode is not SearchMode.FULL_TEXT,
        use_sparse=mode is not SearchMode.VECTORS,
        expansion=expansions.get(mode, Expansion.NONE),
        rerank=None,
    )
